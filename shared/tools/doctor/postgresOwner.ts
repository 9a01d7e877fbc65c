/** The check of `npm run doctor` on MIGRATE_DATABASE_URL, where one is given: the owner of the tables, in the same database. */
import type { Config } from '../../platform/core/config.ts';
import { openDb, type Db } from '../../platform/db/knex.ts';
import { systemSql } from '../../platform/db/timeline.ts';
import { describeConnectError } from '../services/connectError.mjs';
import { fail, ok, type Finding } from './finding.ts';
import { readRow } from './query.ts';

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
export const checkOwner = async (db: Db, { databaseUrl, migrateDatabaseUrl: url }: Config): Promise<Finding[]> => {
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
