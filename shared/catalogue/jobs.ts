/** Every background job: its queue, how many one worker runs at once, and what its payload holds (ids only). */

export const jobs = {
  bulkChunk: { queue: 'bulk', concurrency: 2, retries: 1_000 },
  actionRun: { queue: 'actions', concurrency: 16, retries: 1_000 },
  replySend: { queue: 'replies', concurrency: 8, retries: 1_000 },
  triageItem: { queue: 'triage', concurrency: 8, retries: 1_000 },
  rampStep: { queue: 'ramps', concurrency: 1, retries: 1_000 },
} as const;

export type JobName = keyof typeof jobs;

export interface JobPayloads {
  bulkChunk: { readonly bulk: string; readonly chunk: number };
  actionRun: { readonly run: string };
  /**
   * `dueAt`: the deadline that the reply cleared, put back when it could not be sent. `handedOver`, `attempts`: what its
   * worker keeps with it (shared/replies/replyRequest.ts).
   */
  replySend: {
    readonly item: string;
    readonly entry: string;
    readonly dueAt: number | null;
    readonly handedOver?: boolean;
    readonly attempts?: number;
  };
  triageItem: { readonly item: string };
  /** All steps of ramps that are due by then, of all environments (shared/flags/rampBuckets.ts). */
  rampStep: { readonly slot: number };
}

/** A job that a change stages beside its rows. `dueAt` null: parked. `subject`: what it is about, to find it by. */
export interface StagedJob {
  readonly id: string;
  readonly name: JobName;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly subject: string | null;
  readonly dueAt: number | null;
}
