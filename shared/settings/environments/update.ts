/** Changes the switches of an environment. For the settings endpoints. */
import { includesEnvironment } from '../../access/principal.ts';
import { fault } from '../../catalogue/errors.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { executeStatement, statement } from '../../platform/db/sql.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';
import { copyRightsChanges } from '../independence.ts';
import type { EnvironmentPatch } from '../schema.ts';
import { lockEnvironment, type EnvironmentView } from './create.ts';

const update = statement(
  'administer.environments.update',
  'update environments set independent_approval = $2, trust_app = $3, accept_new = $4 where name = $1',
);

const switches = ({ independentApproval, trustApp, acceptNew }: EnvironmentView) => ({
  independentApproval,
  trustApp,
  acceptNew,
});

/**
 * Changes an environment and returns it; writes nothing when the patch changes nothing. A loosening that waits for a person
 * goes on waiting when the app is trusted. Throws `not_found` for one that
 * the administrator has no access to.
 */
export const updateEnvironment = async (
  tx: Tx,
  admin: Administrator,
  name: string,
  patch: EnvironmentPatch,
): Promise<EnvironmentView> => {
  if (!includesEnvironment(admin.reach, name)) throw fault('not_found');
  const before = await lockEnvironment(tx, name);
  const after = { ...before, ...patch };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  await executeStatement(tx, update, [name, after.independentApproval, after.trustApp, after.acceptNew]);
  if (after.independentApproval && !before.independentApproval) await copyRightsChanges(tx, admin.at);
  await recordAdminChange(tx, admin, {
    verb: 'environment.update',
    target: { type: 'environment', id: name },
    environments: [name],
    before: switches(before),
    after: switches(after),
  });
  return after;
};
