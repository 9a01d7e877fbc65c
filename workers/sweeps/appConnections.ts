/** Deletes connections of apps whose process was killed, and releases parked jobs of apps that are online. */
import { deleteExpiredConnections, readEnvIdsWithParkedJobs } from '../../shared/applink/presence.ts';
import { releaseParkedJobs } from '../../shared/platform/outbox/jobLease.ts';
import type { Sweep } from './sweep.ts';

export const expiredConnections: Sweep = { name: 'goneApps', everyMs: 1_000, run: deleteExpiredConnections };

/** Releases jobs that were parked while the app was connecting, and those whose release a process did not live to end. */
export const parkedJobs: Sweep = {
  name: 'waitingForApp',
  everyMs: 1_000,
  run: async (deps) => {
    for (const envId of await readEnvIdsWithParkedJobs(deps.db)) await releaseParkedJobs(deps, envId);
  },
};
