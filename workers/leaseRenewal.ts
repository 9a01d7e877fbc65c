/**
 * Renews the leases of all jobs that run in this process: one statement every `jobLeaseRenewMs`. The signal of a job whose
 * lease was lost aborts. Used by workerProcess.ts and worker.ts.
 */
import type { Db } from '../shared/platform/db/knex.ts';
import { jobLeaseMs, jobLeaseRenewMs, renewJobLeases, type JobLease } from '../shared/platform/leases/jobLease.ts';

export interface JobLeaseRenewal {
  /** Renews the lease until `remove`; the signal aborts when the lease is lost, or by `abortAll`. */
  add(lease: JobLease): AbortSignal;
  remove(lease: JobLease): void;
  /** Aborts the signals of all leases, and of each that is added later. */
  abortAll(reason: string): void;
  close(): void;
}

interface RenewedLease {
  readonly lease: JobLease;
  readonly controller: AbortController;
  /** The lease holds at least until this `performance.now()`. */
  until: number;
}

export const startLeaseRenewal = (db: Db, onError: (error: unknown) => void): JobLeaseRenewal => {
  // By object: after a loss this process may lease the same row once more.
  const entries = new Map<JobLease, RenewedLease>();
  let aborted: Error | null = null;
  let busy = false;

  const renewAll = async (): Promise<void> => {
    const sentAt = performance.now();
    const some = [...entries.values()];
    if (some.length === 0) return;
    const lost = new Set(
      await renewJobLeases(
        db,
        some.map(({ lease }) => lease),
      ),
    );
    for (const entry of some) {
      if (lost.has(entry.lease)) entry.controller.abort(new Error('the lease was lost'));
      else entry.until = sentAt + jobLeaseMs;
    }
  };
  const tick = (): void => {
    for (const { until, controller } of entries.values())
      if (until <= performance.now()) controller.abort(new Error('the lease ran out'));
    if (busy) return;
    busy = true;
    renewAll()
      .catch(onError)
      .finally(() => {
        busy = false;
      });
  };
  const timer = setInterval(tick, jobLeaseRenewMs);

  return {
    add: (lease) => {
      const controller = new AbortController();
      entries.set(lease, { lease, controller, until: performance.now() + jobLeaseMs });
      if (aborted !== null) controller.abort(aborted);
      return controller.signal;
    },
    remove: (lease) => {
      entries.delete(lease);
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
