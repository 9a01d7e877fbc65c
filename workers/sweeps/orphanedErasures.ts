/** Stages jobs for erasures that are under way and have none: what was promised to a person is done, whatever became of the job. */
import { stageMissingErasures } from '../../shared/erasure/orphanedErasures.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const orphanedErasures: Sweep = {
  name: 'lostErasures',
  everyMs: 5_000,
  run: async ({ db, bus, clock }) => {
    if ((await stageMissingErasures(db, clock.now())) > 0) bus.publish(channels.workAvailable, 'jobs');
  },
};
