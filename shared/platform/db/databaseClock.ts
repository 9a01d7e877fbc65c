/**
 * The clock of a process: PostgreSQL's time, so that all processes of an installation agree on what is due, however wrong the
 * clocks of their machines are. It counts by `performance.now()` between readings. Opened by shared/deps.ts.
 */
import { Gauge } from 'prom-client';
import type { Log } from '../log/log.ts';
import { platformRegistry } from '../log/metrics.ts';
import { type Clock, createInterval } from '../time/clock.ts';
import type { Db } from './knex.ts';
import { queryRow, statement } from './sql.ts';

const skewGauge = new Gauge({
  name: 'console_clock_skew_seconds',
  help: 'How far the clock of this process’s machine is ahead of PostgreSQL’s; negative: behind.',
  registers: [platformRegistry],
});

const timeSql = statement('clock.read', 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at');

/** ms by which the clocks may differ before it is told, and before nothing is done because of its time alone. */
const [toldMs, unsureMs] = [2_000, 60_000];
/** ms between two readings. */
const readEveryMs = 5_000;
/** ms between two lines in the log while the clocks differ. */
const logEveryMs = 60_000;

export interface DatabaseClock extends Clock {
  /** Returns the ms by which the machine's clock is ahead of PostgreSQL's. */
  skewMs(): number;
  close(): void;
}

/** Returns whether the clocks differ so much that nobody can tell which is right: nothing is done then because of its time alone. */
export const isTimeUnsure = (skewMs: number): boolean => Math.abs(skewMs) > unsureMs;

/** Returns the difference of the clocks as a sentence; null: they agree. */
export const describeSkew = (skewMs: number): string | null => {
  if (Math.abs(skewMs) <= toldMs) return null;
  const text = `The clock of this machine is ${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs > 0 ? 'ahead of' : 'behind'} PostgreSQL’s.`;
  return isTimeUnsure(skewMs) ? `${text} This process does no timed work.` : text;
};

/** Opens the clock and reads it; `log` is told of a skew. Rejects when PostgreSQL is unavailable; later it goes on by itself until it is back. */
export const openDatabaseClock = async (db: Db, log?: Log): Promise<DatabaseClock> => {
  /** PostgreSQL's time at 0 of `performance.now()`, in epoch ms; the machine's as long as the readings allow it, so that processes of one machine agree to the ms. */
  let base = performance.timeOrigin;
  let isDue: (() => boolean) | null = null;
  const now = (): number => Math.floor(base + performance.now());
  const skewMs = (): number => Date.now() - now();
  const read = async (): Promise<void> => {
    const before = performance.now();
    const at = (await queryRow<{ at: number }>(db, timeSql))?.at ?? Date.now();
    const after = performance.now();
    // Known within the round trip; what was known before stays while it fits.
    base = Math.min(Math.max(base, at - after), at - before);
  };
  const tell = (): void => {
    const skew = skewMs();
    skewGauge.set(skew / 1_000);
    const problem = describeSkew(skew);
    if (problem === null && isDue !== null) log?.info('the clocks of this machine and of PostgreSQL agree again');
    isDue = problem === null ? null : (isDue ?? createInterval(logEveryMs));
    if (isDue?.() === true) log?.warn({ skewMs: skew }, `the clocks differ: ${problem ?? ''} Set both by NTP.`);
  };
  await read();
  tell();
  let reading = false;
  const timer = setInterval(() => {
    if (reading) return;
    reading = true;
    // That PostgreSQL is away is told by others (contact.ts).
    read()
      .then(tell, () => undefined)
      .finally(() => {
        reading = false;
      });
  }, readEveryMs).unref();
  return { now, skewMs, close: () => clearInterval(timer) };
};
