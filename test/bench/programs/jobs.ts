/** Background jobs that do nothing: how many a second, how soon they start; and durable ones on all of their way, also of peers. */
import { closeDeps, openDeps } from '../../../shared/deps.ts';
import { readConfig } from '../../../shared/platform/config/config.ts';
import { executeStatement, queryRows, statement } from '../../../shared/platform/db/sql.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { channels } from '../../../shared/platform/redis/bus.ts';
import { done, type HandlerTable } from '../../../workers/handler.ts';
import { createWorkerProcess } from '../../../workers/workerProcess.ts';
import { answerCalls } from '../ipc.ts';
import { concurrency, kinds, newQueueName } from '../jobKinds.ts';
import { jobPeers, type JobPeer } from '../jobPeers.ts';
import { quantile } from '../numbers.ts';

const adders = 64;

export interface Rates {
  readonly add: number;
  readonly process: number;
}
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const stage = statement(
  'bench.stage',
  `
  insert into staged_jobs (id, env, name, payload, due_at, created_at) select id, 1, 'noop', jsonb_build_object('at', $2::float8), $3, $3 from unnest($1::text[]) as id`,
);
const waiting = statement('bench.waiting', `select count(*)::int as n from staged_jobs where name = 'noop'`);

/** The whole way of a job: a row that is committed, taken up, claimed, done and deleted. Jobs a second, and add to start. */
const durable = async (
  count: number,
  open: (started: (at: number) => void) => Promise<JobPeer>,
): Promise<Rates & Latency> => {
  const took: number[] = [];
  const jobs = await open((at) => void took.push(performance.now() - at));
  await sleep(300);
  for (let i = 0; i < 400; i++) {
    void jobs.add(1, performance.now());
    await sleep(5);
  }
  while (took.length < 400) await sleep(5);
  const latency = took.splice(0);
  const began = performance.now();
  await jobs.add(count, began);
  while (!(await jobs.isEmpty())) await sleep(20);
  const process = count / ((performance.now() - began) / 1000);
  await jobs.close();
  if (took.length !== count) throw new Error(`Of ${String(count)} jobs ${String(took.length)} were done.`);
  return { add: Number.NaN, process, p50: quantile(latency, 0.5), p99: quantile(latency, 0.99) };
};

const ours = async (started: (at: number) => void): Promise<JobPeer> => {
  const deps = await openDeps(readConfig(), 'bench');
  const handlers: HandlerTable = {
    noop: async (job: { readonly payload: unknown }) => {
      started((job.payload as { at: number }).at);
      return done();
    },
  };
  const crew = createWorkerProcess(deps, {
    jobs: { noop: { queue: newQueueName('durable'), concurrency, retries: 0 } },
    handlers,
    sweeps: [],
  });
  await crew.start();
  return {
    add: async (count, at) => {
      await executeStatement(deps.db, stage, [Array.from({ length: count }, () => newId('job')), at, Date.now()]);
      deps.bus.publish(channels.workAvailable, 'jobs');
    },
    isEmpty: async () => (await queryRows<{ n: number }>(deps.db, waiting))[0]?.n === 0,
    close: async () => {
      await crew.stop();
      await closeDeps(deps);
    },
  };
};

const rates = async ({ kind, count }: { kind: keyof typeof kinds; count: number }): Promise<Rates> => {
  const queue = await kinds[kind]();
  let left = count;
  const addOne = async (): Promise<void> => {
    while (left-- > 0) await queue.add(0);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: adders }, addOne));
  const added = performance.now();
  let ended = 0;
  await new Promise<void>((resolve) => {
    queue.work(() => {
      ended += 1;
      if (ended === count) resolve();
    });
  });
  const processed = performance.now();
  await queue.close();
  return { add: count / ((added - began) / 1000), process: count / ((processed - added) / 1000) };
};

/** At 200 a second. */
const latency = async ({ kind, count }: { kind: keyof typeof kinds; count: number }): Promise<Latency> => {
  const queue = await kinds[kind]();
  const took: number[] = [];
  queue.work((at) => took.push(performance.now() - at));
  await sleep(300);
  for (let i = 0; i < count; i++) {
    void queue.add(performance.now());
    await sleep(5);
  }
  while (took.length < count) await sleep(5);
  await queue.close();
  return { p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
};

answerCalls({
  rates,
  latency,
  durable: (count: number) => durable(count, ours),
  peer: ({ name, folder, count }: { name: keyof typeof jobPeers; folder: string; count: number }) =>
    durable(count, (started) => jobPeers[name](folder, started)),
});
