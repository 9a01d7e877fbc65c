/** The previous release and this one on one database, before, during and after its migration: nothing is refused, lost or done twice. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect as netConnect, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import { readConfig, type Config } from '../../shared/platform/config/config.ts';
import { newIdOf } from '../../shared/platform/ids.ts';
import { connect, type Client as App } from '../../shared/sdk/index.ts';
import { root } from '../../shared/tools/services/paths.mjs';
import { newEmptyDatabase, redisUrl, type TestDatabase } from '../support/database.ts';
import { clientOf, type Client } from '../support/http.ts';
import { openLive, type Message, type Recorder } from '../support/live.ts';
import { openPreviousRelease } from '../support/previousRelease.ts';
import { readFences } from '../support/printedFences.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newCountingApp, type CountingApp } from './countingApp.ts';

const execute = promisify(execFile);

interface Balancer {
  /** The port that new connections are led to. */
  target: number;
  listen(): Promise<number>;
  close(): Promise<void>;
}

const newBalancer = (): Balancer => {
  const sockets = new Set<Socket>();
  const balancer: Balancer & { readonly server: Server } = {
    target: 0,
    server: createServer((client) => {
      const service = netConnect(balancer.target, '127.0.0.1');
      for (const [from, to] of [
        [client, service],
        [service, client],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
        from.pipe(to);
      }
    }),
    listen: async () => {
      balancer.server.listen(0, '127.0.0.1');
      await once(balancer.server, 'listening');
      return (balancer.server.address() as AddressInfo).port;
    },
    close: async () => {
      const closed = once(balancer.server, 'close');
      balancer.server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return balancer;
};

describe('the previous release and this one', function () {
  // The previous release is unpacked, and may need packages of its own.
  this.timeout(300_000);

  let database: TestDatabase;
  let config: Config;
  let env: Record<string, string>;
  let previous: string;
  let shop: CountingApp;
  let app: App;
  let stream: Recorder;
  /** What the app dials: a load balancer in front of the APIs. */
  const front = newBalancer();
  const programs: Program[] = [];
  /** One agent at every API that is running, asked in turn. */
  let agents: Client[] = [];
  let turn = 0;
  const agent = (): Client => {
    turn += 1;
    const [first] = agents;
    const next = agents[turn % agents.length] ?? first;
    if (next === undefined) throw new Error('No API is running.');
    return next;
  };

  const run = async (folder: string, path: string, ...args: string[]): Promise<string> => {
    const { stdout } = await execute(process.execPath, ['--import', 'tsx', join(folder, path), ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    return stdout;
  };
  const start = async (folder: string, path: 'api/main.ts' | 'workers/main.ts'): Promise<Program> => {
    const program = await startProgram({ config }, path, { ...env, LOG_LEVEL: 'info' }, { folder });
    programs.push(program);
    return program;
  };

  before(async () => {
    previous = await openPreviousRelease();
    database = await newEmptyDatabase();
    env = {
      DATABASE_URL: database.url,
      MIGRATE_DATABASE_URL: database.ownerUrl,
      REDIS_URL: redisUrl(),
      REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}`,
      RATE_LIMIT: '1000000',
      RATE_BURST: '1000000',
      POOL_SIZE: '4',
    };
    config = readConfig(env);
    await run(previous, 'migrations/run.ts');
  });
  after(async () => {
    await app.close({ drainMs: 0 });
    await front.close();
    await Promise.all(programs.map((program) => program.end()));
    await database.drop();
  });

  const sql = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> => {
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    try {
      return (await owner.query(text, values)).rows as Record<string, unknown>[];
    } finally {
      await owner.end();
    }
  };
  /** Copies of a bulk and of a run that ended months ago. */
  const past = [40, 100, 400]
    .map((days) => Date.now() - days * 86_400_000)
    .map((at) => ({ at, bulks: newIdOf('blk', at), runs: newIdOf('run', at) }));
  const leavePast = async (): Promise<void> => {
    for (const { at, ...ids } of past)
      for (const [table, id] of Object.entries(ids))
        await sql(
          `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('id', $1::text, 'finished_at', $2::bigint))).*
           from ${table} t where finished_at is not null order by id desc limit 1`,
          [id, at],
        );
  };
  const expectPast = async (client: Client): Promise<void> => {
    for (const one of past) {
      expect((await client.get(`/bulk/${one.bulks}`)).body.bulk).to.include({ id: one.bulks, status: 'done' });
      expect((await client.get(`/runs/${one.runs}`)).body.run).to.include({ id: one.runs, finishedAt: one.at });
    }
    for (const [path, name] of [
      ['/bulk?limit=200', 'bulks'],
      ['/runs?limit=200', 'runs'],
    ] as const) {
      const listed = (await client.get(path)).body[name] as Message[];
      expect(listed.map(({ id }) => id)).to.include.members(past.map((one) => one[name]));
    }
  };

  /** What was accepted: each item with the state that it was last given, each run, each bulk. */
  const items = new Map<string, string>();
  const runs = new Set<string>();
  const bulks = new Map<string, number>();
  const expectStatus = (reply: { status: number; text: string }, ...statuses: number[]): void => {
    expect(reply.status, reply.text).to.be.oneOf(statuses);
  };

  /** One round of what agents do, each call at the next API. */
  const work = async (title: string): Promise<void> => {
    const created = await agent().post('/items', { inbox: 'mail', title });
    expectStatus(created, 201);
    const { id } = created.body.item as { id: string };
    expectStatus(await agent().post(`/items/${id}/state`, { state: 'waiting' }), 200);
    items.set(id, 'waiting');
    expectStatus(await agent().post(`/items/${id}/tags`, { add: ['seen'], remove: [] }), 200);
    expectStatus(await agent().get('/items?inbox=mail&limit=5'), 200);
    expectStatus(await agent().get(`/items/${id}`), 200);
    for (const action of [{ action: 'greet', input: { name: title } }, { action: 'crunch' }]) {
      const called = await agent().post('/actions', action);
      expectStatus(called, 200, 202);
      runs.add(called.body.run as string);
    }
    shop.goOn();
  };
  const workInBulk = async (): Promise<void> => {
    const ids = [...items.keys()];
    const { status, body, text } = await agent().post('/bulk', { ids, operation: { type: 'state', state: 'open' } });
    expectStatus({ status, text }, 202);
    bulks.set(body.bulk.id as string, ids.length);
    for (const id of ids) items.set(id, 'open');
    await until(
      'the bulk is done',
      async () => {
        const { bulk } = (await agent().get(`/bulk/${String(body.bulk.id)}`)).body as { bulk: Message };
        return bulk.finishedAt !== null;
      },
      60_000,
    );
  };
  const rounds = async (name: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1)
      await Promise.all([1, 2, 3].map((k) => work(`${name} ${String(n)}.${String(k)}`)));
    await workInBulk();
  };

  /** Reads the stream anew from its first message on. */
  const expectToldAgain = async (): Promise<void> => {
    const again = await openLive(agent(), `?after=${String(stream.messages[0]?.offset)}`);
    const told = (): Set<unknown> =>
      new Set(again.messages.map(({ type, item }) => (type === 'item' ? item.id : null)));
    await until('all is told again', () => [...items.keys()].every((id) => told().has(id)));
    await again.close();
  };
  /** Ends programs, and resolves once they have ended by themselves. */
  const end = async (ending: readonly Program[]): Promise<void> => {
    for (const { child } of ending) child.kill('SIGTERM');
    await until('all have ended', () => ending.every(({ child }) => child.exitCode === 0), 30_000);
  };

  it('works on the previous release alone', async () => {
    const [api] = await Promise.all([start(previous, 'api/main.ts'), start(previous, 'workers/main.ts')]);
    const admin = 'shared/tools/cli/admin.ts';
    await run(previous, admin, 'environment', 'create', 'demo');
    const key = JSON.parse(await run(previous, admin, 'app-key', 'create', 'app', '--json')) as { token: string };
    const made = JSON.parse(
      await run(previous, admin, 'agent', 'create', 'bot', '--role', 'admin', '--environment', 'demo', '--json'),
    ) as { token: string; agent: { id: string } };
    const base = `http://127.0.0.1:${api.port}/api/env/demo`;
    agents = [clientOf(base, made.token, made.agent.id)];
    shop = newCountingApp();
    app = connect({
      app: shop.app,
      url: `http://127.0.0.1:${String(await front.listen())}/api/env/demo`,
      key: key.token,
      startedAt: Date.now(),
      onError: () => undefined,
      timing: { retryMinMs: 20, retryMaxMs: 200 },
    });
    front.target = Number(api.port);
    await until('the app is online', () => app.online, 20_000);
    await until('the agent sees its inboxes', async () => (await agent().get('/items?inbox=mail')).status === 200);
    stream = await openLive(agent());
    await rounds('before', 2);
    await leavePast();
    await expectPast(agent());
  });

  it('works on the previous release while this one migrates', async () => {
    const migrated = run(root, 'migrations/run.ts');
    await Promise.all([migrated, rounds('during', 3)]);
    await rounds('migrated', 2);
  });

  it('works on both at once', async () => {
    const [api] = await Promise.all([start(root, 'api/main.ts'), start(root, 'workers/main.ts')]);
    const [old] = agents;
    if (old === undefined) throw new Error('The previous release is not running.');
    agents = [old, clientOf(`http://127.0.0.1:${api.port}/api/env/demo`, old.token, old.id)];
    await rounds('both', 4);
    for (const client of agents) await expectPast(client);
    expect(await sql('select from stream_parts'), 'the previous release could not tell it').to.deep.equal([]);
  });

  it('works on this one alone, with everything that was accepted done once', async () => {
    const [, latest] = agents;
    if (latest === undefined) throw new Error('Not all are running.');
    const ended = stream.closed;
    agents = [latest];
    front.target = Number(new URL(latest.base).port);
    await Promise.all([end(programs.slice(0, 2)), ended]);
    const resumed = await openLive(latest, `?after=${stream.offset()}`);
    await until('the app is online again', () => app.online, 20_000);
    await rounds('after', 2);
    shop.goOn();
    for (const id of runs) {
      const settled = await until(
        `${id} has ended`,
        async () => {
          shop.goOn();
          const { run: found } = (await latest.get(`/runs/${id}`)).body as { run: Message };
          return found.finishedAt !== null && found;
        },
        90_000,
      );
      expect([settled.status, shop.effects.get(id)], JSON.stringify(settled)).to.deep.equal(['succeeded', 1]);
    }
    for (const [id, total] of bulks) {
      const { bulk } = (await latest.get(`/bulk/${id}`)).body as { bulk: Message };
      expect(bulk).to.include({ status: 'done', total, done: total, failed: 0 });
    }
    const heard = new Map<string, string>();
    const fold = (messages: readonly Message[]): void => {
      for (const message of messages)
        if (message.type === 'item') heard.set(message.item.id as string, message.item.state as string);
    };
    await until('the stream has told everything', () => {
      fold(stream.messages);
      fold(resumed.messages);
      return [...items].every(([id, state]) => heard.get(id) === state);
    });
    await resumed.close();
    for (const [id, state] of items) {
      const { item, timeline } = (await latest.get(`/items/${id}`)).body as { item: Message; timeline: Message[] };
      expect([item.state, item.tags]).to.deep.equal([state, ['seen']]);
      expect(timeline.filter(({ type }) => type === 'tags' || type === 'created')).to.have.length(2);
    }
  });

  it('writes messages once a day later, and tells them together with those of before', async () => {
    await sql('update stream_parts_begin set begin_at = 0');
    await rounds('apart', 1);
    const told = await until('all is told', async () => {
      const [forms] =
        await sql(`select count(*) filter (where parts = '')::int as apart, count(*) filter (where parts <> '')::int as inside,
        (select count(*)::int from stream_parts) as parts, (select count(*)::int from outbox) as left from stream`);
      return forms?.['left'] === 0 && forms;
    });
    expect(told['apart']).to.be.above(0);
    expect(told['inside']).to.be.above(0);
    expect(told['parts']).to.equal(told['apart']);
    await expectToldAgain();
  });

  it('moves what has ended long ago a day later, when the previous release has gone', async () => {
    await sql('update ended_moves set begin_at = 0');
    const moved = 'select from bulks_ended union all select from runs_ended';
    await until('all has moved', async () => (await sql(moved)).length === 2 * past.length, 30_000);
    await expectPast(agent());
    await rounds('moved', 1);
  });

  it('goes back to the previous release, which tells what this one has written', async () => {
    await end(programs.slice(2));
    await sql(readFences('operators').find(({ name }) => name === 'operators › Upgrades › sql')?.text ?? '');
    const [api] = await Promise.all([start(previous, 'api/main.ts'), start(previous, 'workers/main.ts')]);
    agents = agents.map(({ token, id }) => clientOf(`http://127.0.0.1:${api.port}/api/env/demo`, token, id));
    front.target = Number(api.port);
    await until('the app is online again', () => app.online, 20_000);
    await rounds('back', 1);
    await expectToldAgain();
  });
});
