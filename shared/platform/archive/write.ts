/** Writes a part of the events to a file, proves the file, and takes the part out of the database, all or nothing. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Db, Tx } from '../db/knex.ts';
import { queryRow, statement } from '../db/sql.ts';
import { readColumns } from './columns.ts';
import { hasUnchained, partLines, readPartChains, readPartFacts, type PartFacts } from './contents.ts';
import { takenName, writeArchiveFile } from './file.ts';
import type { ArchiveHeader } from './header.ts';
import { ArchiveProblem, type Archive, type EventPart } from './parts.ts';
import { existsName, readArchiveHeader } from './read.ts';
import { takeOut } from './takeOut.ts';
import { checkArchive } from './verify.ts';

const neededSql = statement(
  'archive.needed',
  `
  select (select count(*) from erasures where finished_at is null)::int as erasures,
    (select count(*) from staged_jobs j where j.name = 'replySend' and j.created_at <= $1)::int as replies,
    (select event from item_words_progress) as indexed`,
);

/** Returns why a part can't be archived now, or null. */
const findObstacle = async (tx: Tx, part: EventPart, { lastAt, lastId }: PartFacts): Promise<string | null> => {
  const needed = await queryRow<{ erasures: number; replies: number; indexed: number }>(tx, neededSql, [lastAt]);
  if (needed === undefined) return null;
  if (needed.erasures > 0) return `${String(needed.erasures)} erasures are under way; try again when they are done.`;
  if (needed.replies > 0)
    return `${String(needed.replies)} replies of that time wait to be sent; their texts are read from there.`;
  if (needed.indexed < (lastId ?? 0)) return 'its texts are not all indexed yet; are the workers running?';
  return (await hasUnchained(tx, part)) ? 'its entries are not all chained yet; are the workers running?' : null;
};

const insertArchiveSql = statement(
  'archive.insert',
  `
  insert into archives (starts, ends, name, file, bytes, sha256, events, first_at, last_at, chains, archived_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11)
  returning starts, ends, name, file, bytes, sha256, events, first_at, last_at, archived_at`,
);

interface ArchiveOptions {
  /** Two connections at least, without a limit of time. */
  readonly db: Db;
  readonly part: EventPart;
  readonly folder: string;
  readonly now: number;
  /** Epoch ms. A part with later events than that is left as it is. */
  readonly before: number;
  /** Called in the transaction, once the file is proven and the part gone. */
  readonly record: (tx: Tx, archive: Archive) => Promise<void>;
}

/** Any number that nothing else in this database locks. */
const lockNumber = 4_920_735;

const lockSql = statement(
  'archive.lock',
  `select pg_try_advisory_xact_lock(${String(lockNumber)}) as locked, to_regclass($1) is not null as exists`,
);

/** Locks the parts against other commands, and one against writes. Returns false where another command has taken it out meanwhile. */
const lockPart = async (tx: Tx, { table }: EventPart): Promise<boolean> => {
  const found = await queryRow<{ locked: boolean; exists: boolean }>(tx, lockSql, [table]);
  if (found?.locked !== true)
    throw new ArchiveProblem('another archive of this database is under way; try again when it is done.');
  if (found.exists) await tx.raw('lock table ?? in share mode', [table]);
  return found.exists;
};

/** Throws where the name of a file is taken by another than a command that was killed has left, before anything is written. */
const refuseTaken = async (file: string, header: ArchiveHeader): Promise<void> => {
  if ((await existsName(file)) && !isDeepStrictEqual(await readArchiveHeader(file), header)) throw takenName(file);
};

/** Writes a part to a file, proves that, and takes the part out. Whatever fails, no file is left that was not there before. */
const moveToFile = async (
  tx: Tx,
  { db, part, folder, now, record }: ArchiveOptions,
  header: ArchiveHeader,
): Promise<Archive> => {
  const { name, starts, ends, events, firstAt, lastAt, chains } = header;
  const file = join(folder, `events-${name}.jsonl.gz`);
  await refuseTaken(file, header);
  const { bytes, sha256, isNew } = await writeArchiveFile(file, header, partLines(tx, part));
  try {
    const { problems } = await checkArchive(db, file);
    if (problems.length > 0)
      throw new ArchiveProblem(`${file} does not prove what was written to it: ${problems.join(' ')}`);
    const values = [starts, ends, name, file, bytes, sha256, events, firstAt, lastAt, JSON.stringify(chains), now];
    const archive = await queryRow<Archive>(tx, insertArchiveSql, values);
    if (archive === undefined) throw new Error('The insert returns its row.');
    await takeOut(tx, part, (step) => record(step, archive));
    return archive;
  } catch (error) {
    // Nothing is committed yet. After a commit of which nobody knows the end, the file may be all that there is of the part, and stays.
    if (isNew) await rm(file, { force: true });
    throw error;
  }
};

interface PartOutcome {
  /** Null: the part was empty, which leaves no file, or is left as it is. */
  readonly archive: Archive | null;
  /** When the last event was that is later than those that are archived, in epoch ms; null: there is none. */
  readonly laterAt: number | null;
}
const nothing: PartOutcome = { archive: null, laterAt: null };

/** So much later than its month's end, in ms, an event may have been written to it. */
const lateMs = 86_400_000;

/**
 * Archives a part. Throws ArchiveProblem where it can't be done now, and where the name of its file is taken.
 * Meanwhile nothing is written to the part, and whatever fails, it stays as it was.
 */
export const archivePart = (options: ArchiveOptions): Promise<PartOutcome> =>
  options.db.transaction(async (tx) => {
    const { part, before } = options;
    const { table, name, starts, ends } = part;
    if (!(await lockPart(tx, part))) return nothing;
    const columns = await readColumns(tx, { events: table, ranges: 'audit_chain' });
    const facts = await readPartFacts(tx, table, columns);
    const { events, digest, firstAt, lastAt } = facts;
    if (firstAt === null || lastAt === null) {
      await takeOut(tx, part, () => Promise.resolve());
      return nothing;
    }
    if (lastAt >= before + lateMs) return { archive: null, laterAt: lastAt };
    const obstacle = await findObstacle(tx, part, facts);
    if (obstacle !== null) throw new ArchiveProblem(obstacle);
    const chains = await readPartChains(tx, part);
    const header: ArchiveHeader = {
      archive: 'events',
      version: 1,
      name,
      table,
      starts,
      ends,
      events,
      columns,
      digest,
      firstAt,
      lastAt,
      chains,
    };
    return { archive: await moveToFile(tx, options, header), laterAt: null };
  });
