/** Every Redis key of the service but those of BullMQ (queues.ts), without the prefix; connect.ts puts it before them. */
export const redisKeys = {
  /** Written to see whether Redis accepts writes. */
  ready: 'ready',
  /** The databases whose processes use the prefix: a digest of each with the time at which one was last seen (sites.ts). */
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
