/** How a round of perform.ts reads items and writes its changes: by itself, or together with the rounds of other callers. */
import { createGatherer, createGatheringReader, perDatabase, serveTogether } from '../../platform/db/gather.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { readItems, type Item } from '../model.ts';
import { canBeGathered, writeItems, type ItemWrite } from './write.ts';

export interface ItemStore {
  /** Returns the items of `ids` that exist, by id. */
  read(envId: number, ids: readonly string[]): Promise<Map<string, Item>>;
  /** Returns the ids of the items that were written; the others have changed since they were read, or are locked by another. */
  write(write: ItemWrite): Promise<ReadonlySet<string>>;
}

/** Returns a store with statements of its own. With `lock`, inside a transaction, rows that are read stay locked until it ends. */
export const ownStore = (db: Db | Tx, lock: boolean): ItemStore => ({
  read: (envId, ids) => readItems(db, envId, ids, lock),
  write: (write) => writeItems(db, write),
});

const none: ReadonlySet<string> = new Set();

/** Returns how long the history and the live messages of a write are. */
export const textLength = ({ events }: ItemWrite): number =>
  events.rows.reduce((sum, { json }) => sum + json.length, 0) +
  events.liveParts.reduce((sum, part) => sum + part.length, 0);

/** Returns the store through which a process changes single items: what comes at once shares statements. */
export const gatheringStore = perDatabase((db): ItemStore => {
  const read = createGatheringReader((envId, ids) => readItems(db, envId, ids));
  const write = createGatherer<ItemWrite, ReadonlySet<string>>({
    groupOf: ({ caller }) => caller.env.id,
    sizeOf: textLength,
    run: (writes) =>
      serveTogether(
        writes,
        async ([first, ...others]) => {
          const written = first === undefined ? none : await writeItems(db, first, others);
          return writes.map(() => written);
        },
        (own) => writeItems(db, own),
      ),
  });
  /** The ends of the writes under way, by environment and item. */
  const ends = new Map<string, Promise<unknown>>();

  /** Two writes of an item are never in one statement. The later one was decided on what the earlier one replaces, so it is not tried. */
  const writeUnlessUnderWay = async (own: ItemWrite): Promise<ReadonlySet<string>> => {
    const item = `${String(own.caller.env.id)} ${own.changed[0]?.effect.item.id ?? ''}`;
    const earlier = ends.get(item);
    if (earlier !== undefined) {
      await earlier;
      return none;
    }
    const written = write(own);
    ends.set(
      item,
      written.catch(() => undefined),
    );
    try {
      return await written;
    } finally {
      ends.delete(item);
    }
  };

  return {
    read: async (envId, ids) => {
      const [id, ...others] = ids;
      if (id === undefined || others.length > 0) return readItems(db, envId, ids);
      const item = await read(envId, id);
      return new Map(item === undefined ? [] : [[id, item]]);
    },
    write: (own) => (canBeGathered(own) ? writeUnlessUnderWay(own) : writeItems(db, own)),
  };
});
