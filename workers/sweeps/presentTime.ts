/** The time by which sweeps delete for ever: a clock that is ahead would end what environments still keep. */
import type { Deps } from '../../shared/deps.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import { dbNowSql } from '../../shared/platform/leases/leaderLease.ts';

const presentSql = statement('sweeps.present', `select ${dbNowSql} as at`);

/** Returns the earlier of the worker's time and PostgreSQL's, in epoch ms. */
export const presentTime = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<number> => {
  const now = clock.now();
  return Math.min(now, (await queryRow<{ at: number }>(db, presentSql))?.at ?? now);
};
