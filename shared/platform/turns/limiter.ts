/** Runs a bounded number of tasks at a time and lets the others wait for their turn. For accounts/passwords.ts and views/pages/page.ts. */

interface LimiterOptions {
  /** Tasks that run at a time. */
  readonly concurrency: number;
  /** Tasks that may wait in each lane; any number when absent. */
  readonly waitingMax?: number;
  /** Returns the error of a task that is refused because too many wait. */
  readonly refusal?: () => Error;
}

/** Whose turn it is: the lanes are served in turn, and in each lane the keys. */
export interface Turn {
  readonly lane: string;
  readonly key: string;
}

interface Waiter {
  readonly resume: () => void;
  readonly refuse: () => void;
}

interface Lane {
  waiting: number;
  /** In the order in which they are served next. */
  readonly keys: Map<string, Waiter[]>;
}

type Limiter = <T>(work: () => Promise<T>, turn?: Turn) => Promise<T>;

/** Removes the first entry of a map and returns it. */
const shift = <T>(map: Map<string, T>): readonly [string, T] | undefined => {
  for (const entry of map) {
    map.delete(entry[0]);
    return entry;
  }
  return undefined;
};

const longestQueue = ({ keys }: Lane): Waiter[] => {
  let longest: Waiter[] = [];
  for (const queue of keys.values()) if (queue.length > longest.length) longest = queue;
  return longest;
};

/**
 * Returns a function that runs `work` when it is its turn. Where a lane is full, the newest task of the key with most
 * waiting ones is refused, so that a key with few is not kept out by others with many.
 */
export const createLimiter = ({
  concurrency,
  waitingMax = Number.POSITIVE_INFINITY,
  refusal = () => new Error('Too many tasks wait.'),
}: LimiterOptions): Limiter => {
  let free = concurrency;
  /** In the order in which they are served next; only those in which somebody waits. */
  const lanes = new Map<string, Lane>();

  const passOn = (): void => {
    const first = shift(lanes);
    const next = first === undefined ? undefined : shift(first[1].keys);
    if (first === undefined || next === undefined) {
      free += 1;
      return;
    }
    const [[name, lane], [key, queue]] = [first, next];
    const waiter = queue.shift();
    lane.waiting -= 1;
    if (queue.length > 0) lane.keys.set(key, queue);
    if (lane.keys.size > 0) lanes.set(name, lane);
    waiter?.resume();
  };

  const waitForTurn = (name: string, key: string): Promise<void> => {
    const lane = lanes.get(name) ?? { waiting: 0, keys: new Map<string, Waiter[]>() };
    const queue = lane.keys.get(key) ?? [];
    if (lane.waiting >= waitingMax) {
      const longest = longestQueue(lane);
      // A swap between two keys with as many would only be unfair to the one that came first.
      if (longest.length <= queue.length + 1) return Promise.reject(refusal());
      longest.pop()?.refuse();
      lane.waiting -= 1;
    }
    return new Promise((resolve, reject) => {
      queue.push({
        resume: resolve,
        refuse: () => {
          reject(refusal());
        },
      });
      lane.waiting += 1;
      lane.keys.set(key, queue);
      lanes.set(name, lane);
    });
  };

  return async (work, { lane, key } = { lane: '', key: '' }) => {
    if (free > 0) free -= 1;
    else await waitForTurn(lane, key);
    try {
      return await work();
    } finally {
      passOn();
    }
  };
};
