/** When to connect again: with full jitter, so that many apps do not come back in step; used by link.ts. */

export interface Timing {
  /** The shortest and longest wait between two tries, in ms; the longest possible wait doubles with each try. */
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /** The wait after a refusal that only people can change: of a manifest, a key, an address. */
  readonly refusedMs: number;
  /** The longest wait when the service says that it restarts. */
  readonly restartMs: number;
  readonly heartbeatMs: number;
  readonly goneMs: number;
  /** How long an answer that may be durable already is left alone before it is sent again. */
  readonly resendMs: number;
}

const exponentMax = 20;

/** `tries`: how many failed before. */
export const backoff = (tries: number, { retryMinMs, retryMaxMs }: Timing): number => {
  const cap = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(tries + 1, exponentMax));
  return retryMinMs + Math.random() * (cap - retryMinMs);
};
