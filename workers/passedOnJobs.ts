/**
 * Jobs that another process continues (`passOn`) and whose rows it usually deletes. The rows that are left after a moment, long
 * before their leases expire, are made due again by one statement. Used by workerProcess.ts and worker.ts.
 */
import type { Db } from '../shared/platform/db/knex.ts';
import { rescheduleJobs, type JobLease } from '../shared/platform/leases/jobLease.ts';

/** ms that the other process has to delete the row. */
const graceMs = 250;

interface PassedOnJob extends Pick<JobLease, 'id' | 'fence'> {
  /** When it is due again, in epoch ms. */
  readonly at: number;
}

export interface PassedOnJobs {
  add(job: PassedOnJob): void;
  /** Makes the rows that are left due again; resolves when they are written. */
  close(): Promise<void>;
}

/** Returns an empty list of passed-on jobs. Jobs whose rows could not be written run again when their lease has expired. */
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
