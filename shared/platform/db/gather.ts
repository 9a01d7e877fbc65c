/**
 * Gathers calls that meet in a process, so that one statement serves several of them (group commit). A lone call begins
 * at once; while as many calls are under way as may be, further ones wait and go together. Used by items/perform/store.ts, the
 * change writer, job leases, and reads of runs and agents.
 */
import { getOrCreate } from '../caches.ts';
import { isDbUnavailable } from './errors.ts';
import type { Db } from './knex.ts';

interface GatherOptions<Entry, Result> {
  /** Calls of one group may share a statement. */
  readonly groupOf: (entry: Entry) => number | string;
  /** How large an entry is, in characters. */
  readonly sizeOf: (entry: Entry) => number;
  /** Serves the entries, all of one group. Returns a result for each, in their order, or throws for all of them. */
  readonly run: (entries: readonly Entry[]) => Promise<readonly (Result | Error)[]>;
}

interface Waiting<Entry, Result> {
  readonly entry: Entry;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls that share a statement. */
const entriesMax = 32;
/** Sum of the sizes of calls that share a statement, in characters; a larger one goes alone. */
const sizeMax = 500_000;
/** Statements that are under way at a time; each has its own connection and commit. */
const underWayMax = 3;
/** ms after which a statement no longer counts as under way: one that waits for a lock holds up nobody else. */
const slowMs = 50;

/** Returns a function that serves an entry together with others that come while it waits, and throws the entry's own error. */
export const createGatherer = <Entry, Result>({
  groupOf,
  sizeOf,
  run,
}: GatherOptions<Entry, Result>): ((entry: Entry) => Promise<Result>) => {
  let queue: Waiting<Entry, Result>[] = [];
  let underWay = 0;

  /** Takes the oldest call and what may go with it. */
  const takeBatch = (): Waiting<Entry, Result>[] => {
    const [first] = queue;
    if (first === undefined) return [];
    const group = groupOf(first.entry);
    const taken: Waiting<Entry, Result>[] = [];
    let size = 0;
    const left = queue.filter((waiting) => {
      if (taken.length === entriesMax || groupOf(waiting.entry) !== group) return true;
      const more = sizeOf(waiting.entry);
      if (taken.length > 0 && size + more > sizeMax) return true;
      size += more;
      taken.push(waiting);
      return false;
    });
    queue = left;
    return taken;
  };

  const serve = async (batch: readonly Waiting<Entry, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ entry }) => entry));
      for (const [i, { resolve, reject }] of batch.entries()) {
        const result = results[i];
        if (result === undefined) reject(new Error('A gathered call has no result.'));
        else if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const serveWaiting = (): void => {
    while (underWay < underWayMax && queue.length > 0) {
      const batch = takeBatch();
      underWay += 1;
      let counts = true;
      const leave = (): void => {
        if (!counts) return;
        counts = false;
        underWay -= 1;
        serveWaiting();
      };
      const timer = setTimeout(leave, slowMs);
      void serve(batch).then(() => {
        clearTimeout(timer);
        leave();
      });
    }
  };

  return (entry) =>
    new Promise((resolve, reject) => {
      queue.push({ entry, resolve, reject });
      serveWaiting();
    });
};

/**
 * Returns the result of each entry by a statement of all, or by `alone` if there is one. An error of the shared statement has undone
 * all of it, so each is then served alone and has its own; an outage is everybody's, as what was done is not known.
 */
export const serveTogether = async <Entry, Result>(
  entries: readonly Entry[],
  together: (entries: readonly Entry[]) => Promise<readonly Result[]>,
  alone: (entry: Entry) => Promise<Result>,
): Promise<readonly (Result | Error)[]> => {
  const [first, ...others] = entries;
  if (first === undefined) return [];
  if (others.length === 0) return [await alone(first)];
  try {
    return await together(entries);
  } catch (error) {
    if (isDbUnavailable(error)) throw error;
    return Promise.all(
      entries.map((entry) =>
        alone(entry).catch((own: unknown) => (own instanceof Error ? own : new Error(String(own)))),
      ),
    );
  }
};

/** Returns a function that makes what belongs to a database at its first call, and returns it from then on. */
export const perDatabase = <T>(create: (db: Db) => T): ((db: Db) => T) => {
  const made = new WeakMap<Db, T>();
  return (db) => getOrCreate(made, db, () => create(db));
};

/**
 * Returns a function that reads the row of an environment and an id, together with others that are asked for while it waits;
 * undefined where there is none.
 */
export const createGatheringReader = <Row>(
  read: (envId: number, ids: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): ((envId: number, id: string) => Promise<Row | undefined>) => {
  const gathered = createGatherer<{ readonly envId: number; readonly id: string }, ReadonlyMap<string, Row>>({
    groupOf: ({ envId }) => envId,
    sizeOf: () => 1,
    run: async (asked) => {
      const ids = [...new Set(asked.map(({ id }) => id))];
      const found = await read(asked[0]?.envId ?? 0, ids);
      return asked.map(() => found);
    },
  });
  return async (envId, id) => (await gathered({ envId, id })).get(id);
};
