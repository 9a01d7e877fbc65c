/** The checks of `npm run doctor` on PostgreSQL. Run by main.ts. */
import type { Config } from '../../platform/core/config.ts';
import { openDb, type Db } from '../../platform/db/knex.ts';
import { readSchemaState } from '../../platform/db/schemaVersion.ts';
import { describeConnectError } from '../services/connectError.mjs';
import { attempt, checkClock, fail, isLoopback, isNeighbour, ok, warn, type Finding } from './finding.ts';
import { checkOwner } from './postgresOwner.ts';
import { checkPool, type Pooling } from './postgresPool.ts';
import { checkRole } from './postgresRole.ts';
import { checkPostgresWrites } from './postgresWrites.ts';
import { readRow } from './query.ts';

interface ProcessCounts {
  readonly apis: number;
  readonly workers: number;
}

/** Returns the finding about the encryption of a connection to PostgreSQL, by its address. */
export const checkPostgresTls = (databaseUrl: string, variable = 'DATABASE_URL'): Finding => {
  const { hostname, searchParams } = new URL(databaseUrl);
  const mode = searchParams.get('sslmode') ?? (searchParams.get('ssl') === 'true' ? 'require' : 'disable');
  if (isLoopback(hostname)) return ok('postgres.tls', 'PostgreSQL is on this machine');
  if (['require', 'verify-ca', 'verify-full'].includes(mode)) return ok('postgres.tls', `sslmode is ${mode}`);
  if (mode === 'no-verify')
    return warn('postgres.tls', 'sslmode=no-verify encrypts for whoever answers: use verify-full, with sslrootcert');
  const text = `the connection to ${hostname} is not encrypted: add ?sslmode=verify-full to ${variable}`;
  return isNeighbour(hostname)
    ? warn('postgres.tls', `${text}, unless ${hostname} is on a network that does not leave this machine`)
    : fail('postgres.tls', text);
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
  readonly others: number;
}

const limitsSql = `
  select current_setting('max_connections')::int as most,
    current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
    (select rolconnlimit from pg_roles where rolname = current_user) as role,
    (select datconnlimit from pg_database where datname = current_database()) as database,
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and application_name not like 'console-%') as others`;

/** Connections of each process's check of readiness, of a worker's publisher and its metrics, and of a migration or an administration command beside all processes. */
const [probeConnections, publisherConnections, figureConnections, toolConnections] = [1, 1, 1, 3];

const checkConnections = async (
  db: Db,
  { poolSize, readPoolSize, standbys }: Config,
  { apis, workers }: ProcessCounts,
): Promise<Finding> => {
  const { most, reserved, role, database, others } = await readRow<Limits>(db, limitsSql);
  const ofApi = poolSize + readPoolSize + probeConnections + (standbys === null ? 0 : 1);
  const ofWorker = poolSize + publisherConnections + figureConnections + probeConnections;
  const needed = apis * ofApi + workers * ofWorker + toolConnections;
  const limits = [most - reserved, role, database].filter((limit) => limit >= 0);
  const available = Math.min(...limits);
  const text = `API processes (${String(apis)}) and workers (${String(workers)}) open up to ${String(needed)} connections, PostgreSQL gives this role ${String(available)}`;
  if (needed > available)
    return fail(
      'postgres.connections',
      `${text}: raise max_connections (or the role’s or database’s limit), or lower POOL_SIZE and READ_POOL_SIZE`,
    );
  if (needed + others > available)
    return warn('postgres.connections', `${text}, and others have ${String(others)} of them: raise max_connections`);
  return ok('postgres.connections', text);
};

/** Returns the findings; when PostgreSQL can't be reached that is the only one. */
export const checkPostgres = async (config: Config, counts: ProcessCounts): Promise<Finding[]> => {
  const { databaseUrl } = config;
  const tls = checkPostgresTls(databaseUrl);
  const db = openDb({ url: databaseUrl, poolSize: 2, applicationName: 'console-doctor' });
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
    const found = [
      ...(await attempt('postgres.version', () => checkVersion(db))),
      tls,
      ...(await attempt('postgres.writes', () => checkPostgresWrites(db))),
      ...(await attempt('postgres.pool', async () => {
        const checked = await checkPool(db, config);
        pooling = checked.pooling;
        return checked.findings;
      })),
      ...(await attempt('postgres.schema', () => checkSchema(db))),
      ...(await attempt('postgres.role', () => checkRole(db))),
      ...(await attempt('postgres.migrate', () => checkOwner(db, config))),
      ...(await attempt('postgres.locale', () => checkLocale(db))),
      ...(await attempt('postgres.settings', () => checkDurability(db))),
      ...(await attempt('postgres.clock', () =>
        checkClock('postgres.clock', async () => {
          const { time } = await readRow<{ time: number }>(
            db,
            'select extract(epoch from clock_timestamp())::float8 * 1000 as time',
          );
          return time;
        }),
      )),
    ];
    const connections =
      pooling === 'none'
        ? await attempt('postgres.connections', () => checkConnections(db, config, counts))
        : [ok('postgres.connections', 'the pool in front opens them: its pool_size has to fit into max_connections')];
    return [...found, ...connections];
  } finally {
    await db.destroy();
  }
};
