/**
 * The place of the live stream that requests tell, so that a server whose standby is behind shows nothing older than what the
 * page knows. Used by http.ts.
 */

interface Told {
  /** Takes over the offset of a message. */
  hear(offset: string): void;
  /** Takes over the offset of the answer to a change. */
  change(offset: string): void;
  /** Returns the offset that the next request tells; null: none is known yet. */
  newest(): string | null;
}

/**
 * `lagMs`: how far a standby that serves reads may be behind. So long after a change its own offset is told, whatever the stream
 * brings meanwhile: the message of the change may come after it, and offsets can't be compared.
 */
export const createTold = (lagMs: number): Told => {
  let newest: string | null = null;
  let changed: { readonly offset: string; readonly until: number } | null = null;
  return {
    hear: (offset) => {
      newest = offset;
    },
    change: (offset) => {
      newest = offset;
      changed = { offset, until: performance.now() + lagMs };
    },
    newest: () => {
      if (changed !== null && performance.now() > changed.until) changed = null;
      return changed?.offset ?? newest;
    },
  };
};
