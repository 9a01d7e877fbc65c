/** A thousand steps that are due within one second: ours, each of a ramp of its own and durable; delayed jobs of BullMQ alone; a sorted set with one reader. */
import { Queue, Worker } from 'bullmq';
import { closeDeps, openDeps } from '../../../shared/deps.ts';
import { rampBucketMs, stageRampJobsSql } from '../../../shared/flags/rampBuckets.ts';
import { readConfig } from '../../../shared/platform/config/config.ts';
import { executeStatement, statement } from '../../../shared/platform/db/sql.ts';
import { channels } from '../../../shared/platform/redis/bus.ts';
import { createWorkerProcess } from '../../../workers/workerProcess.ts';
import { answerCalls } from '../ipc.ts';
import { concurrency, newQueueName } from '../jobKinds.ts';
import { quantile } from '../numbers.ts';

export const ramps = 1_000;
/** From the last preparation to the first step. */
const leadMs = 1_500;

export interface Lateness {
  readonly p50: number;
  readonly p99: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const lateness = (took: readonly number[]): Lateness => ({ p50: quantile(took, 0.5), p99: quantile(took, 0.99) });
const whole = async (took: readonly number[]): Promise<Lateness> => {
  while (took.length < ramps) await sleep(5);
  return lateness(took);
};

/** Each has two steps, the first of them due a millisecond after that of the one before it. */
const begin = statement(
  'bench.ramps',
  `
  with made as (
    select 'bench_' || i as key, 'bench_' || $3 || '_' || i as ramp, $2::bigint + i as due from generate_series(0, ${String(ramps)} - 1) i
  ), flags as (
    insert into flags (env, key, kind, value, rollout, targets, rules, ramp, ramp_id, next_at, version, changes, updated_at, updated_by, changed)
    select $1, key, 'boolean', 'false', 0, '{}', '[]', jsonb_build_object('id', ramp, 'from', 0, 'to', 100, 'over', 3600000, 'every', 1800000, 'at', null, 'guard', null,
      'startedAt', due - 1800000, 'step', 0, 'steps', 2, 'status', 'running', 'by', $4::jsonb, 'requestId', null, 'address', null), ramp, due, 1, 1, 0, $4::jsonb, pg_current_xact_id()
    from made
    on conflict (env, key) do update set ramp = excluded.ramp, ramp_id = excluded.ramp_id, rollout = 0, next_at = excluded.next_at
  ), gone as (delete from staged_jobs where name = 'rampStep')
  ${stageRampJobsSql(`select distinct $1 as env, (due + ${String(rampBucketMs - 1)}) / ${String(rampBucketMs)} * ${String(rampBucketMs)} as slot, 0::bigint as at from made`)}`,
);
const by = JSON.stringify({ type: 'agent', id: 'agt_bench', name: 'bench', role: null });
let rounds = 0;

/** Measures until a step is written, with history and job, and sent to subscribers. */
const ours = async ({ env }: { env: number }): Promise<Lateness> => {
  const deps = await openDeps(readConfig(), 'bench');
  const took: number[] = [];
  let first = Infinity;
  const end = deps.bus.subscribe(channels.live(env), (text) => {
    const now = Date.now();
    for (const [, n] of text.matchAll(/"flag":"bench_(\d+)"/g)) took.push(now - first - Number(n));
  });
  const crew = createWorkerProcess(deps);
  await crew.start();
  await sleep(300);
  first = Date.now() + leadMs;
  await executeStatement(deps.db, begin, [env, first, String(rounds++), by]);
  deps.bus.publish(channels.workAvailable, 'jobs');
  const found = await whole(took);
  end();
  await crew.stop();
  await closeDeps(deps);
  return found;
};

const bare = async (): Promise<Lateness> => {
  const connection = { url: process.env['REDIS_URL'] ?? '', maxRetriesPerRequest: null };
  const queue = new Queue<{ due: number }>(newQueueName('delayed'), { connection });
  const took: number[] = [];
  const worker = new Worker<{ due: number }>(
    queue.name,
    async ({ data }) => {
      took.push(Date.now() - data.due);
    },
    { connection, concurrency },
  );
  await worker.waitUntilReady();
  const first = Date.now() + leadMs;
  await queue.addBulk(
    Array.from({ length: ramps }, (_, i) => ({
      name: 'noop',
      data: { due: first + i },
      opts: { delay: first + i - Date.now(), removeOnComplete: true },
    })),
  );
  const found = await whole(took);
  await worker.close();
  await queue.obliterate({ force: true });
  await queue.close();
  return found;
};

const limit = async (): Promise<Lateness> => {
  const deps = await openDeps(readConfig(), 'bench');
  const { command } = deps.redis;
  const key = deps.redis.key('bench-due');
  const took: number[] = [];
  const first = Date.now() + leadMs;
  for (let i = 0; i < ramps; i++) await command.zadd(key, first + i, String(first + i));
  while (took.length < ramps) {
    const due = await command.zrangebyscore(key, '-inf', Date.now(), 'LIMIT', 0, 200);
    if (due.length === 0) await sleep(1);
    else {
      await command.zrem(key, ...due);
      for (const at of due) took.push(Date.now() - Number(at));
    }
  }
  await closeDeps(deps);
  return lateness(took);
};

answerCalls({ ours, bare, limit });
