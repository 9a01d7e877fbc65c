/** Puts an archived part of the events back where it was, with its ranges of the chain. */
import type { Db, Tx } from '../db/knex.ts';
import { executeStatement, statement } from '../db/sql.ts';
import { insertLines, readPartFacts } from './contents.ts';
import { requireColumns } from './header.ts';
import { describeOther, findOrigin } from './origin.ts';
import { ArchiveProblem, listArchives, type Archive } from './parts.ts';
import { hashFile, readArchiveFile } from './read.ts';
import { checkArchive } from './verify.ts';

const deleteArchiveSql = statement('archive.delete', 'delete from archives where starts = $1');

interface RestoreOptions {
  /** One connection at least, without a limit of time. */
  readonly db: Db;
  readonly path: string;
  /** Called in the transaction, when all is done but that the archive is forgotten. */
  readonly record: (tx: Tx, archive: Archive) => Promise<void>;
}

/** Returns why a file is not among those that can be restored. */
const findRefusal = async (db: Db, path: string, sha256: string): Promise<ArchiveProblem> => {
  const check = await checkArchive(db, path);
  if (check.problems.length > 0) return new ArchiveProblem([`${path} does not hold.`, ...check.problems].join('\n'));
  const origin = await findOrigin(db, path, sha256, check);
  if (origin.of === 'other') return new ArchiveProblem(describeOther(path, sha256, check.header, origin));
  return new ArchiveProblem(
    origin.of === 'foreign'
      ? `${path} holds, but is not of this database; only the one that it was archived from takes it back.`
      : `${path} was restored already, or never taken out: ${check.header.name} is in the database.`,
  );
};

/** Restores a file that was archived from this database; the file stays. Throws ArchiveProblem where it isn't one, is restored already, or was changed. */
export const restoreArchive = async ({ db, path, record }: RestoreOptions): Promise<Archive> => {
  const sha256 = await hashFile(path);
  const restored = await db.transaction(async (tx) => {
    const archive = (await listArchives(tx)).find((each) => each.sha256 === sha256);
    if (archive === undefined) return null;
    const table = `events_${archive.name.replace('-', '_')}`;
    await tx.raw('create table ?? (like events including defaults including constraints)', [table]);
    const tables = { events: table, ranges: 'audit_chain' };
    const { events, digest, columns } = await readArchiveFile(
      path,
      (header) => requireColumns(tx, path, header.columns, tables),
      (lines, header) => insertLines(tx, lines, header.columns, tables),
    );
    const facts = await readPartFacts(tx, table, columns);
    if (facts.events !== events || facts.digest !== digest)
      throw new ArchiveProblem(`${path} does not have the events that it was written with.`);
    await tx.raw(
      'create trigger events_not_emptied before truncate on ?? for each statement execute function events_append_only()',
      [table],
    );
    const bounds = `(${archive.starts === 0 ? 'minvalue' : String(archive.starts)}) to (${String(archive.ends)})`;
    await tx.raw(`alter table events attach partition ?? for values from ${bounds}`, [table]);
    await record(tx, archive);
    await executeStatement(tx, deleteArchiveSql, [archive.starts]);
    return archive;
  });
  if (restored === null) throw await findRefusal(db, path, sha256);
  return restored;
};
