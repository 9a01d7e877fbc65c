/** Compares a file that holds in itself with what a database has recorded of its archives; used by the commands that verify and restore. */
import type { Db } from '../db/knex.ts';
import { queryRow, statement } from '../db/sql.ts';
import { listArchives, type Archive } from './parts.ts';
import type { ArchiveCheck, ArchivedHead } from './verify.ts';

/**
 * Where a file is from. `archived`: it is one that was archived of this database, byte by byte. `inDatabase`: it is of this
 * database, whose month is not archived. `other`: by its path or its month it should be one that was archived, and isn't.
 * `foreign`: it is of another database.
 */
type Origin =
  | { readonly of: 'archived' | 'inDatabase' | 'foreign' }
  | { readonly of: 'other'; readonly recorded: Archive; readonly foreign: boolean };

const headSql = statement('archive.isHead', 'select from audit_chain where env = $1 and n = $2 and hash = $3');

/** Returns whether the chains of a file are the database's, which keeps the last range of each month that it archives. */
const isOfDatabase = async (db: Db, heads: readonly ArchivedHead[]): Promise<boolean> => {
  for (const { env, n, hash } of heads) if ((await queryRow(db, headSql, [env, n, hash])) === undefined) return false;
  return heads.length > 0;
};

/** `sha256`: of the file, in hex; `check`: what was found in it. */
export const findOrigin = async (
  db: Db,
  path: string,
  sha256: string,
  { header, heads }: ArchiveCheck,
): Promise<Origin> => {
  const archives = await listArchives(db);
  if (archives.some((each) => each.sha256 === sha256)) return { of: 'archived' };
  const foreign = !(await isOfDatabase(db, heads));
  const recorded = archives.find(({ file }) => file === path) ?? archives.find(({ name }) => name === header.name);
  if (recorded !== undefined) return { of: 'other', recorded, foreign };
  return { of: foreign ? 'foreign' : 'inDatabase' };
};

const format = (n: number): string => n.toLocaleString('en');

/** Returns in what a file is another than the one that was archived. */
export const describeOther = (
  path: string,
  sha256: string,
  { events, name }: ArchiveCheck['header'],
  { recorded, foreign }: Extract<Origin, { of: 'other' }>,
): string => {
  const differences = [
    ...(name === recorded.name ? [] : [`the month ${name} instead of ${recorded.name}`]),
    ...(events === recorded.events ? [] : [`${format(events)} events instead of ${format(recorded.events)}`]),
    `the SHA-256 ${sha256} instead of ${recorded.sha256}`,
  ];
  return [
    `${path} is not the file that was archived: ${differences.join(', ')}.`,
    foreign ? 'It holds, but is not of this database.' : 'It holds, and has the chain of this database.',
    `The file of ${recorded.name} was written to ${recorded.file} (archive list); take another copy of it.`,
  ].join('\n');
};
