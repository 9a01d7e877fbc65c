/** `npm run migrate`: brings the database that the environment names to the newest schema. */
import { readConfigOrExit } from '../shared/platform/config/config.ts';
import { createLog } from '../shared/platform/log/log.ts';
import { describeDatabaseError } from '../shared/tools/cli/commandErrors.ts';
import { readOptions } from '../shared/tools/cli/options.mjs';
import type { LockWait } from './lockWait.ts';
import { migrateDatabase, MigrationRefusal, type Migrated } from './migrate.ts';

readOptions('migrate');
const config = readConfigOrExit();
const { databaseUrl, migrateDatabaseUrl: url } = config;
const log = createLog(config, 'migrate');

/** Returns a sentence for a failure that is none of the migrations themselves, or null. */
const describeFailure = (error: unknown): string | null => {
  if (error instanceof MigrationRefusal) return error.message;
  if (!(error instanceof Error)) return null;
  return describeDatabaseError(error, { url, variable: url === databaseUrl ? 'DATABASE_URL' : 'MIGRATE_DATABASE_URL' });
};

const sayWait = ({ table, pid, query }: LockWait): void => {
  const what = table === null ? 'the end of a transaction,' : `a lock on ${table},`;
  log.warn(
    { table, pid, query },
    `the migration waits for ${what} held by pid ${String(pid)}${query === null ? '' : ` (${query})`}, and tries again until it is free`,
  );
};

const sayDone = ({ migrations, roles, granted, isNewer }: Migrated): void => {
  const [first, last] = [migrations[0], migrations.at(-1)];
  if (first !== undefined)
    log.info(
      migrations.length === 1
        ? `1 migration was applied, ${first}`
        : `${String(migrations.length)} migrations were applied, ${first} to ${String(last)}`,
    );
  if (roles.length > 0) log.info(`the built-in roles ${roles.join(', ')} were written`);
  // New tables come with their rights.
  if (granted !== null && migrations.length === 0)
    log.info(`the role ${granted} was granted the rights of the service`);
  if (isNewer) log.info('the schema is that of a newer build and stays as it is');
  else if (migrations.length + roles.length === 0 && granted === null)
    log.info('the database is up to date: nothing was to be done');
};

try {
  sayDone(await migrateDatabase(url, databaseUrl, sayWait));
} catch (error) {
  const sentence = describeFailure(error);
  if (sentence === null) log.error({ err: error }, 'the migration failed');
  else log.error(`the migration failed: ${sentence}`);
  process.exitCode = 1;
}
