/** The probes and the documents of the host: limited by address, answered by one check, and on a port of their own. */
import { expect } from 'chai';
import pg from 'pg';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { request, type Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the pages of the host', () => {
  let world: World;
  const opened = async (
    env: Readonly<Record<string, string>>,
  ): Promise<(path: string, from?: string) => Promise<Reply>> => {
    world = await newWorld({ env: { TRUST_PROXY: '1', ...env }, workers: false });
    const { origin } = new URL(world.base);
    return (path, from = '198.51.100.7') =>
      request('GET', origin + path, undefined, null, { headers: { 'x-forwarded-for': from } });
  };
  afterEach(() => world.close());

  const statuses = async (get: () => Promise<Reply>, count: number): Promise<number[]> =>
    (await Promise.all(Array.from({ length: count }, get))).map(({ status }) => status);

  /** Resolves once one of many is refused: limits are in Redis, and a machine that keeps it waiting lets requests pass. */
  const isLimited = (get: () => Promise<Reply>): Promise<unknown> =>
    until('a request is refused', async () => (await statuses(get, 40)).includes(429));

  it('count by address, all together; only whether the process is alive may be asked without end', async () => {
    const get = await opened({ RATE_LIMIT: '1', RATE_BURST: '12' });
    const paths = ['/ready', '/metrics', '/docs', '/openapi.json', '/manifest.schema.json'];
    const replies: number[] = [];
    for (const path of [...paths, ...paths, ...paths, ...paths]) replies.push((await get(path)).status);
    expect(replies.slice(0, 10)).to.deep.equal(Array(10).fill(200));
    expect(replies.slice(-4)).to.deep.equal(Array(4).fill(429));
    const refused = await get('/ready');
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'rate_limited']);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    expect(await statuses(() => get('/health'), 50)).to.deep.equal(Array(50).fill(200));
    expect((await get('/ready', '198.51.100.8')).status).to.equal(200);
  });

  it('let the configured networks ask for readiness and measures without end, and for nothing else', async () => {
    const get = await opened({ RATE_LIMIT: '1', RATE_BURST: '5', PROBE_NETWORKS: '192.0.2.0/24,2001:db8::/32' });
    for (const from of ['192.0.2.9', '2001:db8::9']) {
      expect(await statuses(() => get('/ready', from), 40)).to.deep.equal(Array(40).fill(200));
      expect(await statuses(() => get('/metrics', from), 20)).to.deep.equal(Array(20).fill(200));
      await isLimited(() => get('/docs', from));
    }
    // Not this machine any more, and not whoever says so.
    await isLimited(() => get('/ready', '127.0.0.1'));
    await isLimited(() => get('/ready', '192.0.2.9, 198.51.100.9'));
  });

  it('let this machine ask without end when no network is configured', async () => {
    const get = await opened({ RATE_LIMIT: '1', RATE_BURST: '5' });
    expect(await statuses(() => get('/ready', '127.0.0.1'), 40)).to.deep.equal(Array(40).fill(200));
  });

  it('ask PostgreSQL once for all who ask meanwhile', async () => {
    const get = await opened({});
    const locker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    locker.on('error', () => undefined);
    await locker.connect();
    await locker.query('begin');
    await locker.query('lock table outbox in access exclusive mode');
    const waiting = async (): Promise<number> =>
      (
        await world.sql(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%staged_jobs%'",
        )
      ).length;
    const replies = Promise.all(Array.from({ length: 100 }, () => get('/ready')));
    await until('a check waits', async () => (await waiting()) > 0);
    const more = Promise.all(Array.from({ length: 100 }, () => get('/ready')));
    expect(await waiting()).to.equal(1);
    await locker.query('commit');
    await locker.end();
    const bodies = new Set([...(await replies), ...(await more)].map(({ text }) => text));
    expect(bodies.size).to.be.at.most(2);
    await until('it is ready', async () => (await get('/ready')).status === 200);
  });

  it('call a process ready whose connections are all in use, and one whose tables are locked', async () => {
    const get = await opened({ POOL_SIZE: '2', READ_POOL_SIZE: '1' });
    const sleepers = Promise.all(
      Array.from({ length: 2 }, () => world.deps.db.raw('select pg_sleep(60)').catch((error: unknown) => error)),
    );
    const asleep = async (): Promise<unknown[]> =>
      world.sql("select pid from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'");
    await until('both connections are in use', async () => (await asleep()).length === 2);
    const full = await get('/ready');
    expect([full.status, full.body]).to.deep.equal([200, { ...full.body, ready: true, oldestDueJobMs: null }]);
    await world.sql("select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)'");
    await sleepers;
    const locker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await locker.connect();
    await locker.query('begin');
    await locker.query('lock table outbox, staged_jobs in access exclusive mode');
    const locked = await until('a check under the lock', async () => {
      const reply = await get('/ready');
      return reply.body.oldestDueJobMs === null && reply;
    });
    expect([locked.status, locked.body.ready, locked.body.postgres]).to.deep.equal([200, true, true]);
    await locker.end();
    await until('ages again', async () => (await get('/ready')).body.oldestDueJobMs === 0);
  });

  it('tell what the process serves without', async () => {
    const get = await opened({});
    const ready = (): Promise<Reply> => get('/ready');
    const degradedBy = (list: readonly string[]): Promise<unknown> =>
      until(list.join(), async () => JSON.stringify((await ready()).body.degraded) === JSON.stringify(list));
    expect((await ready()).body).to.deep.include({ ready: true, degraded: [], postgres: true, redis: true });
    expect((await ready()).body.schema).to.include({ fits: true });
    await world.sql("insert into outbox (id, env, at, parts) values (1, 1, $1, '[{}]')", [Date.now() - 120_000]);
    await degradedBy(['messages']);
    expect((await ready()).status).to.equal(200);
    const { needed } = (await ready()).body.schema as { needed: number };
    await world.sql('update schema_version set version = $1', [needed - 1]);
    await until('it is not ready', async () => (await ready()).status === 503);
    expect((await ready()).body).to.deep.include({ ready: false, postgres: true });
    await world.sql('update schema_version set version = $1, serves_from = $2', [needed + 3, needed]);
    await until('it is ready again', async () => (await ready()).status === 200);
  });

  it('are on another port when one is set, and not on the API’s', async () => {
    const port = await freePort();
    const get = await opened({ PROBE_PORT: String(port), RATE_LIMIT: '1', RATE_BURST: '5' });
    for (const path of ['/ready', '/metrics']) expect((await get(path)).status, path).to.equal(404);
    for (const path of ['/health', '/docs']) expect((await get(path)).status, path).to.equal(200);
    const probe = (path: string): Promise<Reply> =>
      request('GET', `http://127.0.0.1:${String(port)}${path}`, undefined, null);
    expect((await probe('/health')).body).to.deep.equal({ ok: true });
    expect(await statuses(() => probe('/ready'), 40)).to.deep.equal(Array(40).fill(200));
    const metrics = await probe('/metrics');
    for (const name of ['console_http_requests_total', 'console_redis_up 1', 'process_cpu_seconds_total'])
      expect(metrics.text).to.include(name);
    expect(metrics.headers.get('content-type')).to.include('text/plain');
    expect((await probe('/docs')).status).to.equal(404);
    expect((await request('POST', `http://127.0.0.1:${String(port)}/ready`, {}, null)).status).to.equal(404);
    for (const { headers } of [metrics, await probe('/nowhere')])
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });
});
