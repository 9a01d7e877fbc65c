/** Retries by others than the first requester: under their own name, with their own approval, and only of what they see. */
import { expect } from 'chai';
import { rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [],
  inboxes: [{ name: 'mail' }, { name: 'secret' }],
  actions: [{ name: 'refund' }],
} as const;

describe('actions: retries', () => {
  let world: World;
  let app: FakeApp;
  let admin: Client;
  let supervised: Client;
  let ana: Client;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
    supervised = await world.agent('admin', { mode: 'supervised' });
    ana = await world.person('admin', 'Ana');
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'action:refund', can: ['run'] },
    ]);
    app = await world.app();
  });
  beforeEach(() => {
    app.handle('action.run', () => {
      throw rpcError(-32001, 'Not today.');
    });
  });
  after(() => world.close());

  const works = (): void => {
    app.handle('action.run', () => ({ message: 'Refunded.' }));
  };
  const runOf = async (id: string): Promise<Reply['body']> => (await admin.get(`/runs/${id}`)).body.run;
  const isSettled = (run: string, status: string): Promise<unknown> =>
    until(`it is ${status}`, async () => (await runOf(run)).status === status);
  /** What the app was told with its last call. */
  const lastCall = (): { actor: { id: string }; approvedBy: { id: string } | null } =>
    app.received.findLast(({ method }) => method === 'action.run')?.params;
  /** A run of the supervised agent that Ana approved, and that failed. */
  const failApproved = async (): Promise<string> => {
    const { approval, run } = (await supervised.post('/actions', { action: 'refund' })).body;
    expect((await ana.post(`/approvals/${String(approval)}/approve`)).status).to.equal(200);
    await isSettled(run as string, 'failed');
    expect((await runOf(run as string)).approvedBy).to.include({ id: ana.id });
    return run as string;
  };

  it('have no approval when nobody approved them', async () => {
    const run = await failApproved();
    expect(lastCall().approvedBy).to.include({ id: ana.id });
    works();
    const bob = await world.person('admin', 'Bob');
    const reply = await bob.post(`/runs/${run}/retry`);
    expect(reply.status, reply.text).to.equal(200);
    const { by, approval, approvedBy } = await runOf(run);
    expect([by.id, approval, approvedBy]).to.deep.equal([bob.id, null, null]);
    const { actor, approvedBy: told } = lastCall();
    expect([actor.id, told]).to.deep.equal([bob.id, null]);
  });

  it('have the approval that they got themselves', async () => {
    const run = await failApproved();
    works();
    const first = (await runOf(run)).approval as string;
    const asked = (await supervised.post(`/runs/${run}/retry`)).body as { approval: string };
    expect(asked.approval).to.be.a('string').and.not.to.equal(first);
    const eve = await world.person('admin', 'Eve');
    expect((await eve.post(`/approvals/${asked.approval}/approve`)).status).to.equal(200);
    await isSettled(run, 'succeeded');
    const { approval, approvedBy } = await runOf(run);
    expect([approval, approvedBy.id, lastCall().approvedBy?.id]).to.deep.equal([asked.approval, eve.id, eve.id]);
  });

  it('count among the 10,000 runs that one may have queued', async () => {
    const failed = await admin.post('/actions', { action: 'refund' });
    const { run } = failed.body as { run: string };
    await app.close();
    const queued = await until('the app is offline', async () => {
      const reply = await admin.post('/actions', { action: 'refund' });
      return reply.status === 202 && reply.body.queued === true ? reply : undefined;
    });
    await world.sql(
      `insert into runs select (jsonb_populate_record(r, jsonb_build_object('id', 'run_01jd' || lpad(to_hex(n), 22, '0')))).*
       from runs r, generate_series(1, 9999) n where r.id = $1`,
      [queued.body.run],
    );
    for (const refused of [await admin.post(`/runs/${run}/retry`), await admin.post('/actions', { action: 'refund' })])
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).to.deep.equal([
        429,
        'rate_limited',
        '10',
      ]);
    expect(await runOf(run)).to.include({ status: 'failed', attempt: 1 });
    await world.sql("delete from runs where id like 'run\\_01jd%'");
    expect((await admin.post(`/runs/${run}/retry`)).body).to.include({ queued: true });
    app = await world.app();
  });

  it('are refused as not found where the item of the run is hidden, and leave its timeline as it is', async () => {
    const clerk = await world.agent('clerk');
    const { item } = (await admin.post('/items', { inbox: 'secret', title: 'Secret' })).body;
    const failed = await admin.post('/actions', { action: 'refund', item: item.id });
    expect(failed.status, failed.text).to.equal(422);
    const { run } = failed.body as { run: string };
    expect((await clerk.get(`/runs/${run}`)).body.run).to.include({ id: run, item: null, status: 'failed' });
    works();
    const timeline = async (): Promise<unknown> => (await admin.get(`/items/${String(item.id)}`)).body.timeline;
    const before = await timeline();
    const reply = await clerk.post(`/runs/${run}/retry`, { reason: 'canary' });
    expect([reply.status, reply.body.code], reply.text).to.deep.equal([404, 'not_found']);
    expect(await runOf(run)).to.include({ status: 'failed', attempt: 1, reason: null });
    expect(await timeline()).to.deep.equal(before);
    const own = await admin.post(`/runs/${run}/retry`);
    expect([own.status, own.body.message], own.text).to.deep.equal([200, 'Refunded.']);
  });
});
