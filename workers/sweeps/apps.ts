/** Connections of apps whose process was killed go, and jobs that waited for an app begin once it is there. */
import { sweepGone, waitingWhileOnline } from '../../shared/applink/presence.ts';
import { releaseForApp } from '../../shared/platform/outbox/claims.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

export const goneApps: Sweep = { name: 'goneApps', everyMs: 1_000, run: sweepGone };

/** For what was parked while the app was just coming, and for what more there is than one release takes. */
export const waitingForApp: Sweep = {
  name: 'waitingForApp',
  everyMs: 1_000,
  run: async ({ db, bus, clock }) => {
    for (const env of await waitingWhileOnline(db)) if ((await releaseForApp(db, env, clock.now())) > 0) bus.publish(channels.nudge, 'jobs');
  },
};
