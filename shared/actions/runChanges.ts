/**
 * Calls that wait for their run's end, by run: woken by whoever settles it in this process, and through Redis by those
 * who settle it elsewhere. A hint that may be lost: who waits looks into the database too.
 */
import type { Bus } from '../platform/redis/bus.ts';
import { channels } from '../platform/redis/bus.ts';

interface Waiters {
  readonly byRun: Map<string, Set<() => void>>;
}

const waitersByBus = new WeakMap<Bus, Waiters>();

const getWaiters = (bus: Bus): Waiters => {
  const found = waitersByBus.get(bus);
  if (found !== undefined) return found;
  const waiters: Waiters = { byRun: new Map() };
  waitersByBus.set(bus, waiters);
  // For as long as the process: the bus ends it when it closes.
  bus.subscribe(channels.runs, (run) => {
    wakeWaiters(waiters, run);
  });
  return waiters;
};

/** Whether anybody was waiting for it here. */
const wakeWaiters = ({ byRun }: Waiters, run: string): boolean => {
  const rings = byRun.get(run);
  for (const ring of rings ?? []) ring();
  return rings !== undefined;
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

/** Answers after `ms`, or when the run was moved. Made before what may move it is begun. */
export const waitForRunChange = (
  bus: Bus,
  run: string,
  ms: number,
): { readonly moved: Promise<void>; readonly end: () => void } => {
  const { byRun } = getWaiters(bus);
  const rings = byRun.get(run) ?? new Set();
  byRun.set(run, rings);
  let end = (): void => undefined;
  const moved = new Promise<void>((resolve) => {
    end = () => {
      clearTimeout(timer);
      rings.delete(end);
      if (rings.size === 0) byRun.delete(run);
      resolve();
    };
    const timer = setTimeout(end, ms);
    rings.add(end);
  });
  return { moved, end };
};

/** Tells whoever waits that a run was moved: one call does, in this process or in another. */
export const notifyRunChanged = (bus: Bus, run: string): void => {
  const waiters = waitersByBus.get(bus);
  if (waiters === undefined || !wakeWaiters(waiters, run)) bus.publish(channels.runs, run);
};
