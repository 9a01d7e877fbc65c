/** Apps that send garbage, too much, or too fast: they get errors, are slowed down or disconnected, and nobody else notices. */
import { expect } from 'chai';
import { connectApp, RpcFailed, type FakeApp } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly code?: string; readonly details?: { path: string }[] };
  };
}

describe('app link: hostile apps', () => {
  let world: World;
  let key: Client;
  const apps: FakeApp[] = [];
  const connect = async (options?: Parameters<typeof connectApp>[1]): Promise<FakeApp> => {
    const app = await connectApp(key, options);
    apps.push(app);
    return app;
  };
  /** What the service answers to frames, besides what the app's own requests wait for. */
  const answersOf = (app: FakeApp): Answer[] => {
    const answers: Answer[] = [];
    app.socket.on('message', (data) => answers.push(JSON.parse((data as Buffer).toString()) as Answer));
    return answers;
  };
  const failure = async (call: Promise<unknown>): Promise<RpcFailed> => {
    const error: unknown = await call.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!(error instanceof RpcFailed)) throw new Error(`It did not fail as expected: ${String(error)}`);
    return error;
  };
  before(async () => {
    world = await newWorld();
    key = await world.appKey();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
  });
  after(() => world.close());

  it('answers what is no message, and closes with 4429 after 100 of them', async () => {
    const app = await connect();
    const answers = answersOf(app);
    const frames = [
      'nonsense',
      '',
      '{',
      '[]',
      '[{"jsonrpc":"2.0","id":1,"method":"flags.list"}]',
      '1',
      'null',
      '"x"',
      '{}',
      '{"method":"flags.list"}',
      '{"jsonrpc":"1.0","id":1,"method":"flags.list"}',
      '{"jsonrpc":"2.0","id":{},"method":"flags.list"}',
      '{"jsonrpc":"2.0","id":1.5,"method":"flags.list"}',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      '{"jsonrpc":"2.0","id":"x","result":1}',
      '['.repeat(100_000),
      `{"a":[${'1,'.repeat(60_000)}1]}`,
    ];
    for (const frame of frames) app.raw(frame);
    await until('each is answered', () => answers.length === frames.length);
    expect(
      answers.every(({ id, error }) => id === null && (error?.code === -32700 || error?.code === -32600)),
    ).to.equal(true);
    for (const params of [{}, { cursor: null }])
      expect(await app.request('flags.list', params)).to.deep.equal({ flags: [], cursor: null });
    for (let i = frames.length; i < 100; i++) app.raw('{');
    expect(await app.closed).to.equal(4429);
  });

  it('closes what is binary with 1003, what is larger than 4 MiB with 1009 and what is not UTF-8 with 1007', async () => {
    const binary = await connect();
    binary.socket.send(Buffer.from('{}'));
    expect(await binary.closed).to.equal(1003);
    const large = await connect();
    large.raw('x'.repeat(5 * 1024 * 1024));
    expect(await large.closed).to.equal(1009);
    const broken = await connect();
    broken.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await broken.closed).to.equal(1007);
    const first = await connect({ register: false });
    first.raw('x'.repeat(5 * 1024 * 1024));
    expect(await first.closed).to.equal(1009);
  });

  it('names what is wrong with params, and does not know other methods', async () => {
    const app = await connect();
    const wrong = async (method: string, params: unknown): Promise<[number, unknown, unknown]> => {
      const { code, data } = await failure(app.request(method, params));
      return [code, data?.code, data?.details?.map(({ path }) => path)];
    };
    expect(await wrong('flags.list', { x: 1 })).to.deep.equal([-32602, 'invalid', ['x']]);
    expect(await wrong('flags.list', [])).to.deep.equal([-32602, 'invalid', ['']]);
    expect(await wrong('records.put', { resource: '1', records: {}, more: 1 })).to.deep.equal([
      -32602,
      'invalid',
      ['more', 'resource', 'records'],
    ]);
    expect(await wrong('records.put', { resource: 'customer', records: [{ id: '', title: 7, x: 1 }] })).to.deep.equal([
      -32602,
      'invalid',
      ['records.0.id', 'records.0.title', 'records.0.x'],
    ]);
    expect(
      await wrong('records.delete', { resource: 'customer', ids: Array.from({ length: 1001 }, String) }),
    ).to.deep.equal([-32602, 'invalid', ['ids']]);
    expect(await wrong('run.answers', { answers: [{ result: 1 }] })).to.deep.equal([
      -32602,
      'invalid',
      ['answers.0.run'],
    ]);
    expect((await wrong('items.report', { inbox: 'mail' }))[0]).to.equal(-32602);
    expect(await wrong('items.report', { inbox: 'mail', title: 'a\u0000' })).to.deep.equal([
      -32602,
      'invalid',
      ['title'],
    ]);
    expect(await wrong('items.report', { inbox: 'mail', title: '\ud800' })).to.deep.equal([
      -32602,
      'invalid',
      ['title'],
    ]);
    expect((await wrong('nothing.at.all', {}))[0]).to.equal(-32601);
    expect((await wrong('constructor', {}))[0]).to.equal(-32601);
    expect((await wrong('run.progress', { run: 'x', progress: 1 }))[0]).to.equal(-32601);
    const hidden = await failure(
      app.request('records.put', { resource: 'nothing', records: [{ id: '1', title: 'x' }] }),
    );
    expect([hidden.code, hidden.data?.code]).to.satisfy(
      ([code, name]: [number, string]) =>
        (code === -32000 && name === 'not_found') || (code === -32602 && name === 'invalid'),
    );
    for (const params of [
      `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
      '{"a":1e400}',
      '{"__proto__":1}',
      '{"a":123456789012345678901234567890}',
    ]) {
      const answers = answersOf(app);
      app.raw(`{"jsonrpc":"2.0","id":"own","method":"flags.list","params":${params}}`);
      await until('it is answered', () => answers.some(({ id, error }) => id === 'own' && error?.code === -32602));
    }
  });

  it('ignores notifications that it does not know or that are wrong', async () => {
    const app = await connect();
    const answers = answersOf(app);
    for (const params of [{}, { run: 'run_x', progress: 7 }, null, [1]]) app.notify('run.progress', params);
    app.notify('run.progress', { run: 'run_01h455vb4pex5vsknk084sn02q', progress: 0.5, message: 'half' });
    app.notify('something.new', {});
    app.notify('flags.list', {});
    expect(await app.request('flags.list', {})).to.deep.equal({ flags: [], cursor: null });
    expect(answers.length).to.equal(1);
  });

  it('works on records, of which there may be none as over HTTP, and on reports of the app', async () => {
    const app = await connect();
    expect(
      await app.request('records.put', {
        resource: 'customer',
        records: [{ id: 'c1', title: 'Ada', fields: { email: 'ada@example.com' } }],
      }),
    ).to.deep.equal({ stored: 1 });
    const reported = (await app.request('items.report', {
      inbox: 'mail',
      title: 'Hello',
      key: 'k',
      delivery: 'd1',
      data: {},
    })) as { item: string; created: boolean };
    expect(reported.created).to.equal(true);
    expect(
      await app.request('items.report', { inbox: 'mail', title: 'Hello', key: 'k', delivery: 'd1', data: {} }),
    ).to.deep.equal(reported);
    expect(await app.request('records.delete', { resource: 'customer', ids: ['c1', 'c2'] })).to.deep.equal({
      deleted: 1,
    });
    expect(await app.request('records.put', { resource: 'customer', records: [] })).to.deep.equal({ stored: 0 });
    expect(await app.request('records.delete', { resource: 'customer', ids: [] })).to.deep.equal({ deleted: 0 });
    expect(
      await app.request('run.answers', { answers: [{ run: 'run_01h455vb4pex5vsknk084sn02q', result: null }] }),
    ).to.deep.equal({ settled: ['run_01h455vb4pex5vsknk084sn02q'] });
  });

  it('lets an app that floods it wait, loses nothing, and goes on serving others', async () => {
    const app = await connect();
    const n = 5_000;
    const reports = Promise.all(
      Array.from({ length: n }, (_, i) =>
        app.request('items.report', {
          inbox: 'mail',
          title: `Report ${String(i % 50)}`,
          key: `flood ${String(i % 50)}`,
          data: {},
        }),
      ),
    );
    const agent = await world.agent('admin');
    let done = false;
    void reports.finally(() => {
      done = true;
    });
    const waits: number[] = [];
    while (!done) {
      const began = performance.now();
      expect((await agent.get('/me')).status).to.equal(200);
      waits.push(performance.now() - began);
    }
    expect(new Set(((await reports) as { item: string }[]).map(({ item }) => item)).size).to.equal(50);
    const [sum] = await world.sql<{ n: number }>(
      `select sum(occurrences)::int as n from items where title like 'Report %'`,
    );
    expect(sum?.n).to.equal(n);
    expect(waits.length).to.be.above(5);
  });

  it('does not read on from an app that does not read its answers', async () => {
    const app = await connect();
    app.socket.pause();
    for (let i = 0; i < 20_000; i++)
      app.raw(`{"jsonrpc":"2.0","id":"${'x'.repeat(190)}","method":"nothing.here.${'y'.repeat(80)}"}`);
    expect((await (await world.agent('admin')).get('/me')).status).to.equal(200);
    app.socket.resume();
    expect(await app.request('flags.list', {})).to.deep.equal({ flags: [], cursor: null });
  });
});
