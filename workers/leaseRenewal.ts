/** Keeps the claims of all jobs that run in this process: one statement every 2.5 s extends them, whoever lost one is told. */
import type { Db } from '../shared/platform/db/knex.ts';
import { jobLeaseMs, renewJobLeases, jobLeaseRenewMs, type JobLease } from '../shared/platform/outbox/jobLease.ts';

export interface JobLeaseRenewal {
  /** Extends the claim until `drop`; the signal aborts when it was lost, or by `abort`. */
  add(claim: JobLease): AbortSignal;
  remove(claim: JobLease): void;
  /** Aborts all, and from now on whatever is held. */
  abortAll(reason: string): void;
  close(): void;
}

interface RenewedLease {
  readonly claim: JobLease;
  readonly controller: AbortController;
  /** Until when it holds for sure, by `performance.now()`. */
  until: number;
}

export const startLeaseRenewal = (db: Db, onError: (error: unknown) => void): JobLeaseRenewal => {
  // By object: after a loss the same row may be claimed by this process once more.
  const entries = new Map<JobLease, RenewedLease>();
  let aborted: Error | null = null;
  let busy = false;

  const extendAll = async (): Promise<void> => {
    const sentAt = performance.now();
    const some = [...entries.values()];
    if (some.length === 0) return;
    const lost = new Set(
      await renewJobLeases(
        db,
        some.map(({ claim }) => claim),
      ),
    );
    for (const entry of some) {
      if (lost.has(entry.claim)) entry.controller.abort(new Error('the claim was lost'));
      else entry.until = sentAt + jobLeaseMs;
    }
  };
  const tick = (): void => {
    for (const { until, controller } of entries.values())
      if (until <= performance.now()) controller.abort(new Error('the claim ran out'));
    if (busy) return;
    busy = true;
    extendAll()
      .catch(onError)
      .finally(() => {
        busy = false;
      });
  };
  const timer = setInterval(tick, jobLeaseRenewMs);

  return {
    add: (claim) => {
      const controller = new AbortController();
      entries.set(claim, { claim, controller, until: performance.now() + jobLeaseMs });
      if (aborted !== null) controller.abort(aborted);
      return controller.signal;
    },
    remove: (claim) => {
      entries.delete(claim);
    },
    abortAll: (reason) => {
      aborted = new Error(reason);
      for (const { controller } of entries.values()) controller.abort(aborted);
    },
    close: () => {
      clearInterval(timer);
    },
  };
};
