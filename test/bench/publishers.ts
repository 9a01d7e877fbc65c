/** The ways to send one message, or a burst, to all subscribers through Redis: the service's, the limit's and a peer's. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { openDeps } from '../../shared/deps.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { channels } from '../../shared/platform/redis/bus.ts';

/** Where to publish: to the stream of an environment, whose log must have the message; on a channel; or by a peer's package. */
export type Target =
  | { readonly kind: 'stream'; readonly env: number }
  | { readonly kind: 'channel'; readonly name: string }
  | { readonly kind: 'socketIo'; readonly folder: string };

/** Prepares the next publication, of `burst` messages, and returns the function that publishes it. */
export type Prepare = (burst: number) => Promise<() => void>;

const item = {
  id: 'itm_01jd0000000000000000000000',
  inbox: 'support',
  title: 'Invoice charged twice after upgrading',
  state: 'open',
  record: { resource: 'customer', id: 'c-1', title: 'Ana Lind' },
  tags: ['billing', 'vip'],
  assignee: null,
  occurrences: 1,
  users: 0,
  firstSeen: 1_760_000_000_000,
  lastSeen: 1_760_000_000_000,
  dueAt: null,
  fields: { email: 'ana@example.com', plan: 'team', text: 'I was charged twice for the same month. '.repeat(5) },
  snoozedUntil: null,
  triaged: false,
  createdAt: 1_760_000_000_000,
  updatedAt: 1_760_000_000_000,
  version: 2,
};
const part = {
  type: 'item',
  inbox: 'support',
  change: 'changed',
  item,
  by: { type: 'agent', id: 'agt_01jd0000000000000000000000', name: 'bench' },
};
const parts = JSON.stringify([part]);
/** As long as a message of ours. */
const message = { offset: 'x'.repeat(22), prev: 'x'.repeat(22), at: 1_760_000_000_000, ...part };

const redisUrl = process.env['REDIS_URL'] ?? '';

const write = `with moved as (update streams set position = position + $2 where env = $1 returning position)
  insert into stream (env, position, at, parts) select $1, m.position - $2 + n, $3, $4 from moved m, generate_series(1, $2) n`;

/** Returns a publisher that inserts rows into the stream's log and seals its messages, as the service takes no others. */
const toStream = async (env: number): Promise<Prepare> => {
  const deps = await openDeps(readConfig(), 'bench');
  // Before its first answer the bus publishes nothing.
  await deps.redis.command.ping();
  const db = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 1 });
  return async (burst) => {
    const at = Date.now();
    await db.query({ name: 'write', text: write, values: [env, burst, at, parts] });
    const { rows } = await db.query<{ position: string }>({
      name: 'position',
      text: 'select position from streams where env = $1',
      values: [env],
    });
    const row = `{"at":${String(at)},"parts":${parts}}`;
    const first = String(Number(rows[0]?.position) - burst + 1);
    const text = `{"kind":"batch","first":${first},"rows":[${Array.from({ length: burst }, () => row).join(',')}],"counts":{},"at":${String(at)}}`;
    return () => {
      deps.bus.publish(channels.live(env), text);
    };
  };
};

const toChannel = (name: string): Prepare => {
  const redis = new Redis(redisUrl);
  const plain = JSON.stringify(message);
  return async (burst) => {
    const text = Array.from({ length: burst }, () => plain).join('\n');
    return () => void redis.publish(name, text);
  };
};

/** As much of the emitter of socket.io as is used. */
type Emitter = new (redis: Redis) => { emit(event: string, message: object): void };

const bySocketIo = (folder: string): Prepare => {
  const { Emitter } = createRequire(join(folder, 'package.json'))('@socket.io/redis-emitter') as { Emitter: Emitter };
  const emitter = new Emitter(new Redis(redisUrl));
  return async (burst) => () => {
    for (let i = 0; i < burst; i++) emitter.emit('item', message);
  };
};

export const openPublisher = async (to: Target): Promise<Prepare> => {
  switch (to.kind) {
    case 'stream':
      return toStream(to.env);
    case 'channel':
      return toChannel(to.name);
    case 'socketIo':
      return bySocketIo(to.folder);
  }
};
