/** Writes a part of the events to a file, proves the file, and takes the part out of the database, all or nothing. */
import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isLockTimeout } from '../db/errors.ts';
import type { Db, Tx } from '../db/knex.ts';
import { namedStatement, queryNamedRows, queryRow, statement, queryRows } from '../db/sql.ts';
import { sleep } from '../time/clock.ts';
import { hasUnchained, partLines, readPartChains, readPartFacts, type PartFacts } from './contents.ts';
import { takenName, writeArchiveFile } from './file.ts';
import { type ArchiveHeader, readColumns } from './header.ts';
import { ArchiveProblem, type Archive, type EventPart } from './parts.ts';
import { existsName, readArchiveHeader } from './read.ts';
import { checkArchive } from './verify.ts';

/** Tries to get a lock, and ms of each; every change waits behind it meanwhile. */
const [triesMax, lockMs] = [60, 500];
/** Between two tries, in ms: what has waited behind one is through by then. */
const pauseMs = { least: 1_000, most: 5_000 };

const deleteChainsSql = statement(
  'archive.deleteChains',
  `
  delete from audit_chain c where c.last < $2 and c.last >= $1
    and exists (select from audit_chain a where a.env = c.env and a.n > c.n and a.last < $2)`,
);

/** Runs `work`, whose locks may be refused, until it has them. */
const withLocks = async (tx: Tx, work: (step: Tx) => Promise<void>): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await tx.transaction(async (step) => {
        await step.raw(`set local lock_timeout = '${String(lockMs)}ms'`);
        await work(step);
      });
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === triesMax)
        throw new ArchiveProblem('the table of events was in use all the time; nothing was changed. Try again later.');
    }
    await sleep(randomInt(pauseMs.least, pauseMs.most));
  }
};

/**
 * Takes a part away as the last thing that its transaction does: from the detaching on, everybody who reads events waits for its
 * commit. `record` is called then, as it locks what other changes need too.
 */
const takeOut = (tx: Tx, { table, starts, ends }: EventPart, record: (step: Tx) => Promise<void>): Promise<void> =>
  withLocks(tx, async (step) => {
    await step.raw('lock table audit_chain in share row exclusive mode');
    await step.raw('alter table events detach partition ??', [table]);
    // The newest range stays, as the next one goes on from it.
    await step.raw('alter table audit_chain disable trigger audit_chain_append_only');
    await queryRows(step, deleteChainsSql, [starts, ends]);
    await step.raw('alter table audit_chain enable trigger audit_chain_append_only');
    await step.raw('drop table ??', [table]);
    await record(step);
  });

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

const insertArchiveSql = namedStatement(
  'archive.insert',
  () => `
  insert into archives (starts, ends, name, file, bytes, sha256, events, first_at, last_at, chains, archived_at)
  values ($starts, $ends, $name, $file, $bytes, $sha256, $events, $first_at, $last_at, $chains::jsonb, $now)
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
    const [archive] = await queryNamedRows<Archive>(tx, insertArchiveSql, {
      starts,
      ends,
      name,
      file,
      bytes,
      sha256,
      events,
      now,
      first_at: firstAt,
      last_at: lastAt,
      chains: JSON.stringify(chains),
    });
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
