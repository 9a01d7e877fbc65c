/** The SDK against the real service: what is refused and why, and runs whose connection or process ends in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect as dial, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  connect,
  defineApp,
  fileStore,
  type App,
  type Client,
  type ConnectOptions,
  type Inbox,
  type LinkProblem,
  type View,
} from '../../shared/sdk/index.ts';
import { deferred } from '../support/deferred.ts';
import type { Client as Caller } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** A wire that can be cut. */
interface Wire {
  readonly port: number;
  /** Cuts what is open and lets nothing through until it is mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

const wireTo = async (target: number): Promise<Wire> => {
  const open = new Set<Socket>();
  let whole = true;
  const server: Server = createServer((near) => {
    if (!whole) return void near.destroy();
    const far = dial(target, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => void open.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    whole = false;
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend: () => {
      whole = true;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

describe('sdk: with the service', () => {
  let world: World;
  let wire: Wire;
  let key: Caller;
  let admin: Caller;
  const clients: Client[] = [];
  const problems: LinkProblem[] = [];
  const open = (app: App, options: Partial<ConnectOptions> = {}): Client => {
    const url = `http://127.0.0.1:${String(wire.port)}/api/env/demo`;
    const client = connect({
      app,
      url,
      key: key.token,
      startedAt: Date.now(),
      onError: (problem) => void problems.push(problem),
      timing: { retryMinMs: 5, retryMaxMs: 50, refusedMs: 100 },
      ...options,
    });
    clients.push(client);
    return client;
  };
  before(async () => {
    world = await newWorld({ manifest: {} });
    wire = await wireTo(world.port);
    key = await world.appKey();
    admin = await world.agent('admin');
  });
  afterEach(async () => {
    wire.mend();
    await Promise.all(clients.splice(0).map((client) => client.close({ drainMs: 0 })));
    await until('all are gone', async () => (await world.sql('select from app_connections')).length === 0);
    problems.length = 0;
  });
  after(async () => {
    await wire.close();
    await world.close();
  });

  const ended = (run: string) =>
    until<{ status: string; message: string; attempts: number }>('the run has ended', async () => {
      const { run: shown } = (await admin.get(`/runs/${run}`)).body;
      return shown.finishedAt !== null && shown;
    });

  it('names every problem of what it declares', async () => {
    const mail: Inbox = { initial: 'nowhere' };
    const odd: View = { inbox: 'nobody' };
    open(defineApp({ inboxes: { mail }, views: { odd } }));
    const problem = await until('the problem', () => problems[0]);
    expect(problem.kind).to.equal('refused');
    expect(problem.message.split('\n')).to.have.length(3);
    expect(problem.details.map(({ path }) => path)).to.deep.equal(['inboxes.0.initial', 'views.0.inbox']);
  });

  it('says that its key is revoked, and comes back for nobody else', async () => {
    const other = await world.appKey();
    const client = open(defineApp({}), { key: other.token });
    await until('online', () => client.online);
    await world.revoke(other);
    expect((await until('the problem', () => problems[0])).kind).to.equal('unauthorized');
    expect(client.online).to.equal(false);
  });

  it('settles a run whose connection broke with the answer that is handed in, done once', async () => {
    const held = deferred();
    let did = 0;
    const client = open(
      defineApp({
        actions: {
          pay: {
            run: async () => {
              did += 1;
              await held.promise;
              return 'Paid.';
            },
          },
        },
      }),
    );
    await until('online', () => client.online);
    const call = admin.post('/actions', { action: 'pay' });
    await until('it runs', () => did === 1);
    wire.cut();
    await until('offline', () => !client.online);
    held.resolve();
    wire.mend();
    const { status, body } = await call;
    expect(status).to.be.oneOf([200, 202]);
    expect(await ended(String(body.run))).to.deep.include({ status: 'succeeded', message: 'Paid.', attempts: 1 });
    expect(did).to.equal(1);
  });

  it('settles a run whose process ended before it could answer, from what is on the disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'console-sdk-'));
    const held = deferred();
    let did = 0;
    const app = defineApp({
      actions: {
        pay: {
          run: async () => {
            did += 1;
            await held.promise;
            return 'Paid.';
          },
        },
      },
    });
    const first = open(app, { store: fileStore(folder) });
    await until('online', () => first.online);
    const call = admin.post('/actions', { action: 'pay' });
    await until('it runs', () => did === 1);
    wire.cut();
    held.resolve();
    await first.close();
    wire.mend();
    open(app, { store: fileStore(folder) });
    const { body } = await call;
    expect(await ended(String(body.run))).to.deep.include({ status: 'succeeded', message: 'Paid.', attempts: 1 });
    expect(did).to.equal(1);
    rmSync(folder, { recursive: true, force: true });
  });

  it('stores more records at once than one frame may have members', async () => {
    const client = open(defineApp({ resources: { customer: { source: 'stored' } } }));
    await until('online', () => client.online);
    const fields = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${String(n)}`, n]));
    const records = Array.from({ length: 1_000 }, (_, n) => ({ id: `c${String(n)}`, title: 'T', fields }));
    expect(await client.putRecords('customer', records)).to.deep.equal({ stored: 1_000 });
    const [counted] = await world.sql<{ n: number }>('select count(*)::int as n from records');
    expect(counted?.n).to.equal(1_000);
  });

  it('gives what comes while an instance closes to another one, as a run of which nothing was done', async () => {
    const held = deferred();
    const did: string[] = [];
    const appOf = (name: string): App =>
      defineApp({
        actions: {
          slow: {
            run: async () => {
              did.push(`slow ${name}`);
              await held.promise;
              return 'Done.';
            },
          },
          pay: {
            run: () => {
              did.push(`pay ${name}`);
              return `Paid by ${name}.`;
            },
          },
        },
      });
    const first = open(appOf('one'));
    await until('online', () => first.online);
    const slow = admin.post('/actions', { action: 'slow' });
    await until('it runs', () => did.length === 1);
    const closed = first.close({ drainMs: 60_000 });
    const { body } = await admin.post('/actions', { action: 'pay' });
    const parked = async (): Promise<boolean> =>
      (await world.sql('select from staged_jobs where waits_for_app')).length === 1;
    await until('it waits for another instance', parked);
    open(appOf('two'));
    expect(await ended(String(body.run))).to.deep.include({
      status: 'succeeded',
      message: 'Paid by two.',
      attempts: 1,
    });
    held.resolve();
    expect(await ended(String((await slow).body.run))).to.deep.include({ status: 'succeeded', message: 'Done.' });
    await closed;
    expect(did).to.deep.equal(['slow one', 'pay two']);
  });

  it('hands in what a handler says whose signal it aborted as it closed, so that the run does not end unknown', async () => {
    const begun = deferred();
    const client = open(
      defineApp({
        actions: {
          export: {
            background: true,
            run: ({ signal }) =>
              new Promise<never>((_, reject) => {
                signal.addEventListener('abort', () => {
                  reject(new Error('The process is going.'));
                });
                begun.resolve();
              }),
          },
        },
      }),
    );
    await until('online', () => client.online);
    const { body } = await admin.post('/actions', { action: 'export' });
    await begun.promise;
    await client.close({ drainMs: 1 });
    expect(await ended(String(body.run))).to.deep.include({ status: 'failed', attempts: 1 });
    problems.length = 0;
  });

  it('adds reports up that were made while it was offline, each once', async () => {
    const client = open(defineApp({ inboxes: { errors: {} } }));
    await until('online', () => client.online);
    wire.cut();
    await until('offline', () => !client.online);
    const sent = Array.from({ length: 300 }, (_, n) =>
      client.report({ inbox: 'errors', title: 'Boom', key: 'boom', user: `u${String(n % 7)}` }),
    );
    wire.mend();
    const results = await Promise.all(sent);
    expect(new Set(results.map(({ item }) => item)).size).to.equal(1);
    await world.settled();
    const [item] = (await admin.get('/items?inbox=errors')).body.items as { occurrences: number; users: number }[];
    expect(item).to.deep.include({ occurrences: 300, users: 7 });
  });

  it('keeps reports that a break overtakes in their order, with their times and the record that was put before', async () => {
    const client = open(defineApp({ resources: { order: { source: 'stored' } }, inboxes: { errors: {} } }));
    await until('online', () => client.online);
    const record = { resource: 'order', id: 'o1' };
    const stored = client.putRecords('order', [{ id: 'o1', title: 'Order 1' }]);
    const named = await client.report({ inbox: 'errors', title: 'Late', record });
    expect((await admin.get(`/items/${named.item}`)).body.item.record).to.deep.equal({ ...record, title: 'Order 1' });
    await stored;
    const titles = ['0', '1', '2', '3', '4'];
    wire.cut();
    const sent = titles.map((title) => client.report({ inbox: 'errors', title, key: 'broken', record }));
    const madeUntil = Date.now();
    await until('offline, and time has passed', () => !client.online && Date.now() > madeUntil + 50);
    wire.mend();
    const [{ item } = { item: '' }] = await Promise.all(sent);
    await world.settled();
    const { occurrences } = (await admin.get(`/items/${item}/occurrences`)).body as {
      occurrences: { title: string; at: number }[];
    };
    expect(occurrences.map(({ title }) => title).toReversed()).to.deep.equal(titles);
    expect(Math.max(...occurrences.map(({ at }) => at))).to.be.at.most(madeUntil);
    expect((await admin.get(`/items/${item}`)).body.item.title).to.equal('0');
  });
});
