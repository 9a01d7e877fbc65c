/**
 * Leader leases: the right of one process to publish or to sweep, as a row with a fence, by PostgreSQL's clock. An advisory
 * lock would not do: a frozen process would keep it for ever. Used by workers/outbox and workers/sweeps.
 */
import { randomBytes, randomInt } from 'node:crypto';
import type { Db } from '../db/knex.ts';
import { executeStatement, queryRow, statement } from '../db/sql.ts';

/** How long a lease lasts without renewal, in ms: longer than a pause of garbage collection or a slow disk write, short enough as a pause of the live stream. */
export const leaderLeaseMs = 3_000;
/** How often a process without the lease tries to acquire it, in ms. */
export const leaseRetryMs = 1_000;

/** PostgreSQL's clock in epoch ms, in SQL. `clock_timestamp` is the present time, `now()` would be that of the transaction's start. */
export const dbNowSql = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

type LeaseName = 'publisher' | 'sweeps';

/** An acquired lease. A holder whose statement failed must acquire the lease once more before its next statement, see `acquireLeaderLease`. */
export interface LeaderLease {
  readonly name: LeaseName;
  readonly holder: string;
  readonly fence: number;
}

/** Returns a name for a holder that no other holder has, in this process or another. */
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
 * Acquires the lease when it is free, has run out or is the holder's own; returns null otherwise. Each success raises the
 * fence, so an earlier statement of the holder whose outcome is unknown has either committed before, or finds another fence
 * and does nothing.
 */
export const acquireLeaderLease = async (db: Db, name: LeaseName, holder: string): Promise<LeaderLease | null> => {
  const got = await queryRow<{ fence: number }>(db, acquireLeaseSql, [name, holder]);
  return got === undefined ? null : { name, holder, fence: got.fence };
};

/** Renews the lease. Returns false when it is lost. */
export const renewLeaderLease = async (db: Db, { name, holder, fence }: LeaderLease): Promise<boolean> =>
  (await executeStatement(db, renewLeaseSql, [name, holder, fence])) === 1;

/** Ends the lease, unless it is lost already. */
export const releaseLeaderLease = async (db: Db, { name, holder, fence }: LeaderLease): Promise<void> => {
  await executeStatement(db, releaseLeaseSql, [name, holder, fence]);
};

const most = 2 ** 15;

/** Returns by how much epochs and revisions rise: by chance, so that those that were lost with a server do not come again with another meaning. */
export const newEpochRise = (): number => 1 + randomInt(most);
