/** Processes as an operator runs them, while PostgreSQL or Redis is away: they say so, wait or serve on, and never end. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { newToken } from '../../shared/accounts/access/tokens.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { settlesWithin } from '../../shared/platform/time/clock.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { redisUrl } from '../support/database.ts';
import { request, type Reply } from '../support/http.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { signalAll, withDescendants } from '../support/processTree.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const probe = (port: number, path: string): Promise<Reply> =>
  request('GET', `http://127.0.0.1:${String(port)}${path}`, undefined, null);
const statusOf = (port: number, path: string): Promise<number> =>
  probe(port, path).then(
    ({ status }) => status,
    () => 0,
  );
const linesWith = (said: string, text: string): Record<string, unknown>[] =>
  said
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('with servers that are away', () => {
  let dir: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-away-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rm(dir, { recursive: true, force: true });
  });

  const startPair = async (
    site: Pick<World, 'config'>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ ports: number[]; said: () => string[]; started: Promise<Program[]>; startedCount: () => number }> => {
    const ports = [await freePort(), await freePort()];
    const said: (() => string)[] = [];
    let count = 0;
    const started = (['api/main.ts', 'workers/main.ts'] as const).map(async (path, i) => {
      const env = { ...more, [i === 0 ? 'PORT' : 'WORKER_PORT']: String(ports[i]) };
      const program = await startProgram(site, path, env, { listen: (heard) => (said[i] = heard) });
      closing.push(() => program.end());
      count += 1;
      return program;
    });
    return {
      ports,
      said: () => said.map((heard) => heard()),
      started: Promise.all(started),
      startedCount: () => count,
    };
  };

  it('without PostgreSQL at the start, API and workers say that they wait, answer probes, and begin by themselves', async () => {
    const server: PostgresServer = await startPostgres({ dir });
    closing.push(() => server.stop('immediate'));
    await migrateDatabase(server.ownerUrl, server.url);
    await server.stop('immediate');
    const config = readConfig({
      DATABASE_URL: server.url,
      MIGRATE_DATABASE_URL: server.ownerUrl,
      REDIS_URL: redisUrl(),
      REDIS_PREFIX: 'test-away',
    });
    const { ports, said, started, startedCount } = await startPair({ config });
    for (const [i, port] of ports.entries()) {
      await until('it is alive', async () => (await statusOf(port, '/health')) === 200, 30_000);
      await until('it says what it waits for', () => said()[i]?.includes('waiting for the database'), 30_000);
      const ready = await probe(port, '/ready');
      expect([ready.status, ready.body.ready]).to.deep.equal([503, false]);
      expect(linesWith(said()[i] ?? '', 'waiting for the database')).to.have.length(1);
      expect(linesWith(said()[i] ?? '', 'waiting for the database')[0]).to.include({
        level: 40,
        waitsFor: 'PostgreSQL',
      });
      expect(said()[i]).not.to.include(new URL(server.url).password);
    }
    const refused = await probe(ports[0] ?? 0, '/api/env/demo/me');
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).to.deep.equal([
      503,
      'unavailable',
      '1',
    ]);
    expect(startedCount()).to.equal(0);
    await server.restart();
    await started;
    for (const port of ports) {
      const ready = await probe(port, '/ready');
      expect(ready.status, ready.text).to.equal(200);
      expect((await probe(port, '/metrics')).text).to.include('process_cpu_seconds_total');
    }
    expect((await probe(ports[0] ?? 0, '/api/env/demo/me')).status).to.equal(401);
  });

  it('with a wrong password for Redis, both serve, and say so without the password, in the log and in the measures', async () => {
    const redis: RedisServer = await startRedis({ dir });
    closing.push(() => redis.stop());
    const world = await newWorld({ server: false, workers: false, env: { REDIS_URL: redis.url } });
    closing.push(() => world.close());
    const password = 'not-the-passw0rd';
    const wrong = `redis://nobody:${password}@127.0.0.1:${String(redis.port)}`;
    const { ports, said, started } = await startPair(world, { REDIS_URL: wrong, LOG_LEVEL: 'debug' });
    await started;
    for (const [i, port] of ports.entries()) {
      await until('it says so', () => said()[i]?.includes('Redis is unavailable'));
      // Ten further refusals later there is still one line.
      const refusals = (): number => linesWith(said()[i] ?? '', 'a Redis connection failed').length;
      const before = refusals();
      await until('it was refused again', () => refusals() >= before + 10, 30_000);
      const [line, ...others] = linesWith(said()[i] ?? '', 'Redis is unavailable');
      expect(others).to.deep.equal([]);
      expect(line).to.include({
        level: 40,
        redis: `127.0.0.1:${String(redis.port)}`,
        reason: 'it refuses the name or the password of REDIS_URL',
      });
      expect(said()[i]).not.to.include(password);
      const ready = await probe(port, '/ready');
      expect([ready.status, ready.body.degraded, ready.body.redis]).to.deep.equal([200, ['redis'], false]);
      expect((await probe(port, '/metrics')).text).to.include('\nconsole_redis_up 0\n');
    }
    const agent = await world.agent('operator');
    const made = await request(
      'POST',
      `http://127.0.0.1:${String(ports[0])}/api/env/demo/items`,
      { inbox: 'mail', title: 'made without Redis' },
      agent.token,
    );
    expect(made.status, made.text).to.equal(201);
  });

  it('when PostgreSQL goes and comes back, each process says it once however many calls fail, and knows no ages meanwhile', async () => {
    const server: PostgresServer = await startPostgres({ dir });
    closing.push(() => server.stop('immediate'));
    await migrateDatabase(server.ownerUrl, server.url);
    const config = readConfig({
      DATABASE_URL: server.url,
      MIGRATE_DATABASE_URL: server.ownerUrl,
      REDIS_URL: redisUrl(),
      REDIS_PREFIX: 'test-outage',
    });
    const { ports, said, started } = await startPair({ config });
    await started;
    const [apiPort = 0] = ports;
    expect((await probe(apiPort, '/ready')).body).to.include({ oldestDueJobMs: 0, oldestUnpublishedMs: 0 });
    await server.stop('immediate');
    const atLeast = (i: number, level: number): Record<string, unknown>[] =>
      linesWith(said()[i] ?? '', '"level"').filter((line) => Number(line['level']) >= level);
    for (const [i] of ports.entries())
      await until('it says so', () => linesWith(said()[i] ?? '', 'PostgreSQL is unavailable').length > 0, 30_000);
    const token = `cagt_${'A'.repeat(38)}`;
    for (let n = 0; n < 20; n += 1)
      await request('GET', `http://127.0.0.1:${String(apiPort)}/api/env/demo/me`, undefined, token);
    await until('it knows', async () => (await statusOf(apiPort, '/ready')) === 503, 30_000);
    expect((await probe(apiPort, '/ready')).body).to.include({ oldestDueJobMs: null, oldestUnpublishedMs: null });
    await server.restart();
    for (const [i] of ports.entries()) {
      await until('it is back', () => linesWith(said()[i] ?? '', 'PostgreSQL is available again').length > 0, 40_000);
      const others = atLeast(i, 40).filter(({ msg }) => msg !== 'the event loop was blocked');
      expect(others.map(({ msg, err }) => (err === undefined ? msg : [msg, err]))).to.deep.equal([
        'PostgreSQL is unavailable',
      ]);
      const [line] = linesWith(said()[i] ?? '', 'PostgreSQL is unavailable');
      expect(line?.['reason']).to.be.a('string').and.not.equal('');
      expect(said()[i]).not.to.include('transacting');
    }
  });

  it('while PostgreSQL is frozen, each process says that it is unavailable, and that it is back only when it is', async () => {
    const server: PostgresServer = await startPostgres({ dir });
    closing.push(() => server.stop('immediate'));
    await migrateDatabase(server.ownerUrl, server.url);
    const config = readConfig({
      DATABASE_URL: server.url,
      MIGRATE_DATABASE_URL: server.ownerUrl,
      REDIS_URL: redisUrl(),
      REDIS_PREFIX: 'test-frozen',
    });
    const { ports, said, started } = await startPair({ config }, { POOL_SIZE: '2' });
    await started;
    const signal = (name: NodeJS.Signals): void => signalAll(withDescendants([server.pid]), name);
    const count = (i: number, text: string): number => linesWith(said()[i] ?? '', text).length;
    closing.push(async () => signal('SIGCONT'));
    signal('SIGSTOP');
    const frozenAt = performance.now();
    const ask = (): Promise<Reply> =>
      request('GET', `http://127.0.0.1:${String(ports[0])}/api/env/demo/me`, undefined, newToken('agent'));
    // Longer than it took to be called available again while nothing failed. Calls wait 5 s for a connection; those that got one
    // wait until it is closed, 10 s after the last answer.
    const asked: Promise<Reply>[] = [];
    while (performance.now() - frozenAt < 20_000) {
      const round = Array.from({ length: 6 }, ask);
      asked.push(...round);
      await settlesWithin(6_000, Promise.all(round));
    }
    for (const [i] of ports.entries()) {
      expect(count(i, 'PostgreSQL is unavailable'), said()[i]).to.equal(1);
      expect(linesWith(said()[i] ?? '', 'PostgreSQL is unavailable')[0]?.['reason']).to.equal(
        'PostgreSQL did not answer in time',
      );
      expect(count(i, 'available again'), said()[i]).to.equal(0);
      expect(count(i, 'all connections for changes'), said()[i]).to.equal(0);
    }
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).to.deep.equal(new Set([503]));
    signal('SIGCONT');
    for (const [i] of ports.entries())
      await until('it is back', () => count(i, 'PostgreSQL is available again') > 0, 40_000);
    expect((await ask()).status).to.equal(401);
  });

  it('a change that waits for a frozen PostgreSQL is answered meanwhile, and done once when it is repeated', async () => {
    const server: PostgresServer = await startPostgres({ dir });
    closing.push(() => server.stop('immediate'));
    await migrateDatabase(server.ownerUrl, server.url);
    const world = await newWorld({
      workers: false,
      database: { url: server.url, ownerUrl: server.ownerUrl, drop: () => Promise.resolve() },
    });
    closing.push(() => world.close());
    const agent = await world.agent('operator');
    const made = await agent.post('/items', { inbox: 'mail', title: 'kept' });
    expect(made.status, made.text).to.equal(201);
    const { id } = made.body.item;
    const signal = (name: NodeJS.Signals): void => signalAll(withDescendants([server.pid]), name);
    const keys = Array.from({ length: 12 }, (_, n) => `frozen-${String(n)}`);
    const note = (key: string): Promise<Reply> =>
      agent.post(`/items/${String(id)}/notes`, { text: key }, { headers: { 'idempotency-key': key } });
    // Some are under way when it stops; of those, some are already done and unanswered.
    const begun = keys.map(note);
    closing.push(async () => signal('SIGCONT'));
    signal('SIGSTOP');
    const answers = await Promise.all([...begun, ...keys.map((key) => note(`late-${key}`))]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => ![201, 503].includes(status))).to.deep.equal([]);
    expect(statuses.slice(keys.length)).to.deep.equal(keys.map(() => 503));
    signal('SIGCONT');
    const wanted = [...keys, ...keys.map((key) => `late-${key}`)];
    for (const key of wanted)
      await until('it is done', async () => {
        const { status, text } = await note(key);
        expect([201, 409, 503], text).to.include(status);
        return status === 201;
      });
    const { body: page } = await agent.get(`/items/${String(id)}/timeline?limit=100`);
    const entries: { type: string; data: { text: string } }[] = page.entries;
    const texts = entries.filter(({ type }) => type === 'note').map(({ data }) => data.text);
    expect(texts.toSorted()).to.deep.equal(wanted.toSorted());
  });

  it('on a port that is taken, both end with one sentence', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const env = {
      ...process.env,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: redisUrl(),
      PORT: String(port),
      WORKER_PORT: String(port),
    };
    for (const path of ['api/main.ts', 'workers/main.ts']) {
      const { code, output } = await runProcess(await program(path), { env });
      expect({ code, output }).to.deep.equal({
        code: 1,
        output: `The process can't listen on 127.0.0.1:${String(port)}: another program listens there.`,
      });
    }
    taken.close();
  });

  it('when Redis goes and comes back, each process says it once, and its measures follow', async () => {
    const redis: RedisServer = await startRedis({ dir });
    closing.push(() => redis.stop());
    const world = await newWorld({ server: false, workers: false, env: { REDIS_URL: redis.url } });
    closing.push(() => world.close());
    const { ports, said, started } = await startPair(world);
    await started;
    const gauge = (port: number, value: number): Promise<unknown> =>
      until(`the gauge is ${String(value)}`, async () =>
        (await probe(port, '/metrics')).text.includes(`\nconsole_redis_up ${String(value)}\n`),
      );
    for (const port of ports) await gauge(port, 1);
    // A machine with a lot to do may have been too slow for it once before.
    const lines = (i: number): number[] =>
      ['Redis is unavailable', 'Redis is available again'].map((text) => linesWith(said()[i] ?? '', text).length);
    const before = ports.map((_, i) => lines(i));
    await redis.stop();
    for (const port of ports) {
      await gauge(port, 0);
      await until('its readiness follows', async () => String((await probe(port, '/ready')).body.degraded) === 'redis');
      expect((await probe(port, '/ready')).body).to.deep.include({ ready: true, degraded: ['redis'] });
    }
    await redis.restart();
    for (const [i, port] of ports.entries()) {
      await gauge(port, 1);
      await until('it is not degraded', async () => (await probe(port, '/ready')).body.degraded.length === 0);
      // Its log comes by a pipe, after what the process answers.
      await until('it has said so', () => (lines(i)[1] ?? 0) > (before[i]?.[1] ?? 0));
      expect(lines(i)).to.deep.equal(before[i]?.map((count) => count + 1));
    }
  });
});
