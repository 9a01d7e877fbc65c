/**
 * Wake signals for calls that wait for the end of their run, sent in this process or through Redis by the process that
 * changes the run. A signal may be lost, so waiting calls also poll the row. Used by the endpoints of actions.
 */
import { getOrCreate } from '../platform/caches.ts';
import { channels, type Bus } from '../platform/redis/bus.ts';

interface Waiters {
  readonly byRun: Map<string, Set<() => void>>;
}

const waitersByBus = new WeakMap<Bus, Waiters>();

const getWaiters = (bus: Bus): Waiters => {
  const found = waitersByBus.get(bus);
  if (found !== undefined) return found;
  const waiters: Waiters = { byRun: new Map() };
  waitersByBus.set(bus, waiters);
  // Never unsubscribed: the bus ends the subscription when it closes.
  bus.subscribe(channels.runs, (run) => {
    wakeWaiters(waiters, run);
  });
  return waiters;
};

/** Wakes the calls of this process that wait for the run; returns whether there were any. */
const wakeWaiters = ({ byRun }: Waiters, run: string): boolean => {
  const wakes = byRun.get(run);
  for (const wake of wakes ?? []) wake();
  return wakes !== undefined;
};

/**
 * Subscribes this process to the changes of runs. An API process calls it at its start: of waits that subscribed
 * themselves, 1 in 100 missed a hint that was sent up to 1 ms later (100 waits for each of 0, 0.2, 0.5 and 1 ms between two
 * processes over one Redis: 1, 2, 0 and 1 missed), and then slept until its next look at the database; of those that found
 * the subscription made, none did.
 */
export const subscribeToRunChanges = (bus: Bus): void => {
  getWaiters(bus);
};

/** Returns a promise that resolves after `ms`, or when the run has changed, and the function that ends the wait. */
export const waitForRunChange = (
  bus: Bus,
  run: string,
  ms: number,
): { readonly moved: Promise<void>; readonly end: () => void } => {
  const { byRun } = getWaiters(bus);
  const wakes = getOrCreate(byRun, run, () => new Set());
  let end = (): void => undefined;
  const moved = new Promise<void>((resolve) => {
    end = () => {
      clearTimeout(timer);
      wakes.delete(end);
      if (wakes.size === 0) byRun.delete(run);
      resolve();
    };
    const timer = setTimeout(end, ms);
    wakes.add(end);
  });
  return { moved, end };
};

/** Wakes the one call that waits for the run, in this process or, through Redis, in another. */
export const notifyRunChanged = (bus: Bus, run: string): void => {
  const waiters = waitersByBus.get(bus);
  if (waiters === undefined || !wakeWaiters(waiters, run)) bus.publish(channels.runs, run);
};
