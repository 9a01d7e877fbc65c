/** What API and worker processes say of themselves in /metrics, against what was really done. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import pg from 'pg';
import { sleep } from '../../shared/platform/time/clock.ts';
import { connectApp, type FakeApp } from '../support/app.ts';
import { clientOf, request, type Client, type Reply } from '../support/http.ts';
import { openLive, type Recorder } from '../support/live.ts';
import { testManifest } from '../support/manifest.ts';
import { startMeasured, type MeasuredProgram } from '../support/metrics.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** Returns how often the threads of a process were awake so far; 0 where the system does not tell. */
const wakesOf = (pid: number): number => {
  if (!existsSync(`/proc/${String(pid)}/task`)) return 0;
  return readdirSync(`/proc/${String(pid)}/task`).reduce(
    (sum, thread) =>
      sum +
      Number(
        readFileSync(`/proc/${String(pid)}/task/${thread}/schedstat`, 'utf8')
          .trim()
          .split(' ')[2],
      ),
    0,
  );
};

describe('metrics', () => {
  let world: World;
  let api: MeasuredProgram;
  let worker: MeasuredProgram;
  let agent: Client;
  let base: string;

  before(async () => {
    world = await newWorld({ server: false, workers: false });
    api = await startMeasured(world, 'api/main.ts');
    worker = await startMeasured(world, 'workers/main.ts');
    base = `http://127.0.0.1:${api.port}/api/env/demo`;
    const { token, id } = await world.agent('admin');
    agent = clientOf(base, token, id);
  });
  after(async () => {
    await worker.end();
    await api.end();
    await world.close();
  });

  const value = async (
    program: MeasuredProgram,
    name: string,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<number> => {
    const found = (await program.scrape()).value(name, labels);
    if (found === undefined) throw new Error(`${name} has no sample ${JSON.stringify(labels)}.`);
    return found;
  };

  it('count the time of statements by name, the forms of a list as one', async () => {
    const of = { statement: 'items.plain' };
    const before = await api.scrape();
    for (const query of ['', '?inbox=mail', '?inbox=refunds'])
      expect((await agent.get(`/items${query}`)).status).to.equal(200);
    const after = await api.scrape();
    const more = (name: string): number => (after.value(name, of) ?? 0) - (before.value(name, of) ?? 0);
    expect(more('console_postgres_statements_total')).to.be.at.least(3);
    const seconds = more('console_postgres_statement_seconds_total');
    expect(seconds).to.be.above(0);
    expect(seconds).to.be.below(60);
    const measured = after.samples.filter(({ name }) => name === 'console_postgres_statements_total');
    expect(measured).to.have.length.above(3);
    for (const { labels } of measured) expect(labels['statement']).to.match(/^[a-zA-Z]+\.[a-zA-Z]+$/);
  });

  it('show a service at rest that asks PostgreSQL little and is seldom awake', async () => {
    const processes = [api, worker];
    const look = async () => {
      const scraped = await Promise.all(processes.map((program) => program.scrape()));
      return {
        at: performance.now(),
        statements: scraped.reduce((sum, { value: of }) => sum + (of('console_postgres_statements_total') ?? 0), 0),
        wakes: processes.reduce((sum, { child }) => sum + wakesOf(child.pid ?? 0), 0),
      };
    };
    const ceilings = { statements: 25, wakes: 300 };
    let rates = { statements: Infinity, wakes: Infinity };
    // A start, or another program, may disturb the rest for a while.
    await until(
      'it is at rest for three seconds',
      async () => {
        const before = await look();
        await sleep(3_000);
        const after = await look();
        const perSecond = (what: keyof typeof ceilings): number =>
          ((after[what] - before[what]) * 1_000) / (after.at - before.at);
        rates = { statements: perSecond('statements'), wakes: perSecond('wakes') };
        return rates.statements <= ceilings.statements && rates.wakes <= ceilings.wakes;
      },
      60_000,
    ).catch((error: unknown) => {
      throw new Error(JSON.stringify(rates), { cause: error });
    });
    expect(rates.statements, 'the sweeps ask what is due').to.be.above(1);
  });

  it('have the sockets of streams and apps, and the environments whose app is offline', async () => {
    const streams: Recorder[] = [await openLive(agent), await openLive(agent)];
    expect(await value(api, 'console_live_connections')).to.equal(2);
    expect(await value(api, 'console_live_connections', { state: 'current' })).to.equal(2);
    for (const stream of streams) await stream.close();
    await until('the streams are closed', async () => (await value(api, 'console_live_connections')) === 0);

    const online = async (program: MeasuredProgram): Promise<number | undefined> =>
      (await program.scrape()).value('console_app_online', { environment: 'demo' });
    expect(await online(api), 'no app was ever here').to.equal(undefined);
    const app: FakeApp = await connectApp(await world.appKey(), { base });
    await until('the app is online', async () => (await online(api)) === 1, 20_000);
    expect(await value(api, 'console_app_connections')).to.equal(1);
    await app.close();
    await until('it is offline', async () => (await online(worker)) === 0, 20_000);
    expect(await value(api, 'console_app_connections')).to.equal(0);
  });

  it('count calls of apps for runs, once each, from handing over to the answer', async () => {
    const added = ['now', 'later'].map((name) => ({ name, background: name === 'later' }));
    const app: FakeApp = await connectApp(await world.appKey(), {
      base,
      manifest: { ...testManifest, actions: [...testManifest.actions, ...added] },
      handlers: { 'action.run': () => ({}) },
    });
    const of = { method: 'action.run' };
    const counted = async (name: string): Promise<number[]> =>
      (await Promise.all([api.scrape(), worker.scrape()])).map((each) => each.value(name, of) ?? 0);
    for (const action of ['now', 'later'])
      expect((await agent.post('/actions', { action })).status, action).to.be.within(200, 202);
    await until('both are done', async () => {
      const done = await world.sql(`select from runs where status = 'succeeded' and action in ('now', 'later')`);
      return done.length === 2;
    });
    // They are counted by the process that has the app's connection.
    expect(await counted('console_app_calls_total')).to.deep.equal([2, 0]);
    expect((await api.scrape()).value('console_app_calls_total', { ...of, outcome: 'answer' })).to.equal(2);
    expect(await counted('console_app_call_seconds_count')).to.deep.equal([2, 0]);
    await app.close();
  });

  it('count sign-ins that are refused, by reason', async () => {
    const signIn = (environment: string, email: string, password: string) =>
      request('POST', `http://127.0.0.1:${api.port}/api/env/${environment}/sign-in`, { email, password }, null);
    await world.person('viewer', 'Ana', {
      email: 'ana@example.com',
      password: 'correct horse',
      environments: ['demo'],
    });
    expect((await signIn('demo', 'ana@example.com', 'correct horse')).status).to.equal(200);
    expect((await api.scrape()).value('console_sign_in_refused_total')).to.equal(undefined);
    expect((await signIn('nowhere', 'ana@example.com', 'correct horse')).status).to.equal(404);
    const replies = [];
    for (let n = 0; n < 8; n++) replies.push((await signIn('demo', 'ana@example.com', 'wrong horse')).status);
    expect(replies).to.include.members([401, 429]);
    const metrics = await api.scrape();
    const refused = (reason: string): number | undefined => metrics.value('console_sign_in_refused_total', { reason });
    expect(refused('no_access')).to.equal(1);
    expect(refused('wrong_password')).to.equal(replies.filter((status) => status === 401).length);
    expect(refused('rate_limited')).to.equal(replies.filter((status) => status === 429).length);
  });

  it('have connections to PostgreSQL by pool, and nobody who waits for one', async () => {
    await agent.get('/items');
    const metrics = await api.scrape();
    for (const pool of ['changes', 'reads']) {
      expect(metrics.value('console_postgres_connections', { pool }), pool).to.be.within(1, 6);
      expect(metrics.value('console_postgres_connections_max', { pool })).to.equal(6);
      expect(metrics.value('console_postgres_waiting', { pool })).to.equal(0);
    }
    expect(metrics.value('console_postgres_up')).to.equal(1);
  });

  it('follow a job from the row to its end, and messages out of the outbox', async () => {
    const before = await value(worker, 'console_stream_position');
    const created = await agent.post('/items', { inbox: 'mail', title: 'One' });
    expect(created.status, created.text).to.equal(201);
    await world.settled();
    expect(await value(worker, 'console_publisher_up')).to.equal(1);
    await until('it was published', async () => (await value(worker, 'console_stream_position')) > before, 20_000);
    await until('nothing is left', async () => (await value(worker, 'console_outbox_rows')) === 0, 20_000);
    const { body } = await agent.post('/bulk', {
      ids: [created.body.item.id],
      operation: { type: 'state', state: 'waiting' },
    });
    await until('the bulk is done', async () => {
      const { bulk } = (await agent.get(`/bulk/${String(body.bulk.id)}`)).body;
      return bulk.status === 'done';
    });
    const started = { kind: 'bulkChunk', outcome: 'done' };
    await until(
      'its job is counted',
      async () => (await worker.scrape()).value('console_job_seconds_count', started) === 1,
    );
    expect(await value(worker, 'console_queue_jobs', { queue: 'bulk', state: 'active' })).to.be.within(0, 1);
  });

  it('show nothing of what is not known, while PostgreSQL answers', async () => {
    const blocker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await blocker.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table staged_jobs in access exclusive mode');
      await until('it is unknown', async () => (await api.scrape()).value('console_jobs') === undefined, 20_000);
      const blocked = await api.scrape();
      for (const name of ['console_outbox_rows', 'console_runs', 'console_commit_wait_seconds'])
        expect(blocked.value(name), name).to.equal(undefined);
      expect(blocked.value('console_postgres_up')).to.equal(1);
    } finally {
      await blocker.end();
    }
    await until('it is known again', async () => (await api.scrape()).value('console_jobs') === 0, 20_000);
  });

  it('know the whole database while all connections for changes wait for a lock', async () => {
    const { body } = await agent.post('/items', { inbox: 'mail', title: 'Locked' });
    const blocker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await blocker.connect();
    const bulks: Promise<Reply>[] = [];
    try {
      await blocker.query('begin');
      await blocker.query('lock table bulks in access exclusive mode');
      const tag = (n: number) => ({ ids: [body.item.id], operation: { type: 'tags', add: [`t${String(n)}`] } });
      for (let n = 0; n < 12; n++) bulks.push(agent.post('/bulk', tag(n)));
      await until('none is free', async () => (await value(api, 'console_postgres_waiting', { pool: 'changes' })) > 0);
      await world.sql(
        `insert into staged_jobs (id, env, name, payload, last_error, created_at, given_up_at) values ('job_given_up', 1, 'triageItem', '{}', 'bad', 0, 0)`,
      );
      const givenUp = { kind: 'triageItem', state: 'failed' };
      await until('it is told', async () => (await value(api, 'console_jobs', givenUp)) === 1, 20_000);
      const full = await api.scrape();
      expect(full.value('console_postgres_waiting', { pool: 'changes' })).to.be.above(0);
      expect([full.value('console_postgres_up'), full.value('console_ready')]).to.deep.equal([1, 1]);
    } finally {
      await blocker.end();
      await world.sql("delete from staged_jobs where id = 'job_given_up'");
    }
    // Who waits longer than 5 s for a connection is told to come back.
    for (const { status, text } of await Promise.all(bulks)) expect(status, text).to.be.oneOf([202, 503]);
  });

  it('say that PostgreSQL does not answer', async () => {
    const name = new URL(world.config.migrateDatabaseUrl).pathname.slice(1);
    const elsewhere = new URL(world.config.migrateDatabaseUrl);
    elsewhere.pathname = '/postgres';
    const owner = new pg.Client({ connectionString: elsewhere.href });
    await owner.connect();
    try {
      await owner.query(`alter database "${name}" with allow_connections false`);
      await owner.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await until('it is away', async () => (await value(api, 'console_postgres_up')) === 0, 20_000);
      await until('it serves nobody', async () => (await value(api, 'console_ready')) === 0, 20_000);
    } finally {
      await owner.query(`alter database "${name}" with allow_connections true`);
      await owner.end();
    }
    await until('it is there again', async () => (await value(api, 'console_postgres_up')) === 1, 20_000);
    await until('it serves again', async () => (await value(api, 'console_ready')) === 1, 20_000);
  });

  it('have the delays of the event loop', async () => {
    await until('it was measured', async () => (await value(api, 'console_event_loop_delay_seconds_count')) > 3);
    expect(await value(api, 'nodejs_eventloop_lag_p99_seconds')).to.be.within(0, 10);
  });
});
