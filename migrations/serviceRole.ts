/** Prepares the role that API and workers use: its rights and the settings of its sessions. Called by migrate.ts. */
import type { Knex } from 'knex';
import { sessionSettings } from '../shared/platform/db/sessionSettings.ts';

const parseUser = (url: string): string => decodeURIComponent(new URL(url).username);

/** All rights that are granted in the schema, as one text. */
const rightsSql = `
  select md5(concat(
    (select string_agg(oid || ' ' || relacl::text, ',' order by oid) from pg_class where relnamespace = n.oid),
    (select string_agg(oid || ' ' || proacl::text, ',' order by oid) from pg_proc where pronamespace = n.oid), n.nspacl)) as rights
  from pg_namespace n where nspname = current_schema()`;

const readRights = async (tx: Knex): Promise<string | undefined> =>
  (await tx.raw<{ rows: { rights: string }[] }>(rightsSql)).rows[0]?.rights;

/** Grants all rights on rows, except to change or delete events and their chain (erasures do by a function), and to write what migrations write. Returns whether that has changed any. */
const grantRights = async (db: Knex, role: string): Promise<boolean> => {
  const { rows } = await db.raw<{ rows: { schema: string }[] }>('select current_schema() as schema');
  const names = [rows[0]?.schema ?? 'public', role];
  return db.transaction(async (tx) => {
    const before = await readRights(tx);
    await tx.raw('grant usage on schema ?? to ??', names);
    await tx.raw('grant select, insert, update, delete on all tables in schema ?? to ??', names);
    await tx.raw('grant usage, select on all sequences in schema ?? to ??', names);
    await tx.raw('revoke update, delete on events, audit_chain from ??', [role]);
    // Parts are reached through their wholes.
    const { rows: parts } = await tx.raw<{ rows: { part: string }[] }>(
      "select oid::regclass::text as part from pg_class where relispartition and relkind = 'r' and relnamespace = current_schema()::regnamespace",
    );
    for (const { part } of parts) await tx.raw(`revoke all on ${part} from ??`, [role]);
    await tx.raw(
      'grant execute on function erase_events(int, bigint[]), prepare_event_months(), prepare_bulk_months(), drop_past_bulk_months(), prepare_ended_months(text, text[]), drop_past_ended_months(text, bigint) to ??',
      [role],
    );
    await tx.raw(
      'revoke insert, update, delete on knex_migrations, knex_migrations_lock, schema_version, archives, event_turns, ended_tables, ended_moves, stream_parts_begin from ??',
      [role],
    );
    return (await readRights(tx)) !== before;
  });
};

const isForbidden = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '42501';

/** Gives the role the settings of its sessions in this database. An owner who may not change other roles leaves that to openDb. */
const giveSettings = async (db: Knex, role: string): Promise<void> => {
  const { rows } = await db.raw<{ rows: { name: string }[] }>('select current_database() as name');
  for (const [setting, value] of Object.entries(sessionSettings))
    await db
      .raw(`alter role ?? in database ?? set ${setting} = '${value}'`, [role, rows[0]?.name ?? ''])
      .catch((error: unknown) => {
        if (!isForbidden(error)) throw error;
      });
};

/**
 * Returns the role when it has got rights that it lacked, else null. Does nothing when both addresses have the same user, who has
 * every right already and whose sessions also migrate.
 */
export const prepareServiceRole = async (db: Knex, ownerUrl: string, appUrl: string): Promise<string | null> => {
  const role = parseUser(appUrl);
  if (role === parseUser(ownerUrl)) return null;
  const isChanged = await grantRights(db, role);
  await giveSettings(db, role);
  return isChanged ? role : null;
};
