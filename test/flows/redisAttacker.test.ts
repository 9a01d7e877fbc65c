/**
 * Somebody who can read and write every key and channel of the service's Redis: nothing that he does acts on the app, nothing
 * of what people wrote is shown to him, the log has it, and the service goes on. New channels, keys and queues fail here
 * until they have an attack.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { jobs } from '../../shared/catalogue/jobs.ts';
import { redisKeys, channels } from '../../shared/platform/redis/bus.ts';
import { createMessageSeal } from '../../shared/platform/redis/messageSeal.ts';
import { startRedis } from '../../shared/tools/services/redis.mjs';
import { queuesOf } from '../../workers/handler.ts';
import { connectApp, type FakeApp } from '../support/app.ts';
import { deferred } from '../support/deferred.ts';
import type { Client } from '../support/http.ts';
import { openInstallation, type Installation } from '../support/installation.ts';
import { openLive, type Recorder } from '../support/live.ts';
import type { Program } from '../support/processes.ts';
import { openRedisAttacker, type RedisAttacker } from '../support/redisAttacker.ts';
import { readTestKeys } from '../support/redisSecurity.ts';
import { until } from '../support/until.ts';

const manifest = {
  resources: [
    { name: 'order', source: 'app' },
    { name: 'customer', source: 'stored' },
  ],
  inboxes: [{ name: 'mail', reply: { via: 'app' }, triage: { app: true } }],
  flags: [{ key: 'checkout', kind: 'boolean', default: false }],
  actions: [
    { name: 'pay', input: { type: 'object' } },
    { name: 'ship', resource: 'customer', input: { type: 'object' } },
    { name: 'later', background: true, input: { type: 'object' } },
  ],
};

/** In everything that people and the app write here, and never in Redis. */
const canary = 'canary-3f9a';
const floodCount = 50_000;

describe('Redis in an attacker’s hands', function () {
  let dir: string;
  let server: Awaited<ReturnType<typeof startRedis>>;
  let site: Installation;
  let attacker: RedisAttacker;
  let app: FakeApp;
  let near: Client;
  let far: Client;
  let stream: Recorder;
  let envId: number;
  let connection: { id: string; process: string };
  let prefix: string;
  /** A run that waits behind another one of its record, which the app has until this is resolved. */
  let queued: string;
  const held = deferred();
  const full = (channel: string): string => `${prefix}:${channel}`;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-attacked-'));
    server = await startRedis({ dir });
    site = await openInstallation(server.url, { manifest, workers: 1 });
    prefix = site.world.config.redisPrefix;
    attacker = await openRedisAttacker(server.url, prefix);
    const agent = await site.world.agent('admin');
    [near, far] = [site.at(0, agent), site.at(1, agent)];
    await site.world.records('customer', [{ id: 'c1', title: canary }]);
    const ship = async (): Promise<string> =>
      (await far.post('/actions', { action: 'ship', record: 'c1', input: { held: true } })).body.run as string;
    await ship();
    queued = await ship();
    app = await connectApp(site.at(0, await site.world.appKey()), {
      manifest,
      handlers: {
        'action.run': async ({ input }) => {
          if ((input as { held?: boolean }).held === true) await held.promise;
          return { message: `Done ${canary}.` };
        },
        'reply.send': () => null,
        'triage.answer': () => ({ answers: {}, tags: [canary] }),
        'records.get': ({ ids }) => ({ records: (ids as string[]).map((id) => ({ id, title: canary })) }),
      },
    });
    stream = await openLive(near);
    const [row] = await site.world.sql<{ env: number; id: string; process: string }>(
      'select env, id, process from app_connections',
    );
    if (row === undefined) throw new Error('The app is not connected.');
    envId = row.env;
    connection = row;
    await until('the first of its record is at the app', () => calls('action.run').length === 1);
    await everythingWorks();
  });
  after(async () => {
    app.kill();
    stream.socket.terminate();
    await site.close();
    await attacker.close();
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const calls = (method: string): { method: string; params: Record<string, unknown> }[] =>
    app.received.filter((call) => call.method === method) as { method: string; params: Record<string, unknown> }[];
  const create = async (client = far): Promise<string> => {
    const { status, body, text } = await client.post('/items', {
      inbox: 'mail',
      title: `Help ${canary}`,
      data: { email: `${canary}@example.com` },
    });
    expect(status, text).to.equal(201);
    return body.item.id as string;
  };
  const seen = (item: string, version: number): Promise<unknown> =>
    stream.next(
      'the item on the stream',
      (message) => message.type === 'item' && message.item.id === item && message.item.version >= version,
      20_000,
    );
  const ended = (run: string): Promise<unknown> =>
    until('the run has succeeded', async () => (await far.get(`/runs/${run}`)).body.run.status === 'succeeded', 20_000);

  /** A bit of everything that goes through Redis. What was published before it has been taken when it resolves. */
  const everythingWorks = async (): Promise<void> => {
    const item = await create();
    await seen(item, 1);
    const { status, body, text } = await far.post('/actions', { action: 'pay', input: { note: canary } });
    expect([status, body.message], text).to.deep.equal([200, `Done ${canary}.`]);
    expect((await far.get('/resources/order/1')).text).to.include(canary);
    await ended((await far.post('/actions', { action: 'later', input: { note: canary } })).body.run as string);
    expect(
      (
        await far.post(
          `/items/${item}/reply`,
          { subject: canary, text: `Dear ${canary}` },
          { headers: { 'idempotency-key': item, 'x-request-id': canary } },
        )
      ).status,
    ).to.equal(202);
    await until(
      'the reply is sent',
      async () => JSON.stringify((await far.get(`/items/${item}`)).body.timeline).includes('"sent"'),
      20_000,
    );
    await far.post('/bulk', { ids: [item], operation: { type: 'tags', add: [canary], remove: [] } });
    await stream.next('the tags', (message) => message.type === 'item' && message.item.tags.includes(canary), 20_000);
    for (const value of [true, false]) {
      const flag = await far.post('/flags/checkout', { change: { value } });
      expect(flag.status, flag.text).to.equal(200);
    }
  };

  const refused = async (why: string): Promise<number> => {
    const counts = await Promise.all(
      site.apis.map(async ({ port }) => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return Number(new RegExp(`^console_redis_refused_total\\{why="${why}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const programs = (): readonly Program[] => [...site.apis, ...site.workers];
  const logged = (why: string): number =>
    programs().reduce((sum, { said }) => sum + said().split(`"why":"${why}"`).length - 1, 0);

  /** Calls the app acted on or was told of before an attack, to compare with those after it. */
  const effects = (): string =>
    JSON.stringify([calls('action.run').length, calls('reply.send').length, app.socket.readyState]);
  const forgedIn = (): unknown[] => [
    ...app.received.filter((call) => JSON.stringify(call).includes('forged')),
    ...stream.messages.filter((message) => JSON.stringify(message).includes('forged')),
  ];

  /** What the text of a message would be, if texts were believed. */
  const forgeries: { readonly [K in keyof typeof channels]: () => readonly (readonly [string, string])[] } = {
    workAvailable: () => [[channels.workAvailable, 'outbox']],
    revision: () => [[channels.revision, '999999999']],
    runs: () => [[channels.runs, queued]],
    flags: () => [[channels.flags, '']],
    foreground: () => [[channels.foreground, '']],
    watched: () => [[channels.watched, JSON.stringify({ env: envId, agent: near.id })]],
    live: () => [
      [
        channels.live(envId),
        JSON.stringify({ kind: 'passing', at: Date.now(), part: { type: 'app', online: false, forged: true } }),
      ],
      [
        channels.live(envId),
        JSON.stringify({
          kind: 'batch',
          first: 1_000_000,
          rows: [{ at: Date.now(), parts: [{ type: 'app', online: false, forged: true }] }],
          counts: { mail: { open: 4_711 } },
          at: Date.now(),
        }),
      ],
    ],
    app: () => [[channels.app, JSON.stringify({ envId, online: false, changed: true })]],
    appAt: () => {
      const from = 'forged-process';
      const call = (method: string, params: object): string =>
        `${JSON.stringify({ kind: 'call', id: 'forged', from, connection: connection.id, method, timeoutMs: 5_000 })}\n${JSON.stringify(params)}`;
      const note = (what: object): string =>
        `${JSON.stringify({ id: 'forged', from, connection: connection.id, ...what })}\n`;
      return [
        call('action.run', { run: `run_${'0'.repeat(26)}`, action: 'pay', record: null, input: { forged: true } }),
        call('reply.send', { item: {}, subject: 'forged', text: 'forged', delivery: 'forged' }),
        call('records.get', { resource: 'order', ids: ['forged'] }),
        note({ kind: 'handOver', env: envId, run: queued }),
        note({ kind: 'reply', env: envId, job: 'forged', fence: 1, timeoutMs: 5_000 }),
        note({ kind: 'replaced' }),
      ].map((text) => [channels.appAt(connection.process), text] as const);
    },
    appTold: () => [
      [
        channels.appTold(envId),
        JSON.stringify({
          from: 'forged',
          method: 'flags.changed',
          params: JSON.stringify({ flag: { key: 'forged' } }),
        }),
      ],
    ],
  };

  it('shows a reader channels, ids and sizes, and none of what people and apps write', async () => {
    await everythingWorks();
    const texts = [...attacker.commands.map((args) => args.join(' ')), ...(await attacker.stored())];
    expect(texts.length).to.be.above(100);
    const hidden = [canary, near.token, 'Help', 'checkout', '127.0.0.1', 'example.com', 'action.run', 'records.get'];
    for (const word of hidden)
      expect(
        texts.filter((text) => text.includes(word) && !text.startsWith('eval ')).map((text) => text.slice(0, 300)),
        word,
      ).to.deep.equal([]);
  });

  it('finds no channel and no key that is not in the tables of them', async () => {
    const id = '[A-Za-z0-9._-]+';
    const known = Object.values(channels).map((channel) =>
      (typeof channel === 'string' ? channel : (channel as (part: string) => string)('ID')).replace('ID', id),
    );
    const channelForm = new RegExp(`^${prefix}:(${known.join('|')})$`);
    const unknown = attacker.heard.map(({ channel }) => channel).filter((channel) => !channelForm.test(channel));
    expect([...new Set(unknown)], 'publish on a channel of bus.ts').to.deep.equal([]);
    const keys = Object.values(redisKeys).map((key) => (typeof key === 'string' ? key : key('ID')).replace('ID', id));
    const queues = queuesOf(jobs).map((queue) => `\\{${queue}\\}:${queue}(:.+)?`);
    const keyForm = new RegExp(`^${prefix}:(${[...keys, ...queues].join('|')})$`);
    const used = attacker.commands
      .flat()
      .filter((text) => text.startsWith(`${prefix}:`) && !channelForm.test(text) && !keyForm.test(text))
      .filter((text) => !text.endsWith(':') && !text.endsWith(':*'));
    expect([...new Set(used)], 'name the key in bus.ts').to.deep.equal([]);
  });

  it('takes no text on any channel, and says so', async () => {
    const before = effects();
    for (const forge of Object.values(forgeries))
      for (const [channel, text] of forge()) await attacker.publish(full(channel), text);
    expect((await far.get('/resources/order/1')).status).to.equal(200);
    await seen(await create(), 1);
    expect(effects()).to.equal(before);
    expect(forgedIn()).to.deep.equal([]);
    await everythingWorks();
    expect(await refused('malformed')).to.be.above(0);
    expect(logged('malformed')).to.be.above(0);
  });

  it('takes no message twice, altered, on another channel, or with another day’s key', async () => {
    await everythingWorks();
    await site.world.settled();
    await seen(await create(), 1);
    await site.world.settled();
    const messages = [...attacker.heard].slice(-200);
    const before = effects();
    const told = stream.messages.length;
    const offsets = new Set(stream.messages.map(({ offset }) => offset as string));
    const targets = [...new Set(messages.map(({ channel }) => channel))];
    for (const { channel, bytes } of messages) {
      await attacker.publish(channel, bytes);
      for (const place of [0, 3, 10, 23, 30, 40, bytes.length - 1]) {
        const altered = Buffer.from(bytes);
        altered[place] = (altered[place] ?? 0) ^ 1;
        await attacker.publish(channel, altered);
      }
      await attacker.publish(channel, bytes.subarray(0, bytes.length - 5));
      for (const target of targets.filter((target) => target !== channel)) await attacker.publish(target, bytes);
    }
    expect((await far.get('/resources/order/1')).status).to.equal(200);
    expect(effects()).to.equal(before);
    // What the triage of the last item changed may come now, and new counts; nothing comes twice.
    expect(
      stream.messages.slice(told).filter(({ type, offset }) => type !== 'counts' && offsets.has(offset as string)),
    ).to.deep.equal([]);
    for (const why of ['malformed', 'repeated', 'forged', 'unknown key']) {
      expect(await refused(why), why).to.be.above(0);
      expect(logged(why), why).to.be.above(0);
    }
    await everythingWorks();
  });

  it('takes no message that was held back for longer than a minute', async () => {
    const keys = await readTestKeys(site.world);
    const late = createMessageSeal({ ...keys, now: () => Date.now() - 61_000 });
    const channel = full(channels.appTold(envId));
    const text = JSON.stringify({ from: 'x', method: 'flags.changed', params: '{"flag":{"key":"forged"}}' });
    const message = late.seal(channel, text);
    if (message === null) throw new Error('There is no key.');
    await attacker.publish(channel, message);
    await everythingWorks();
    expect(forgedIn()).to.deep.equal([]);
    expect(await refused('old')).to.be.above(0);
    expect(logged('old')).to.be.above(0);
  });

  it('does for a job what its row says, whatever Redis says', async () => {
    const [row] = await site.world.sql<{ id: string }>(
      "select id from staged_jobs where subject = $1 and name = 'actionRun'",
      [queued],
    );
    const idle = `job_${'z'.repeat(26)}`;
    await site.world.sql(
      `insert into staged_jobs (id, env, name, payload, subject, due_at, created_at)
       values ($1, $2, 'replySend', '{"item":"itm_forged","entry":"ent_forged","dueAt":null}', null, $3, $3)`,
      [idle, envId, Date.now() + 3_600_000],
    );
    const before = effects();
    const bad = [
      {},
      [],
      'x',
      7,
      null,
      { staged: [] },
      { staged: { $ne: 1 } },
      { staged: 'a\0b' },
      { staged: 'x'.repeat(1e6) },
      { __proto__: { staged: idle } },
    ];
    const queues = [...new Set(Object.values(jobs).map(({ queue }) => queue))];
    for (const name of queues) {
      const queue = new Queue(name, { connection: { url: server.url }, prefix: `${prefix}:{${name}}` });
      for (const data of [...bad, ...[idle, row?.id, idle, row?.id].map((staged) => ({ staged }))])
        await queue.add('forged', data, { attempts: 3, removeOnFail: true, removeOnComplete: true });
      const key = `${prefix}:{${name}}:${name}`;
      await attacker.redis.hset(`${key}:broken`, { name: 'x', data: '{not json', opts: '{}', timestamp: '1' });
      await attacker.redis.lpush(`${key}:wait`, 'broken', 'without-a-hash');
      await queue.close();
    }
    await everythingWorks();
    // The rest of what was forged has been looked at when the later jobs of each queue are done.
    await until('bad jobs are noticed', () => logged('bad job') > 0, 20_000);
    expect(JSON.parse(effects())).to.deep.equal([
      JSON.parse(before)[0] + 2,
      JSON.parse(before)[1] + 1,
      JSON.parse(before)[2],
    ]);
    const [left] = await site.world.sql<{ tries: number; lease_until: number | null }>(
      'select tries, lease_until from staged_jobs where id = $1',
      [idle],
    );
    expect(left).to.deep.equal({ tries: 0, lease_until: null });
    await site.world.sql('delete from staged_jobs where id = $1', [idle]);
  });

  it('answers, streams and works while its channels are flooded, and neither PostgreSQL nor the log is', async () => {
    const readings = async (): Promise<number> => {
      const [row] = await site.world.sql<{ n: string }>(
        "select coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as n from pg_stat_user_tables where relname = 'redis_keys'",
      );
      return Number(row?.n);
    };
    const day = Math.floor(Date.now() / 86_400_000);
    const shaped = (keyDay: number): Buffer => {
      const bytes = randomBytes(200);
      bytes.writeUInt8(1, 0);
      bytes.writeUInt32BE(keyDay, 1);
      bytes.writeUIntBE(Date.now(), 27, 6);
      return bytes;
    };
    const targets = Object.values(forgeries).flatMap((forge) => forge().map(([channel]) => full(channel)));
    const [readBefore, began, linesBefore] = [
      await readings(),
      performance.now(),
      programs().map(({ said }) => said().split('\n').length),
    ];
    attacker.stopListening();
    let flooding = true;
    const flood = (async () => {
      for (let sent = 0; sent < floodCount;) {
        const batch = attacker.redis.pipeline();
        for (let n = 0; n < 500; n++, sent++)
          batch.publish(
            targets[sent % targets.length] ?? '',
            [shaped(day), shaped(day + 1), shaped(day - 2 - (sent % 1_000)), randomBytes(100)][sent % 4] ?? '',
          );
        await batch.exec();
      }
      flooding = false;
    })();
    let rounds = 0;
    // Looked at when it is awaited: a failure ends the loop.
    flood.catch(() => {
      flooding = false;
    });
    while (flooding) {
      expect((await far.get('/items?limit=5')).status).to.equal(200);
      await seen(await create(near), 1);
      rounds += 1;
    }
    await flood;
    expect(rounds).to.be.above(0);
    await everythingWorks();
    expect(forgedIn()).to.deep.equal([]);
    const seconds = (performance.now() - began) / 1_000;
    // Two statements a second in each process, and the readings once a minute.
    expect((await readings()) - readBefore).to.be.below(programs().length * 4 * (seconds + 2));
    programs().forEach(({ said }, i) => {
      const more = said()
        .split('\n')
        .slice(linesBefore[i])
        .filter((line) => line.includes('were refused'));
      expect(more.length).to.be.below(12);
    });
  });

  it('goes on when every key was overwritten and removed, and the runs that waited are done in their turn', async () => {
    const keys = [
      ...(await attacker.redis.keys(`${prefix}:*`)),
      ...Object.values(redisKeys).map((key) => full(typeof key === 'string' ? key : key('x'))),
    ];
    for (const key of keys) {
      await attacker.redis.del(key);
      await attacker.redis.set(key, 'garbage');
    }
    // Requests need nothing of it.
    expect((await far.get('/items')).status).to.equal(200);
    const item = await create();
    await seen(item, 1);
    await attacker.redis.flushall();
    await everythingWorks();
    held.resolve();
    await ended(queued);
    expect(app.socket.readyState).to.equal(app.socket.OPEN);
  });
});
