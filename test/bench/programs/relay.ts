/** Moves a full outbox: by our publisher, and by the least code that takes 500 rows at a time and publishes them to Redis. */
import { Redis } from 'ioredis';
import pg from 'pg';
import { closeDeps, openDeps } from '../../../shared/deps.ts';
import { readConfig } from '../../../shared/platform/config/config.ts';
import { startPublisher } from '../../../workers/outbox/publisher.ts';
import { answerCalls } from '../ipc.ts';

const url = process.env['DATABASE_URL'] ?? '';

const take = {
  name: 'take',
  text: `delete from outbox where id in (select id from outbox order by id limit 500 for update skip locked) returning id, env, at, parts`,
};

/** Events a second. */
const limit = async (rows: number): Promise<number> => {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  await db.query('set enable_seqscan = off');
  const redis = new Redis(process.env['REDIS_URL'] ?? '');
  await redis.ping();
  const began = performance.now();
  for (let left = rows; left > 0;) {
    await db.query('begin');
    const taken = (await db.query(take)).rows as { parts: string }[];
    await redis.publish('bench-relay', `[${taken.map(({ parts }) => parts).join(',')}]`);
    await db.query('commit');
    left -= taken.length;
  }
  const took = performance.now() - began;
  await db.end();
  redis.disconnect();
  return rows / (took / 1000);
};

/** The same for our publisher; counted from its first batch to its last. */
const ours = async (rows: number): Promise<number> => {
  const watcher = new pg.Client({ connectionString: url });
  await watcher.connect();
  const position = async (): Promise<number> =>
    Number(
      (
        (await watcher.query({ name: 'position', text: 'select max(position) as position from streams' })).rows[0] as {
          position: string;
        }
      ).position,
    );
  const first = await position();
  const deps = await openDeps(readConfig(), 'workers');
  const publisher = startPublisher(deps);
  let began: { readonly at: number; readonly position: number } | null = null;
  for (;;) {
    const now = await position();
    if (began === null && now > first) began = { at: performance.now(), position: now };
    if (began !== null && now >= first + rows) {
      const took = performance.now() - began.at;
      await publisher.stop();
      await closeDeps(deps);
      await watcher.end();
      return (now - began.position) / (took / 1000);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

answerCalls({ ours, limit });
