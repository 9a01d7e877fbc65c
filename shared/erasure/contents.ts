/** Erases the contents of items: title, fields, occurrences, and the words that they are found by. For erase.ts. */
import type { Caller } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import type { ErasedMembers } from '../app/items/members.ts';
import { erasedText } from '../catalogue/erased.ts';
import { readItems, type Item } from '../items/model.ts';
import { noteErasedItem } from '../items/operations/erase.ts';
import { performOperationTx } from '../items/perform/perform.ts';
import { columnsErased, erasingChange, itemRowsJson } from '../items/perform/writeSql.ts';
import { insertWords } from '../items/search/indexTexts.ts';
import { itemLexemes } from '../items/search/itemWords.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../platform/db/sql.ts';
import { writeChange } from '../platform/journal/changeWriter.ts';
import { findErasableItems } from './erasable.ts';
import type { Found } from './find.ts';
import { slices } from './slices.ts';

const itemsAtOnce = 50;

const eraseOccurrencesSql = statement(
  'erasure.eraseOccurrences',
  `
  update occurrences set title = $3, data = '{}', who = null
  where env = $1 and item = any($2) and (title, data::text, who) is distinct from ($3, '{}', null)`,
);
const eraseUsersSql = statement('erasure.eraseUsers', 'delete from item_users where env = $1 and item = any($2)');
/** Of all texts but the item's own, which is replaced with its content. */
const eraseWordsSql = statement(
  'erasure.eraseWords',
  "delete from item_words where env = $1 and item = any($2) and source <> ''",
);

/**
 * The content of items that an occurrence of the person has given them: that of the newest one of another takes its place. Where
 * occurrences are not kept ($4), it may be theirs unless it is that of a kept one of another.
 */
const namedContentSql = statement(
  'erasure.namedContent',
  `
  select i.id, n.title, n.data::text as data from items i
  left join lateral (
    select o.title, o.data from occurrences o where o.env = i.env and o.item = i.id and o.id <> all($3) order by o.at desc, o.id desc limit 1) n on true
  where i.env = $1 and i.id = any($2) and (
    exists (select from occurrences o where o.env = i.env and o.item = i.id and o.id = any($3) and o.title = i.title and o.data::text = i.fields::text)
    or i.id = any($4) and not exists (
      select from occurrences o where o.env = i.env and o.item = i.id and o.id <> all($3) and o.title = i.title and o.data::text = i.fields::text))`,
);
const eraseNamedSql = statement(
  'erasure.eraseNamed',
  `update occurrences set title = $4, data = '{}', who = null where env = $1 and item = any($2) and id = any($3)`,
);
const eraseNamedUsersSql = statement(
  'erasure.eraseNamedUsers',
  'delete from item_users where env = $1 and item = any($2) and who = any($3)',
);
const eraseNamedWordsSql = statement(
  'erasure.eraseNamedWords',
  'delete from item_words where env = $1 and item = any($2) and source = any($3)',
);

/** Performs `item.erase` on items whose content was erased: an audit entry and a live message for each. */
const noteItems = async (deps: DomainDeps, tx: Tx, caller: Caller, items: Iterable<string>): Promise<void> => {
  for (const id of items) await performOperationTx(deps, tx, caller, noteErasedItem, id, {});
};

/** Returns what an erasure leaves of an item's members that may be about a person. */
const erasedMembers = ({ record, triage }: Item): ErasedMembers => ({
  title: erasedText,
  record: record === null ? null : { ...record, title: null },
  fields: '{}',
  triage: triage === null ? null : { ...triage, answers: [] },
  key: null,
});

/** Writes the members of items that may be about a person, with the words that they are found by. Their rows are locked. */
const rewriteItems = async (tx: Tx, env: number, items: readonly Item[]): Promise<void> => {
  await writeChange(tx, erasingChange, {
    env,
    items: itemRowsJson(
      env,
      items.map((item) => ({ item })),
      columnsErased,
    ),
  });
  await insertWords(
    tx,
    items.map(({ id, inbox, title, fields }) => ({
      env,
      item: id,
      source: '',
      words: itemLexemes(env, inbox, title, fields),
    })),
  );
};

/** Erases items that are about the person. Returns how many had something to erase. */
export const eraseItems = async (deps: DomainDeps, caller: Caller, items: readonly string[]): Promise<number> => {
  const env = caller.env.id;
  let n = 0;
  for (const some of slices(items, itemsAtOnce))
    await deps.db.transaction(async (tx) => {
      const locked = [...(await readItems(tx, env, some, true)).values()];
      const changed = new Set(await findErasableItems(tx, env, some));
      await executeStatement(tx, eraseOccurrencesSql, [env, some, erasedText]);
      // The sweep of older texts may have indexed one since.
      await executeStatement(tx, eraseWordsSql, [env, some]);
      await executeStatement(tx, eraseUsersSql, [env, some]);
      const erased = locked.filter(({ id }) => changed.has(id)).map((item) => ({ ...item, ...erasedMembers(item) }));
      await rewriteItems(tx, env, erased);
      await noteItems(deps, tx, caller, changed);
      n += changed.size;
    });
  return n;
};

/** Erases occurrences of items that are about others too. Returns how many. */
export const eraseNamed = async (
  deps: DomainDeps,
  caller: Caller,
  named: Found['named'],
  users: readonly string[],
): Promise<number> => {
  const env = caller.env.id;
  for (const some of slices([...new Set(named.map(({ item }) => item))], itemsAtOnce))
    await deps.db.transaction(async (tx) => {
      const theirs = named.filter(({ item }) => some.includes(item));
      const gone = theirs.map(({ id }) => id);
      const unkept = theirs.flatMap(({ item, kept }) => (kept ? [] : item));
      const locked = await readItems(tx, env, some, true);
      const replaced = await queryRows<{ id: string; title: string | null; data: string | null }>(tx, namedContentSql, [
        env,
        some,
        gone,
        unkept,
      ]);
      const given = replaced.flatMap(({ id, title, data }): Item[] => {
        const item = locked.get(id);
        return item === undefined ? [] : [{ ...item, title: title ?? erasedText, fields: data ?? '{}' }];
      });
      await rewriteItems(tx, env, given);
      await executeStatement(tx, eraseNamedSql, [env, some, gone, erasedText]);
      await executeStatement(tx, eraseNamedUsersSql, [env, some, users]);
      await executeStatement(tx, eraseNamedWordsSql, [env, some, gone]);
      await noteItems(deps, tx, caller, some);
    });
  return named.length;
};
