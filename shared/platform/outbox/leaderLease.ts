/**
 * Who does what only one process may do (the publisher, the sweeps): a row with a fence, by PostgreSQL's clock. Not an
 * advisory lock: a frozen process would keep that for ever.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from '../db/knex.ts';
import { queryRow, executeStatement, statement } from '../db/sql.ts';

/** Long enough for a pause of garbage collection or a slow disk, short enough for the live stream to stand still. */
export const leaderLeaseMs = 3_000;
/** How often a process that doesn't hold a lease tries for it. */
export const leaseRetryMs = 1_000;

/** PostgreSQL's clock in ms, in SQL. `clock_timestamp`: the time now, not that of the transaction's start. */
export const dbNowSql = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

type LeaseName = 'publisher' | 'sweeps';

/** One that was got. A holder whose statement failed must get it anew before its next: see `acquire`. */
export interface LeaderLease {
  readonly name: LeaseName;
  readonly holder: string;
  readonly fence: number;
}

/** Names a holder; two in one process differ. */
export const newHolderName = (processName: string): string => `${processName}-${randomBytes(4).toString('hex')}`;

const acquireLeaseSql = statement(
  'lease.acquire',
  `
  insert into leases (name, holder, fence, until) values ($1, $2, 1, ${dbNowSql} + ${String(leaderLeaseMs)})
  on conflict (name) do update set holder = excluded.holder, fence = leases.fence + 1, until = excluded.until
  where leases.until <= ${dbNowSql} or leases.holder = excluded.holder
  returning fence`,
);
const renewLeaseSql = statement(
  'lease.renew',
  `
  update leases set until = ${dbNowSql} + ${String(leaderLeaseMs)} where name = $1 and holder = $2 and fence = $3 and until > ${dbNowSql}`,
);
const releaseLeaseSql = statement(
  'lease.release',
  'update leases set until = 0 where name = $1 and holder = $2 and fence = $3',
);

/**
 * Gets the lease when it is free, has run out or is one's own already; null otherwise. Each success has a new fence,
 * so a statement of ours that was lost from sight finds another fence and does nothing, or has committed before.
 */
export const acquireLeaderLease = async (db: Db, name: LeaseName, holder: string): Promise<LeaderLease | null> => {
  const got = await queryRow<{ fence: number }>(db, acquireLeaseSql, [name, holder]);
  return got === undefined ? null : { name, holder, fence: got.fence };
};

/** False when it was lost. */
export const renewLeaderLease = async (db: Db, { name, holder, fence }: LeaderLease): Promise<boolean> =>
  (await executeStatement(db, renewLeaseSql, [name, holder, fence])) === 1;

export const releaseLeaderLease = async (db: Db, { name, holder, fence }: LeaderLease): Promise<void> => {
  await executeStatement(db, releaseLeaseSql, [name, holder, fence]);
};
