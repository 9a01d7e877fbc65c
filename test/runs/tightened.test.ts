/** Runs whose action is declared anew while they wait: they do not start without an approval that it needs now or on another resource; approved input stays. */
import { expect } from 'chai';
import type { LocalConnection } from '../../shared/app/link/localConnections.ts';
import { createLine } from '../../shared/platform/turns/line.ts';
import { dispatchRun } from '../../shared/runs/call/dispatchRun.ts';
import { rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { handlers } from '../support/jobHandlers.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const input = (more: object = {}): object => ({ type: 'object', properties: { to: { type: 'string' }, ...more } });
const laterInput = input({ notify: { type: 'boolean', default: true } });
const refund = { name: 'refund', label: 'Refund', resource: 'order', background: true };
const pay = { name: 'pay', label: 'Pay', resource: 'order', approval: true, input: input() };
const manifestOf = (...actions: readonly object[]): object => ({
  resources: [
    { name: 'order', source: 'stored' },
    { name: 'customer', source: 'stored' },
    { name: 'parcel', source: 'app' },
  ],
  inboxes: [{ name: 'mail' }],
  actions: [
    ...actions,
    { name: 'ship', resource: 'parcel' },
    { name: 'shipNow', resource: 'parcel', offline: 'refuse' },
  ],
});
const manifest = manifestOf(refund, pay);

describe('actions: what waits while its action is declared anew', () => {
  let world: World;
  let agent: Client;
  let person: Client;

  beforeEach(async () => {
    world = await newWorld({ manifest, workers: false });
    await world.sql('update environments set trust_app = true');
    [agent, person] = [await world.agent('admin'), await world.person('admin')];
    for (const resource of ['order', 'customer']) await world.records(resource, [{ id: '1', title: 'One' }]);
  });
  afterEach(() => world.close());

  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;
  const jobOf = (payload: object): never =>
    ({
      id: 'job',
      env: 1,
      payload,
      requestId: null,
      fence: 1,
      startCount: 1,
      signal: new AbortController().signal,
      span: null,
      inTurn: () => Promise.resolve(),
    }) as never;
  const perform = (run: string): Promise<unknown> => handlers.actionRun(jobOf({ run }), world.deps);
  const queue = async (asked: object): Promise<string> => {
    const reply = await agent.post('/actions', asked);
    expect([reply.status, reply.body.queued], reply.text).to.deep.equal([202, true]);
    return reply.body.run;
  };
  const declare = (...actions: readonly object[]): Promise<FakeApp> =>
    world.app({ 'action.run': () => ({ message: 'Done.' }) }, { manifest: manifestOf(...actions) });
  const offline = async (app: FakeApp): Promise<void> => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select from app_connections')).length === 0);
  };
  const dispatched = (app: FakeApp): number => app.received.filter(({ method }) => method === 'action.run').length;
  /** Accepts a bulk of one item and makes its run. */
  const makeBulkRun = async (
    operation: object,
    between: (asked: Reply['body']) => Promise<unknown>,
  ): Promise<string> => {
    const made = await agent.post('/items', { inbox: 'mail', title: 'One', record: { resource: 'order', id: '1' } });
    const ids = [made.body.item.id as string];
    const asked = await agent.post('/bulk', { ids, operation: { type: 'action', ...operation } });
    expect(asked.status, asked.text).to.equal(202);
    await between(asked.body);
    const bulk = asked.body.bulk.id as string;
    await handlers.bulkChunk(jobOf({ bulk, chunk: 0 }), world.deps);
    return bulk;
  };

  it('does not start a run that needs an approval now, and says why', async () => {
    const run = await queue({ action: 'refund', record: '1' });
    const app = await declare({ ...refund, approval: true });
    await perform(run);
    expect(await runOf(run)).to.include({
      status: 'failed',
      code: 'conflict',
      error:
        'Refund needs a person’s approval now, and nobody has approved this; ask for it again, and a person decides.',
    });
    expect(dispatched(app)).to.equal(0);
    const retried = await agent.post(`/runs/${run}/retry`);
    expect([retried.status, retried.body.pending], retried.text).to.deep.equal([202, true]);
  });

  it('does not dispatch it either where the process of its job does not know yet', async () => {
    const run = await queue({ action: 'refund', record: '1' });
    await declare({ ...refund, approval: true });
    const env = world.deps.directory.environment('demo');
    if (env === undefined) throw new Error('The world is incomplete.');
    const calls: unknown[] = [];
    const local: LocalConnection = {
      connection: { id: 'con_here', instance: 'here', process: 'here' },
      runs: createLine(0),
      call: (...call) => {
        calls.push(call);
        return Promise.resolve({ kind: 'offline' });
      },
      notify: () => undefined,
    };
    await dispatchRun(world.deps, env, { run }, local);
    expect(calls).to.deep.equal([]);
    expect(await runOf(run)).to.include({ status: 'queued', attempts: 0 });
  });

  it('makes no runs of a bulk that needs an approval now', async () => {
    const bulk = await makeBulkRun({ action: 'refund' }, () => declare({ ...refund, approval: true }));
    const { results } = (await agent.get(`/bulk/${bulk}/results`)).body;
    expect(results.map(({ outcome, code }: Reply['body']) => [outcome, code])).to.deep.equal([['failed', 'conflict']]);
    expect(await world.sql('select from runs where bulk = $1', [bulk])).to.have.length(0);
  });

  it('makes the runs of an approved bulk with the input that was shown', async () => {
    const bulk = await makeBulkRun({ action: 'pay', input: { to: 'Ada' } }, async ({ approval }) => {
      expect((await person.post(`/approvals/${String(approval)}/approve`)).status).to.equal(200);
      await declare(refund, { ...pay, input: laterInput });
    });
    const runs = await world.sql('select input from runs where bulk = $1', [bulk]);
    expect(runs).to.deep.equal([{ input: { to: 'Ada' } }]);
  });

  it('retries an approved run with the input that was shown', async () => {
    const asked = { action: 'ask', input: { to: 'Ada' } };
    const ask = { name: 'ask', label: 'Ask', input: input() };
    const app = await declare(ask);
    app.handle('action.run', () => {
      throw rpcError(-32001, 'Not today.');
    });
    const { run } = (await agent.post('/actions', asked)).body as { run: string };
    await offline(app);
    await declare({ ...ask, approval: true, input: laterInput });
    const { approval } = (await agent.post(`/runs/${run}/retry`)).body as { approval: string };
    const shown = (await person.get(`/approvals/${approval}`)).body.approval.input;
    expect(shown).to.deep.equal({ to: 'Ada', notify: true });
    expect((await person.post(`/approvals/${approval}/approve`)).status).to.equal(200);
    expect((await runOf(run)).input).to.deep.equal(shown);
  });

  it('does nothing to a record of another resource than was asked for', async () => {
    const run = await queue({ action: 'refund', record: '1' });
    const asked = (await agent.post('/actions', { action: 'pay', record: '1', input: { to: 'Ada' } })).body;
    const app = await declare({ ...refund, resource: 'customer' }, { ...pay, resource: 'customer' });
    await perform(run);
    const error = 'Refund was asked for order and takes customer now; ask for it anew.';
    expect(await runOf(run)).to.include({ status: 'failed', code: 'conflict', error });
    const retried = await agent.post(`/runs/${run}/retry`);
    expect([retried.status, retried.body.code, retried.body.error]).to.deep.equal([409, 'conflict', error]);
    const decided = await person.post(`/approvals/${String(asked.approval)}/approve`);
    expect([decided.status, decided.body.code], decided.text).to.deep.equal([409, 'stale']);
    expect(dispatched(app)).to.equal(0);
  });

  describe('while an instance of an earlier version is there, which serves no records', () => {
    let earlier: FakeApp;
    beforeEach(async () => {
      earlier = await world.app(
        { 'action.run': () => ({ message: 'Shipped.' }) },
        { manifest: { actions: [{ name: 'ship' }, { name: 'shipNow' }] }, startedAt: 1 },
      );
    });

    it('dispatches nothing whose record could not be read, and looks at it once it can', async () => {
      const run = await queue({ action: 'ship', record: 'p1' });
      expect(await perform(run)).to.include({ kind: 'wait' });
      expect(await runOf(run)).to.include({ status: 'queued', attempts: 0 });
      await world.app({ 'records.get': () => ({ records: [] }) }, { manifest });
      await perform(run);
      expect(await runOf(run)).to.include({ status: 'failed', code: 'not_found' });
      expect(dispatched(earlier)).to.equal(0);
    });

    it('refuses what is not queued', async () => {
      const refused = await agent.post('/actions', { action: 'shipNow', record: 'p1' });
      expect([refused.status, refused.body.code], refused.text).to.deep.equal([503, 'app_offline']);
      const dryRun = await agent.post('/actions', { action: 'ship', record: 'p1', dryRun: true });
      expect(dryRun.body, dryRun.text).to.include({ would: 'queue' });
    });
  });
});
