/** Thousands of subscribers and the one who sends to them through Redis; the time is taken here, where frames come in. */
import { Redis } from 'ioredis';
import pg from 'pg';
import { openDeps } from '../../../shared/deps.ts';
import { readConfig } from '../../../shared/platform/core/config.ts';
import { channels } from '../../../shared/platform/redis/bus.ts';
import { answerCalls } from '../ipc.ts';
import { RawSocket, type Address } from '../rawSocket.ts';

export interface Told {
  readonly frames: number;
  readonly framesPerSecond: number;
  /** From the publication to the last socket's frame, in ms. */
  readonly roundMs: number;
}

/** Where to publish: to our stream of environment `to`, whose log must have the message, or on the limit's own channel. */
export interface Telling {
  readonly to: number | string;
  /** Messages in one go. */
  readonly burst: number;
  readonly ms: number;
}

const redis = new Redis(process.env['REDIS_URL'] ?? '');
/** Seals what it publishes, as only such messages are heard. */
const deps = await openDeps(readConfig(), 'bench');
const db = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 1 });
let sockets: RawSocket[] = [];
let frames = 0;
let wanted = Number.POSITIVE_INFINITY;
let reached = (): void => undefined;

const heard = (): void => {
  frames += 1;
  if (frames >= wanted) reached();
};
const until = (count: number): Promise<void> =>
  new Promise((resolve) => {
    wanted = count;
    reached = () => {
      wanted = Number.POSITIVE_INFINITY;
      resolve();
    };
    if (frames >= count) reached();
  });

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
const plain = JSON.stringify({ offset: 'x'.repeat(22), prev: 'x'.repeat(22), at: 1_760_000_000_000, ...part });

/** Connects in groups, so that no backlog overflows. With `hello` each is sent one frame at first. */
const open = async ({ address, count, hello }: { address: Address; count: number; hello: boolean }): Promise<void> => {
  frames = 0;
  for (let from = 0; from < count; from += 100) {
    await Promise.all(
      Array.from(
        { length: Math.min(100, count - from) },
        () =>
          new Promise<void>((opened, failed) => void sockets.push(new RawSocket(address, { heard, opened, failed }))),
      ),
    );
  }
  if (hello) await until(count);
};

const close = (): void => {
  for (const socket of sockets) socket.end();
  sockets = [];
};

const write = `with moved as (update streams set position = position + $2 where env = $1 returning position)
  insert into stream (env, position, at, parts) select $1, m.position - $2 + n, $3, $4 from moved m, generate_series(1, $2) n`;

/** Inserts the rows of one publication, then returns what to publish. */
const prepare = async ({ to, burst }: Telling): Promise<string> => {
  if (typeof to === 'string') return Array.from({ length: burst }, () => plain).join('\n');
  const at = Date.now();
  await db.query({ name: 'write', text: write, values: [to, burst, at, parts] });
  const { rows } = await db.query<{ position: string }>({
    name: 'position',
    text: 'select position from streams where env = $1',
    values: [to],
  });
  const row = `{"at":${String(at)},"parts":${parts}}`;
  return `{"kind":"batch","first":${String(Number(rows[0]?.position) - burst + 1)},"rows":[${Array.from({ length: burst }, () => row).join(',')}],"counts":{},"at":${String(at)}}`;
};

/** Publishes one after the other, each when all sockets have the one before it. */
const tell = async (telling: Telling): Promise<Told> => {
  let rounds = 0;
  let busy = 0;
  frames = 0;
  let next = prepare(telling);
  const end = performance.now() + telling.ms;
  for (let text = await next; performance.now() < end; text = await next) {
    const began = performance.now();
    rounds += 1;
    const all = until(frames + sockets.length * telling.burst);
    if (typeof telling.to === 'string') void redis.publish(telling.to, text);
    else deps.bus.publish(channels.live(telling.to), text);
    // The next one's rows are written while this one is published.
    next = prepare(telling);
    await all;
    busy += performance.now() - began;
  }
  return { frames, framesPerSecond: frames / (busy / 1000), roundMs: busy / rounds };
};

answerCalls({ open, close, tell });
