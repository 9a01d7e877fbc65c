/**
 * The header of an archive: the first line of its file, which says what the file has. A file names its own columns, so that one
 * which the tables get later changes nothing about it.
 */
import type { Tx } from '../db/knex.ts';
import { ArchiveProblem, takeAnother } from './parts.ts';

/** What a chain was before the file's first range, and the ranges that the file has. */
export interface ArchivedChain {
  readonly env: number;
  /** The number, the last event and the hash of the range before the first that is proven here; 0, 0 and zeros without one. */
  readonly before: { readonly n: number; readonly last: number; readonly hash: string };
  /** The number of its last range here. */
  readonly last: number;
  /** Whether the range behind it has entries of this file too. Their part can't be proven without the database. */
  readonly shared: boolean;
}

/** The columns of the lines, in the order in which PostgreSQL had them. */
export interface ArchivedColumns {
  readonly events: readonly string[];
  readonly ranges: readonly string[];
}

/** The columns of files whose header names none. */
const formerColumns: ArchivedColumns = {
  events:
    'id,env,at,actor_type,actor,actor_name,role,verb,target_type,target,outcome,inbox,item,entry,type,is_update,data,before,after,request_id,address,about'.split(
      ',',
    ),
  ranges: ['env', 'n', 'form', 'last', 'entries', 'salts', 'digests', 'hash', 'at'],
};

export interface ArchiveHeader {
  readonly archive: 'events';
  readonly version: 1;
  readonly name: string;
  readonly table: string;
  readonly starts: number;
  readonly ends: number;
  readonly events: number;
  readonly columns: ArchivedColumns;
  /** The sum of a hash of each event's JSON text, which has its columns and no others. */
  readonly digest: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly chains: readonly ArchivedChain[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isChain = (value: unknown): boolean =>
  isObject(value) &&
  [value['env'], value['last']].every(Number.isSafeInteger) &&
  typeof value['shared'] === 'boolean' &&
  isObject(value['before']) &&
  [value['before']['n'], value['before']['last']].every(Number.isSafeInteger) &&
  /^[0-9a-f]{64}$/.test(String(value['before']['hash']));

const areColumns = (value: unknown, needed: readonly string[]): boolean =>
  Array.isArray(value) &&
  value.every((each) => typeof each === 'string') &&
  new Set(value).size === value.length &&
  needed.every((each) => value.includes(each));

/** The header of a file; one of before named no columns. */
type WrittenHeader = Omit<ArchiveHeader, 'columns'> & Partial<Pick<ArchiveHeader, 'columns'>>;

const isHeader = (value: unknown): value is WrittenHeader =>
  isObject(value) &&
  value['archive'] === 'events' &&
  value['version'] === 1 &&
  [value['name'], value['table'], value['digest']].every((each) => typeof each === 'string') &&
  ['starts', 'ends', 'events', 'firstAt', 'lastAt'].every((each) => Number.isSafeInteger(value[each])) &&
  Array.isArray(value['chains']) &&
  value['chains'].every(isChain) &&
  (value['columns'] === undefined ||
    (isObject(value['columns']) &&
      areColumns(value['columns']['events'], ['id', 'env', 'at']) &&
      areColumns(value['columns']['ranges'], ['env', 'n'])));

/** Returns the header that is a file's first line. Throws ArchiveProblem. */
export const parseArchiveHeader = (line: string | undefined, path: string): ArchiveHeader => {
  try {
    const value: unknown = JSON.parse(line ?? '');
    if (isHeader(value)) return { ...value, columns: value.columns ?? formerColumns };
  } catch {
    // Said below, as a header of another form is.
  }
  throw new ArchiveProblem(
    `${path} is no archive of events, one that a newer version has written, or damaged at line 1; then ${takeAnother}.`,
  );
};

/** Names of the tables that have the events and the ranges of the chains. */
export interface ArchiveTables {
  readonly events: string;
  readonly ranges: string;
}

const columnsSql =
  'select attname as name from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped order by attnum';

const namesOf = async (tx: Tx, table: string): Promise<string[]> =>
  (await tx.raw<{ rows: { name: string }[] }>(columnsSql, [table])).rows.map(({ name }) => name);

/** Returns the columns of tables, in their order. */
export const readColumns = async (tx: Tx, { events, ranges }: ArchiveTables): Promise<ArchivedColumns> => ({
  events: await namesOf(tx, events),
  ranges: await namesOf(tx, ranges),
});

/** Throws ArchiveProblem where the tables lack columns of a file. */
export const requireColumns = async (
  tx: Tx,
  path: string,
  columns: ArchivedColumns,
  tables: ArchiveTables,
): Promise<void> => {
  const here = await readColumns(tx, tables);
  const missing = (['events', 'ranges'] as const).flatMap((of) =>
    columns[of].filter((name) => !here[of].includes(name)),
  );
  if (missing.length > 0)
    throw new ArchiveProblem(
      `${path} has columns that this database has not (${missing.join(', ')}): a newer version has written it, or it is damaged at line 1; then ${takeAnother}.`,
    );
};
