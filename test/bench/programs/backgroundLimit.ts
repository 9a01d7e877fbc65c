/** What a background run costs at least: its rows, by statements written by hand, and a bare BullMQ job between them. */
import { Queue, Worker } from 'bullmq';
import { answerCalls } from '../ipc.ts';
import { openRunTable } from '../runSql.ts';

const adders = 64;

interface Asked {
  readonly environment: string;
  readonly agent: string;
  readonly count: number;
}

/** Runs a second, from the first that is begun to the last that is settled. */
const run = async ({ environment, agent, count }: Asked): Promise<number> => {
  const runs = await openRunTable(environment, agent, 'later');
  const name = `limit-${String(Date.now())}`;
  const redis = { url: process.env['REDIS_URL'] ?? '', maxRetriesPerRequest: null };
  const queue = new Queue<string, void>(name, { connection: redis });
  let ended = 0;
  let finish = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const worker = new Worker<string, void>(
    name,
    async ({ data: id }) => {
      await runs.dispatch(id);
      await runs.settle(id);
      ended += 1;
      if (ended === count) finish();
    },
    { connection: redis, concurrency: 16 },
  );
  await worker.waitUntilReady();
  const startedAt = performance.now();
  let left = count;
  const adder = async (): Promise<void> => {
    while (left-- > 0) await queue.add('run', await runs.insert('queued'), { removeOnComplete: true });
  };
  await Promise.all(Array.from({ length: adders }, adder));
  await all;
  const rate = count / ((performance.now() - startedAt) / 1000);
  await worker.close();
  await queue.close();
  await runs.close();
  return rate;
};

answerCalls({ run });
