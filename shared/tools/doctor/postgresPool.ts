/** The checks of `npm run doctor` on what lies between the service and PostgreSQL, such as PgBouncer in either mode. */
import type { Config } from '../../platform/config/config.ts';
import { openDb, type Db } from '../../platform/db/knex.ts';
import { sessionSettings } from '../../platform/db/sessionSettings.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { type Finding, readRow, fail, ok, warn } from './finding.ts';

/** `session` may also be a proxy that passes connections on. */
export type Pooling = 'none' | 'session' | 'transaction';

const pidSql = 'select pg_backend_pid() as pid';
const preparedPidSql = statement('doctor.pid', pidSql);

/** Which free backend a pool gives is its own choice: connections that never meet on one in so many turns don't share them. */
const turns = 20;

/**
 * Calls `after` with a connection whose next statement has another backend than `before` had, if connections share backends: a
 * second connection holds that in a transaction. Null: they don't share.
 */
const withOtherBackend = async <T>(
  url: string,
  before: (db: Db) => Promise<{ pid: number }>,
  after: (db: Db) => Promise<T>,
): Promise<T | null> => {
  const open = (): Db => openDb({ url, poolSize: 1, applicationName: 'console-doctor' });
  const [own, other] = [open(), open()];
  try {
    // Opened first, as a new connection takes a backend itself.
    await readRow(other, pidSql);
    for (let turn = 0; turn < turns; turn++) {
      const { pid } = await before(own);
      // A pool that takes its backends in turn.
      if ((await before(own)).pid !== pid) return await after(own);
      const held = await other.transaction(async (tx) => {
        const { rows } = await tx.raw<{ rows: { pid: number }[] }>(pidSql);
        return rows[0]?.pid === pid ? { result: await after(own) } : null;
      });
      if (held !== null) return held.result;
    }
    return null;
  } finally {
    await own.destroy();
    await other.destroy();
  }
};

/** Returns how many of the settings of sessions the role has in this database by itself. */
const countRoleSettings = async (db: Db): Promise<number> => {
  const names = Object.keys(sessionSettings).map((name) => `'${name}'`);
  const { n } = await readRow<{ n: number }>(
    db,
    `select count(distinct split_part(setting, '=', 1))::int as n from pg_db_role_setting s cross join unnest(s.setconfig) setting
     where s.setrole = (select oid from pg_roles where rolname = current_user)
       and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
       and split_part(setting, '=', 1) in (${names.join(', ')})`,
  );
  return n;
};

const isSamePlace = (one: string, other: string): boolean => new URL(one).host === new URL(other).host;

const checkTransactionMode = async (db: Db, { databaseUrl, migrateDatabaseUrl }: Config): Promise<Finding[]> => {
  const prepared = await withOtherBackend(
    databaseUrl,
    async (own) => (await queryRow<{ pid: number }>(own, preparedPidSql)) ?? { pid: 0 },
    (own) => queryRow(own, preparedPidSql).then(() => true),
  ).catch(() => false);
  const settings = await countRoleSettings(db);
  return [
    prepared === false
      ? fail(
          'postgres.pool',
          'a pool in transaction mode forgets prepared statements: set PgBouncer’s max_prepared_statements to 1000 (1.21 or newer), or pool_mode to session',
        )
      : warn(
          'postgres.pool',
          'a pool in transaction mode is in front: session mode is what is tested (docs/operators.md, PostgreSQL behind a pool)',
        ),
    settings === Object.keys(sessionSettings).length
      ? ok('postgres.sessionSettings', 'the role has the settings of its sessions')
      : fail(
          'postgres.sessionSettings',
          'the role lacks the settings of its sessions, which a pool in transaction mode does not keep: run npm run migrate with an owner who may change the role',
        ),
    ...(isSamePlace(databaseUrl, migrateDatabaseUrl)
      ? [
          warn(
            'postgres.migrate',
            'migrations can’t go through a pool in transaction mode: name PostgreSQL itself in MIGRATE_DATABASE_URL where they run',
          ),
        ]
      : []),
  ];
};

/**
 * Opens as many connections at once as the processes may, through a pool in session mode, and returns what came of it. Only while
 * no process is connected, as it would take theirs away.
 */
export const checkLentConnections = async (url: string, needed: number): Promise<Finding> => {
  const db = openDb({ url, poolSize: needed, applicationName: 'console-doctor' });
  try {
    const lend = () => db.transaction();
    const lent: Awaited<ReturnType<typeof lend>>[] = [];
    // A slow machine opens only some of them before the others give up: it is asked again for as long as it lends any.
    for (let before = -1; before < lent.length && lent.length < needed;) {
      before = lent.length;
      const asked = await Promise.allSettled(Array.from({ length: needed - before }, lend));
      lent.push(...asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    }
    await Promise.all(lent.map((tx) => tx.rollback()));
    const text = `the pool in front lends ${String(lent.length)} of the ${String(needed)} connections that the processes may open`;
    return lent.length === needed
      ? ok('postgres.connections', text)
      : fail('postgres.connections', `${text}: raise its pool_size and PostgreSQL’s max_connections`);
  } finally {
    await db.destroy();
  }
};

/** Returns what lies between, and the findings about it. */
export const checkPool = async (
  db: Db,
  config: Config,
): Promise<{ readonly pooling: Pooling; readonly findings: readonly Finding[] }> => {
  const moved = await withOtherBackend(
    config.databaseUrl,
    (own) => readRow<{ pid: number }>(own, pidSql),
    () => Promise.resolve(true),
  );
  if (moved === true) return { pooling: 'transaction', findings: await checkTransactionMode(db, config) };
  const { port } = await readRow<{ port: number | null }>(db, 'select inet_server_port() as port');
  const isDirect = port === null || port === Number(new URL(config.databaseUrl).port || 5432);
  return isDirect
    ? { pooling: 'none', findings: [ok('postgres.pool', 'the connection is PostgreSQL’s own')] }
    : {
        pooling: 'session',
        findings: [ok('postgres.pool', 'a pool in session mode, or a proxy, is in front')],
      };
};
