/** The checks of `npm run doctor` on PostgreSQL. Run by main.ts. */
import type { Config } from '../../platform/config/config.ts';
import { openDb, type Db } from '../../platform/db/knex.ts';
import { readSchemaState } from '../../platform/db/schemaVersion.ts';
import { type ReadOnlyStanding, systemSql, describeReadOnly, readOnlySql } from '../../platform/db/serverState.ts';
import { resolveWithin } from '../../platform/time/clock.ts';
import { describeConnectError } from '../services/connectError.mjs';
import {
  type Finding,
  readRow,
  attempt,
  attemptAll,
  checkCertificate,
  checkClock,
  checkUnencrypted,
  fail,
  isLoopback,
  ok,
  warn,
} from './finding.ts';
import { checkLentConnections, checkPool, type Pooling } from './postgresPool.ts';
import { checkRole } from './postgresRole.ts';

/**
 * Writes a temporary file of some hundred KB where the database's tables are: rows that do not fit into the smallest memory.
 * PostgreSQL deletes the file with the statement; no table, row or transaction number is used.
 */
const fillFile = async (db: Db): Promise<void> => {
  const tx = await db.transaction();
  try {
    await readRow(tx, "select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)");
    await readRow(tx, 'select count(*) from generate_series(1, 20000)');
  } finally {
    await tx.rollback();
  }
};

const isDiskFull = (error: unknown): error is Error =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === '53100';

const checkPostgresWrites = async (db: Db): Promise<Finding> => {
  const readOnly = describeReadOnly(await readRow<ReadOnlyStanding>(db, readOnlySql), 'DATABASE_URL');
  if (readOnly !== null) return fail('postgres.writes', readOnly);
  try {
    await fillFile(db);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return fail(
      'postgres.writes',
      `PostgreSQL can’t write, as its disk is full: enlarge it or free space there, but delete nothing in pg_wal (${error.message})`,
    );
  }
  return ok('postgres.writes', 'PostgreSQL writes: it is no standby, not read-only, and has space');
};

/** ms that a commit may wait for a synchronous standby. */
const commitMs = 3_000;

/** Commits an entry of PostgreSQL's log that nobody reads: a commit that wrote nothing waits for no standby. */
const checkCommits = async (db: Db): Promise<Finding> => {
  const tx = await db.transaction();
  const { pid } = await readRow<{ pid: number }>(
    tx,
    "select pg_backend_pid() as pid, pg_logical_emit_message(true, 'console-doctor', '') as place",
  );
  const committing = tx.commit().then(() => true);
  if (await resolveWithin(commitMs, committing, false)) return ok('postgres.commits', 'a commit is done at once');
  // Of this commit alone, which holds nothing that could be lost.
  await readRow(db, `select pg_cancel_backend(${String(pid)})`);
  await committing;
  return fail(
    'postgres.commits',
    `a commit waited ${String(commitMs / 1_000)} s for a synchronous standby that is gone or can’t keep up, and so does each of the service: see When the synchronous standby is gone (docs/production.md)`,
  );
};

/**
 * The check of `npm run doctor` on MIGRATE_DATABASE_URL, where one is given: the owner of the tables, in the same database.
 */
const placeSql = `
  select ${systemSql} || ' ' || current_database() as database, current_database() as name, current_user as role,
    coalesce((select pg_has_role(current_user, c.relowner, 'member') from pg_class c where c.oid = to_regclass('schema_version')), true) as owner`;

interface Place {
  /** The server's identity, and the name of the database there. */
  readonly database: string;
  readonly name: string;
  readonly role: string;
  /** Whether the role has the rights of the owner of the tables, if there are any. */
  readonly owner: boolean;
}

/** Returns the finding; none where migrations have the address of the service. `db` is the service's. */
const checkOwner = async (db: Db, { databaseUrl, migrateDatabaseUrl: url }: Config): Promise<Finding[]> => {
  if (url === databaseUrl) return [];
  const owners = openDb({ url, poolSize: 1, applicationName: 'console-doctor' });
  try {
    const service = await readRow<Place>(db, placeSql);
    const { database, name, role, owner } = await readRow<Place>(owners, placeSql);
    if (database !== service.database)
      return [
        fail(
          'postgres.migrate',
          `MIGRATE_DATABASE_URL names the database ${name} of another server or another name than DATABASE_URL’s ${service.name}: migrations would go there`,
        ),
      ];
    return [
      owner
        ? ok('postgres.migrate', `${role} of MIGRATE_DATABASE_URL may migrate the same database`)
        : fail(
            'postgres.migrate',
            `${role} of MIGRATE_DATABASE_URL does not own the tables: name the role that migrated first, or a member of it`,
          ),
    ];
  } catch (error) {
    const { host } = new URL(url);
    return [
      fail(
        'postgres.migrate',
        `PostgreSQL at ${host} can’t be reached with MIGRATE_DATABASE_URL: ${describeConnectError(error)}`,
      ),
    ];
  } finally {
    await owners.destroy();
  }
};

interface ProcessCounts {
  readonly apis: number;
  readonly workers: number;
}

/** Returns the finding about the encryption of a connection to PostgreSQL, by its address. */
export const checkPostgresTls = (databaseUrl: string, variable = 'DATABASE_URL'): Finding => {
  const { hostname, searchParams } = new URL(databaseUrl);
  const mode = searchParams.get('sslmode') ?? (searchParams.get('ssl') === 'true' ? 'require' : 'disable');
  const isVerified = ['require', 'verify-ca', 'verify-full'].includes(mode);
  if (isVerified && !isLoopback(hostname)) return ok('postgres.tls', `sslmode is ${mode}`);
  if (mode === 'no-verify' && !isLoopback(hostname))
    return warn('postgres.tls', 'sslmode=no-verify encrypts for whoever answers: use verify-full, with sslrootcert');
  return checkUnencrypted('postgres.tls', 'PostgreSQL', [hostname], `add ?sslmode=verify-full to ${variable}`);
};

const oldestVersion = 150_000;

const checkVersion = async (db: Db): Promise<Finding> => {
  const { number, name } = await readRow<{ number: number; name: string }>(
    db,
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  return number >= oldestVersion
    ? ok('postgres.version', `PostgreSQL ${name}`)
    : fail('postgres.version', `PostgreSQL ${name} is too old: 15 or newer is needed`);
};

/** Accented letters have a case in a locale that knows Unicode; without one the index of words drops them. */
const checkLocale = async (db: Db): Promise<Finding> => {
  const { encoding, folds } = await readRow<{ encoding: string; folds: boolean }>(
    db,
    "select current_setting('server_encoding') as encoding, lower(U&'\\00C4') = U&'\\00E4' as folds",
  );
  if (encoding !== 'UTF8')
    return fail('postgres.locale', `the database’s encoding is ${encoding}: create it with encoding UTF8`);
  return folds
    ? ok('postgres.locale', 'the encoding is UTF8, and its locale knows Unicode')
    : fail(
        'postgres.locale',
        'the database’s locale does not know Unicode, so search misses words with accents: create it with locale C.UTF-8 or one of a language',
      );
};

/** Each setting without which a commit may be lost, or a page torn, when the machine goes down. */
const durable = [
  ['synchronous_commit', 'what was accepted is lost in a crash'],
  ['fsync', 'a crash may destroy the database'],
  ['full_page_writes', 'a crash may tear pages'],
] as const;

const checkDurability = async (db: Db): Promise<Finding[]> => {
  const columns = durable.map(([name]) => `current_setting('${name}') as ${name}`).join(', ');
  const row = await readRow<Record<(typeof durable)[number][0], string>>(db, `select ${columns}`);
  return durable.map(([name, danger]) =>
    row[name] === 'off'
      ? fail(`postgres.${name}`, `${name} is off: ${danger}; set it to on`)
      : ok(`postgres.${name}`, `${name} is ${row[name]}`),
  );
};

const checkSchema = async (db: Db): Promise<Finding> => {
  const state = await readSchemaState(db);
  return state.fits
    ? ok('postgres.schema', `the schema is ${String(state.version)}`)
    : fail('postgres.schema', state.reason);
};

interface Limits {
  readonly most: number;
  readonly reserved: number;
  readonly role: number;
  readonly database: number;
  /** Connections of others, of whatever role: of those of other roles PostgreSQL hides the type. */
  readonly others: number;
  /** Processes that are connected. */
  readonly apis: number;
  readonly workers: number;
}

const limitsSql = `
  select current_setting('max_connections')::int as most,
    current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
    (select rolconnlimit from pg_roles where rolname = current_user) as role,
    (select datconnlimit from pg_database where datname = current_database()) as database,
    s.others, s.apis, s.workers
  from (
    select count(*) filter (where application_name not like 'console-%')::int as others,
      count(*) filter (where application_name = 'console-api-probes')::int as apis,
      count(*) filter (where application_name = 'console-workers-probes')::int as workers
    from pg_stat_activity where backend_type = 'client backend' or (backend_type is null and datid is not null and usesysid is not null)
  ) s`;

/** Connections of each process's check of readiness, of a worker's publisher and its metrics, and of a migration or an administration command beside all processes. */
const [probeConnections, publisherConnections, figureConnections, toolConnections] = [1, 1, 1, 3];

const checkConnections = async (
  db: Db,
  { databaseUrl, poolSize, readPoolSize, standbys }: Config,
  counts: ProcessCounts,
  pooling: Pooling,
): Promise<Finding> => {
  const { most, reserved, role, database, others, ...found } = await readRow<Limits>(db, limitsSql);
  const [apis, workers] = [Math.max(counts.apis, found.apis), Math.max(counts.workers, found.workers)];
  const ofApi = poolSize + readPoolSize + probeConnections + (standbys === null ? 0 : 1);
  const ofWorker = poolSize + publisherConnections + figureConnections + probeConnections;
  const needed = apis * ofApi + workers * ofWorker + toolConnections;
  if (pooling === 'session' && found.apis + found.workers === 0) return checkLentConnections(databaseUrl, needed);
  if (pooling !== 'none')
    return ok('postgres.connections', `the pool in front has to lend ${String(needed)} connections: its pool_size`);
  const limits = [most - reserved, role, database].filter((limit) => limit >= 0);
  const available = Math.min(...limits);
  const text = `API processes (${String(apis)}) and workers (${String(workers)}) open up to ${String(needed)} connections, PostgreSQL gives this role ${String(available)}`;
  if (needed > available)
    return fail(
      'postgres.connections',
      `${text}: raise max_connections (or the role’s or database’s limit), or lower POOL_SIZE and READ_POOL_SIZE`,
    );
  if (needed + others > available)
    return fail('postgres.connections', `${text}, and others have ${String(others)} of them: raise max_connections`);
  return ok('postgres.connections', text);
};

/** Returns the clock of the server, in ms. */
const readTime = async (db: Db): Promise<number> =>
  (await readRow<{ time: number }>(db, 'select extract(epoch from clock_timestamp())::float8 * 1000 as time')).time;

/** Returns the findings; when PostgreSQL can't be reached that is the only one. */
export const checkPostgres = async (config: Config, counts: ProcessCounts): Promise<Finding[]> => {
  const { databaseUrl } = config;
  const tls = checkPostgresTls(databaseUrl);
  let stream: unknown;
  const db = openDb({
    url: databaseUrl,
    poolSize: 2,
    applicationName: 'console-doctor',
    onConnect: (session) => {
      ({ stream } = session.connection);
    },
  });
  try {
    try {
      await readRow(db, 'select 1');
    } catch (error) {
      const { host } = new URL(databaseUrl);
      return [
        tls,
        fail('postgres', `PostgreSQL at ${host} can’t be reached with DATABASE_URL: ${describeConnectError(error)}`),
      ];
    }
    let pooling: Pooling = 'none';
    const writes = await attempt('postgres.writes', () => checkPostgresWrites(db));
    return [
      tls,
      ...checkCertificate('postgres.certificate', stream),
      ...writes,
      ...(await attemptAll({
        'postgres.version': () => checkVersion(db),
        ...(writes.some(({ status }) => status === 'fail') ? {} : { 'postgres.commits': () => checkCommits(db) }),
        'postgres.pool': async () => {
          const checked = await checkPool(db, config);
          pooling = checked.pooling;
          return checked.findings;
        },
        'postgres.schema': () => checkSchema(db),
        'postgres.role': () => checkRole(db),
        'postgres.migrate': () => checkOwner(db, config),
        'postgres.locale': () => checkLocale(db),
        'postgres.settings': () => checkDurability(db),
        'postgres.clock': () => checkClock('postgres.clock', () => readTime(db)),
        'postgres.connections': () => checkConnections(db, config, counts, pooling),
      })),
    ];
  } finally {
    await db.destroy();
  }
};
