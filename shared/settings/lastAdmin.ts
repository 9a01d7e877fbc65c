/** Somebody who can sign in and may manage settings is always left, whoever is changed at the same time. For people.ts and roles.ts. */
import { fault } from '../catalogue/errors.ts';
import type { Tx } from '../platform/db/knex.ts';
import { queryRow, executeStatement, statement } from '../platform/db/sql.ts';

/** Two admins who remove each other at the same time wait for each other here. */
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
 * Does `work`, which locks people and roles only after this has begun. Throws `409 conflict` with the sentence that
 * `refusal` makes when nobody would be left; that ends the transaction. Where nobody was there before nobody is missed.
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
