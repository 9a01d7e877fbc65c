/** Every background job: its queue, how many one worker runs at once, and what its payload holds (ids only). */

export const jobs = {
  bulkChunk: { queue: 'bulk', concurrency: 2, retries: 1_000 },
} as const;

export type JobName = keyof typeof jobs;

export interface JobPayloads {
  bulkChunk: { readonly bulk: string; readonly chunk: number };
}

/**
 * Replies wait for the app link: they are staged under this name with no due time, and no worker takes them before
 * something sets it.
 */
export const parkedJobs = ['replySend'] as const;

/** A job that a change stages beside its rows. `dueAt` null: parked. `subject`: what it is about, to find it by. */
export interface StagedJob {
  readonly id: string;
  readonly name: JobName | (typeof parkedJobs)[number];
  readonly payload: Readonly<Record<string, unknown>>;
  readonly subject: string | null;
  readonly dueAt: number | null;
}
