/** Redis pub/sub as the service uses it: a hint that may be lost. What is true stands in PostgreSQL. */

/** Channel names; `RedisBus` puts the configured prefix before them. */
export const channels = {
  /** Something was committed that the outbox (`outbox`) or the enqueuer (`jobs`) should look at. */
  workAvailable: 'nudge',
  /** The revision row was raised; the payload is its new number. */
  revision: 'revision',
  /** Ids of runs that were moved while a call waits for their end. */
  runs: 'runs',
  /** A flag was changed: who holds them in memory looks what is new. */
  flags: 'flags',
  /** Of one environment: batches of the live stream, see `LiveBatch`, and passing messages, see `PassingMessage`. */
  live: (env: number): string => `live-${String(env)}`,
  /** An instance of some environment's app has come or gone: `{ env, online, changed }`. */
  app: 'app',
  /** What one process is told by others about the sockets of apps: calls, their answers (shared/applink/relayMessages.ts). */
  appAt: (process: string): string => `app-at-${process}`,
  /** What every instance of an environment's app is to be told. */
  appTold: (env: number): string => `app-told-${String(env)}`,
} as const;

/** What the publisher tells: rows `first`, `first + 1`, … of the stream, and the counts of the inboxes that changed. */
export interface LiveBatch {
  readonly kind: 'batch';
  readonly first: number;
  readonly rows: readonly { readonly at: number; readonly parts: readonly object[] }[];
  /** Inbox → measure → exact number after the last row (measures as in the `counts` table). */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly at: number;
}

/** A message that isn't in the log: progress of a bulk. */
export interface EphemeralMessage {
  readonly kind: 'passing';
  readonly at: number;
  readonly part: object;
}

export interface Bus {
  /** Sends and forgets: never throws, never waits; lost when Redis is away. */
  publish(channel: string, text: string): void;
  /** Hears a channel until the answered function is called; subscribes anew by itself after a lost connection. */
  subscribe(channel: string, hear: (text: string) => void): () => void;
  /** Whether Redis answered when last asked. */
  readonly connected: boolean;
  close(): Promise<void>;
}
