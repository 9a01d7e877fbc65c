/**
 * Finds the bulks of nothing but what is erased, and erases them, and results of the items in whatever bulk. No index leads from
 * an item to its bulks: chunks are read from the time of the first item on, by pieces. For find.ts and erase.ts.
 */
import { erasedText } from '../catalogue/erased.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { idAt, idTime } from '../platform/ids.ts';
import { slices } from './slices.ts';

/** Chunks of one statement, and bulks of another: a chunk has 500 items at most, a bulk 100,000. */
const [chunksAtOnce, bulksAtOnce] = [1_000, 10];

/** ms by which clocks of processes may differ. */
const skewMs = 3_600_000;

/** Selects the bulks of the next chunks that have one of the items $1, and the last chunk that was read. */
const chunksSql = statement(
  'erasure.chunks',
  `
  with next as materialized (
    select bulk, n, ids from bulk_chunks where bulk >= $2 and (bulk, n) > ($2, $3) order by bulk, n limit ${String(chunksAtOnce)})
  select l.bulk, l.n, array(select distinct c.bulk from next c cross join unnest(c.ids) i(id) where i.id in (select unnest($1::text[]))) as bulks
  from next l order by l.bulk desc, l.n desc limit 1`,
);
const bulksOfRunsSql = statement(
  'erasure.bulksOfRuns',
  'select distinct bulk as id from all_runs where env = $1 and id = any($2) and bulk is not null',
);
/** Selects the bulks among $2 that have no other item than $3. A bulk whose chunks are deleted is known by its runs alone ($4: the bulks of runs). */
const bulksSql = statement(
  'erasure.bulks',
  `
  select b.id, b.operation ->> 'type' = 'action' as "hasRuns", b.finished_at as until from all_bulks b
  where b.env = $1 and b.id = any($2) and (b.results_gone_at is null or b.id = any($4))
    and not exists (
      select i.id from bulk_chunks c cross join unnest(c.ids) i(id) where c.bulk = b.id
      except select s.id from unnest($3::text[]) s(id))`,
);
/** There is no index by bulk of runs that have ended long ago: they are looked for among those of the bulk's time. */
const otherRunSql = statement(
  'erasure.otherRun',
  `
  select 1 as found from all_runs r
  where r.env = $1 and r.bulk = $2 and r.id > $3 and r.id < $4 and r.id not in (select unnest($5::text[])) limit 1`,
);
const eraseResultsSql = statement(
  'erasure.eraseResults',
  `
  update bulk_results set before = erased_json(before), after = erased_json(after), error = case when error is null then null else $3 end
  where bulk = any($1) and item in (select unnest($2::text[]))
    and (erased_json(before), erased_json(after), error) is distinct from (before, after, case when error is null then null else $3 end)`,
);
const eraseBulksOf = (table: 'bulks' | 'bulks_ended'): string => `
  update ${table} set operation = jsonb_set(operation::jsonb, '{input}', '{}', false)::json, reason = null
  where env = $1 and id = any($2) and finished_at is not null and (reason is not null or (operation -> 'input')::jsonb <> '{}')`;

/** In the order in which rows move to months. */
export const eraseBulksSql = [
  statement('erasure.eraseBulks', eraseBulksOf('bulks')),
  statement('erasure.eraseEndedBulks', eraseBulksOf('bulks_ended')),
];

/** Returns the ids of the bulks that have one of the items. */
const findBulksOfItems = async (db: Db, items: readonly string[]): Promise<string[]> => {
  const [first] = items.toSorted();
  const found = new Set<string>();
  if (first === undefined) return [];
  let last: { readonly bulk: string; readonly n: number } = { bulk: idAt('blk', idTime(first) - skewMs), n: -1 };
  for (;;) {
    const piece = await queryRow<typeof last & { readonly bulks: readonly string[] }>(db, chunksSql, [
      items,
      last.bulk,
      last.n,
    ]);
    if (piece === undefined) return [...found];
    for (const id of piece.bulks) found.add(id);
    last = piece;
  }
};

interface BulkTime {
  readonly id: string;
  readonly hasRuns: boolean;
  /** When it ended, in epoch ms; null: it has not. */
  readonly until: number | null;
}

const hasOtherRun = async (db: Db, env: number, { id, until }: BulkTime, runs: readonly string[]): Promise<boolean> =>
  (await queryRow(db, otherRunSql, [
    env,
    id,
    idAt('run', idTime(id) - skewMs),
    idAt('run', until === null ? Infinity : until + skewMs),
    runs,
  ])) !== undefined;

/** Returns the ids of the bulks of nothing but these items and runs, finished or not, and of those that have one of the items. */
export const findBulks = async (
  db: Db,
  env: number,
  items: readonly string[],
  runs: readonly string[],
): Promise<{ readonly bulks: readonly string[]; readonly bulksOfItems: readonly string[] }> => {
  const bulksOfItems = await findBulksOfItems(db, items);
  const ofRuns = (await queryRows<{ id: string }>(db, bulksOfRunsSql, [env, runs])).map(({ id }) => id);
  const bulks: string[] = [];
  for (const some of slices([...new Set([...bulksOfItems, ...ofRuns])], bulksAtOnce))
    for (const bulk of await queryRows<BulkTime>(db, bulksSql, [env, some, items, ofRuns]))
      if (!bulk.hasRuns || !(await hasOtherRun(db, env, bulk, runs))) bulks.push(bulk.id);
  return { bulks: bulks.sort(), bulksOfItems };
};

/** Erases the results of items in bulks. */
export const eraseResults = async (db: Db, bulks: readonly string[], items: readonly string[]): Promise<void> => {
  for (const some of slices(bulks, bulksAtOnce)) await executeStatement(db, eraseResultsSql, [some, items, erasedText]);
};
