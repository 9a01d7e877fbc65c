/** The checks of `npm run doctor` on the role of API and workers: it has what it needs, and can't change the past. */
import type { Db } from '../../platform/db/knex.ts';
import { type Finding, readRow, fail, ok } from './finding.ts';

const rightsSql = `
  with tables as (
    select c.oid, c.relname::text as name, c.relowner, c.relispartition as part from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
  ), wanted as (
    select t.oid, t.name, needed from tables t cross join lateral unnest(
      case when t.part then '{}'
           when t.name in ('knex_migrations', 'knex_migrations_lock', 'schema_version', 'archives', 'event_turns', 'ended_tables', 'ended_moves', 'stream_parts_begin') then array['select']
           when t.name in ('events', 'audit_chain') then array['select', 'insert']
           else array['select', 'insert', 'update', 'delete'] end) needed
  )
  select current_user::text as role,
    (select rolsuper from pg_roles where rolname = current_user) as superuser,
    (select rolcreaterole or rolcreatedb or rolbypassrls or rolreplication from pg_roles where rolname = current_user) as powerful,
    exists (select from tables where pg_has_role(current_user, relowner, 'member')) as owner,
    array(select t.name || ' ' || r from tables t cross join unnest(array['update', 'delete', 'truncate']) r
      where (t.part or t.name in ('events', 'audit_chain')) and has_table_privilege(t.oid, r) order by 1) as forbidden,
    array(select name || ' ' || needed from wanted where not has_table_privilege(oid, needed)
      union all select c.relname || ' usage' from pg_class c where c.relnamespace = current_schema()::regnamespace
        and case c.relkind when 'S' then not has_sequence_privilege(c.oid, 'usage') end order by 1) as missing`;

interface Rights {
  readonly role: string;
  readonly superuser: boolean;
  readonly powerful: boolean;
  readonly owner: boolean;
  readonly forbidden: readonly string[];
  readonly missing: readonly string[];
}

const ownRole =
  'give DATABASE_URL a role of its own, and run npm run migrate with the owner in MIGRATE_DATABASE_URL, which grants what it needs';

/** Returns up to five of the names. */
const list = (names: readonly string[]): string =>
  names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${String(names.length - 5)} more` : '');

export const checkRole = async (db: Db): Promise<Finding[]> => {
  const { role, superuser, powerful, owner, forbidden, missing } = await readRow<Rights>(db, rightsSql);
  const standing = superuser
    ? fail('postgres.role', `${role} is a superuser, who can change the audit log: ${ownRole}`)
    : owner
      ? fail('postgres.role', `${role} owns the tables, so it can change the audit log: ${ownRole}`)
      : powerful
        ? fail(
            'postgres.role',
            `${role} may create roles or databases, replicate or pass row security: take that away by alter role`,
          )
        : ok('postgres.role', `${role} is neither owner nor superuser`);
  // From a superuser nothing can be taken away, so the first line says it all.
  if (superuser) return [standing];
  return [
    standing,
    forbidden.length > 0
      ? fail(
          'postgres.auditLog',
          `${role} can change what has happened (${list(forbidden)}): npm run migrate with the owner takes that away`,
        )
      : ok('postgres.auditLog', `${role} can’t change the audit log`),
    missing.length > 0
      ? fail('postgres.grants', `${role} lacks rights (${list(missing)}): npm run migrate with the owner grants them`)
      : ok('postgres.grants', `${role} has the rights that API and workers need`),
  ];
};
