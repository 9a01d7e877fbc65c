/** Migrates a database to the newest schema, with the built-in roles and the rights of the role that serves requests; used by run.ts. */
import { readdir } from 'node:fs/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { builtInRoles } from '../shared/catalogue/permissions.ts';
import { isLockTimeout } from '../shared/platform/db/errors.ts';
import { neededSchemaVersion } from '../shared/platform/db/schemaVersion.ts';
import { type ReadOnlyStanding, describeReadOnly, readOnlySql } from '../shared/platform/db/serverState.ts';
import { newId } from '../shared/platform/ids.ts';
import { dbNowSql } from '../shared/platform/leases/leaderLease.ts';
import { sleep } from '../shared/platform/time/clock.ts';
import { watchLockWaits, type LockWait } from './lockWait.ts';
import { prepareServiceRole } from './serviceRole.ts';

interface Migration extends Pick<Knex.Migration, 'up' | 'down'> {
  /** The oldest schema a build may have been made for and still work after this migration; absent: any. */
  readonly servesFrom?: number;
  /** `transaction: false` for indexes that are built concurrently. */
  readonly config?: { readonly transaction?: boolean };
}

const folder = new URL('./', import.meta.url);

/**
 * Returns a migration that waits for a table's lock for at most 3 s: while it waits, everybody else who uses the table waits
 * behind it. `migrateAll` tries again.
 */
const withLockTimeout =
  (up: Migration['up']): Migration['up'] =>
  async (tx) => {
    await tx.raw("set local lock_timeout = '3s'");
    await up(tx);
  };

/** Source of migrations by their names without extension, which a build changes. */
const migrationSource = {
  getMigrations: async (): Promise<string[]> =>
    (await readdir(folder)).flatMap((file) => /^(\d{4}_\w+)\.(?:ts|js)$/.exec(file)?.[1] ?? []).sort(),
  getMigrationName: (name: string): string => name,
  getMigration: async (name: string): Promise<Migration> => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the files of this folder with such names are migrations
    const migration = (await import(`./${name}.ts`)) as Migration;
    return migration.config?.transaction === false ? migration : { ...migration, up: withLockTimeout(migration.up) };
  },
} satisfies Knex.MigrationSource<string>;

/** Of the sessions that migrate. */
const applicationName = 'console-migrate';

/** Any number that nothing else in this database locks. */
const lockNumber = 4_920_731;

/** ms between two tries to take the lock. */
const lockEveryMs = 200;

/** A database that can't be migrated as it is: the message says why, and what to do. */
export class MigrationRefusal extends Error {}

/** Throws MigrationRefusal where PostgreSQL takes no writes; `variable` names its address. */
const refuseReadOnly = async (session: pg.Client, variable: string): Promise<void> => {
  const { rows } = await session.query<ReadOnlyStanding>(readOnlySql);
  const [standing] = rows;
  const reason = standing === undefined ? null : describeReadOnly(standing, variable);
  if (reason !== null) throw new MigrationRefusal(reason);
};

/**
 * Runs `work` under an advisory lock: of many processes started at once one migrates, and the others have nothing to do. The
 * lock is the session's, and who doesn't get it asks again and again: a transaction that is open, or a statement that waits,
 * would hold up an index that is built concurrently.
 */
const withMigrationLock = async <T>(ownerUrl: string, work: (session: pg.Client) => Promise<T>): Promise<T> => {
  const session = new pg.Client({ connectionString: ownerUrl, application_name: 'console-migrate-lock' });
  await session.connect();
  try {
    const tryLock = async (): Promise<boolean> => {
      const { rows } = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
        lockNumber,
      ]);
      return rows[0]?.locked === true;
    };
    while (!(await tryLock())) await sleep(lockEveryMs);
    return await work(session);
  } finally {
    await session.end();
  }
};

/** How often, and ms after which, a migration is tried again that found its tables in use. */
const [triesMax, tryEveryMs] = [200, 1_000];

/** Returns the names of the migrations that the database lacks. */
const listPending = async (db: Knex): Promise<string[]> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- knex's type is `any`: what is applied, and what migrationSource lists beside
  const [, pending] = (await db.migrate.list()) as [unknown, string[]];
  return pending;
};

/** Runs the migrations and returns their names. First frees knex's own lock, which outlives a crash; the advisory lock replaces it. */
const migrateAll = async (db: Knex): Promise<string[]> => {
  await db.migrate.forceFreeMigrationsLock();
  const pending = await listPending(db);
  for (let tries = 1; ; tries += 1) {
    try {
      await db.migrate.latest();
      return pending;
    } catch (error) {
      if (!isLockTimeout(error) || tries === triesMax) throw error;
      await sleep(tryEveryMs);
    }
  }
};

/** Writes the schema's version. Returns false, and writes nothing, for a build that is older than the schema. */
const writeSchemaVersion = async (db: Knex): Promise<boolean> => {
  const names = await migrationSource.getMigrations();
  const migrations = await Promise.all(names.map(migrationSource.getMigration));
  const servesFrom = Math.max(0, ...migrations.map((migration) => migration.servesFrom ?? 0));
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `insert into schema_version (version, serves_from) values (?, ?)
     on conflict (only_row) do update set version = excluded.version, serves_from = excluded.serves_from
     where schema_version.version <= excluded.version
     returning version`,
    [neededSchemaVersion, servesFrom],
  );
  return rows.length > 0;
};

/**
 * Writes the built-in roles whose grants this version changes, and raises the revision, which every process polls. Returns the
 * names of those roles.
 */
const seedRoles = async (db: Knex): Promise<string[]> => {
  const changed: string[] = [];
  for (const [name, grants] of Object.entries(builtInRoles)) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `with written as (
         insert into roles (id, name, grants, built_in, created_at, updated_at) select ?, ?, ?::jsonb, true, at, at from (select ${dbNowSql} as at) now
         on conflict (name) do update set grants = excluded.grants, built_in = true, updated_at = excluded.updated_at
         where roles.grants is distinct from excluded.grants or not roles.built_in
         returning 1
       ) update revisions set n = n + 1 where exists (select from written)`,
      [newId('rol'), name, JSON.stringify(grants)],
    );
    if (rowCount > 0) changed.push(name);
  }
  return changed;
};

/** What `migrateDatabase` has done. */
export interface Migrated {
  /** Names of the migrations that it applied, in their order. */
  readonly migrations: readonly string[];
  /** Names of the built-in roles that it made or changed. */
  readonly roles: readonly string[];
  /** The service's role, if it was granted rights that it lacked; else null. */
  readonly granted: string | null;
  /** Whether the schema is a newer build's, whose roles and rights stay as they are. */
  readonly isNewer: boolean;
}

/**
 * Migrates as the owner (`ownerUrl`); prepares the user of `appUrl` if it is another one. May run any number of times. A build
 * that is older than the schema leaves everything as it is. `onWait` is called when it waits for somebody's lock. Throws
 * MigrationRefusal where PostgreSQL takes no writes.
 */
export const migrateDatabase = async (
  ownerUrl: string,
  appUrl: string,
  onWait: (wait: LockWait) => void = () => undefined,
): Promise<Migrated> => {
  // No time-outs: building an index on a large table may take long, and other processes wait for the lock.
  const db = knex({
    client: 'pg',
    connection: { connectionString: ownerUrl, application_name: applicationName },
    // An older build finds migrations that it doesn't know, and has nothing to do.
    migrations: { migrationSource, disableMigrationsListValidation: true },
    pool: { min: 0, max: 2 },
    // What fails is thrown, and what waits is told by `onWait`.
    log: { warn: () => undefined, error: () => undefined },
  });
  try {
    return await withMigrationLock(ownerUrl, async (session) => {
      await refuseReadOnly(session, ownerUrl === appUrl ? 'DATABASE_URL' : 'MIGRATE_DATABASE_URL');
      const migrations = await watchLockWaits(session, applicationName, onWait, () => migrateAll(db));
      if (!(await writeSchemaVersion(db))) return { migrations, roles: [], granted: null, isNewer: true };
      const roles = await seedRoles(db);
      const granted = await prepareServiceRole(db, ownerUrl, appUrl);
      return { migrations, roles, granted, isNewer: false };
    });
  } finally {
    await db.destroy();
  }
};
