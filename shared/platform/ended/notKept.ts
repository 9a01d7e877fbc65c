/** The answer for ids that nothing is found by, where rows of their age may have been kept until a time. Used by reads by id. */
import { fault, type Fault } from '../../catalogue/errors.ts';
import { retentionKinds, type EndedKind } from '../../catalogue/retention.ts';
import type { Db, Tx } from '../db/knex.ts';
import { queryRow, statement } from '../db/sql.ts';
import { idTime } from '../ids.ts';
import { dbNowSql } from '../leases/leaderLease.ts';

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
