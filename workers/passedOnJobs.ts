/**
 * Jobs with which another process goes on (`passOn`): it deletes their rows as a rule, so that those that are left are made due
 * again together, a moment later. Their leases hold much longer. Used by workerProcess.ts and worker.ts.
 */
import type { Db } from '../shared/platform/db/knex.ts';
import { rescheduleJobs, type JobLease } from '../shared/platform/outbox/jobLease.ts';

/** ms that a row has to be deleted in. */
const graceMs = 250;

interface PassedOnJob {
  readonly lease: JobLease;
  /** When it is due again, in epoch ms. */
  readonly at: number;
}

export interface PassedOnJobs {
  add(job: PassedOnJob): void;
  /** Makes all that are left due again; resolves when that is written. */
  close(): Promise<void>;
}

/** Those that could not be written are run again when their lease has run out. */
export const createPassedOnJobs = (db: Db, onError: (error: unknown) => void): PassedOnJobs => {
  let waiting: PassedOnJob[] = [];
  let timer: NodeJS.Timeout | null = null;

  const write = async (): Promise<void> => {
    timer = null;
    const jobs = waiting;
    waiting = [];
    if (jobs.length === 0) return;
    try {
      await rescheduleJobs(db, jobs);
    } catch (error) {
      onError(error);
    }
  };

  return {
    add: (job) => {
      waiting.push(job);
      timer ??= setTimeout(() => void write(), graceMs);
    },
    close: async () => {
      if (timer !== null) clearTimeout(timer);
      await write();
    },
  };
};
