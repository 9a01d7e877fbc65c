/** A fair queue for a bounded number of connections: every owner gets its share in turn. Used by readPool.ts. */
import { fault } from '../../catalogue/errors.ts';

interface FairQueueOptions {
  /** How many are lent at a time. */
  readonly size: number;
  /** How many of these one owner has at most. */
  readonly perOwner: number;
  /** ms that anyone waits at most. */
  readonly waitMs: number;
  /** Called when one has to wait because all are lent. */
  readonly onFull: (waiting: number) => void;
}

interface Waiter {
  readonly resume: () => void;
  readonly timer: NodeJS.Timeout;
}

interface Owner {
  lent: number;
  readonly waiters: Set<Waiter>;
}

interface FairQueue {
  /** Resolves when it is the owner's turn. Throws `rate_limited` for an owner whose own calls fill its share too long, else `unavailable`. */
  enter(owner: string): Promise<void>;
  leave(owner: string): void;
  /** Returns how many wait. */
  waiting(): number;
}

export const createFairQueue = ({ size, perOwner, waitMs, onFull }: FairQueueOptions): FairQueue => {
  /** In the order in which they are served next; only owners that have or want something. */
  const owners = new Map<string, Owner>();
  let lent = 0;
  let waiting = 0;

  const serve = (name: string, owner: Owner, waiter: Waiter): void => {
    owner.waiters.delete(waiter);
    waiting -= 1;
    clearTimeout(waiter.timer);
    owner.lent += 1;
    lent += 1;
    // The owner's next one comes after everyone else's.
    owners.delete(name);
    owners.set(name, owner);
    waiter.resume();
  };

  const serveNext = (): void => {
    for (const [name, owner] of owners) {
      const [first] = owner.waiters;
      if (first === undefined || owner.lent >= perOwner) continue;
      serve(name, owner, first);
      return;
    }
  };

  const forgetIdle = (name: string, owner: Owner): void => {
    if (owner.lent === 0 && owner.waiters.size === 0) owners.delete(name);
  };

  const waitInTurn = (name: string, owner: Owner): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        owner.waiters.delete(waiter);
        waiting -= 1;
        forgetIdle(name, owner);
        reject(
          owner.lent >= perOwner
            ? fault(
                'rate_limited',
                'Too many of your reads are under way; wait for their answers before you send more.',
                {
                  headers: { 'retry-after': '1' },
                },
              )
            : fault('unavailable', undefined, { headers: { 'retry-after': '1' } }),
        );
      };
      const waiter: Waiter = { resume: resolve, timer: setTimeout(giveUp, waitMs) };
      owner.waiters.add(waiter);
      waiting += 1;
    });

  return {
    enter: async (name) => {
      const owner = owners.get(name) ?? { lent: 0, waiters: new Set<Waiter>() };
      owners.set(name, owner);
      if (lent < size && owner.lent < perOwner && owner.waiters.size === 0) {
        owner.lent += 1;
        lent += 1;
        return;
      }
      if (lent >= size) onFull(waiting + 1);
      await waitInTurn(name, owner);
    },
    leave: (name) => {
      const owner = owners.get(name);
      if (owner === undefined) return;
      owner.lent -= 1;
      lent -= 1;
      forgetIdle(name, owner);
      if (waiting > 0) serveNext();
    },
    waiting: () => waiting,
  };
};
