/** Reads the facts that create.ts decides on: existing items by key, titles of records, users that are counted already. */
import type { Caller } from '../../accounts/access/principal.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import { readCountedUsers, readItemsByKeys, type Item, type RecordRef } from '../model.ts';
import type { DecisionContext } from '../operation.ts';
import type { OccurrenceBatch } from '../operations/addOccurrences.ts';
import { affectedUsers, type CreateFacts, type CreateInput } from '../operations/create.ts';

const recordTitles = statement(
  'records.titles',
  `
  select r.resource, r.id, r.title from unnest($2::text[], $3::text[]) as ref(resource, id) join records r on r.env = $1 and r.resource = ref.resource and r.id = ref.id`,
);

export interface CreateState {
  readonly existing: Item | null;
  readonly facts: CreateFacts;
  readonly moment: DecisionContext;
}

interface CreateLookup {
  readonly input: CreateInput;
  readonly happened: OccurrenceBatch | null;
}

const usersOf = ({ input, happened }: CreateLookup): readonly string[] =>
  happened === null ? (input.user === undefined ? [] : [input.user]) : affectedUsers(happened);

/** Returns the facts for each input, in their order. With `lock` the rows of existing items stay locked until the transaction ends. */
export const readCreateStates = async (
  db: Db | Tx,
  { env }: Caller,
  all: readonly CreateLookup[],
  moment: DecisionContext,
  lock: boolean,
): Promise<CreateState[]> => {
  const keys = all.flatMap(({ input: { inbox, key } }) => (key === undefined ? [] : [{ inbox, key }]));
  const items = await readItemsByKeys(db, env.id, keys, lock);
  const existing = all.map(
    ({ input }) => items.find((item) => item.inbox === input.inbox && item.key === (input.key ?? '')) ?? null,
  );

  const refs = all.flatMap(({ input }, i): RecordRef[] =>
    input.record === undefined || existing[i] !== null ? [] : [input.record],
  );
  const asked = all.flatMap((wanted, i) => {
    const item = existing[i]?.id;
    return item === undefined ? [] : usersOf(wanted).map((who) => ({ item, who }));
  });
  const [titles, counted] = await Promise.all([
    refs.length === 0
      ? []
      : queryRows<RecordRef & { title: string }>(db, recordTitles, [
          env.id,
          refs.map((ref) => ref.resource),
          refs.map((ref) => ref.id),
        ]),
    readCountedUsers(db, env.id, asked),
  ]);
  const known = new Set(counted.map(({ item, who }) => `${item} ${who}`));
  return all.map((wanted, i) => {
    const item = existing[i] ?? null;
    const { record } = wanted.input;
    return {
      existing: item,
      facts: {
        recordTitle: titles.find((ref) => ref.resource === record?.resource && ref.id === record.id)?.title ?? null,
        newUsers: item === null ? [] : usersOf(wanted).filter((who) => !known.has(`${item.id} ${who}`)),
      },
      moment,
    };
  });
};
