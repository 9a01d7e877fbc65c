/** Calls to one app over its socket, without the socket: what becomes of answers that come after the call has timed out. */
import { expect } from 'chai';
import { OutgoingCalls } from '../../../api/applink/outgoingCalls.ts';

describe('app link: outgoing calls', () => {
  const params = '{"run":"run_01h00000000000000000000000","action":"refund"}';
  const timedOut = async (calls: OutgoingCalls): Promise<void> => {
    expect(await calls.call('action.run', params, 1)).to.deep.equal({ kind: 'timeout' });
  };

  it('hands the late answer of a run on once', async () => {
    const late: unknown[] = [];
    const calls = new OutgoingCalls(
      () => true,
      (run, message) => late.push([run, message]),
      () => undefined,
    );
    await timedOut(calls);
    const message = { jsonrpc: '2.0', id: 1, result: null };
    expect(calls.settle(1, message, JSON.stringify(message))).to.equal(true);
    expect(calls.settle(1, message, JSON.stringify(message))).to.equal(true);
    expect(late).to.deep.equal([['run_01h00000000000000000000000', message]]);
  });

  it('drops a late answer that exceeds the limits: it could not be read', async () => {
    const late: unknown[] = [];
    const calls = new OutgoingCalls(
      () => true,
      (run, message) => late.push([run, message]),
      () => undefined,
    );
    await timedOut(calls);
    expect(calls.settle(1, null, 'null')).to.equal(true);
    expect(late).to.deep.equal([]);
  });
});
