/** Ends bulks whose last chunk ended in a process that was killed before it said so, and stages chunks that lost their job. */
import { endWaiting } from '../../shared/bulk/chunks.ts';
import { endedBulks, stageJobless } from '../../shared/bulk/lost.ts';
import { reportProgress } from '../../shared/bulk/progress.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const lostBulks: Sweep = {
  name: 'lostBulks',
  everyMs: 2_000,
  run: async (deps) => {
    const now = deps.clock.now();
    await endWaiting(deps.db);
    for (const { id, env } of await endedBulks(deps.db, now)) await reportProgress(deps, env, id);
    if ((await stageJobless(deps.db, now)) > 0) deps.bus.publish(channels.nudge, 'jobs');
  },
};
