/** An action's `when` over its input: a refund of more than an order's total is refused wherever `when` is checked. */
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const upToTotal = { field: 'input.amount', op: 'lte', path: 'record.fields.total' };
const otherwise = 'No more than the total.';
const input = { type: 'object', properties: { amount: { type: 'number' } } };
const refund = { name: 'refund', label: 'Refund', resource: 'order', approval: true, input };
const manifestOf = (when: object | null, more: object = {}): object => ({
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'total', type: 'number' }] },
    { name: 'payment', source: 'app' },
  ],
  inboxes: [{ name: 'mail' }],
  actions: [
    { ...refund, ...(when === null ? {} : { when }), ...more },
    { name: 'pay', label: 'Pay', resource: 'order', input, when: { if: upToTotal, otherwise } },
    {
      name: 'bounded',
      label: 'Bounded',
      resource: 'payment',
      input,
      when: { field: 'input.amount', op: 'lte', value: 5 },
    },
    { name: 'plain', label: 'Plain', input, when: { field: 'input.amount', op: 'gt', value: 0 } },
  ],
});
const first = { if: upToTotal, otherwise };

describe('conditions over the input of an action', () => {
  let world: World;
  let agent: Client;
  let ana: Client;
  let key: Client;
  let app: FakeApp;
  let started = Date.now() - 1_000_000;
  const connect = (manifest: object): Promise<FakeApp> =>
    connectApp(key, { manifest, startedAt: (started += 1), handlers: { 'action.run': () => ({}) } });
  before(async () => {
    world = await newWorld({ manifest: {} });
    await world.sql('delete from definitions');
    [agent, ana, key] = [await world.agent('admin'), await world.person('admin', 'Ana'), await world.appKey()];
    app = await connect(manifestOf(first));
    await world.records('order', [{ id: 'o1', title: 'Order', fields: { total: 1209 } }]);
  });
  after(async () => {
    await app.close();
    await world.close();
  });
  const act = (action: string, amount: number, more: object = {}): Promise<Reply> =>
    agent.post('/actions', { action, record: 'o1', input: { amount }, ...more });
  const setTotal = (total: number): Promise<unknown> =>
    world.sql(`update records set fields = jsonb_build_object('total', $1::int) where id = 'o1'`, [total]);
  const codeOf = ({ status, body }: Reply): string => `${String(status)} ${String(body.code)}`;

  it('refuse what they exclude at the call and in its dry run, and say why', async () => {
    for (const more of [{}, { dryRun: true }]) {
      const refused = await act('refund', 999_999, more);
      expect(codeOf(refused)).to.equal('409 conflict');
      expect(refused.body.error).to.equal(otherwise);
      expect(refused.body.details).to.deep.equal([
        { path: 'input.amount', message: 'is 999999, and not at most record.fields.total (1209)' },
      ]);
    }
    expect((await act('refund', 1209)).body.pending).to.equal(true);
    expect(codeOf(await agent.post('/actions', { action: 'refund', record: 'o1' })), 'no amount').to.equal(
      '409 conflict',
    );
    expect(codeOf(await agent.post('/actions', { action: 'plain', input: { amount: 0 } }))).to.equal('409 conflict');
    expect((await agent.post('/actions', { action: 'plain', input: { amount: 1 } })).status).to.equal(200);
  });

  it('leave an action available whose input is still to be given', async () => {
    const { available } = (await agent.post('/available', { refs: [{ resource: 'order', id: 'o1' }] })).body;
    expect(available[0].actions.map(({ action }: { action: string }) => action)).to.include.members(['refund', 'pay']);
  });

  it('hold in bulks: in dry runs, in the counts of an approval, and for each record', async () => {
    const item = await agent.post('/items', { inbox: 'mail', title: 'M', record: { resource: 'order', id: 'o1' } });
    const ids = [item.body.item.id];
    const operation = (amount: number) => ({ type: 'action', action: 'pay', input: { amount } });
    const told = await agent.post('/bulk', { ids, operation: operation(5000), dryRun: true });
    expect(told.body, told.text).to.include({ wouldChange: 0, failed: 1 });
    expect((await agent.post('/bulk', { ids, operation: operation(5), dryRun: true })).body.wouldChange).to.equal(1);
    const { bulk } = (await agent.post('/bulk', { ids, operation: operation(5000) })).body;
    await until('it is done', async () => (await agent.get(`/bulk/${String(bulk.id)}`)).body.bulk.status === 'done');
    const { results } = (await agent.get(`/bulk/${String(bulk.id)}/results`)).body;
    expect(results[0]).to.include({ outcome: 'failed', error: otherwise });
  });

  it('are checked again at the approval, at a retry, and when a queued run starts', async () => {
    const { approval } = (await act('refund', 1000)).body;
    await setTotal(900);
    expect(codeOf(await ana.post(`/approvals/${String(approval)}/approve`))).to.equal('409 stale');
    await setTotal(1209);
    await app.close();
    const { run } = (await act('pay', 1000)).body;
    expect(codeOf(await act('pay', 5000)), 'while the app is offline').to.equal('409 conflict');
    const served = (amount: number): Promise<Reply> =>
      agent.post('/actions', { action: 'bounded', record: 'p1', input: { amount } });
    const unread = await served(6);
    expect(codeOf(unread), 'of a record that nobody can read now').to.equal('409 conflict');
    expect(unread.body.details).to.deep.equal([{ path: 'input.amount', message: 'is 6, and not at most 5' }]);
    expect((await served(5)).body.queued).to.equal(true);
    await setTotal(900);
    app = await connect(manifestOf(first));
    const runOf = async (): Promise<Reply['body']> => (await agent.get(`/runs/${String(run)}`)).body.run;
    await until('it has ended', async () => (await runOf()).status === 'failed');
    expect((await runOf()).error).to.equal(otherwise);
    expect(codeOf(await agent.post(`/runs/${String(run)}/retry`))).to.equal('409 conflict');
    await setTotal(1209);
    expect((await agent.post(`/runs/${String(run)}/retry`)).status).to.be.lessThan(300);
  });

  it('can’t be widened unseen: what admits more input waits for a person, what admits less holds at once', async () => {
    const register = async (when: object | null): Promise<void> => {
      await app.close();
      app = await connect(manifestOf(when));
    };
    const pends = async (amount: number): Promise<boolean> => (await act('refund', amount)).body.pending === true;
    const wider = [
      null,
      { field: 'input.amount', op: 'lte', value: 1_000_000 },
      { any: [upToTotal, { field: 'input.amount', op: 'gt', path: 'record.fields.total' }] },
      { any: [upToTotal, { field: 'input.amount', op: 'exists' }] },
      { field: 'record.fields.total', op: 'exists' },
    ];
    for (const when of wider) {
      await register(when);
      expect(await pends(5000), JSON.stringify(when)).to.equal(false);
      expect(await pends(5), JSON.stringify(when)).to.equal(true);
    }
    await register({ all: [upToTotal, { field: 'input.amount', op: 'lt', value: 50 }] });
    expect([await pends(60), await pends(6)]).to.deep.equal([false, true]);
    await register(first);
    expect(await pends(60), 'as wide as before, and not any more').to.equal(false);
  });

  it('are refused where their form is wrong, and warned of where a path leads nowhere', async () => {
    const problems = async (when: object): Promise<string[]> => {
      const refused = await connectApp(key, { manifest: manifestOf(when), startedAt: started + 1_000 }).then(
        () => null,
        (error: { data?: { problems?: { path: string }[] } }) => error,
      );
      return (refused?.data?.problems ?? []).map(({ path }) => path);
    };
    const at = 'actions.0.when';
    expect(await problems({ ...upToTotal, value: 1 })).to.deep.equal([`${at}.path`]);
    for (const path of ['', 'a..b', 7, null, 'x'.repeat(301)])
      expect(await problems({ ...upToTotal, path }), String(path)).to.deep.equal([`${at}.path`]);
    for (const op of ['exists', 'matchesSemver'])
      expect(await problems({ ...upToTotal, op }), op).to.deep.equal([`${at}.path`]);
  });
});
