/** Runs each sweep at its interval, in the one process with the lease. A run may come late, twice or not at all. */
import type { Deps } from '../../shared/deps.ts';
import { isTimeUnsure } from '../../shared/platform/db/databaseClock.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
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
  readonly everyMs: number;
  /** A throw is logged; the next turn comes as usual. */
  readonly run: (deps: Deps) => Promise<void>;
}

/** Runs a turn and tells how long it took, whether it throws or not. */
const measured = async ({ name, run }: Sweep, deps: Deps): Promise<void> => {
  const startedAt = performance.now();
  let outcome = 'failed';
  try {
    await run(deps);
    outcome = 'ok';
  } finally {
    sweepSeconds.observe({ sweep: name, outcome }, (performance.now() - startedAt) / 1000);
  }
};

export const startSweeps = (deps: Deps, sweeps: readonly Sweep[]): RunningService => {
  const { db, log, config, time } = deps;
  const holder = newHolderName(config.processName);
  const wakeSignals = [createWakeSignal(), ...sweeps.map(() => createWakeSignal())];
  let lease: LeaderLease | null = null;
  let stopped = false;
  let stopping: Promise<void> | null = null;

  const repeat = async (
    name: string,
    everyMs: number,
    work: () => Promise<void>,
    wakeSignal = createWakeSignal(),
  ): Promise<void> => {
    let failed = false;
    while (!stopped) {
      try {
        await work();
        failed = false;
      } catch (error) {
        // Logged once, not at each turn of an outage.
        if (!failed) log.warn({ err: error, sweep: name }, 'a sweep failed');
        failed = true;
      }
      if (!stopped) await wakeSignal.wait(everyMs);
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

  const running = Promise.all([
    repeat('lease', leaseRetryMs, keepLease, wakeSignals[0]),
    ...sweeps.map((sweep, i) =>
      repeat(
        sweep.name,
        sweep.everyMs,
        async () => {
          if (lease !== null) await measured(sweep, deps);
        },
        wakeSignals[i + 1],
      ),
    ),
  ]);
  const stop = async (): Promise<void> => {
    stopped = true;
    for (const wakeSignal of wakeSignals) wakeSignal.wake();
    await running;
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
