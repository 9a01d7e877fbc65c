/** `wait` of a run, a bulk and an approval: the answer comes once it has ended, or at the time, and no connection is held. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  inboxes: [{ name: 'mail' }],
  actions: [
    { name: 'slow', background: true },
    { name: 'asks', approval: true },
  ],
};

describe('waiting for an end', () => {
  let world: World;
  let app: FakeApp;
  let agent: Client;
  let person: Client;
  let release: () => void;

  before(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
    person = await world.person('admin');
    app = await world.app();
  });
  after(() => world.close());
  beforeEach(() => {
    const released = new Promise<void>((resolve) => (release = resolve));
    app.handle('action.run', async () => {
      await released;
      return { message: 'Done.', blocks: [] };
    });
  });
  afterEach(() => {
    release();
  });

  /** A run that the app has, and does not answer. */
  const begin = async (): Promise<string> => {
    const had = app.received.length;
    const { status, text, body } = await agent.post('/actions', { action: 'slow', input: {} });
    expect(status, text).to.equal(202);
    await until('the app has it', () => app.received.length > had);
    return body.run as string;
  };
  const wait = (path: string, ms = 30_000, client = agent): Promise<Reply> => client.get(`${path}?wait=${String(ms)}`);
  const ask = async (): Promise<string> => {
    const { status, text, body } = await agent.post('/actions', { action: 'asks', input: {} });
    expect(status, text).to.equal(202);
    return body.approval as string;
  };

  it('of a run is over when it has ended, for all who see it, and by the tool', async () => {
    const run = await begin();
    const waiting = Promise.all([
      wait(`/runs/${run}`),
      wait(`/runs/${run}`, 30_000, person),
      callTool(agent, 'get_run', { id: run, wait: '30s' }),
    ]);
    expect((await agent.get(`/runs/${run}`)).body.run.finishedAt, 'it is still running').to.equal(null);
    release();
    for (const { status, body } of await waiting)
      expect([status, body.run.status], JSON.stringify(body)).to.deep.equal([200, 'succeeded']);
    expect((await wait(`/runs/${run}`)).body.run.status, 'at once where it has ended before').to.equal('succeeded');
  });

  it('is over at its time, with what is so far, and 0 waits for nothing', async () => {
    const run = await begin();
    for (const ms of [0, 1, 150])
      expect((await wait(`/runs/${run}`, ms)).body.run.finishedAt, String(ms)).to.equal(null);
  });

  it('of a bulk is over when all of it has ended, also for who sees it in the audit log', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1)
      ids.push((await agent.post('/items', { inbox: 'mail', title: `No ${String(n)}` })).body.item.id as string);
    const { body } = await agent.post('/bulk', { ids, operation: { type: 'tags', add: ['x'], remove: [] } });
    const path = `/bulk/${String(body.bulk.id)}`;
    for (const reply of await Promise.all([wait(path), wait(path, 30_000, person)]))
      expect([reply.status, reply.body.bulk.status, reply.body.bulk.changed]).to.deep.equal([200, 'done', 3]);
  });

  it('of an approval is over when it is decided or taken back', async () => {
    const ends: readonly (readonly [string, (id: string) => Promise<Reply>])[] = [
      ['cancelled', (id) => agent.post(`/approvals/${id}/cancel`)],
      ['rejected', (id) => person.post(`/approvals/${id}/reject`, { note: 'No.' })],
      ['approved', (id) => person.post(`/approvals/${id}/approve`, {})],
    ];
    for (const [status, end] of ends) {
      const id = await ask();
      const waiting = Promise.all([wait(`/approvals/${id}`), callTool(agent, 'get_approval', { id, wait: '30s' })]);
      const ended = await end(id);
      expect(ended.status, ended.text).to.equal(200);
      for (const { body } of await waiting) expect(body.approval.status, JSON.stringify(body)).to.equal(status);
    }
  });

  it('takes no other times, and tells what is hidden and what is not there alike', async () => {
    const run = await begin();
    for (const ms of ['-1', '30001', '1.5', 'x', ''])
      expect((await agent.get(`/runs/${run}?wait=${ms}`)).status, ms).to.equal(400);
    await world.role('none', []);
    const stranger = await world.agent('none');
    const [hidden, none] = await Promise.all(
      [run, `run_${'0'.repeat(26)}`].map((id) => wait(`/runs/${id}`, 30_000, stranger)),
    );
    expect([hidden?.status, hidden?.text]).to.deep.equal([404, none?.text]);
  });

  it('ends with the credential', async () => {
    const run = await begin();
    const leaving = await world.agent('admin');
    const waiting = wait(`/runs/${run}`, 30_000, leaving);
    await world.revoke(leaving);
    release();
    expect((await waiting).status).to.be.oneOf([200, 401]);
  });

  it('holds no connection to the database, and ends when the process stops', async () => {
    const run = await begin();
    const { base, server } = await world.api();
    const waiting = Array.from({ length: 8 }, () =>
      fetch(`${base()}/runs/${run}?wait=30000`, { headers: { authorization: `Bearer ${agent.token}` } }),
    );
    const reads = await Promise.all(
      Array.from({ length: 10 }, () =>
        fetch(`${base()}/runs/${run}`, { headers: { authorization: `Bearer ${agent.token}` } }),
      ),
    );
    expect(reads.map(({ status }) => status)).to.deep.equal(reads.map(() => 200));
    const [held] = await world.sql<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()",
    );
    expect(held?.n).to.equal(0);
    await server.stop();
    const answers = await Promise.all(waiting);
    for (const answer of answers) {
      expect(answer.status).to.equal(200);
      expect(((await answer.json()) as { run: { finishedAt: number | null } }).run.finishedAt).to.equal(null);
    }
  });
});
