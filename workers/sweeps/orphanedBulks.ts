/** Finishes bulks whose last chunk ended in a process that was killed right after, and stages chunks that have no job. */
import { finishWaitingChunks } from '../../shared/bulk/chunks.ts';
import { readUnreportedBulks, stageMissingJobs } from '../../shared/bulk/orphanedBulks.ts';
import { publishBulkProgress } from '../../shared/bulk/progress.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const orphanedBulks: Sweep = {
  name: 'lostBulks',
  everyMs: 2_000,
  run: async (deps) => {
    const now = deps.clock.now();
    await finishWaitingChunks(deps.db);
    for (const { id, env: envId } of await readUnreportedBulks(deps.db, now))
      await publishBulkProgress(deps, envId, id);
    if ((await stageMissingJobs(deps.db, now)) > 0) deps.bus.publish(channels.workAvailable, 'jobs');
  },
};
