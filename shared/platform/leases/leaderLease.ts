/**
 * Leader leases: the right of a process to sweep, or to publish the environments of some partitions, as a row with a fence, by
 * PostgreSQL's clock. An advisory lock would not do: a frozen process would keep it for ever. Used by workers/outbox and
 * workers/sweeps.
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

/** An acquired lease. A holder whose statement failed must acquire the lease once more before its next statement, see `acquireLeaderLease`. */
export interface LeaderLease {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
}

/** A lease of one of those who publish at once. It is lost too when another one comes or goes: then all share anew. */
export interface PublisherLease extends LeaderLease {
  /** The partitions that this holder alone publishes (`partitionOf`). null: all partitions. */
  readonly partitions: readonly number[] | null;
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
export const acquireLeaderLease = async (db: Db, name: 'sweeps', holder: string): Promise<LeaderLease | null> => {
  const got = await queryRow<{ fence: number }>(db, acquireLeaseSql, [name, holder]);
  return got === undefined ? null : { name, holder, fence: got.fence };
};

const shareSql = statement('lease.share', 'select fence, partitions from share_publishing($1, $2)');

/** Acquires the lease of a publisher, as `acquireLeaderLease`; null while a publisher of a release before 0081 has all environments. */
export const acquirePublisherLease = async (db: Db, holder: string): Promise<PublisherLease | null> => {
  const got = await queryRow<Pick<PublisherLease, 'fence' | 'partitions'>>(db, shareSql, [holder, leaderLeaseMs]);
  return got === undefined ? null : { name: `publisher ${holder}`, holder, ...got };
};

const lockSharesSql = statement('lease.lockShares', "select from leases where name = 'publisher' for update");
const isGoodSql = statement('lease.isGood', 'select from leases where name = $1 and holder = $2 and fence = $3');
const endOthersSql = statement(
  'lease.endOthers',
  "update leases set fence = 0 where name like 'publisher %' and name <> $1",
);

/**
 * Runs `work` in a transaction in which nobody gets a publisher's lease; returns null when the lease is lost already.
 * `endOthers` ends the fences of all others and waits for their statements under way: until they have acquired their leases
 * anew, which they do after the commit, nobody publishes anything.
 */
export const underShares = async <T>(
  db: Db,
  { name, holder, fence }: LeaderLease,
  work: (tx: Db, endOthers: () => Promise<unknown>) => Promise<T>,
): Promise<T | null> =>
  db.transaction(async (tx) => {
    await queryRow(tx, lockSharesSql);
    const good = await queryRow(tx, isGoodSql, [name, holder, fence]);
    return good === undefined ? null : work(tx, () => executeStatement(tx, endOthersSql, [name]));
  });

/** Returns the partition of an environment, as `outbox_partition` of PostgreSQL does. */
export const partitionOf = (env: number): number => Math.imul(env, 2_654_435_769) >>> 29;

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
