/** How an app connects and registers, and the problems that it gets back. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { WebSocket } from 'ws';
import { connectionGauge } from '../../../shared/app/link/metrics.ts';
import { subprotocol } from '../../../shared/app/link/protocol.ts';
import { apiVersion } from '../../../shared/catalogue/release.ts';
import { connectApp, RpcFailed, type FakeApp } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { openLive } from '../../support/live.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const refusal = (
  url: string,
  headers: Record<string, string>,
  protocol = subprotocol,
): Promise<{ status: number; code: unknown }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, protocol === '' ? [] : [protocol], { headers });
    socket.on('error', () => undefined);
    socket.on('open', () => {
      socket.terminate();
      reject(new Error('It was opened.'));
    });
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (data: Buffer) => (text += data.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, code: (JSON.parse(text) as { code: unknown }).code });
      });
    });
  });

const failed = async (call: Promise<unknown>): Promise<RpcFailed> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof RpcFailed) return error;
    throw error;
  }
  throw new Error('It did not fail.');
};

describe('app link: registering', () => {
  let world: World;
  let key: Client;
  const apps: FakeApp[] = [];
  const connect = async (...args: Parameters<typeof connectApp>): Promise<FakeApp> => {
    const app = await connectApp(...args);
    apps.push(app);
    return app;
  };
  before(async () => {
    world = await newWorld();
    key = await world.appKey();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until('all are gone', async () => (await world.sql('select from app_connections')).length === 0);
  });
  after(() => world.close());

  const address = (name = 'demo'): string => `ws://127.0.0.1:${String(world.port)}/api/env/${name}/app`;
  const bearer = (client: Client): Record<string, string> => ({ authorization: `Bearer ${client.token}` });

  it('uses its key as long as it is connected', async () => {
    const boss = await world.person('admin');
    const usedAt = async (): Promise<number> => {
      const { body } = await boss.get('/settings/app-keys');
      return (body.appKeys as { lastUsedAt: number }[])[0]?.lastUsedAt ?? 0;
    };
    const app = await connect(key, { manifest: testManifest });
    // As if it had connected long ago.
    await world.sql('update app_keys set last_used_at = 1');
    const [connection] = await world.sql<{ seenAt: number }>('select seen_at as "seenAt" from app_connections');
    const seenAt = connection?.seenAt ?? 0;
    expect(seenAt).to.be.greaterThan(1);
    expect(await usedAt()).to.be.at.least(seenAt);
    await app.close();
    await until('it is gone', async () => (await world.sql('select from app_connections')).length === 0);
    expect(await usedAt()).to.be.at.least(seenAt);
  });

  it('refuses before the upgrade whoever may not connect', async () => {
    await world.environment('other');
    expect(await refusal(address(), {})).to.deep.equal({ status: 401, code: 'unauthorized' });
    expect(await refusal(address('nowhere'), bearer(world.nobody()))).to.deep.equal({
      status: 401,
      code: 'unauthorized',
    });
    expect(await refusal(address(), bearer(await world.agent('admin')))).to.deep.equal({
      status: 403,
      code: 'forbidden',
    });
    expect(await refusal(address('nowhere'), bearer(key))).to.deep.equal({ status: 404, code: 'not_found' });
    expect(await refusal(address('other'), bearer(key))).to.deep.equal({ status: 404, code: 'not_found' });
    expect(await refusal(`${address()}?x=1`, bearer(key))).to.deep.equal({ status: 400, code: 'invalid' });
    expect(await refusal(address(), bearer(key), '')).to.deep.equal({ status: 400, code: 'invalid' });
    expect(await refusal(address(), bearer(key), 'console.v1')).to.deep.equal({ status: 400, code: 'invalid' });
  });

  it('answers a plain GET with 426, and other principals with 403', async () => {
    expect((await key.get('/app')).status).to.equal(426);
    expect((await (await world.agent('admin')).get('/app')).status).to.equal(403);
  });

  it('names the release that lacks what a manifest has, and that of the app’s SDK where it is newer', async () => {
    const manifest = { ...testManifest, inboxes: [{ name: 'fresh', ofTomorrow: true }], ofNextYear: [] };
    for (const [sdk, words] of [
      [`console-app/${apiVersion}`, `this release (${apiVersion}) does not know it`],
      ['console-app/99.1.0', `this release (${apiVersion}) does not know it, that of the app’s SDK (99.1.0) may`],
    ] as const) {
      const app = await connect(key, { register: false });
      const { data } = await failed(app.request('app.register', { manifest, instance: 'x', startedAt: 1, sdk }));
      const unknown = (data?.problems ?? []).filter(({ message }) => message.endsWith(words));
      expect(unknown.map(({ path }) => path)).to.have.members(['inboxes.0.ofTomorrow', 'ofNextYear']);
      await app.close();
    }
  });

  it('takes over what the app declares, at once in this process', async () => {
    const manifest = { ...testManifest, inboxes: [...testManifest.inboxes, { name: 'fresh' }] };
    const app = await connect(key, { manifest });
    expect(app.registered).to.deep.include({ environment: 'demo', warnings: [] });
    expect(app.registered.connection).to.match(/^[0-9a-f-]{36}$/);
    const created = await key.post('/items', { inbox: 'fresh', title: 'One', data: {} });
    expect(created.status).to.equal(201);
  });

  it('checks one manifest of an environment at a time, and none of a connection that has gone meanwhile', async () => {
    const named = (name: string) => ({ ...testManifest, inboxes: [...testManifest.inboxes, { name }] });
    const waiting = (): Promise<unknown[]> =>
      world.sql(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%definitions d%'",
      );
    const locker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await locker.connect();
    try {
      await locker.query('begin');
      await locker.query("select from environments where name = 'demo' for update");
      const begin = async (manifest: object): Promise<{ app: FakeApp; registered: Promise<unknown> }> => {
        const app = await connect(key, { register: false });
        const params = { manifest, instance: randomUUID(), startedAt: Date.now(), sdk: 'test' };
        const registered = app.request('app.register', params).catch(String);
        // Refused while the first is under way: so that one has begun.
        expect((await failed(app.request('app.register', params))).data?.code).to.equal('conflict');
        return { app, registered };
      };
      const first = await begin(named('turn_one'));
      await until('the first waits for the row', async () => (await waiting()).length === 1);
      const second = await begin(named('turn_two'));
      const third = await begin(named('turn_three'));
      expect(await waiting()).to.have.length(1);
      const held = async (): Promise<number> => (await connectionGauge.get()).values[0]?.value ?? 0;
      const before = await held();
      second.app.kill();
      await until('its connection has gone', async () => (await held()) === before - 1);
      await locker.query('commit');
      expect(await first.registered).to.include({ environment: 'demo' });
      expect(await third.registered).to.include({ environment: 'demo' });
    } finally {
      await locker.end();
    }
    const audited = JSON.stringify(await world.sql('select * from events where verb = $1', ['environment.define']));
    expect(audited).to.include('turn_one').and.to.include('turn_three').and.not.to.include('turn_two');
  });

  it('warns of what is retired by the manifest', async () => {
    const manifest = {
      ...testManifest,
      views: [],
      inboxes: testManifest.inboxes.filter(({ name }) => name !== 'secret'),
    };
    const app = await connect(key, { manifest });
    expect(app.registered.warnings.join(' ')).to.include('inbox secret is retired');
  });

  it('names every problem of a manifest at once, and takes a better one on the same connection', async () => {
    const app = await connect(key, { register: false });
    const register = (manifest: unknown): Promise<unknown> =>
      app.request('app.register', { manifest, instance: randomUUID(), startedAt: Date.now(), sdk: 'test' });
    const shape = await failed(register({ inboxes: [{ name: 'a', initial: 3 }, { nam: 'b' }], flags: 7, more: [] }));
    expect(shape.code).to.equal(-32602);
    expect(shape.data?.problems?.map(({ path }) => path)).to.include.members([
      'inboxes.0.initial',
      'inboxes.1.name',
      'inboxes.1.nam',
      'flags',
      'more',
    ]);
    const sense = await failed(
      register({
        inboxes: [
          {
            name: 'a',
            initial: 'none',
            transitions: { open: ['lost'] },
            fields: { type: 'strin' },
            suggest: [{ action: 'unknown' }],
          },
          { name: 'a' },
        ],
        views: [{ name: 'v', inbox: 'b' }],
        actions: [{ name: 'x', resource: 'nothing', when: { field: 'a', op: 'like' } }],
        flags: [{ key: 'f', kind: 'boolean', default: 'yes' }],
      }),
    );
    expect(sense.data?.problems?.map(({ path }) => path)).to.include.members([
      'inboxes.1',
      'inboxes.0.initial',
      'inboxes.0.transitions.open.0',
      'inboxes.0.fields.type',
      'inboxes.0.suggest.0.action',
      'views.0.inbox',
      'actions.0.resource',
      'actions.0.when.op',
      'flags.0.default',
    ]);
    const nul = await failed(register({ inboxes: [{ name: 'a', label: 'a\u0000' }] }));
    expect(nul.data?.problems?.[0]).to.deep.equal({ path: 'inboxes.0.label', message: 'must not hold NUL characters' });
    expect(await register(testManifest)).to.include({ environment: 'demo' });
  });

  it('names what else of the params is wrong', async () => {
    const app = await connect(key, { register: false });
    const wrong = await failed(app.request('app.register', { manifest: [], instance: '', startedAt: -1, more: 1 }));
    expect(wrong.code).to.equal(-32602);
    expect(wrong.data?.details?.map(({ path }) => path)).to.include.members([
      'manifest',
      'instance',
      'startedAt',
      'sdk',
      'more',
    ]);
  });

  it('registers a connection once', async () => {
    const app = await connect(key);
    const again = await failed(
      app.request('app.register', { manifest: testManifest, instance: 'x', startedAt: 1, sdk: 'test' }),
    );
    expect(again.data?.code).to.equal('conflict');
  });

  it('closes with 4400 what says anything else first', async () => {
    for (const speak of [
      (app: FakeApp): void => {
        app.notify('run.progress', { run: 'x', progress: 1 });
      },
      (app: FakeApp): void => {
        app.request('flags.list', {}).catch(() => undefined);
      },
      (app: FakeApp): void => {
        app.raw('nonsense');
      },
      (app: FakeApp): void => {
        app.raw('{"jsonrpc":"2.0","id":1,"result":null}');
      },
    ]) {
      const app = await connect(key, { register: false });
      speak(app);
      expect(await app.closed).to.equal(4400);
    }
  });

  it('closes with 4400 what never registers', async () => {
    const app = await connect(key, { register: false });
    expect(await app.closed).to.equal(4400);
  });

  it('keeps the definition of the latest start: a rolling deploy does not flip back', async () => {
    const startedAt = Date.now();
    const newer = { ...testManifest, views: [{ name: 'newer', label: 'Newer' }] };
    await connect(key, { manifest: newer, startedAt });
    const old = await connect(key, { manifest: testManifest, startedAt: startedAt - 60_000 });
    expect(old.registered.warnings.join(' ')).to.include('started later');
    const views = await (await world.agent('admin')).get('/views');
    expect((views.body as { views: { name: string }[] }).views.map(({ name }) => name)).to.deep.equal(['newer']);
  });

  it('tells the instances that are there of flags that a later one declares otherwise, and of no others', async () => {
    const flag = (key: string, value: unknown): object => ({ key, kind: 'boolean', default: value });
    const startedAt = Date.now();
    const old = await connect(key, {
      manifest: { ...testManifest, flags: [flag('same', true), flag('other', false)] },
      startedAt,
    });
    await connect(key, {
      manifest: { ...testManifest, flags: [flag('new', true), flag('other', true), flag('same', true)] },
      startedAt: startedAt + 1,
    });
    const told = (): string[] =>
      old.received
        .filter(({ method }) => method === 'flags.changed')
        .map(({ params }) => (params as { flag: { flag: string; value: unknown } }).flag)
        .map(({ flag: name, value }) => `${name} ${String(value)}`);
    await until('it has heard of both', () => told().length >= 2);
    expect(told().sort()).to.deep.equal(['new true', 'other true']);
  });

  it('takes a start that lies in the future as one of now, so that later versions still get in', async () => {
    await connect(key, {
      manifest: { ...testManifest, views: [{ name: 'ahead' }] },
      startedAt: Date.now() + 86_400_000,
    });
    const app = await connect(key, {
      manifest: { ...testManifest, views: [{ name: 'later' }] },
      startedAt: Date.now() + 1,
    });
    expect(app.registered.warnings).to.deep.equal([]);
  });

  it('tells the stream when the first instance comes and when the last one goes', async () => {
    const stream = await openLive(await world.agent('viewer'));
    const told = (): boolean[] =>
      stream.messages.filter(({ type }) => type === 'app').map(({ online }) => online as boolean);
    const one = await connect(key);
    await until('online', () => told().length === 1);
    const two = await connect(key);
    await one.close();
    await two.close();
    await until('offline', () => told().length === 2);
    const three = await connect(key);
    three.kill();
    await until('offline again', () => told().length === 4);
    expect(told()).to.deep.equal([true, false, true, false]);
    await stream.close();
  });

  it('gives the place of a connection to a later one of the same instance, in this process or another', async () => {
    const other = await world.api();
    const one = await connect(key, { instance: 'same' });
    const two = await connect(key, { instance: 'same', base: other.base() });
    expect(await one.closed).to.equal(1000);
    const three = await connect(key, { instance: 'same', base: other.base() });
    expect(await two.closed).to.equal(1000);
    const rows = await world.sql<{ id: string }>('select id from app_connections');
    expect(rows.map(({ id }) => id)).to.deep.equal([three.registered.connection]);
  });
});
