/** Two cells behind HAProxy: an environment moves from one to the other while it is used, and nothing is lost or done twice. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as netConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { connect, defineApp, type Client as App } from '../../shared/sdk/index.ts';
import { runAdmin, type CommandOutcome } from '../../shared/tools/cli/run.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { newEmptyDatabase } from '../support/database.ts';
import { moveHalf } from '../support/endedRows.ts';
import { startCellsHaproxy, type LoadBalancer } from '../support/haproxy.ts';
import { clientOf, request, type Client as Credential, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { readFences } from '../support/printedFences.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { newClient, type Client } from './support/client.ts';
import { Journal } from './support/journal.ts';
import { auditOf, listItems, timelineOf, type Json } from './support/oracle.ts';
import { Recorder } from './support/recorder.ts';

const execute = promisify(execFile);
const manifest = { inboxes: [{ name: 'mail' }] };
const password = 'only for tests, and long';

/** The number of times that the app did each run, by its id. */
const effects = new Map<string, number>();
const act = ({ run }: { readonly run: string }): void => void effects.set(run, (effects.get(run) ?? 0) + 1);
const shop = defineApp({
  resources: { customer: { source: 'stored' } },
  inboxes: { mail: {} },
  flags: { checkout: { kind: 'boolean', default: false } },
  actions: {
    mark: { resource: 'customer', background: true, run: act },
    refund: { approval: true, danger: 'high', run: act },
  },
});

/** Returns the lines of a fence of docs/growing.md. */
const printed = (section: string): string[] => {
  const fence = readFences('growing').find(({ name }) => name === `growing › ${section}`);
  if (fence === undefined) throw new Error(`docs/growing.md prints nothing under ${section}.`);
  return fence.text.split('\n');
};

describe('two cells behind HAProxy', function () {
  this.timeout(120_000);
  let dir: string;
  let redis: RedisServer;
  /** The first cell, with `west` and `demo`, and the one with `east`. */
  let a: World;
  let b: World;
  let balancer: LoadBalancer;
  let app: App | null = null;
  let recorder: Recorder | null = null;
  /** Whether clients go on to write. */
  let writing = true;

  const baseOf = (environment: string): string => `${balancer.origin}/api/env/${environment}`;
  const clientIn = (environment: string, who: Credential): Client =>
    newClient(new Journal(), () => [baseOf(environment)], who);
  const admin = (world: World, words: readonly string[], input = ''): Promise<CommandOutcome> =>
    runAdmin(words, { readConfig: () => world.config, readInput: () => Promise.resolve(input) });
  const move = (world: World, environment: string, to: World): Promise<CommandOutcome> =>
    admin(world, ['environment', 'move', environment, '--to-stdin'], to.config.migrateDatabaseUrl);
  const signIn = (environment: string, email: string): Promise<Reply> =>
    request('POST', `${baseOf(environment)}/sign-in`, { email, password }, null);

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-cells-'));
    redis = await startRedis({ dir });
    a = await newWorld({ manifest });
    await a.environment('west');
    const database = await newEmptyDatabase();
    await migrateDatabase(database.ownerUrl, database.url);
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    await owner.query(printed('A new cell › sql').join('\n'));
    await owner.end();
    b = await newWorld({ manifest, database, env: { REDIS_URL: redis.url } });
    await b.sql("update environments set name = 'east'");
    await b.sql('update revisions set n = n + 1');
    await writeFile(join(dir, 'cells.map'), 'east cell_b\nb.console.example cell_b\n');
    balancer = await startCellsHaproxy([a.port, b.port], { map: join(dir, 'cells.map'), admin: join(dir, 'admin') });
  });
  after(async () => {
    writing = false;
    await Promise.all([app?.close({ drainMs: 0 }), recorder?.stop()]);
    await balancer.stop();
    await Promise.all([a.close(), b.close()]);
    await redis.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const openApp = async (key: Credential): Promise<App> => {
    const opened = connect({
      app: shop,
      url: baseOf('west'),
      key: key.token,
      startedAt: Date.now(),
      onError: () => undefined,
      timing: { retryMinMs: 20, retryMaxMs: 200 },
    });
    await until('the app is online', () => opened.online, 20_000);
    return opened;
  };

  /** Sends a command to the socket of HAProxy, as socat does. */
  const toHaproxy = (command: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = netConnect(join(dir, 'admin'));
      socket.on('error', reject).on('close', () => {
        resolve(answer);
      });
      socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
      socket.end(`${command}\n`);
    });

  /** Runs the lines that docs/growing.md prints, from the cell `a`. */
  const moveAsPrinted = async (): Promise<void> => {
    const command = (await program('shared/tools/cli/admin.ts')).map((word) => `'${word}'`).join(' ');
    const { databaseUrl, migrateDatabaseUrl, redisUrl, redisPrefix } = a.config;
    const env = {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      MIGRATE_DATABASE_URL: migrateDatabaseUrl,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: redisPrefix,
      CELL_B_URL: b.config.migrateDatabaseUrl,
    };
    for (const line of printed('Moving an environment › sh').map((text) => text.replaceAll('/etc/haproxy', dir))) {
      const [, told] = /^echo '(.+)' \| socat /.exec(line) ?? [];
      if (told !== undefined) expect((await toHaproxy(told)).trim()).to.equal('');
      else await execute('bash', ['--norc', '-c', line.replace('npm run -s admin --', command)], { env });
    }
  };

  it('an environment moves with its streams, work and people, and nothing is lost or done twice', async () => {
    const agent = await a.agent('admin', { environments: ['west'] });
    const boss = await a.person('admin', 'Boss', { email: 'boss@example.com', password });
    await b.person('admin', 'Eve', { email: 'eve@example.com', password, environments: ['east'] });
    const client = clientIn('west', agent);
    const direct = clientOf(baseOf('west'), agent.token, agent.id);
    const others = [
      clientIn('demo', await a.agent('admin')),
      clientIn('east', await b.agent('admin', { environments: ['*'] })),
    ];
    for (const [environment, email] of [
      ['west', 'boss@example.com'],
      ['east', 'eve@example.com'],
    ] as const)
      expect((await signIn(environment, email)).status).to.equal(200);

    // Work that waits for the app, and for a person.
    const key = await a.appKey('west');
    app = await openApp(key);
    const customers = Array.from({ length: 5 }, (_, n) => ({ id: `c${String(n)}`, title: 'Ana' }));
    await a.records('customer', customers, 'west');
    await until('the action is known', async () => (await client.get('/actions')).text.includes('refund'));
    await app.close();
    await until('the app is offline', async () => (await a.sql('select from app_connections')).length === 0);
    const runs: string[] = [];
    for (const { id } of customers) {
      const { body } = await direct.post('/actions', { action: 'mark', record: id });
      expect(body.queued).to.equal(true);
      runs.push(body.run as string);
    }
    expect((await direct.post('/actions', { action: 'refund', confirmed: true })).body.pending).to.equal(true);

    // A run that ended long ago, a flag, and a request with a saved response.
    const early = (await direct.post('/items', { inbox: 'mail', title: 'Early', data: {} })).body.item.id as string;
    const past = (await direct.post('/bulk', { ids: [early], operation: { type: 'tags', add: ['past'] } })).body.bulk
      .id;
    await until(
      'the bulk is done',
      async () => (await direct.get(`/bulk/${String(past)}`)).body.bulk.status === 'done',
    );
    await moveHalf(a);
    expect((await a.sql('select from bulks_ended')).length).to.equal(1);
    expect((await direct.post('/flags/checkout', { change: { value: true } })).status).to.equal(200);
    const once = { headers: { 'idempotency-key': 'asked once' } };
    const askOnce = (): Promise<Reply> => direct.post('/items', { inbox: 'mail', title: 'Once', data: {} }, once);
    const first = await askOnce();
    expect(first.status).to.equal(201);

    // A stream, which loads the list anew when it is reset.
    const loaded = new Map<string, Json>();
    const stream = new Recorder(client, {
      mayReset: true,
      onMessage: ({ type }) => {
        if (type === 'reset')
          void listItems(client).then((items) => {
            for (const item of items) loaded.set(item.id as string, item);
          });
      },
    });
    recorder = stream;
    await stream.joined;

    // Changes, and a bulk of which workers have a part.
    const create = async (by: Client, title: string): Promise<string> => {
      const { status, body, text } = await by.post('/items', { inbox: 'mail', title, data: {} });
      expect(status, text).to.equal(201);
      return body.item.id as string;
    };
    const tagged: string[] = [];
    for (let n = 0; n < 40; n++) tagged.push(await create(client, `Before ${String(n)}`));
    const { head } = await until('the chain has begun', async () => {
      const { text } = await admin(a, ['audit', 'head', '--environment', 'west', '--json']);
      const [found] = (JSON.parse(text) as { heads: { hash: string }[] }).heads;
      return found === undefined ? null : { head: found.hash };
    });
    const operation = { type: 'tags', add: ['bulk'] };
    const bulk = (await client.post('/bulk', { ids: tagged, operation })).body.bulk.id as string;
    const created: string[] = [];
    const write = async (): Promise<void> => {
      while (writing) created.push(await create(client, 'Meanwhile'));
    };
    /** Each try has to be answered, and soon enough that its client does not come again. */
    let elsewhere = 0;
    const readElsewhere = async (other: Client): Promise<void> => {
      while (writing) {
        const { status } = await other.once('GET', `${other.bases()[0] ?? ''}/items?limit=1`);
        expect(status).to.equal(200);
        elsewhere += 1;
      }
    };
    const working = Promise.all([write(), write(), ...others.map(readElsewhere)]);
    await until('clients write', () => created.length > 20);

    await moveAsPrinted();
    const movedAt = created.length;
    await until('clients write again', () => created.length > movedAt + 20, 20_000);
    writing = false;
    await working;
    expect(elsewhere).to.be.above(20);

    // Each queued run is done once.
    app = await openApp(key);
    const person = clientOf(baseOf('west'), boss.token, boss.id);
    const [approval] = (await person.get('/approvals')).body.approvals as Json[];
    const approved = await person.post(`/approvals/${String(approval.id)}/approve`, {});
    expect(approved.status, approved.text).to.equal(200);
    runs.push(approval.run as string);
    for (const run of runs)
      await until(
        `${run} has ended`,
        async () => (await client.get(`/runs/${run}`)).body.run.status === 'succeeded',
        20_000,
      );
    await until(
      'the bulk is done',
      async () => (await client.get(`/bulk/${bulk}`)).body.bulk.status === 'done',
      20_000,
    );
    expect([...effects]).to.have.deep.members(runs.map((run) => [run, 1]));
    for (const id of tagged)
      expect((await timelineOf(client, id)).filter(({ type }) => type === 'tags')).to.have.length(1);

    expect((await direct.get(`/bulk/${String(past)}/results`)).body.results).to.have.length(1);
    expect((await direct.get('/flags/checkout')).body.flag.value).to.equal(true);
    const again = await askOnce();
    expect([again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([first.text, 'true']);

    // Each accepted change is there once. The stream equals the lists.
    const accepted = [early, first.body.item.id as string, ...tagged, ...created];
    const listed = await listItems(client);
    expect(listed.map(({ id }) => id as string)).to.have.members(accepted);
    await until('the stream has everything', () => {
      const folded = listed.map(({ id }) => (stream.items.get(id as string) ?? loaded.get(id as string)) as Json);
      return JSON.stringify(folded) === JSON.stringify(listed);
    });
    await stream.stop();
    expect(stream.problems).to.deep.equal([]);
    expect(stream.resets).to.deep.equal(['epoch']);
    const creations = (await auditOf(client, 'verb=item.create')).map(({ target }) => target.id as string);
    expect(creations).to.have.members(accepted);
    await until('the chain has all', async () => {
      const { exitCode, text } = await admin(b, ['audit', 'verify', '--environment', 'west', '--head', head, '--json']);
      expect(exitCode, text).to.equal(0);
      const { environments } = JSON.parse(text) as { environments: { entries: number }[] };
      return (environments[0]?.entries ?? 0) > accepted.length;
    });

    // People sign in at the cell where their environment is, and agents enter no other one there.
    expect((await signIn('west', 'boss@example.com')).status).to.equal(200);
    expect((await signIn('demo', 'boss@example.com')).status).to.equal(200);
    expect((await signIn('west', 'eve@example.com')).status).to.not.equal(200);
    const signInAt = (host: string): Promise<Reply> =>
      clientOf(baseOf('*'), 'nobody', 'nobody').post(
        '/sign-in',
        { email: 'eve@example.com', password },
        { headers: { host } },
      );
    expect((await signInAt('b.console.example')).body.environments).to.deep.equal(['east']);
    expect((await signInAt('a.console.example')).status).to.equal(401);
    expect((await client.once('GET', `${baseOf('east')}/items`)).status).to.equal(404);
    expect((await clientOf(baseOf('east'), boss.token, boss.id).get('/items')).status).to.equal(404);
  });

  it('the former cell serves the environment no more, not even by a process that has not heard of it', async () => {
    const agent = await a.agent('admin', { environments: ['west'] });
    const left = clientOf(a.base.replace('demo', 'west'), agent.token, agent.id);
    for (const answer of [
      await left.get('/items'),
      await left.post('/items', { inbox: 'mail', title: 'Late', data: {} }),
    ]) {
      expect([answer.status, answer.body.code]).to.deep.equal([503, 'unavailable']);
      expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
    }
    expect(
      await openLive(left).then(
        () => 'open',
        (error: Error) => error.message,
      ),
    ).to.equal('503');
    const late = "update items set title = 'Late' where env = (select id from environments where name = 'west')";
    expect(
      await a.deps.db.raw(late).then(
        () => 'done',
        (error: { code: string }) => error.code,
      ),
    ).to.equal('57P03');
    const again = await admin(a, ['environment', 'open', 'west']);
    expect([again.exitCode, again.text]).to.deep.equal([
      1,
      `The environment west has moved to ${new URL(b.config.migrateDatabaseUrl).host}${new URL(b.config.migrateDatabaseUrl).pathname}.`,
    ]);
    expect((await move(a, 'west', b)).text).to.include('has the same name or number');
  });

  it('a move that fails leaves the environment closed, until it is opened again with its work', async () => {
    await a.environment('north');
    for (const [world, can] of [
      [a, ['see', 'create']],
      [b, ['see']],
    ] as const)
      await world.role('clerk', [{ on: 'inbox:*', can }]);
    const agent = await a.agent('clerk', { environments: ['north'] });
    const client = clientOf(baseOf('north'), agent.token, agent.id);
    const create = (): Promise<Reply> => client.post('/items', { inbox: 'mail', title: 'Here', data: {} });
    expect((await create()).status).to.equal(201);
    const failed = await move(a, 'north', b);
    expect([failed.exitCode, failed.text]).to.deep.equal([
      1,
      'The role clerk grants other rights there: give one of the two another name.',
    ]);
    expect((await create()).status).to.equal(503);
    expect((await admin(a, ['environment', 'open', 'north'])).exitCode).to.equal(0);
    await until('it is open', async () => (await create()).status === 201);
    expect(await b.sql("select from environments where name = 'north'")).to.deep.equal([]);
  });

  it('no environment moves to where the ids of its events are still to come', async () => {
    const agent = await b.agent('admin', { environments: ['east'] });
    const client = clientOf(baseOf('east'), agent.token, agent.id);
    expect((await client.post('/items', { inbox: 'mail', title: 'Here', data: {} })).status).to.equal(201);
    const { exitCode, text } = await move(b, 'east', a);
    expect([exitCode, text]).to.deep.equal([
      1,
      'Its events have ids that are still to come there: an environment moves to a cell of a higher number (docs/growing.md).',
    ]);
    expect((await client.get('/items')).status).to.equal(200);
  });
});
