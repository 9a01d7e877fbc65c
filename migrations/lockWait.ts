/** The locks that a migration waits for: another transaction may hold a table for minutes, and only its owner can end it. Used by migrate.ts. */
import type pg from 'pg';

/** A lock of another session that a migration waits for; one of the migration's own ends with it. */
export interface LockWait {
  /** null: the end of a transaction, whatever it uses. */
  readonly table: string | null;
  /** Of the session that holds it. */
  readonly pid: number;
  /** The first characters of that session's last statement; null where the owner may not see it. */
  readonly query: string | null;
}

/** ms between two looks: what is over before nobody needs to know. */
const lookEveryMs = 1_000;

const waitSql = `
  select l.relation::regclass::text as table, b.pid,
    case when b.query not in ('', '<insufficient privilege>') then left(regexp_replace(b.query, '\\s+', ' ', 'g'), 80) end as query
  from pg_stat_activity w
  join pg_locks l on l.pid = w.pid and not l.granted
  cross join lateral unnest(pg_blocking_pids(w.pid)) blocker (pid)
  join pg_stat_activity b on b.pid = blocker.pid
  where w.datname = current_database() and w.application_name = $1 and b.application_name not like $1 || '%'
  order by b.xact_start nulls last, b.pid limit 1`;

/**
 * Runs `work`, and calls `onWait` with each session for whose lock the sessions named `applicationName` wait meanwhile, once. Asks on
 * `session`, which has nothing else to do.
 */
export const watchLockWaits = async <T>(
  session: pg.Client,
  applicationName: string,
  onWait: (wait: LockWait) => void,
  work: () => Promise<T>,
): Promise<T> => {
  const told = new Set<string>();
  let looking = Promise.resolve();
  let isLooking = false;
  const look = async (): Promise<void> => {
    const { rows } = await session.query<LockWait>(waitSql, [applicationName]);
    const [wait] = rows;
    const key = `${wait?.table ?? ''} ${String(wait?.pid)}`;
    if (wait === undefined || told.has(key)) return;
    told.add(key);
    onWait(wait);
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // A look that fails says nothing of the migration, which goes on.
    looking = look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, lookEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await looking;
  }
};
