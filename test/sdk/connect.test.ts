/** The SDK's connection: it comes back by itself, logs plainly why it can't, and never disturbs the app that it runs in. */
import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { backoff } from '../../shared/sdk/backoff.ts';
import { ActionFailed, connect, defineApp, type AnswerStore } from '../../shared/sdk/index.ts';
import { deferred } from '../support/deferred.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall } from './fakeService.ts';

const app = defineApp({ actions: { greet: { run: () => 'Hello.' } } });

describe('sdk: connection', () => {
  const strays: unknown[] = [];
  const stray = (error: unknown): void => void strays.push(error);
  before(() => {
    process.on('unhandledRejection', stray);
    process.on('uncaughtException', stray);
  });
  after(() => {
    process.off('unhandledRejection', stray);
    process.off('uncaughtException', stray);
    expect(strays).to.deep.equal([]);
  });

  it('registers first, with the manifest, and keeps its instance over reconnects', async () => {
    const fake = await service();
    const { client } = connected(fake, app);
    const events: string[] = [];
    client.on('online', ({ environment }) => events.push(`online ${environment}`));
    client.on('offline', () => events.push('offline'));
    const first = await fake.registered();
    expect(fake.heard[0]?.method).to.equal('app.register');
    expect(fake.heard[0]?.params).to.deep.include({ instance: client.instance, manifest: app.manifest });
    await until('online', () => client.online);
    first.terminate();
    await fake.registered(2);
    await until('online again', () => client.online);
    expect(fake.of('app.register').map(({ params }) => params.instance)).to.deep.equal([
      client.instance,
      client.instance,
    ]);
    expect(events).to.deep.equal(['online demo', 'offline', 'online demo']);
  });

  it('ends the process when it is refused and the app wants that, after the problem was reported', async () => {
    const fake = await service();
    const program = `
      import { connect, defineApp } from '${new URL('../../shared/sdk/index.ts', import.meta.url).href}';
      connect({ app: defineApp({}), url: ${JSON.stringify(fake.url)}, key: 'capp_test', onRefused: 'exit' });`;
    const ended = (): Promise<{ code: number | null; output: string }> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
        let output = '';
        child.stderr.setEncoding('utf8').on('data', (piece: string) => void (output += piece));
        child.once('close', (code) => {
          resolve({ code, output });
        });
      });
    fake.refusal = { status: 401, body: '{"error":"No such key.","code":"unauthorized"}' };
    const unauthorized = await ended();
    expect([unauthorized.code, fake.tried.length], unauthorized.output).to.deep.equal([1, 1]);
    expect(unauthorized.output).to.include('No such key.');
    fake.refusal = null;
    const problems = [{ path: 'inboxes.0.name', message: 'must be a name' }];
    fake.answers = {
      'app.register': () => ({ error: { code: -32602, message: 'The manifest is not valid.', data: { problems } } }),
    };
    const refused = await ended();
    expect(refused.code, refused.output).to.equal(1);
    expect(refused.output).to.include('inboxes.0.name: must be a name');
  });

  it('says every problem of a refused manifest on a line of its own, and tries again', async () => {
    const fake = await service();
    fake.answers = {
      'app.register': () => ({
        error: {
          code: -32602,
          message: 'The manifest is not valid.',
          data: {
            problems: [
              { path: 'inboxes.0.name', message: 'must be a name' },
              { path: 'views.1', message: 'is odd' },
            ],
          },
        },
      }),
    };
    const { client, problems } = connected(fake, app);
    const problem = await until('the problem', () => problems[0]);
    expect(problem.kind).to.equal('refused');
    expect(problem.message).to.equal(
      'The service refuses the app: The manifest is not valid.\n  inboxes.0.name: must be a name\n  views.1: is odd',
    );
    expect(client.online).to.equal(false);
    fake.answers = {};
    await until('online', () => client.online);
  });

  it('says why the key is not accepted, and comes in once it is', async () => {
    const fake = await service();
    fake.refusal = { status: 401, body: '{"error":"The token is not valid.","code":"unauthorized"}' };
    const { client, problems } = connected(fake, app);
    const problem = await until('the problem', () => problems[0]);
    expect(problem.kind).to.equal('unauthorized');
    expect(problem.message).to.equal(
      'The service answered 401: The token is not valid. Is the key whole, and neither revoked nor replaced?',
    );
    fake.refusal = null;
    await until('online', () => client.online);
  });

  it('says what to look at when the service tells nothing', async () => {
    const fake = await service();
    const hints = [
      [404, 'Is the environment in the URL the right one'],
      [403, 'An app key (capp_…) is needed'],
      [200, 'does its proxy let WebSockets pass?'],
    ] as const;
    for (const [status, hint] of hints) {
      fake.refusal = { status };
      const { client, problems } = connected(fake, app);
      expect((await until('the problem', () => problems[0])).message).to.include(hint);
      await client.close();
    }
  });

  it('says of an address what is wrong with it', async () => {
    const fake = await service();
    fake.refusal = { status: 404 };
    const origin = new URL(fake.url).origin;
    const texts = [
      ['', 'The address of the service is empty: is BASE_URL missing?'],
      [origin, `Is "${origin}" the address of an environment, https://<host>/api/env/<environment>?`],
      [fake.url.replace('http:', 'https:'), 'Does the service speak http:// at this port, rather than https://?'],
    ] as const;
    for (const [url, text] of texts) {
      const { client, problems } = connected(fake, app, { url });
      expect((await until('the problem', () => problems[0])).message).to.include(text);
      await client.close();
    }
  });

  it('tells that another process has taken its place, and waits before it comes back', async () => {
    const fake = await service();
    const store: AnswerStore = {
      instance: 'shop-1',
      location: 'the folder ./answers',
      get: () => Promise.resolve(null),
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    const { problems } = connected(fake, app, { store });
    const ws = await fake.registered();
    ws.close(1000, 'another connection of this instance has taken its place');
    const problem = await until('the problem', () => problems[0]);
    expect(problem.message).to.match(/same instance, shop-1, .* only one process at a time may use the folder/);
    await fake.registered(2);
  });

  it('tries on while the service is away, and tells it once', async () => {
    const fake = await service();
    fake.refusal = { status: 503 };
    const { client, problems } = connected(fake, app);
    await until('five tries', () => fake.tried.length >= 5);
    expect(problems.map(({ kind }) => kind)).to.deep.equal(['connection']);
    fake.refusal = null;
    await until('online', () => client.online);
  });

  it('gives a connection up that it hears nothing of', async () => {
    const fake = await service();
    fake.deaf = true;
    connected(fake, app, { timing: { heartbeatMs: 20, goneMs: 80 } });
    await fake.registered();
    await fake.registered(2);
  });

  it('waits longer and longer, never less than the least and never more than the most', () => {
    const timing = { retryMinMs: 100, retryMaxMs: 30_000 } as Parameters<typeof backoff>[1];
    for (const tries of [0, 1, 5, 12, 1_000]) {
      const waits = Array.from({ length: 200 }, () => backoff(tries, timing));
      const most = Math.min(30_000, 100 * 2 ** Math.min(tries + 1, 20));
      for (const wait of waits) expect(wait).to.be.within(100, most);
      expect(Math.max(...waits) - Math.min(...waits), 'jitter').to.be.above((most - 100) / 2);
    }
  });

  it('comes back when the service restarts', async () => {
    const fake = await service();
    const { problems } = connected(fake, app);
    (await fake.registered()).close(1012);
    await fake.registered(2);
    expect(problems).to.deep.equal([]);
  });

  it('does not throw for an address that is none, nor for whatever comes on the socket', async () => {
    const told: string[] = [];
    const odd = connect({ app, url: 'nowhere', key: 'x', onError: ({ kind }) => void told.push(kind) });
    const unspeakable = connect({
      app,
      url: 'http://127.0.0.1:1',
      key: 'line\nbreak',
      onError: ({ kind }) => void told.push(kind),
    });
    await until('both problems', () => told.length === 2);
    await odd.close();
    await unspeakable.close();

    const fake = await service();
    connected(fake, app);
    const ws = await fake.registered();
    for (const frame of [
      '',
      'nonsense',
      '[]',
      'null',
      '{"id":1}',
      '{"jsonrpc":"2.0","id":99,"result":1}',
      '{"method":"run.settled"}',
      '{"method":"run.settled","params":null}',
      '{"method":7}',
    ])
      ws.send(frame);
    ws.send(Buffer.from([1, 2, 3]));
    expect(await fake.call('no.such', {})).to.deep.include({
      error: { code: -32601, message: 'There is no method no.such.' },
    });
    expect(await fake.call('records.list', null)).to.have.nested.property('error.code', -32602);
    expect(await fake.call('constructor', {})).to.have.nested.property('error.code', -32601);
    expect((await fake.call('action.run', runCall('run_1', 'greet'))).result).to.deep.equal({ message: 'Hello.' });
  });

  it('gives a handler the reason and who approved, null from a service that sends neither', async () => {
    const fake = await service();
    const why = defineApp({
      actions: { why: { run: ({ reason, approvedBy }) => JSON.stringify([reason, approvedBy?.name ?? null]) } },
    });
    connected(fake, why);
    await fake.registered();
    const approvedBy = { type: 'person', id: 'per_1', name: 'Ana' };
    for (const [more, told] of [
      [{ reason: 'Paid twice.', approvedBy }, ['Paid twice.', 'Ana']],
      [{ reason: null, approvedBy: null }, [null, null]],
      [{}, [null, null]],
    ] as const) {
      const { result } = await fake.call('action.run', runCall(`run_${JSON.stringify(more)}`, 'why', more));
      expect(result).to.deep.equal({ message: JSON.stringify(told) });
    }
  });

  it('lets no listener and no handler of the app’s author break it, nor tells the service what they threw', async () => {
    const fake = await service();
    const failing = defineApp({
      actions: {
        crash: {
          run: () => {
            throw new TypeError('secret 4711');
          },
        },
        refuse: {
          run: () => {
            throw new ActionFailed('The card has expired.', { retryable: true });
          },
        },
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        odd: {
          run: () => {
            throw null;
          },
        },
        late: {
          run: async () => {
            await Promise.resolve();
            throw new Error('secret 4711');
          },
        },
        big: { run: () => ({ message: 'Did it.', blocks: [{ type: 'text', text: 'x'.repeat(5 * 1024 * 1024) }] }) },
        round: {
          run: () => {
            const loop: Record<string, unknown> = {};
            loop['loop'] = loop;
            return { message: 'Did it.', blocks: [{ type: 'text', text: '', ...loop }] };
          },
        },
      },
      pages: { huge: { blocks: [{ type: 'text', load: () => ({ text: 'x'.repeat(5 * 1024 * 1024) }) }] } },
    });
    const { client, problems } = connected(fake, failing);
    client.on('online', () => {
      throw new Error('a listener');
    });
    await fake.registered();
    for (const action of ['crash', 'odd', 'late']) {
      const { error } = await fake.call('action.run', runCall(`run_${action}`, action));
      expect(error).to.deep.equal({ code: -32603, message: 'The app failed; its log says more.' });
    }
    expect((await fake.call('action.run', runCall('run_r', 'refuse'))).error).to.deep.equal({
      code: -32001,
      message: 'The card has expired.',
      data: { retryable: true },
    });
    for (const action of ['big', 'round']) {
      const { result } = await fake.call('action.run', runCall(`run_${action}`, action));
      expect(result, 'it was done, so it did not fail').to.deep.include({ message: 'Did it.' });
      expect(result.blocks).to.have.length(1);
    }
    const page = await fake.call('page.block', {
      page: 'huge',
      block: 0,
      title: null,
      params: {},
      actor: { type: 'system', id: null, name: 'x' },
    });
    expect(page.error?.code).to.equal(-32603);
    const told = problems.map(({ kind, message }) => `${kind}: ${message}`);
    expect(told).to.include('listener: A listener for online failed.');
    expect(told.filter((line) => line.startsWith('handler'))).to.have.length(5);
    expect(String(problems.find(({ message }) => message.includes('crash'))?.cause)).to.include('secret 4711');
  });

  it('runs so many handlers at once and queues the rest; one that never ends gives its place away at its deadline', async () => {
    const fake = await service();
    const never = deferred();
    let most = 0;
    let now = 0;
    let begun = 0;
    const slow = defineApp({
      actions: {
        hang: { timeout: 50, run: () => never.promise },
        work: {
          run: async () => {
            now += 1;
            begun += 1;
            most = Math.max(most, now);
            await until('another is at work, or all have begun', () => now > 1 || begun === 20);
            now -= 1;
            return 'Done.';
          },
        },
      },
    });
    connected(fake, slow, { concurrency: 2 });
    await fake.registered();
    for (const n of [1, 2]) void fake.call('action.run', runCall(`run_hang${String(n)}`, 'hang'));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => fake.call('action.run', runCall(`run_${String(n)}`, 'work'))),
    );
    expect(answers.every(({ result }) => result.message === 'Done.')).to.equal(true);
    expect(most).to.equal(2);
    never.resolve();
  });

  it('ends what runs before it closes, takes nothing new meanwhile, and tells those that take too long', async () => {
    const fake = await service();
    const held = deferred();
    const signals: AbortSignal[] = [];
    const draining = defineApp({
      actions: {
        work: {
          run: async ({ signal }) => {
            signals.push(signal);
            await held.promise;
            return 'Done.';
          },
        },
      },
    });
    const { client } = connected(fake, draining);
    await fake.registered();
    const running = fake.call('action.run', runCall('run_1', 'work'));
    await until('it runs', () => signals.length === 1);
    const closed = client.close({ drainMs: 60_000 });
    expect((await fake.call('action.run', runCall('run_2', 'work'))).error).to.deep.equal({
      code: -32001,
      message: 'The app is stopping.',
      data: { retryable: true, stopping: true },
    });
    held.resolve();
    expect((await running).result).to.deep.equal({ message: 'Done.' });
    await closed;
    expect(client.online).to.equal(false);

    const endless = connected(
      fake,
      defineApp({
        actions: {
          work: {
            run: ({ signal }) => {
              signals.push(signal);
              return new Promise<never>(() => undefined);
            },
          },
        },
      }),
    );
    await until('online', () => endless.client.online);
    void fake.call('action.run', runCall('run_3', 'work'));
    await until('it runs', () => signals.length === 2);
    await endless.client.close({ drainMs: 1 });
    expect(signals[1]?.aborted).to.equal(true);
  });
});
