/** What happens to sockets over time: silence, revoked keys, processes that stop or are killed, Redis away. */
import { expect } from 'chai';
import pg from 'pg';
import type { AppLink, CallOutcome, Declaration } from '../../../shared/app/link/link.ts';
import { closeDeps, openDeps, type Deps } from '../../../shared/deps.ts';
import { resolveWithin } from '../../../shared/platform/time/clock.ts';
import { connectApp, never, type FakeApp, type Handler } from '../../support/app.ts';
import { redisUrl } from '../../support/database.ts';
import { Gate } from '../../support/gate.ts';
import type { Client } from '../../support/http.ts';
import { openLive } from '../../support/live.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = { ...testManifest, resources: [...testManifest.resources, { name: 'order', source: 'app' }] };
const orders: Declaration = { kind: 'resource', name: 'order' };

describe('app link: health', () => {
  let world: World;
  let key: Client;
  let env: number;
  let workers: Deps;
  const gate = new Gate(new URL(redisUrl()));
  const apps: FakeApp[] = [];

  const connectTo = async (
    handlers: Record<string, Handler> = {},
    options: Parameters<typeof connectApp>[1] = {},
  ): Promise<FakeApp> => {
    const app = await connectApp(key, { manifest, handlers, ...options });
    apps.push(app);
    return app;
  };
  const get = (link: AppLink, timeoutMs = 5_000): Promise<CallOutcome<unknown>> =>
    link.call(env, 'records.get', { resource: 'order', ids: ['1'] }, { declares: orders, timeoutMs });
  const rowsThere = async (): Promise<string[]> =>
    (await world.sql<{ id: string }>('select id from app_connections order by connected_at')).map(({ id }) => id);
  const ok: Record<string, Handler> = { 'records.get': () => ({ records: [] }) };

  before(async () => {
    world = await newWorld({ env: { REDIS_URL: await gate.listen() } });
    key = await world.appKey();
    env = world.deps.directory.environment('demo')?.id ?? 0;
    workers = await openDeps(world.config, 'workers');
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    gate.open = true;
    await until('Redis is back', () => workers.bus.connected && world.deps.bus.connected);
    await until('all are gone', async () => (await rowsThere()).length === 0 && !(await workers.link.online(env)));
  });
  after(async () => {
    await closeDeps(workers);
    await world.close();
    gate.close();
  });

  it('ends a socket that is silent for 15 s, and says so', async () => {
    const app = await connectTo();
    const stream = await openLive(await world.agent('viewer'));
    // Neither answers pings nor reads.
    app.socket.pause();
    await stream.next('offline', ({ type, online }) => type === 'app' && online === false, 25_000);
    expect(await workers.link.online(env)).to.equal(false);
    app.socket.resume();
    expect(await app.closed).to.equal(1006);
    await stream.close();
  });

  it('keeps a quiet app that answers pings, and renews its row', async () => {
    const app = await connectTo({ 'records.get': never });
    const [first] = await world.sql<{ seen_at: number }>('select seen_at from app_connections');
    void get(workers.link, 8_000);
    await until(
      'the row is renewed, and says how busy it is',
      async () => {
        const [row] = await world.sql<{ seen_at: number; busy: number }>('select seen_at, busy from app_connections');
        return (row?.seen_at ?? 0) > (first?.seen_at ?? 0) && row?.busy === 1;
      },
      15_000,
    );
    expect(app.socket.readyState).to.equal(app.socket.OPEN);
  });

  it('puts a row back that was swept while its socket lives', async () => {
    const app = await connectTo(ok);
    await world.sql('delete from app_connections');
    await until('it is back', async () => (await rowsThere()).includes(app.registered.connection), 10_000);
    expect((await get(workers.link)).kind).to.equal('answer');
  });

  it('sweeps the rows of a process that was killed, and says that the app has gone', async () => {
    await world.sql(
      `insert into app_connections (id, env, app_key, instance, process, declares, started_at, connected_at, seen_at)
      values ('dead', $1, 'key', 'dead', 'killed', array['resource:order'], 1, 1, (extract(epoch from clock_timestamp()) * 1000)::bigint - 13000)`,
      [env],
    );
    expect(await world.deps.link.online(env, orders)).to.equal(true);
    const stream = await openLive(await world.agent('viewer'));
    await until('the row is swept', async () => (await rowsThere()).length === 0);
    await stream.next('offline', ({ type, online }) => type === 'app' && online === false);
    expect(await world.deps.link.online(env, orders)).to.equal(false);
    await stream.close();
  });

  it('calls a process that was killed lost, reads go to another, and it is asked last from then on', async () => {
    const dead = (): Promise<unknown> =>
      world.sql(
        `insert into app_connections (id, env, app_key, instance, process, declares, started_at, connected_at, seen_at, busy)
      values ('dead', $1, 'key', 'dead', 'killed', array['resource:order'], 1, 1, (extract(epoch from clock_timestamp()) * 1000)::bigint, -1000)`,
        [env],
      );
    await dead();
    expect(await get(workers.link)).to.deep.equal({ kind: 'lost' });
    await connectTo(ok);
    for (let i = 0; i < 5; i++) expect((await get(workers.link)).kind).to.equal('answer');
    expect((await workers.link.chooseConnection(env, orders))?.process).to.not.equal('killed');
    await world.sql(`delete from app_connections where id = 'dead'`);
  });

  it('closes the sockets of a revoked key with 4401, also with Redis away', async () => {
    for (const away of [false, true]) {
      const own = await world.appKey();
      const app = await connectApp(own, { manifest });
      if (away) gate.shut();
      await world.sql('update app_keys set revoked_at = 1 where id = $1', [own.id]);
      await world.sql('delete from tokens where principal = $1', [own.id]);
      await world.sql('update revisions set n = n + 1');
      expect(await app.closed).to.equal(4401);
      gate.open = true;
    }
  });

  it('closes the socket of a key that is revoked while it is being looked up', async () => {
    const own = await world.appKey();
    const app = await connectApp(own, { manifest });
    const reload = async (): Promise<void> => {
      await world.sql('update revisions set n = n + 1');
      await world.deps.directory.refresh();
    };
    const locker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await locker.connect();
    try {
      await locker.query('begin; lock table app_keys in access exclusive mode');
      await reload();
      await until('the key is looked up', async () => {
        const waiting = await world.sql("select 1 from pg_locks where not granted and relation = 'app_keys'::regclass");
        return waiting.length > 0;
      });
      // Its token was read before, so that this look finds it valid.
      await world.sql('delete from tokens where principal = $1', [own.id]);
      await reload();
      await locker.query('commit');
      expect(await resolveWithin(10_000, app.closed, 'still open')).to.equal(4401);
    } finally {
      await locker.end();
    }
  });

  it('closes the sockets of a key whose token has expired', async () => {
    const own = await world.appKey();
    const app = await connectApp(own, { manifest });
    await world.sql('update tokens set expires_at = $2 where principal = $1', [own.id, Date.now() + 1_500]);
    await world.sql('update revisions set n = n + 1');
    expect(await app.closed).to.equal(4401);
  });

  it('still uses the sockets of this process while Redis is away, and those of others once it is back', async () => {
    await connectTo(ok);
    gate.shut();
    await until('Redis is away', () => !world.deps.bus.connected && !workers.bus.connected);
    expect((await get(world.deps.link)).kind).to.equal('answer');
    expect((await get(workers.link)).kind).to.equal('offline');
    expect(await workers.link.online(env)).to.equal(true);
    gate.open = true;
    await until('Redis is back', () => workers.bus.connected && world.deps.bus.connected);
    await until('it is called again', async () => (await get(workers.link)).kind === 'answer');
  });

  it('lets calls end when the process stops, takes no new ones, and closes with 1012', async () => {
    const second = await world.api();
    let answer: (value: unknown) => void = () => undefined;
    const app = await connectTo(
      { 'records.get': () => new Promise((resolve) => (answer = resolve)) },
      { base: second.base() },
    );
    const call = get(workers.link);
    await until('it is asked', () => app.received.length === 1);
    const stopped = second.server.stop();
    await until('its row has gone', async () => (await rowsThere()).length === 0);
    expect(await get(workers.link, 500)).to.deep.equal({ kind: 'offline' });
    answer({ records: [] });
    expect(await call).to.deep.equal({ kind: 'answer', result: { records: [] } });
    expect(await app.closed).to.equal(1012);
    await stopped;
  });

  it('stops in time when an app neither answers nor closes', async () => {
    const second = await world.api();
    const app = await connectTo({ 'records.get': never }, { base: second.base() });
    const call = get(workers.link);
    await until('it is asked', () => app.received.length === 1);
    app.socket.pause();
    await second.server.stop();
    expect(await call).to.deep.equal({ kind: 'lost' });
    app.socket.resume();
    await app.closed;
  });
});
