/** Checks the guards of ramps, and stages ramp steps whose job was lost. */
import { stageOrphanedSteps } from '../../shared/flags/orphanedRampSteps.ts';
import { checkRampGuards } from '../../shared/flags/rampGuards.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const rampGuards: Sweep = { name: 'rampGuards', everyMs: 500, run: checkRampGuards };

export const orphanedRampSteps: Sweep = {
  name: 'dueRamps',
  everyMs: 2_000,
  run: async ({ db, bus, clock }) => {
    if ((await stageOrphanedSteps(db, clock.now())) > 0) bus.publish(channels.workAvailable, 'jobs');
  },
};
