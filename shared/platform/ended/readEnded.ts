/** Reads rows that stand in two tables, the unfinished and recent ones and the months of those that ended: pages, and ids that nothing is found by. */
import { type Fault, fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { type EndedKind, retentionKinds } from '../../catalogue/retention.ts';
import type { Db, Tx } from '../db/knex.ts';
import { queryRow, statement } from '../db/sql.ts';
import { idTime } from '../ids.ts';
import { dbNowSql } from '../leases/leaderLease.ts';

/** ms by which clocks of processes may differ. */
const skewMs = 3_600_000;

interface TwoTables<R> {
  readonly now: number;
  /** The id below which the page begins. */
  readonly before: string;
  readonly wanted: number;
  /** Returns the rows of the page from the table of the unfinished and recent rows. */
  readonly readRecent: () => Promise<R[]>;
  /** Returns the rows of the page from both tables. */
  readonly readAll: () => Promise<R[]>;
}

/** Returns the rows of a page, newest first; the months are looked into only for pages that reach back to them. */
export const readPageOfTwo = async <R extends { readonly id: string }>({
  now,
  before,
  wanted,
  readRecent,
  readAll,
}: TwoTables<R>): Promise<R[]> => {
  const border = now - limits.endedRowsMs + skewMs;
  const from = idTime(before);
  if (from !== 0 && from <= border) return readAll();
  const found = await readRecent();
  const last = found.at(-1);
  return found.length === wanted && last !== undefined && idTime(last.id) > border ? found : readAll();
};

const dayMs = 86_400_000;

const retentionSql = statement(
  'ended.retention',
  `select days from retentions where env = $1 and kind = $2 and days > 0 and $3::bigint + days::bigint * ${String(dayMs)} < ${dbNowSql}`,
);

const iso = (at: number): string => new Date(at).toISOString();

/**
 * Returns `not_found`; for an id from before the time for which the environment keeps such rows, with that time. It goes by the
 * id alone, so that what the caller may not see is answered like what never was.
 */
export const notFoundFault = async (db: Db | Tx, envId: number, kind: EndedKind, id: string): Promise<Fault> => {
  const at = idTime(id);
  const kept = at === 0 ? undefined : await queryRow<{ days: number }>(db, retentionSql, [envId, kind, at]);
  if (kept === undefined) return fault('not_found');
  const label = retentionKinds.find((one) => one.kind === kind)?.label ?? kind;
  return fault(
    'not_found',
    `Here ${label} are kept for ${String(kept.days)} days after they end; one of ${iso(at)} that ended at once was kept until ${iso(at + kept.days * dayMs)}.`,
  );
};
