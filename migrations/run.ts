/** `npm run migrate`: brings the database that the environment names to the newest schema. */
import { readConfigOrExit } from '../shared/platform/core/config.ts';
import { createLog } from '../shared/platform/core/log.ts';
import { readOptions } from '../shared/tools/cli/options.mjs';
import { migrateDatabase } from './migrate.ts';

readOptions('migrate');
const config = readConfigOrExit();
const log = createLog(config, 'migrate');
try {
  await migrateDatabase(config.migrateDatabaseUrl, config.databaseUrl);
  log.info('the database is up to date');
} catch (error) {
  log.error({ err: error }, 'the migration failed');
  process.exitCode = 1;
}
