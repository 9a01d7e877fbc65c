/** Counts what comes through Redis and is not from a process of the service, and logs it once a minute and kind. */
import { Counter } from 'prom-client';
import type { Log } from '../log/log.ts';
import { beginAtZero, platformRegistry } from '../log/metrics.ts';
import type { DropReason } from './messageSeal.ts';

/** Why something from Redis had no effect: a message's reason, or a job that names no row. */
type RefusalReason = DropReason | 'bad job' | 'refused call';

export type RefusalReporter = (why: RefusalReason) => void;

const intervalMs = 60_000;

const counter = new Counter({
  name: 'console_redis_refused_total',
  help: 'Messages and jobs from Redis that had no effect, as no process of the service can have sent them so, by `why`.',
  labelNames: ['why'],
  registers: [platformRegistry],
});
/** A record and no list, so that the compiler demands every reason. */
const reasons: Readonly<Record<RefusalReason, true>> = {
  malformed: true,
  'unknown key': true,
  old: true,
  repeated: true,
  forged: true,
  'bad job': true,
  'refused call': true,
};
beginAtZero(
  counter,
  Object.keys(reasons).map((why) => ({ why })),
);

/** Returns a function that counts a refusal; the log gets the first of its kind at once, then their number once a minute. */
export const createRefusalReporter = (log: Log): RefusalReporter => {
  const counts = new Map<RefusalReason, number>();
  const report = (why: RefusalReason): void => {
    const count = counts.get(why) ?? 0;
    if (count === 0) {
      counts.delete(why);
      return;
    }
    counts.set(why, 0);
    log.warn(
      { why, count },
      'messages in Redis were refused: somebody else writes there (an installation with the same REDIS_PREFIX?), or they came a minute late',
    );
    setTimeout(report, intervalMs, why).unref();
  };
  return (why) => {
    counter.inc({ why });
    const known = counts.get(why);
    counts.set(why, (known ?? 0) + 1);
    if (known === undefined) report(why);
  };
};
