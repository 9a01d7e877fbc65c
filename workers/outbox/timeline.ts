/**
 * Notices that PostgreSQL has failed over or was restored, and begins a new epoch of every stream then. Used by publisher.ts.
 *
 * A promoted standby, and a server restored to a point in time, counts on in a timeline of its own, and a dump is loaded into
 * another system. The row that publishers share by has the system and the timeline that the last publisher worked on; it comes
 * with the data, so it tells what these data were before. Where the two differ, commits may be lost that a stream has told of:
 * its next messages get positions that others had. So each stream's epoch ends at the position that it has now. Up to there an
 * offset of that epoch goes on, as nothing was lost before it; one behind it is of a lost message, and its reader starts anew.
 * No process has to have seen the loss, and it may come to light at any later time.
 *
 * Every statement that gives positions compares the timeline too: between two of them the connection may lead to another server.
 */
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { historySql, systemSql, timelineSql } from '../../shared/platform/db/serverState.ts';
import { executeStatement, queryRow, statement } from '../../shared/platform/db/sql.ts';
import { newEpochRise, type PublisherLease, underShares } from '../../shared/platform/leases/leaderLease.ts';

const presentSql = statement(
  'publisher.timeline',
  `select ${timelineSql} as timeline, ${systemSql} as system, (select timeline from leases where name = 'publisher') as known`,
);
/** No row: the connection leads to another server since. */
const knownSql = statement(
  'publisher.knownTimeline',
  `select timeline from leases where name = 'publisher' and ${historySql} = $1`,
);
const noteSql = statement('publisher.noteTimeline', "update leases set timeline = $1 where name = 'publisher'");
const endEpochsSql = statement(
  'publisher.endEpochs',
  `
  with begun as (
    update environments set epoch = epoch + $1 returning id, epoch - $1 as ended
  ), forgotten as (
    delete from stream_epochs e using streams s where s.env = e.env and e.last < s.trimmed
  )
  insert into stream_epochs (env, epoch, last)
  select b.id, b.ended, coalesce(s.position, 0) from begun b left join streams s on s.env = b.id`,
);
export const raiseRevisionSql = statement(
  'publisher.raiseRevision',
  'update revisions set n = n + $1 where id = 1 returning n',
);

interface Present {
  readonly timeline: string;
  readonly system: string;
  /** The timeline that the publishers had before. */
  readonly known: string | null;
}

/** Returns what PostgreSQL says of itself; null where it has no such functions. */
const readPresent = async (db: Db): Promise<Present | null> => {
  try {
    return (await queryRow<Present>(db, presentSql)) ?? null;
  } catch (error) {
    if (isDbUnavailable(error)) throw error;
    return null;
  }
};

interface TimelineFound {
  /** For the statements of the lease; null: not known. */
  readonly timeline: string | null;
  /** The revision that every process has to load, after a new epoch began; null: nothing has changed. */
  readonly revision: number | null;
}

/** Compares PostgreSQL with what it was for publishers before, and begins new epochs if it is another one. */
export const followTimeline = async (db: Db, lease: PublisherLease): Promise<TimelineFound> => {
  const present = await readPresent(db);
  if (present === null) return { timeline: null, revision: null };
  const { timeline } = present;
  const now = `${present.system} ${timeline}`;
  // A process that freezes inside a transaction delays the others. Where nothing has changed, no transaction is opened.
  if (present.known === now) return { timeline, revision: null };
  const revision = await underShares(db, lease, async (tx, endOthers) => {
    const known = await queryRow<{ timeline: string | null }>(tx, knownSql, [now]);
    if (known === undefined || known.timeline === now) return null;
    await executeStatement(tx, noteSql, [now]);
    if (known.timeline === null) return null;
    await endOthers();
    const by = newEpochRise();
    await executeStatement(tx, endEpochsSql, [by]);
    return (await queryRow<{ n: number }>(tx, raiseRevisionSql, [by]))?.n ?? null;
  });
  return { timeline, revision };
};
