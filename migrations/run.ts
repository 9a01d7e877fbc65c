/** Migrates a database to the newest schema, with the built-in roles and the rights of the role that serves requests. */
import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import knex, { type Knex } from 'knex';
import { builtInRoles } from '../shared/catalogue/permissions.ts';
import { readConfigOrExit, type Config } from '../shared/platform/core/config.ts';
import { newId } from '../shared/platform/core/ids.ts';
import { createLog } from '../shared/platform/core/log.ts';
import { readOptions } from '../shared/tools/cli/options.mjs';

type Migration = Pick<Knex.Migration, 'up' | 'down'>;

const folder = new URL('./', import.meta.url);

/** Names migrations without extension: `0001_x.js` of a build is the same migration as `0001_x.ts` under tsx. */
const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => {
    const files = await readdir(fileURLToPath(folder));
    return files.filter((file) => /^\d{4}_\w+\.(ts|js)$/.test(file)).sort();
  },
  getMigrationName: (file) => file.replace(/\.(ts|js)$/, ''),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the files of this folder with such names are migrations
  getMigration: async (file) => (await import(new URL(file, folder).href)) as Migration,
};

/** Any number that nothing else in this database locks. */
const lockNumber = 4_920_731;

/** Runs `work` under an advisory lock: of many processes started at once one migrates, and the others have nothing to do. */
const withMigrationLock = async (db: Knex, work: () => Promise<void>): Promise<void> => {
  await db.transaction(async (tx) => {
    await tx.raw('set local idle_in_transaction_session_timeout = 0');
    await tx.raw('select pg_advisory_xact_lock(?)', [lockNumber]);
    await work();
  });
};

/** Runs the migrations. First frees knex's own lock, which outlives a crash; the advisory lock replaces it. */
const migrateAll = async (db: Knex): Promise<void> => {
  await db.migrate.forceFreeMigrationsLock();
  await db.migrate.latest();
};

/** Writes the built-in roles whose grants this version changes, and raises the revision, which every process polls. */
const seedRoles = async (db: Knex): Promise<void> => {
  const now = Date.now();
  for (const [name, grants] of Object.entries(builtInRoles)) {
    await db.raw(
      `with written as (
         insert into roles (id, name, grants, built_in, created_at, updated_at) values (?, ?, ?::jsonb, true, ?, ?)
         on conflict (name) do update set grants = excluded.grants, built_in = true, updated_at = excluded.updated_at
         where roles.grants is distinct from excluded.grants or not roles.built_in
         returning 1
       ) update revisions set n = n + 1 where exists (select from written)`,
      [newId('rol'), name, JSON.stringify(grants), now, now],
    );
  }
};

const parseUser = (url: string): string => decodeURIComponent(new URL(url).username);

/** Grants the API's and the workers' role all rights on rows, except to change or delete events. */
const grantToRole = async (db: Knex, role: string): Promise<void> => {
  const { rows } = await db.raw<{ rows: { schema: string }[] }>('select current_schema() as schema');
  const names = [rows[0]?.schema ?? 'public', role];
  await db.transaction(async (tx) => {
    await tx.raw('grant usage on schema ?? to ??', names);
    await tx.raw('grant select, insert, update, delete on all tables in schema ?? to ??', names);
    await tx.raw('grant usage, select on all sequences in schema ?? to ??', names);
    await tx.raw('revoke update, delete on events from ??', [role]);
    await tx.raw('revoke insert, update, delete on knex_migrations, knex_migrations_lock from ??', [role]);
  });
};

/** Migrates as the owner (`ownerUrl`); grants to the user of `appUrl` if it is another one. May run any number of times. */
export const migrateDatabase = async (ownerUrl: string, appUrl: string): Promise<void> => {
  // No time-outs: building an index on a large table may take long, and other processes wait for the lock.
  const db = knex({
    client: 'pg',
    connection: { connectionString: ownerUrl, application_name: 'console-migrate' },
    migrations: { migrationSource },
    pool: { min: 0, max: 3 },
  });
  try {
    await withMigrationLock(db, async () => {
      await migrateAll(db);
      await seedRoles(db);
      if (parseUser(appUrl) !== parseUser(ownerUrl)) await grantToRole(db, parseUser(appUrl));
    });
  } finally {
    await db.destroy();
  }
};

const migrate = (config: Config): Promise<void> => migrateDatabase(config.migrateDatabaseUrl, config.databaseUrl);

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  readOptions('migrate');
  const config = readConfigOrExit();
  const log = createLog(config, 'migrate');
  // Not awaited at the top level: the tests' loader can't take a module that does so.
  migrate(config).then(
    () => log.info('the database is up to date'),
    (error: unknown) => {
      log.error({ err: error }, 'the migration failed');
      process.exitCode = 1;
    },
  );
}
