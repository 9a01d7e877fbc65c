/** Connections of apps whose process was killed go, and jobs that waited for an app begin once it is there. */
import { deleteExpiredConnections, readEnvIdsWithParkedJobs } from '../../shared/applink/presence.ts';
import { releaseParkedJobs } from '../../shared/platform/outbox/jobLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const expiredConnections: Sweep = { name: 'goneApps', everyMs: 1_000, run: deleteExpiredConnections };

/** For what was parked while the app was just coming, and for what more there is than one release takes. */
export const parkedJobs: Sweep = {
  name: 'waitingForApp',
  everyMs: 1_000,
  run: async ({ db, bus, clock }) => {
    for (const env of await readEnvIdsWithParkedJobs(db))
      if ((await releaseParkedJobs(db, env, clock.now())) > 0) bus.publish(channels.workAvailable, 'jobs');
  },
};
