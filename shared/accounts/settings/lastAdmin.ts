/**
 * Keeps in each environment at least one person who can sign in and may manage settings, also under concurrent changes.
 * For people.ts and roles.ts.
 */
import { fault } from '../../catalogue/errors.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../platform/db/sql.ts';

/** Serializes such changes, so that two admins can't remove each other at the same time. */
const lockAdminRoleSql = statement('lastAdmin.lock', `select from roles where name = 'admin' for no key update`);
const administeredSql = statement(
  'lastAdmin.environments',
  `
  select e.name from environments e where exists (
    select from people p join roles r on r.id = p.role
    where p.removed_at is null and (p.password_hash is not null or exists (select from identities i where i.person = p.id)) and p.environments && array['*', e.name]
      and exists (select from jsonb_array_elements(r.grants) g where g->>'on' = 'settings' and g->'can' ?| array['manage', '*']))
  order by e.id`,
);

const administeredEnvironments = async (tx: Tx): Promise<string[]> =>
  (await queryRows<{ name: string }>(tx, administeredSql)).map(({ name }) => name);

/**
 * Runs `work`, which takes its locks on people and roles after this one, and returns its result. Throws `conflict` with
 * the sentence of `refusal` when an environment would lose its last admin, which rolls the transaction back. Environments
 * that had no admin before may stay without.
 */
export const requireAdminRemains = async <T>(
  tx: Tx,
  work: () => Promise<T>,
  refusal: (done: T, environment: string) => string,
): Promise<T> => {
  await executeStatement(tx, lockAdminRoleSql);
  const before = await administeredEnvironments(tx);
  const done = await work();
  const after = await administeredEnvironments(tx);
  const left = before.find((name) => !after.includes(name));
  if (left !== undefined) throw fault('conflict', refusal(done, left));
  return done;
};
