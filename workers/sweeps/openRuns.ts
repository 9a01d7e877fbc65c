/**
 * Looks after runs that nobody works on: queued ones that expire, those whose answer is missing because the app or the
 * process that held its socket has gone, and those whose turn was forgotten.
 */
import { giveUpWaiting, lose } from '../../shared/actions/answers.ts';
import { releaseForgotten } from '../../shared/actions/lanes.ts';
import { expiredRuns, lostRuns, overdueRuns } from '../../shared/actions/open.ts';
import { settle } from '../../shared/actions/settle.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const openRuns: Sweep = {
  name: 'openRuns',
  everyMs: 1_000,
  run: async (deps) => {
    const { db, bus, clock } = deps;
    const now = clock.now();
    for (const run of await expiredRuns(db, now)) await settle(deps, run, { status: 'expired', error: 'The app did not come back in time.' });
    for (const run of await lostRuns(db, now)) await lose(deps, run);
    for (const run of await overdueRuns(db, now)) await giveUpWaiting(deps, run);
    if ((await releaseForgotten(db, now)) > 0) bus.publish(channels.nudge, 'jobs');
  },
};
