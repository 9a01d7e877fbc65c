/** How long link.ts waits before it connects again, and storedAnswers.ts before it reads again: backoff with full jitter, so that many apps do not return in step. */

export interface Timing {
  /** The bounds of the wait between two tries, in ms; the longest possible wait doubles with each try. */
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /** The wait after a refusal that only a person can mend: of a manifest, a key, an address. */
  readonly refusedMs: number;
  /** The longest wait when the service says that it restarts. */
  readonly restartMs: number;
  /** How often a ping is sent. */
  readonly heartbeatMs: number;
  /** The connection is ended when nothing has come for so long. */
  readonly goneMs: number;
  /** How long after an answer was given it is sent once more, unless the service has confirmed it. */
  readonly resendMs: number;
}

/** Keeps the power within a safe integer; the wait has reached `retryMaxMs` long before. */
const exponentMax = 20;

/** Returns the wait in ms before the next try, at random; `tries` counts those that failed before. */
export const backoff = (
  tries: number,
  { retryMinMs, retryMaxMs }: Pick<Timing, 'retryMinMs' | 'retryMaxMs'>,
): number => {
  const cap = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(tries + 1, exponentMax));
  return retryMinMs + Math.random() * (cap - retryMinMs);
};
