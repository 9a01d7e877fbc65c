/**
 * Every kind of background job. `concurrency` is how many jobs of the kind one worker runs at once; `retries` is how
 * often a job is tried after its first failure, before the worker parks it with its error. `small` is the queue of jobs that
 * take one statement, with workers of its own: they wait for none that take long.
 */

export const jobs = {
  bulkChunk: { queue: 'bulk', small: 'smallBulks', concurrency: 2, retries: 1_000 },
  actionRun: { queue: 'actions', concurrency: 16, retries: 1_000 },
  replySend: { queue: 'replies', concurrency: 8, retries: 1_000 },
  triageItem: { queue: 'triage', concurrency: 8, retries: 1_000 },
  rampStep: { queue: 'ramps', concurrency: 1, retries: 1_000 },
  erase: { queue: 'erasures', concurrency: 1, retries: 1_000 },
  passwordMail: { queue: 'mails', concurrency: 4, retries: 20 },
  unassign: { queue: 'people', concurrency: 1, retries: 1_000 },
} as const;

export type JobName = keyof typeof jobs;

/** The payload of each kind of job: ids, and for `replySend` the worker's notes. */
export interface JobPayloads {
  bulkChunk: { readonly bulk: string; readonly chunk: number };
  actionRun: { readonly run: string };
  /**
   * `dueAt` is the deadline that the reply cleared, in epoch ms; it is restored when the reply can't be sent. `to` is the
   * address that the author was told; replies by the app and of the release before have none. The worker
   * writes `handedOver`, `connection` and `attempts` (shared/replies/replyRequest.ts), the process of the connection `taken`.
   */
  replySend: {
    readonly item: string;
    readonly entry: string;
    readonly dueAt: number | null;
    readonly to?: string;
    readonly handedOver?: boolean;
    readonly connection?: string | null;
    readonly taken?: boolean;
    readonly attempts?: number;
  };
  triageItem: { readonly item: string };
  /** One job for the ramp steps of all environments that are due in this bucket (shared/flags/rampBuckets.ts). */
  rampStep: { readonly slot: number };
  erase: { readonly erasure: string };
  /** A link by which a person sets their password; the worker writes `handedOver`. */
  passwordMail: { readonly person: string; readonly kind: 'invitation' | 'reset'; readonly handedOver?: boolean };
  /** Ids of people whose access became less. */
  unassign: { readonly people: readonly string[] };
}

/** A job that a change stages in its own transaction. */
export interface StagedJob {
  readonly id: string;
  readonly name: JobName;
  readonly payload: Readonly<Record<string, unknown>>;
  /** What the job is about, to find it by: the id of a run, of a bulk, of an item. */
  readonly subject: string | null;
  /** Epoch ms; null: parked. */
  readonly dueAt: number | null;
}
