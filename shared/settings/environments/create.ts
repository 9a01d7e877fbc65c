/** Creates environments, and starts a new epoch after a restore from a backup. For the settings endpoints and the admin command. */
import { fault } from '../../catalogue/errors.ts';
import { newSealKey } from '../../platform/core/seal.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import { newEpochRise } from '../../platform/outbox/epochRise.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';
import type { EnvironmentInput } from '../schema.ts';

export interface EnvironmentView {
  readonly name: string;
  readonly epoch: number;
  readonly createdAt: number;
  /** When the app's declaration last changed; null: nothing declared yet. */
  readonly definedAt: number | null;
  /** Whether people who have an agent in their hands may not decide what it requests. */
  readonly independentApproval: boolean;
  /** Whether what the app declares takes effect without a person's acceptance. */
  readonly trustApp: boolean;
  /** Whether agents wait for a person's acceptance of actions and flags that are new. */
  readonly acceptNew: boolean;
}

const select = `
  select e.name, e.epoch, e.created_at as "createdAt", d.updated_at as "definedAt",
    e.independent_approval as "independentApproval", e.trust_app as "trustApp", e.accept_new as "acceptNew"
  from environments e left join definitions d on d.env = e.id`;
const list = statement('administer.environments.list', `${select} order by e.id`);
const one = statement('administer.environments.one', `${select} where e.name = $1`);
/** With no key update, so that inserts of events don't wait. */
const locked = statement('administer.environments.locked', `${select} where e.name = $1 for no key update of e`);
const insert = statement(
  'administer.environments.insert',
  'insert into environments (name, seal_key, created_at, trust_app, accept_new) values ($1, $2, $3, $4, $5) returning id',
);
const insertStream = statement(
  'administer.environments.stream',
  'insert into streams (env) values ($1) on conflict do nothing',
);
/** Gives the creator access to the new environment, unless they have access to all. */
const grantOwnAccessSql = statement(
  'administer.environments.enter',
  `
  update people set environments = array_append(environments, $2) where id = $1 and not environments && array['*', $2]`,
);
const forgetEpochs = statement(
  'administer.environments.forgetEpochs',
  'delete from stream_epochs e using environments v where v.id = e.env and v.name = $1',
);
const raiseEpoch = statement(
  'administer.environments.epoch',
  'update environments set epoch = epoch + $2 where name = $1 returning epoch',
);

/** Returns all environments, oldest first. */
export const listEnvironments = (db: Db | Tx): Promise<EnvironmentView[]> => queryRows<EnvironmentView>(db, list);

const requireEnvironment = (environment: EnvironmentView | undefined): EnvironmentView => {
  if (environment === undefined) throw fault('not_found');
  return environment;
};

const environmentOf = async (tx: Tx, name: string): Promise<EnvironmentView> =>
  requireEnvironment(await queryRow<EnvironmentView>(tx, one, [name]));

/** Returns an environment, locked for a change. Throws `not_found` for an unknown one. */
export const lockEnvironment = async (tx: Tx, name: string): Promise<EnvironmentView> =>
  requireEnvironment(await queryRow<EnvironmentView>(tx, locked, [name]));

/** Creates an environment and its stream. Throws `conflict` for a name that exists. */
export const createEnvironment = async (
  tx: Tx,
  admin: Administrator,
  { name, trustApp = false, acceptNew = false }: EnvironmentInput,
): Promise<EnvironmentView> => {
  try {
    const made = await queryRow<{ id: number }>(tx, insert, [name, newSealKey(), admin.at, trustApp, acceptNew]);
    await executeStatement(tx, insertStream, [made?.id ?? 0]);
    if (admin.by.type === 'person') await executeStatement(tx, grantOwnAccessSql, [admin.by.id, name]);
  } catch (error) {
    throw isUniqueViolation(error) ? fault('conflict', `There is already an environment ${name}.`) : error;
  }
  await recordAdminChange(tx, admin, {
    verb: 'environment.create',
    target: { type: 'environment', id: name },
    environments: [name],
    before: null,
    after: { name, trustApp, acceptNew },
  });
  return environmentOf(tx, name);
};

/** Starts a new epoch, which makes every earlier offset of the live stream invalid: clients fetch everything once more. */
export const startEpoch = async (tx: Tx, admin: Administrator, name: string): Promise<EnvironmentView> => {
  const by = newEpochRise();
  const raised = await queryRow<{ epoch: number }>(tx, raiseEpoch, [name, by]);
  if (raised === undefined) throw fault('not_found');
  await executeStatement(tx, forgetEpochs, [name]);
  await recordAdminChange(tx, admin, {
    verb: 'environment.newEpoch',
    target: { type: 'environment', id: name },
    environments: [name],
    before: { epoch: raised.epoch - by },
    after: { epoch: raised.epoch },
  });
  return environmentOf(tx, name);
};
