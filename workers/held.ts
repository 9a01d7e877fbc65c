/** Keeps the claims of all jobs that run in this process: one statement every 2.5 s extends them, whoever lost one is told. */
import type { Db } from '../shared/platform/db/knex.ts';
import { claimMs, extend, extendMs, type Claim } from '../shared/platform/outbox/claims.ts';

export interface HeldClaims {
  /** Extends the claim until `drop`; the signal aborts when it was lost, or by `abort`. */
  hold(claim: Claim): AbortSignal;
  drop(claim: Claim): void;
  /** Aborts all, and from now on whatever is held. */
  abort(reason: string): void;
  close(): void;
}

interface Entry {
  readonly claim: Claim;
  readonly controller: AbortController;
  /** Until when it holds for sure, by `performance.now()`. */
  until: number;
}

export const holdClaims = (db: Db, onError: (error: unknown) => void): HeldClaims => {
  // By object: after a loss the same row may be claimed by this process once more.
  const entries = new Map<Claim, Entry>();
  let aborted: Error | null = null;
  let busy = false;

  const extendAll = async (): Promise<void> => {
    const sentAt = performance.now();
    const some = [...entries.values()];
    if (some.length === 0) return;
    const lost = new Set(await extend(db, some.map(({ claim }) => claim)));
    for (const entry of some) {
      if (lost.has(entry.claim)) entry.controller.abort(new Error('the claim was lost'));
      else entry.until = sentAt + claimMs;
    }
  };
  const tick = (): void => {
    for (const { until, controller } of entries.values()) if (until <= performance.now()) controller.abort(new Error('the claim ran out'));
    if (busy) return;
    busy = true;
    extendAll().catch(onError).finally(() => {
      busy = false;
    });
  };
  const timer = setInterval(tick, extendMs);

  return {
    hold: (claim) => {
      const controller = new AbortController();
      entries.set(claim, { claim, controller, until: performance.now() + claimMs });
      if (aborted !== null) controller.abort(aborted);
      return controller.signal;
    },
    drop: (claim) => {
      entries.delete(claim);
    },
    abort: (reason) => {
      aborted = new Error(reason);
      for (const { controller } of entries.values()) controller.abort(aborted);
    },
    close: () => {
      clearInterval(timer);
    },
  };
};
