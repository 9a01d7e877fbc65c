/** Calls of the service to apps: from each process, to the least busy instance, and what becomes of them when things break. */
import { expect } from 'chai';
import type { AppLink, CallOutcome, Declaration } from '../../../shared/app/link/link.ts';
import { getLocalSockets } from '../../../shared/app/link/localConnections.ts';
import type { ServiceCalls } from '../../../shared/app/link/protocol.ts';
import { closeDeps, openDeps, type Deps } from '../../../shared/deps.ts';
import { connectApp, never, rpcError, type FakeApp, type Handler } from '../../support/app.ts';
import { deferred } from '../../support/deferred.ts';
import type { Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = { ...testManifest, resources: [...testManifest.resources, { name: 'order', source: 'app' }] };
const orders: Declaration = { kind: 'resource', name: 'order' };
const upgrade: Declaration = { kind: 'action', name: 'upgrade' };

type Got = CallOutcome<ServiceCalls['records.get']['result']>;

describe('app link: calls', () => {
  let world: World;
  let key: Client;
  let env: number;
  /** A process without sockets, as the workers are one. */
  let workers: Deps;
  const apps: FakeApp[] = [];

  const connect = async (
    handlers: Record<string, Handler> = {},
    options: Parameters<typeof connectApp>[1] = {},
  ): Promise<FakeApp> => {
    const app = await connectApp(key, { manifest, handlers, ...options });
    apps.push(app);
    return app;
  };
  const get = (link: AppLink, ids: string[], timeoutMs = 5_000): Promise<Got> =>
    link.call(env, 'records.get', { resource: 'order', ids }, { declares: orders, timeoutMs });
  const named = (name: string): Record<string, Handler> => ({
    'records.get': ({ ids }) => ({ records: [{ id: (ids as string[])[0], title: name }] }),
  });
  const titleOf = (outcome: Got): string =>
    outcome.kind === 'answer' ? (outcome.result.records[0]?.title ?? '') : outcome.kind;

  before(async () => {
    world = await newWorld();
    key = await world.appKey();
    env = world.deps.directory.environment('demo')?.id ?? 0;
    workers = await openDeps(world.config, 'workers');
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until('all are gone', async () => (await world.sql('select from app_connections')).length === 0);
  });
  after(async () => {
    await closeDeps(workers);
    await world.close();
  });

  const links = (): [string, AppLink][] => [
    ['the process that holds the socket', world.deps.link],
    ['another process', workers.link],
  ];

  it('says offline when nobody is there, or nobody who declares it', async () => {
    for (const [, link] of links()) {
      await until('nobody is there', async () => !(await link.online(env)));
      expect(await get(link, ['1'])).to.deep.equal({ kind: 'offline' });
    }
    await connect({}, { manifest: testManifest });
    for (const [, link] of links()) {
      expect(await link.online(env)).to.equal(true);
      expect(await link.online(env, orders)).to.equal(false);
      expect(await link.chooseConnection(env, orders)).to.equal(null);
      expect(await get(link, ['1'])).to.deep.equal({ kind: 'offline' });
      expect(await link.online(env, upgrade)).to.equal(true);
    }
  });

  it('sees at once who has just come, in every process', async () => {
    for (let i = 0; i < 10; i++) {
      await until('it is known that nobody is there', async () => !(await workers.link.online(env)));
      const app = await connect(named('new'));
      expect(await Promise.all(links().map(([, link]) => get(link, ['1']).then(titleOf)))).to.deep.equal([
        'new',
        'new',
      ]);
      await app.close();
    }
  });

  it('tells every process of coming and going', async () => {
    const heard: string[] = [];
    const ends = links().map(([name, link]) =>
      link.onPresence((at, online) => heard.push(`${name} ${String(at)} ${String(online)}`)),
    );
    const app = await connect();
    const two = await connect();
    await app.close();
    await two.close();
    await until('both processes have heard', () => heard.length === 4);
    for (const end of ends) end();
    expect([...heard].sort()).to.deep.equal(
      links()
        .flatMap(([name]) => [`${name} ${String(env)} true`, `${name} ${String(env)} false`])
        .sort(),
    );
  });

  it('answers what the app answers, also its errors, from each process', async () => {
    const app = await connect();
    for (const [, link] of links()) {
      app.handle('records.get', ({ ids }) => ({
        records: (ids as string[]).map((id) => ({ id, title: `Order ${id}` })),
      }));
      expect(await get(link, ['7', '8'])).to.deep.equal({
        kind: 'answer',
        result: {
          records: [
            { id: '7', title: 'Order 7' },
            { id: '8', title: 'Order 8' },
          ],
        },
      });
      app.handle('records.get', () => {
        throw rpcError(-32001, 'Not today.', { retryable: true });
      });
      expect(await get(link, ['7'])).to.deep.equal({
        kind: 'error',
        code: -32001,
        message: 'Not today.',
        retryable: true,
      });
      app.handle('records.get', () => {
        throw rpcError(-32603, 'a\u0000b');
      });
      expect(await get(link, ['7'])).to.deep.equal({ kind: 'error', code: -32603, message: 'ab', retryable: false });
      app.handle('records.get', never);
      expect(await get(link, ['7'], 50)).to.deep.equal({ kind: 'timeout' });
    }
  });

  it('carries almost 4 MiB there and back between processes', async () => {
    const app = await connect();
    app.handle('records.get', ({ ids }) => ({ records: [{ id: '1', title: (ids as string[])[0] }] }));
    const big = 'ü'.repeat(2 * 1024 * 1024 - 2_000);
    for (const [, link] of links()) {
      const outcome = await get(link, [big]);
      expect(outcome.kind).to.equal('answer');
      expect(titleOf(outcome) === big).to.equal(true);
      expect((await get(link, [`${big}${'x'.repeat(5_000)}`])).kind).to.equal('error');
    }
    expect((await get(workers.link, ['1'])).kind).to.equal('answer');
  });

  it('carries many large answers at once between processes', async () => {
    const title = 'x'.repeat(3_900_000);
    await connect({ 'records.get': () => ({ records: [{ id: '1', title }] }) });
    // A process that is busy with them may accept a call too late; whoever reads calls again.
    const read = async (): Promise<Got> => {
      const outcome = await get(workers.link, ['1'], 60_000);
      return outcome.kind === 'lost' ? read() : outcome;
    };
    const outcomes = await Promise.all(Array.from({ length: 16 }, read));
    expect(
      outcomes
        .map(titleOf)
        .filter((one) => one !== title)
        .map((one) => one.slice(0, 10)),
    ).to.deep.equal([]);
  });

  it('spreads calls over the instances, and gives a busy one less', async () => {
    const counts = new Map<string, number>();
    const counting = (name: string, work: () => unknown): Record<string, Handler> => ({
      'records.get': async () => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        await work();
        return { records: [] };
      },
    });
    const first = await connect(counting('a', () => undefined));
    const second = await connect(counting('b', () => undefined));
    const known = new Set([first, second].map(({ registered }) => registered.connection));
    for (const [, link] of links()) {
      counts.clear();
      // The announcement of the second may be on its way through Redis.
      expect(await link.chooseConnection(env, orders, new Set([first.registered.connection]))).not.to.equal(null);
      for (let i = 0; i < 20; i++) await get(link, ['1']);
      expect(counts.get('a')).to.be.within(5, 15);
    }
    let release = deferred();
    await connect(counting('stuck', () => release.promise));
    for (const [, link] of links()) {
      // A heartbeat's number of calls of the pass before stands until the next heartbeat.
      await until(
        'no row says busy',
        async () => (await world.sql('select from app_connections where busy > 0')).length === 0,
      );
      counts.clear();
      release = deferred();
      // The announcement of the third may be on its way through Redis.
      expect(await link.chooseConnection(env, orders, known)).not.to.equal(null);
      let answered = 0;
      const calls = Array.from({ length: 3 }, async () => {
        await get(link, ['1'], 15_000);
        answered += 1;
      });
      // As long as the other two are under way, the third is as busy as they are.
      await until('the third alone is busy', () => counts.get('stuck') === 1 && answered === 2);
      for (let i = 0; i < 20; i++) await get(link, ['1']);
      expect(counts.get('stuck')).to.equal(1);
      release.resolve();
      await Promise.all(calls);
    }
  });

  it('goes only to instances that declare what is called', async () => {
    await connect({}, { manifest: testManifest });
    await connect(named('serves orders'));
    for (const [, link] of links()) {
      for (let i = 0; i < 6; i++) expect(titleOf(await get(link, ['1']))).to.equal('serves orders');
    }
  });

  it('calls what is broken off lost when it was sent, and repeats reads elsewhere', async () => {
    for (const [, link] of links()) {
      const app = await connect({
        'records.get': () => {
          app.kill();
          return never();
        },
      });
      expect(await get(link, ['1'])).to.deep.equal({ kind: 'lost' });
      await until('gone', async () => !(await workers.link.online(env)));
      const breaking = await connect({
        'records.get': () => {
          breaking.kill();
          return never();
        },
      });
      await connect(named('the other'));
      for (let i = 0; i < 3; i++) expect(titleOf(await get(link, ['1']))).to.equal('the other');
      const replying = await connect(
        { 'reply.send': never },
        { manifest: { ...manifest, inboxes: [...manifest.inboxes, { name: 'own', reply: { via: 'app' } }] } },
      );
      const to = await link.chooseConnection(env, { kind: 'inbox', name: 'own' });
      if (to === null) throw new Error('Nobody is there.');
      // No row says that this connection is to send it.
      expect(await link.sendReply(to, env, { id: 'job_none', fence: 1 }, 5_000)).to.deep.equal({ kind: 'offline' });
      expect(replying.received.map(({ method }) => method)).not.to.include('reply.send');
      await Promise.all(apps.splice(0).map((one) => one.close()));
      await until('gone', async () => !(await workers.link.online(env)));
    }
  });

  it('says timeout, not offline, when the time is up before somebody who is there was asked', async () => {
    const app = await connect();
    for (const [, link] of links()) expect(await get(link, ['1'], Number.MIN_VALUE)).to.deep.equal({ kind: 'timeout' });
    expect(app.received.map(({ method }) => method)).not.to.include('records.get');
  });

  it('drops answers that come late, twice, or to nobody, and takes none for another', async () => {
    const app = await connect();
    for (const [, link] of links()) {
      let late: (value: unknown) => void = () => undefined;
      app.handle('records.get', () => new Promise((resolve) => (late = resolve)));
      expect(await get(link, ['1'], 50)).to.deep.equal({ kind: 'timeout' });
      late({ records: [{ id: '1', title: 'late' }] });
      app.raw('{"jsonrpc":"2.0","id":1,"result":{"records":[]}}');
      app.raw('{"jsonrpc":"2.0","id":987654,"result":{"records":[]}}');
      app.handle('records.get', () => ({ records: [{ id: '2', title: 'right' }] }));
      expect(titleOf(await get(link, ['2']))).to.equal('right');
    }
    expect(app.socket.readyState).to.equal(app.socket.OPEN);
  });

  it('says garbled to what is no answer of JSON-RPC, or holds what can not be kept', async () => {
    const app = await connect({ 'records.get': never });
    let id = 0;
    app.socket.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString()) as { id?: number; method?: string };
      if (message.method === 'records.get') id = message.id ?? 0;
    });
    const answers = [
      '{"jsonrpc":"2.0","id":#}',
      '{"jsonrpc":"2.0","id":#,"error":"no"}',
      '{"jsonrpc":"2.0","id":#,"error":{"code":"x","message":1}}',
      '{"id":#,"result":1,"error":{"code":1,"message":"x"}}',
      '{"jsonrpc":"2.0","id":#,"result":"\\u0000"}',
      '{"jsonrpc":"2.0","id":#,"result":1e400}',
      `{"jsonrpc":"2.0","id":#,"result":${'['.repeat(40)}${']'.repeat(40)}}`,
      `{"jsonrpc":"2.0","id":#,"result":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `{"jsonrpc":"2.0","id":#,"result":[${'1,'.repeat(60_000)}1]}`,
    ];
    for (const [, link] of links())
      for (const answer of answers) {
        const asked = () => app.received.filter(({ method }) => method === 'records.get').length;
        const before = asked();
        const outcome = get(link, ['1']);
        await until('it is asked', () => asked() > before);
        app.raw(answer.replace('#', String(id)));
        expect((await outcome).kind, answer.slice(0, 60)).to.equal('garbled');
      }
  });

  it('notifies every instance, whichever process holds it', async () => {
    const other = await world.api();
    const one = await connect();
    const two = await connect({}, { base: other.base() });
    await until('both are seen', async () => (await world.sql('select from app_connections')).length === 2);
    for (const [i, [, link]] of links().entries()) {
      link.notify(env, 'flags.changed', { flag: { n: i } });
      for (const app of [one, two]) {
        await until(
          'told',
          () =>
            app.received.filter(
              ({ method, params }) => method === 'flags.changed' && (params as { flag: { n: number } }).flag.n === i,
            ).length === 1,
        );
      }
    }
  });

  it('gives runs to the process that holds the connection', async () => {
    const app = await connect();
    const sockets = getLocalSockets(world.deps.link);
    const before = sockets.dispatchRun;
    const handed: string[] = [];
    sockets.dispatchRun = ({ connection }, at, { run }) => handed.push(`${connection.id} ${String(at)} ${run}`);
    for (const [, link] of links()) {
      const connection = await link.chooseConnection(env, upgrade);
      if (connection === null) throw new Error('It is not there.');
      link.dispatchRun(connection, env, { run: 'run_1' });
    }
    await until('both came', () => handed.length === 2);
    sockets.dispatchRun = before;
    expect(new Set(handed)).to.deep.equal(new Set([`${app.registered.connection} ${String(env)} run_1`]));
  });
});
