/** The contents of archives in PostgreSQL: the lines of a part, and tables that are filled from lines. */
import type { Tx } from '../db/knex.ts';
import { queryRow, queryRows, statement } from '../db/sql.ts';
import type { ArchiveTables, ArchivedChain, ArchivedColumns } from './header.ts';
import type { EventPart } from './parts.ts';

const rowsAtOnce = 2_000;

export interface PartFacts {
  readonly events: number;
  readonly digest: string;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly lastId: number | null;
}

const places = (names: readonly string[]): string => names.map(() => '??').join(', ');

/** Returns what a table of events has. The digest is one of the JSON texts of these columns of its rows, in any order. */
export const readPartFacts = async (
  tx: Tx,
  table: string,
  { events: columns }: Pick<ArchivedColumns, 'events'>,
): Promise<PartFacts> => {
  const { rows } = await tx.raw<{ rows: PartFacts[] }>(
    `select count(*)::int8 as events, coalesce(sum(hashtextextended(row_to_json(e)::text, 0)), 0)::text as digest,
       min(e.at) as "firstAt", max(e.at) as "lastAt", max(e.id) as "lastId" from (select ${places(columns)} from ??) e`,
    [...columns, table],
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error('An aggregate has a row.');
  return facts;
};

/** Of each environment with entries in the part: `l` is the newest range below its end, `f` the first one that ends in it, `b` whether that one begins before the part. */
const chainsSql = statement(
  'archive.chains',
  `
  select v.id as env, l.n as last, s.shared, jsonb_build_object('n', coalesce(p.n, 0), 'last', coalesce(p.last, 0),
    'hash', encode(coalesce(p.hash, decode(repeat('00', 32), 'hex')), 'hex')) as before
  from environments v
  cross join lateral (select coalesce(max(n), 0) as n, coalesce(max(last), 0) as event from audit_chain a where a.env = v.id and a.last < $2) l
  cross join lateral (select min(n) as n from audit_chain a where a.env = v.id and a.last >= $1 and a.last < $2) f
  left join audit_chain q on q.env = v.id and q.n = f.n - 1
  cross join lateral (
    select exists (select from events e where e.env = v.id and e.verb is not null and e.id > coalesce(q.last, 0) and e.id < $1)
      or exists (select from archives a, jsonb_to_recordset(a.chains) as s(env int, last bigint, shared boolean)
        where s.env = v.id and s.shared and s.last + 1 = f.n) as begun) b
  cross join lateral (
    select exists (select from events e where e.env = v.id and e.verb is not null and e.id >= $1 and e.id > l.event and e.id < $2) as shared) s
  left join audit_chain p on p.env = v.id and p.n = case when b.begun then f.n else coalesce(f.n, l.n + 1) - 1 end
  where f.n is not null or s.shared order by v.id`,
);

/** Returns what the chains of the environments have in a part. */
export const readPartChains = (tx: Tx, { starts, ends }: EventPart): Promise<ArchivedChain[]> =>
  queryRows<ArchivedChain>(tx, chainsSql, [starts, ends]);

const unchainedSql = statement(
  'archive.unchained',
  `
  select e.env from events e
  where e.id >= $1 and e.id < $2 and e.verb is not null
    and e.id > coalesce((select c.last from audit_chain c where c.env = e.env order by c.n desc limit 1), 0) limit 1`,
);

/** Returns whether entries of a part are not in their chain yet. */
export const hasUnchained = async (tx: Tx, { starts, ends }: EventPart): Promise<boolean> =>
  (await queryRow(tx, unchainedSql, [starts, ends])) !== undefined;

const fetchSql = `fetch ${String(rowsAtOnce)} from archive_lines`;

const linesOf = async function* (
  tx: Tx,
  select: string,
  values: readonly (string | number)[],
): AsyncGenerator<string[]> {
  await tx.raw(`declare archive_lines no scroll cursor for ${select}`, [...values]);
  for (;;) {
    const { rows } = await tx.raw<{ rows: { line: string }[] }>(fetchSql);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await tx.raw('close archive_lines');
};

/** Yields the lines of a part: the ranges of its chains, then its events by id. */
export const partLines = async function* (tx: Tx, { table, starts, ends }: EventPart): AsyncGenerator<string[]> {
  yield* linesOf(
    tx,
    "select json_build_object('range', row_to_json(c))::text as line from audit_chain c where last >= ? and last < ? order by env, n",
    [starts, ends],
  );
  yield* linesOf(tx, 'select row_to_json(e)::text as line from ?? e order by id', [table]);
};

const rangeStart = '{"range" : ';

/** Inserts lines of a file, which have these columns, into tables. Ranges that are there stay. */
export const insertLines = async (
  tx: Tx,
  lines: readonly string[],
  columns: ArchivedColumns,
  tables: ArchiveTables,
): Promise<void> => {
  const isRange = (line: string): boolean => line.startsWith(rangeStart);
  const rowsOf = {
    ranges: lines.filter(isRange).map((line) => line.slice(rangeStart.length, -1)),
    events: lines.filter((line) => !isRange(line)),
  };
  for (const of of ['ranges', 'events'] as const) {
    const [table, names, rows] = [tables[of], columns[of], rowsOf[of]];
    if (rows.length > 0)
      await tx.raw(
        `insert into ?? (${places(names)}) select ${places(names)} from json_populate_recordset(null::??, ?::json)
         ${of === 'ranges' ? 'on conflict do nothing' : ''}`,
        [table, ...names, ...names, table, `[${rows.join(',')}]`],
      );
  }
};
