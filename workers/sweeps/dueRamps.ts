/** Looks at the guards of ramps, twice a second, and after ramps whose job got lost. */
import { lookAtGuards } from '../../shared/flags/guard.ts';
import { stageLost } from '../../shared/flags/lost.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const rampGuards: Sweep = { name: 'rampGuards', everyMs: 500, run: lookAtGuards };

export const dueRamps: Sweep = {
  name: 'dueRamps',
  everyMs: 2_000,
  run: async ({ db, bus, clock }) => {
    if ((await stageLost(db, clock.now())) > 0) bus.publish(channels.nudge, 'jobs');
  },
};
