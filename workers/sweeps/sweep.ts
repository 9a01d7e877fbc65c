/** Runs each sweep that is due, in the one process with the lease. A turn may come late, twice or not at all. */
import { createHash } from 'node:crypto';
import type { Deps } from '../../shared/deps.ts';
import { isTimeUnsure } from '../../shared/platform/db/databaseClock.ts';
import { queryRow, statement, type Statement } from '../../shared/platform/db/sql.ts';
import {
  type LeaderLease,
  acquireLeaderLease,
  leaseRetryMs,
  newHolderName,
  releaseLeaderLease,
  renewLeaderLease,
  dbNowSql,
} from '../../shared/platform/leases/leaderLease.ts';
import { sweepSeconds } from '../metrics.ts';
import { type RunningService, createWakeSignal } from '../wakeSignal.ts';

export interface Sweep {
  /** For log lines and metrics. */
  readonly name: string;
  /** ms from the end of a turn to the next one, at least. */
  readonly everyMs: number;
  /** SQL for whether the sweep has something to do at $1, in epoch ms. Absent: every turn runs. */
  readonly due?: string;
  /** A throw is logged; the next turn comes as usual. */
  readonly run: (deps: Deps) => Promise<void>;
}

/** ms between two looks at what is due. */
const lookMs = 500;

/** Returns one statement with the condition `due` of every sweep; null: no sweep has a condition. */
const dueStatement = (sweeps: readonly Sweep[]): Statement | null => {
  const columns = sweeps.flatMap(({ name, due }) => (due === undefined ? [] : [`(${due}) as "${name}"`]));
  if (columns.length === 0) return null;
  const text = `select ${columns.join(',\n  ')} from (select $1::bigint) now`;
  return statement(`sweeps.due.${createHash('sha256').update(text).digest('hex').slice(0, 8)}`, text);
};

/** Runs the work and records its duration in `console_sweep_seconds`, also when the work throws. */
const measured = async <T>(sweep: string, work: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  let outcome = 'failed';
  try {
    const done = await work();
    outcome = 'ok';
    return done;
  } finally {
    sweepSeconds.observe({ sweep, outcome }, (performance.now() - startedAt) / 1000);
  }
};

export const startSweeps = (deps: Deps, sweeps: readonly Sweep[]): RunningService => {
  const { db, log, config, time, clock } = deps;
  const holder = newHolderName(config.processName);
  const dueSql = dueStatement(sweeps);
  const [leaseSignal, lookSignal] = [createWakeSignal(), createWakeSignal()];
  /** The earliest start of each sweep's next turn, in ms of `performance.now()`. Absent: a turn of the sweep is running. */
  const nextTurns = new Map(sweeps.map((sweep) => [sweep, performance.now() + sweep.everyMs]));
  const turns = new Map<Sweep, Promise<void>>();
  const failing = new Set<string>();
  let lease: LeaderLease | null = null;
  let stopped = false;
  let stopping: Promise<void> | null = null;

  /** Runs the work. Logs the first failure of a name, and not the failures that follow it. */
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      failing.delete(name);
    } catch (error) {
      if (!failing.has(name)) log.warn({ err: error, sweep: name }, 'a sweep failed');
      failing.add(name);
    }
  };
  const repeat = async (
    name: string,
    everyMs: number,
    work: () => Promise<void>,
    { wait }: Pick<typeof leaseSignal, 'wait'>,
  ): Promise<void> => {
    while (!stopped) {
      await attempt(name, work);
      if (!stopped) await wait(everyMs);
    }
  };
  const keepLease = async (): Promise<void> => {
    // Another worker sweeps, whose clock is right.
    if (isTimeUnsure(time.skewMs())) {
      lease = null;
      return;
    }
    try {
      if (lease === null || !(await renewLeaderLease(db, lease)))
        lease = await acquireLeaderLease(db, 'sweeps', holder);
    } catch (error) {
      lease = null;
      throw error;
    }
  };
  const takeTurn = async (sweep: Sweep): Promise<void> => {
    await attempt(sweep.name, () => measured(sweep.name, () => sweep.run(deps)));
    turns.delete(sweep);
    nextTurns.set(sweep, performance.now() + sweep.everyMs);
  };
  /** Starts a turn of every sweep that is due. A long turn does not delay the other sweeps. */
  const look = async (): Promise<void> => {
    if (lease === null) return;
    // Half a look early: timers are not exact, and a sweep of 500 ms must run at every look.
    const now = performance.now() + lookMs / 2;
    const next = sweeps.filter((sweep) => (nextTurns.get(sweep) ?? Infinity) <= now);
    const isDue =
      dueSql !== null && next.some(({ due }) => due !== undefined)
        ? await measured('due', () => queryRow<Record<string, boolean>>(db, dueSql, [clock.now()]))
        : {};
    for (const sweep of next) {
      if (stopped || (sweep.due !== undefined && isDue?.[sweep.name] !== true)) continue;
      nextTurns.delete(sweep);
      turns.set(sweep, takeTurn(sweep));
    }
  };

  const running = Promise.all([
    repeat('lease', leaseRetryMs, keepLease, leaseSignal),
    repeat('due', Math.min(lookMs, ...sweeps.map(({ everyMs }) => everyMs)), look, lookSignal),
  ]);
  const stop = async (): Promise<void> => {
    stopped = true;
    leaseSignal.wake();
    lookSignal.wake();
    await running;
    await Promise.all(turns.values());
    if (lease !== null) await releaseLeaderLease(db, lease).catch(() => undefined);
  };
  return { stop: () => (stopping ??= stop()) };
};

const presentSql = statement('sweeps.present', `select ${dbNowSql} as at`);

/** Returns the earlier of the worker's time and PostgreSQL's, in epoch ms. */
export const presentTime = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<number> => {
  const now = clock.now();
  return Math.min(now, (await queryRow<{ at: number }>(db, presentSql))?.at ?? now);
};
