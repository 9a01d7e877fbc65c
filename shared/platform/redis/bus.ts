/**
 * The bus: publish and subscribe between processes. Messages may be lost; PostgreSQL is authoritative. Each is sealed
 * (messageSeal.ts), so only processes of the service read and write them. redisBus.ts implements it. Beside it the names of all keys.
 */

/** Every Redis key of the service but those of BullMQ (queues.ts), without the prefix; connect.ts puts it before them. */
export const redisKeys = {
  /** Written to see whether Redis accepts writes. */
  ready: 'ready',
  /** The databases whose processes use the prefix: a digest of each with the time at which one was last seen (redisHealth.ts). */
  sites: 'sites',
  /** The place up to which each stream has been told of: environment → `epoch:position` (workers/outbox/toldPositions.ts). */
  told: 'told',
  /** Claims the turn to publish the progress of a bulk. */
  bulkProgress: (bulk: string): string => `bulk:${bulk}`,
  /** Marks a call of a tool as under way, by a digest of the caller and of what is asked for. */
  toolCall: (digest: string): string => `call:${digest}`,
  /** The token bucket of a token or an address, by a digest, so that Redis has neither. */
  rate: (digest: string): string => `rate:${digest}`,
} as const;

/** Channel names, which Redis shows: nothing but ids. redisBus.ts puts the configured prefix before them. */
export const channels = {
  /** Wake signals: rows for publishers (`outbox`, or `outboxOf` an environment) or the enqueuer (`jobs`) were committed. */
  workAvailable: 'nudge',
  /** The revision was raised; the text is its new number. */
  revision: 'revision',
  /** Ids of runs that changed while a call waits for their end. */
  runs: 'runs',
  /** A flag was changed: flag caches read what is new. */
  flags: 'flags',
  /** People or agents change things, told a few times a second while they do: large bulks make way (workers/bulkPace.ts). */
  foreground: 'foreground',
  /** Somebody watches what an agent reads: `{ env, agent }` (api/live/reads.ts). */
  watched: 'watched',
  /** The live stream of an environment: `LiveBatch` and `EphemeralMessage`. */
  live: (envId: number): string => `live-${String(envId)}`,
  /** An instance of an app has connected or gone: `{ envId, online, changed }` (shared/app/link/presence.ts). */
  app: 'app',
  /** Messages to one process about sockets of apps: calls and their outcomes (shared/app/link/remoteCalls.ts). */
  appAt: (process: string): string => `app-at-${process}`,
  /** Notifications to every instance of an environment's app. */
  appTold: (envId: number): string => `app-told-${String(envId)}`,
} as const;

/** Returns the text of a wake signal for whoever publishes an environment. */
export const outboxOf = (envId: number): string => `outbox ${String(envId)}`;

/** A message of the publisher: rows `first`, `first + 1`, … of the stream, and the counts of the inboxes that changed. */
export interface LiveBatch {
  readonly kind: 'batch';
  /** Of the stream; null or absent: not known, as in messages of earlier releases. */
  readonly epoch?: number | null;
  readonly first: number;
  readonly rows: readonly { readonly at: number; readonly parts: readonly object[] }[];
  /** Inbox → measure → exact number after the last row (measures as in the `counts` table). */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly at: number;
}

/** A message that is not stored: progress of bulks and runs, presence of apps, reads of watched agents, saved views. */
export interface EphemeralMessage {
  readonly kind: 'passing';
  readonly at: number;
  readonly part: object;
}

export interface Bus {
  /** Sends a text. Never throws and never waits; the text is lost while Redis is unavailable. */
  publish(channel: string, text: string): void;
  /** Calls `onMessage` for each text on a channel until the returned function is called, also after a reconnect. */
  subscribe(channel: string, onMessage: (text: string) => void): () => void;
  /** Calls `listener` each time that all channels have been subscribed to: what was told before may be lost. */
  onSubscribed(listener: () => void): () => void;
  /** Resolves with how many processes subscribe to a channel; null when that is not known: in a cluster, or without Redis. */
  countSubscribers(channel: string): Promise<number | null>;
  /** Whether Redis answered the last ping. */
  readonly connected: boolean;
  close(): Promise<void>;
}
