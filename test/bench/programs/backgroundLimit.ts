/** What a background run costs at least: the rows that ours writes, and a bare BullMQ job between them. */
import { Queue, Worker } from 'bullmq';
import type { Caller } from '../../../shared/access/principal.ts';
import { buildRun } from '../../../shared/actions/acceptAction.ts';
import type { Run } from '../../../shared/actions/model.ts';
import { insertRun, transitionRun } from '../../../shared/actions/runStatements.ts';
import { toSettledRun } from '../../../shared/actions/settleRun.ts';
import { openDeps } from '../../../shared/deps.ts';
import { readConfig } from '../../../shared/platform/core/config.ts';
import { queryRow, statement } from '../../../shared/platform/db/sql.ts';
import { answerCalls } from '../ipc.ts';

const adders = 64;

const connected = statement('bench.connected', 'select id from app_connections where env = $1 limit 1');

interface Asked {
  readonly environment: string;
  readonly agent: string;
  readonly count: number;
}

/** Runs a second, from the first that is begun to the last that is settled. */
const run = async ({ environment, agent, count }: Asked): Promise<number> => {
  const deps = await openDeps(readConfig(), 'bench');
  const env = deps.directory.environment(environment);
  const principal = await deps.directory.principal('agent', agent);
  const action = env?.definition.actions.get('later');
  if (env === undefined || principal === null || action === undefined)
    throw new Error('There is no such environment, agent or action.');
  const caller: Caller = { env, principal, requestId: null, address: null };
  const name = `limit-${String(Date.now())}`;
  // One that is there, so that the workers' sweep takes nothing for lost.
  const connection = (await queryRow<{ id: string }>(deps.db, connected, [env.id]))?.id ?? null;
  const redis = { url: process.env['REDIS_URL'] ?? '', maxRetriesPerRequest: null };
  const queue = new Queue<Run, void>(name, { connection: redis });
  let ended = 0;
  let finish = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const worker = new Worker<Run, void>(
    name,
    async ({ data: begun }) => {
      const at = Date.now();
      const handed: Run = {
        ...begun,
        status: 'running',
        connection,
        handed_at: at,
        started_at: at,
        attempts: 1,
        fence: 1,
      };
      await transitionRun(deps.db, begun, handed, at, { verb: null, outcome: 'ok', emit: false, due: null });
      await transitionRun(
        deps.db,
        handed,
        toSettledRun(handed, { status: 'succeeded', message: 'Done.', blocks: [] }, at),
        at,
        { verb: 'action.succeed', outcome: 'ok', emit: true, due: null },
      );
      ended += 1;
      if (ended === count) finish();
    },
    { connection: redis, concurrency: 16 },
  );
  await worker.waitUntilReady();
  const startedAt = performance.now();
  let left = count;
  const adder = async (): Promise<void> => {
    while (left-- > 0) {
      const begun = buildRun(caller, { action, record: null, item: null, input: {} }, null, Date.now());
      await insertRun(deps.db, begun, { due: null, saved: null, unlessQueued: false });
      await queue.add('run', begun, { removeOnComplete: true });
    }
  };
  await Promise.all(Array.from({ length: adders }, adder));
  await all;
  const rate = count / ((performance.now() - startedAt) / 1000);
  await worker.close();
  await queue.close();
  return rate;
};

answerCalls({ run });
