/** Keeps at least one person who can sign in and may manage settings, also under concurrent changes. For people.ts and roles.ts. */
import { fault } from '../catalogue/errors.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';

/** Serializes such changes, so that two admins can't remove each other at the same time. */
const lockAdminRoleSql = statement('lastAdmin.lock', `select from roles where name = 'admin' for no key update`);
const findAdminSql = statement(
  'lastAdmin.any',
  `
  select p.id from people p join roles r on r.id = p.role
  where p.removed_at is null and p.password_hash is not null
    and exists (select from jsonb_array_elements(r.grants) g where g->>'on' = 'settings' and g->'can' ?| array['manage', '*'])
  limit 1`,
);

/**
 * Runs `work`, which takes its locks on people and roles after this one, and returns its result. Throws `conflict` with
 * the sentence of `refusal` when the last admin would go, which rolls the transaction back. Installations that had no
 * admin before may stay without.
 */
export const requireAdminRemains = async <T>(
  tx: Tx,
  work: () => Promise<T>,
  refusal: (done: T) => string,
): Promise<T> => {
  await executeStatement(tx, lockAdminRoleSql);
  const before = await queryRow(tx, findAdminSql);
  const done = await work();
  if (before !== undefined && (await queryRow(tx, findAdminSql)) === undefined) throw fault('conflict', refusal(done));
  return done;
};
