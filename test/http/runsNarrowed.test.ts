/** Runs and replayed answers of a requester whose role was narrowed since: the run stays, what its target would show does not. */
import { expect } from 'chai';
import { rpcError, type FakeApp } from '../support/app.ts';
import { deferred } from '../support/deferred.ts';
import type { CallOptions, Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const input = { type: 'object', properties: { note: { type: 'string' } } };
const manifest = {
  resources: [
    { name: 'order', source: 'stored' },
    { name: 'customer', source: 'stored' },
  ],
  inboxes: [{ name: 'mail' }, { name: 'errors' }],
  actions: [
    { name: 'refund', resource: 'order', input },
    { name: 'greet', resource: 'customer', input },
    { name: 'export', resource: 'order', input, background: true },
    { name: 'ping', input },
  ],
} as const;

const all = ['inbox:mail', 'inbox:errors', 'resource:order', 'resource:customer', 'action:*'];
const keyed = (key: string): CallOptions => ({ headers: { 'idempotency-key': key } });

describe('http: runs of a role that was narrowed', () => {
  let world: World;
  let app: FakeApp;
  let roles = 0;

  before(async () => {
    world = await newWorld({ manifest });
    await world.records('order', [{ id: 'o1', title: 'Order 1' }]);
    await world.records('customer', [{ id: 'c1', title: 'Ana' }]);
    app = await world.app();
  });
  beforeEach(() => {
    app.handle('action.run', ({ record }) => ({
      message: 'Paid to canary.',
      blocks: [
        { type: 'text', title: 'canary', text: 'canary' },
        ...(record === null ? [] : [{ type: 'record', record }]),
      ],
    }));
  });
  after(() => world.close());

  const narrowing = async (): Promise<{ agent: Client; narrow(...on: readonly string[]): Promise<void> }> => {
    const name = `role${String(roles++)}`;
    const grantsOf = (kinds: readonly string[]): { on: string; can: string[] }[] =>
      kinds.map((on) => ({ on, can: ['*'] }));
    await world.role(name, grantsOf(all));
    return {
      agent: await world.agent(name),
      narrow: async (...on) => {
        await world.sql('update roles set grants = $2 where name = $1', [name, JSON.stringify(grantsOf(on))]);
        await world.sql('update revisions set n = n + 1');
        await world.deps.directory.refresh();
      },
    };
  };
  const refund = { action: 'refund', record: 'o1', input: { note: 'canary' } };
  const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body.code)}`;
  const expectRefused = (reply: Reply, code: string): void => {
    expect(codeOf(reply), reply.text).to.equal(code);
    expect(reply.text).not.to.include('canary');
    expect(reply.headers.get('idempotent-replayed')).to.equal(null);
  };
  const redacted = {
    resource: null,
    record: null,
    input: {},
    progress: null,
    message: null,
    blocks: null,
    error: null,
  };

  it('replays neither results nor refusals nor dry runs, but refuses them as the call would be refused', async () => {
    const { agent, narrow } = await narrowing();
    const done = await agent.post('/actions', refund, keyed('done'));
    expect([done.status, done.body.message], done.text).to.deep.equal([200, 'Paid to canary.']);
    app.handle('action.run', () => {
      throw rpcError(-32001, 'No money for canary.');
    });
    const failed = await agent.post('/actions', refund, keyed('failed'));
    expect(codeOf(failed), failed.text).to.equal('422 action_failed');
    const dryRun = { ...refund, dryRun: true };
    const tried = await agent.post('/actions', dryRun, keyed('dry'));
    expect(tried.body).to.deep.equal({ dryRun: true, would: 'run', input: refund.input });
    const calls = [
      ['done', refund, done],
      ['failed', refund, failed],
      ['dry', dryRun, tried],
    ] as const;
    for (const [key, body, first] of calls) {
      const again = await agent.post('/actions', body, keyed(key));
      expect([again.status, again.headers.get('idempotent-replayed'), again.body]).to.deep.equal([
        first.status,
        'true',
        first.body,
      ]);
    }
    await narrow('inbox:mail', 'resource:order');
    for (const [key, body] of calls) expectRefused(await agent.post('/actions', body, keyed(key)), '403 forbidden');
    await narrow('inbox:mail');
    const now = await agent.post('/actions', refund);
    for (const [key, body] of calls) {
      const again = await agent.post('/actions', body, keyed(key));
      expectRefused(again, '404 not_found');
      expect(again.text).to.equal(now.text);
    }
    await narrow(...all);
    expect((await agent.post('/actions', refund, keyed('done'))).body).to.deep.equal(done.body);
  });

  it('refuses replays of actions without a record, on items that are hidden, of retries and of cancelled runs', async () => {
    const { agent, narrow } = await narrowing();
    const { item } = (await agent.post('/items', { inbox: 'errors', title: 'x' })).body;
    const ping = { action: 'ping', input: {} };
    const onItem = { ...ping, item: item.id as string };
    expect((await agent.post('/actions', ping, keyed('ping'))).status).to.equal(200);
    expect((await agent.post('/actions', onItem, keyed('item'))).status).to.equal(200);
    app.handle('action.run', () => {
      throw rpcError(-32001, 'No money for canary.');
    });
    const { run } = (await agent.post('/actions', refund)).body;
    const path = `/runs/${String(run)}/retry`;
    app.handle('action.run', () => ({ message: 'Paid to canary.', blocks: [] }));
    const retried = await agent.post(path, {}, keyed('retry'));
    expect([retried.status, retried.body.message], retried.text).to.deep.equal([200, 'Paid to canary.']);
    await narrow('inbox:mail', 'resource:order', 'action:*');
    expectRefused(await agent.post('/actions', onItem, keyed('item')), '404 not_found');
    expect((await agent.post('/actions', ping, keyed('ping'))).status).to.equal(200);
    expect((await agent.post(path, {}, keyed('retry'))).text).to.equal(retried.text);
    await narrow('inbox:mail');
    expectRefused(await agent.post('/actions', ping, keyed('ping')), '404 not_found');
    expectRefused(await agent.post(path, {}, keyed('retry')), '404 not_found');
  });

  it('shows the run to its requester with its end, and without record, input and what the app said', async () => {
    const { agent, narrow } = await narrowing();
    const live = await openLive(agent);
    const { run } = (await agent.post('/actions', refund)).body;
    const whole = (await agent.get(`/runs/${String(run)}`)).body.run;
    expect(whole).to.include({ record: 'o1', message: 'Paid to canary.', status: 'succeeded' });
    await narrow('inbox:mail');
    const shown = await agent.get(`/runs/${String(run)}`);
    expect(shown.body.run).to.deep.equal({ ...whole, ...redacted });
    expect(shown.text).not.to.match(/canary|order|"o1"/);
    expect((await agent.get('/runs')).body.runs).to.deep.equal([shown.body.run]);
    const { changes } = (await agent.get(`/changes?after=${encodeURIComponent(live.messages[0].offset)}`)).body;
    const told = changes.filter(({ type }: { type: string }) => type === 'run');
    expect(told.at(-1).run).to.deep.equal(shown.body.run);
    expect(JSON.stringify(told)).not.to.match(/canary|order|"o1"/);
    await live.close();
    await narrow('inbox:mail', 'resource:order');
    expect((await agent.get(`/runs/${String(run)}`)).body.run).to.deep.equal(whole);
  });

  it('tells nothing of what a background run says after the role was narrowed, but that it goes on and ends', async () => {
    const { agent, narrow } = await narrowing();
    const other = await world.agent('admin');
    const [begun, ended] = [deferred<string>(), deferred()];
    app.handle('action.run', async ({ run }: { run: string }) => {
      begun.resolve(run);
      await ended.promise;
      return { message: 'Exported canary.', blocks: [{ type: 'text', title: 'canary', text: 'canary' }] };
    });
    const asked = { ...refund, action: 'export' };
    const reply = await agent.post('/actions', asked, keyed('background'));
    expect(reply.status, reply.text).to.equal(202);
    const run = await begun.promise;
    await narrow('inbox:mail');
    const [own, all] = [await openLive(agent), await openLive(other)];
    app.notify('run.progress', { run, progress: 0.5, message: 'Half of canary' });
    const half = (message: { run?: { id: string; progress: number; status: string } }): boolean =>
      message.run?.id === run && message.run.progress === 0.5;
    await all.next('the progress', half);
    await own.next('the progress', (message) => message.run?.id === run);
    expect((await agent.get(`/runs/${run}`)).text).not.to.include('canary');
    ended.resolve();
    await own.next('the end', (message) => message.run?.status === 'succeeded');
    const shown = await agent.get(`/runs/${run}`);
    expect(shown.body.run).to.deep.include({ ...redacted, status: 'succeeded' });
    const told = JSON.stringify(own.messages);
    expect(told).not.to.match(/canary|"o1"/);
    expect(JSON.stringify(all.messages)).to.include('Exported canary.');
    expectRefused(await agent.post('/actions', asked, keyed('background')), '404 not_found');
    await own.close();
    await all.close();
  });

  it('cancels a waiting run, and answers and replays it without what the role does not see', async () => {
    const { agent, narrow } = await narrowing();
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
    const cancelled = async (key: string): Promise<[string, Reply]> => {
      const queued = await agent.post('/actions', refund);
      expect(queued.body.queued, queued.text).to.equal(true);
      const path = `/runs/${String(queued.body.run)}/cancel`;
      return [path, await agent.post(path, {}, keyed(key))];
    };
    const [path, first] = await cancelled('cancel');
    expect(first.body.run).to.deep.include({ status: 'cancelled', record: 'o1', input: refund.input });
    const late = await agent.post('/actions', refund);
    await narrow('inbox:mail');
    const again = await agent.post(path, {}, keyed('cancel'));
    expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([200, 'true']);
    const { finishedAt } = again.body.run;
    expect(again.body.run).to.deep.equal({ ...first.body.run, ...redacted, finishedAt });
    const own = await agent.post(`/runs/${String(late.body.run)}/cancel`);
    expect(own.body.run).to.deep.include({ ...redacted, status: 'cancelled' });
  });
});
