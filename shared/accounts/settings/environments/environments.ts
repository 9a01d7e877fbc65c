/** Environments: their switches, and a new epoch after a restore from a backup. Served by api/routes/settings.ts; used by the admin command and the demo too. */
import { fault } from '../../../catalogue/errors.ts';
import { isUniqueViolation } from '../../../platform/db/errors.ts';
import type { Db, Tx } from '../../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../../platform/db/sql.ts';
import {
  nameSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
  type Static,
} from '../../../platform/json/schema.ts';
import { newEpochRise } from '../../../platform/leases/leaderLease.ts';
import { newSealKey } from '../../../platform/listing/seal.ts';
import { includesEnvironment } from '../../access/principal.ts';
import { stampSchema } from '../../schema.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';
import { copyRightsChanges, isIndependent, waitsForDecider } from '../independence.ts';
import { environmentAddress, resource, type ResourcePlace } from '../resource.ts';

const independentApproval = Type.Boolean({ description: 'Who had an agent in hand within 30 days may not decide.' });
const trustApp = Type.Boolean({ description: 'Whether its app may loosen what it declares without a person.' });
const acceptNew = Type.Boolean({ description: 'Whether new actions and flags wait for a person.' });

export const environmentInput = strictObject({
  name: nameSchema('Unique; part of its address.'),
  trustApp: Type.Optional(trustApp),
  acceptNew: Type.Optional(acceptNew),
});
const environmentPatch = strictObject(
  {
    independentApproval: Type.Optional(independentApproval),
    trustApp: Type.Optional(trustApp),
    acceptNew: Type.Optional(acceptNew),
  },
  { minProperties: 1 },
);
const environmentView = responseObject({
  name: Type.String({ description: 'Name.' }),
  baseUrl: Type.String({ description: 'baseUrl' }),
  createdAt: stampSchema('createdAt'),
  definedAt: nullable(stampSchema('When its declaration last changed; null: none yet')),
  independentApproval,
  awaitsDecider: Type.Boolean({ description: 'Whether independentApproval begins with a second decider.' }),
  trustApp,
  acceptNew,
});

/** As the API answers it. */
export type Environment = Static<typeof environmentView>;

interface EnvironmentRow extends Omit<Environment, 'baseUrl'> {
  readonly epoch: number;
}

const select = `
  select e.name, e.epoch, e.created_at as "createdAt", d.updated_at as "definedAt",
    ${isIndependent} as "independentApproval", ${waitsForDecider} as "awaitsDecider", e.trust_app as "trustApp", e.accept_new as "acceptNew"
  from environments e left join definitions d on d.env = e.id`;
const list = statement('administer.environments.list', `${select} order by e.id`);
const one = statement('administer.environments.one', `${select} where e.name = $1`);
/** With no key update, so that inserts of events don't wait. */
const locked = statement('administer.environments.locked', `${select} where e.name = $1 for no key update of e`);
const insert = statement(
  'administer.environments.insert',
  'insert into environments (name, seal_key, created_at, trust_app, accept_new, independent_by_default) values ($1, $2, $3, $4, $5, true) returning id',
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
const updateSql = statement(
  'administer.environments.update',
  `update environments set independent_approval = coalesce($2, independent_approval), independent_by_default = independent_by_default and $2 is null,
     trust_app = $3, accept_new = $4 where name = $1`,
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
export const listEnvironments = (db: Db | Tx): Promise<EnvironmentRow[]> => queryRows<EnvironmentRow>(db, list);

const requireEnvironment = (environment: EnvironmentRow | undefined): EnvironmentRow => {
  if (environment === undefined) throw fault('not_found');
  return environment;
};

const environmentOf = async (tx: Tx, name: string): Promise<EnvironmentRow> =>
  requireEnvironment(await queryRow<EnvironmentRow>(tx, one, [name]));

/** Returns an environment, locked for a change. Throws `not_found` for an unknown one. */
const lockEnvironment = async (tx: Tx, name: string): Promise<EnvironmentRow> =>
  requireEnvironment(await queryRow<EnvironmentRow>(tx, locked, [name]));

/** Creates an environment and its stream. Throws `conflict` for a name that exists. */
export const createEnvironment = async (
  tx: Tx,
  admin: Administrator,
  { name, trustApp = false, acceptNew = true }: Static<typeof environmentInput>,
): Promise<EnvironmentRow> => {
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
export const startEpoch = async (tx: Tx, admin: Administrator, name: string): Promise<EnvironmentRow> => {
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

const switches = ({ independentApproval, trustApp, acceptNew }: EnvironmentRow) => ({
  independentApproval,
  trustApp,
  acceptNew,
});

/**
 * Changes an environment and returns it; writes nothing when the patch changes nothing. A loosening that waits for a person
 * goes on waiting when the app is trusted. Throws `not_found` for one that
 * the administrator has no access to.
 */
const updateEnvironment = async (
  tx: Tx,
  admin: Administrator,
  name: string,
  patch: Static<typeof environmentPatch>,
): Promise<EnvironmentRow> => {
  if (!includesEnvironment(admin.reach, name)) throw fault('not_found');
  const before = await lockEnvironment(tx, name);
  const { independentApproval: chosen } = patch;
  const after = { ...before, ...patch, awaitsDecider: chosen === undefined && before.awaitsDecider };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  await executeStatement(tx, updateSql, [name, chosen ?? null, after.trustApp, after.acceptNew]);
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

const present = (place: ResourcePlace, { epoch: _epoch, name, ...rest }: EnvironmentRow): Environment => ({
  name,
  baseUrl: environmentAddress(place, name),
  ...rest,
});

export const environments = resource({
  type: 'environment',
  plural: 'environments',
  path: '/settings/environments',
  key: 'name',
  exampleId: 'demo',
  view: environmentView,
  components: { Environment: [environmentView, 'An environment: a world of its own, such as production.'] },
  list: {
    id: 'list_environments',
    summary: 'The environments that you have access to',
    description: 'Your environments.',
    find: async (place) =>
      (await listEnvironments(place.db))
        .filter(({ name }) => includesEnvironment(place.reach, name))
        .map((environment) => present(place, environment)),
  },
  create: {
    body: environmentInput,
    id: 'create_environment',
    summary: 'Make an environment, empty until an app declares what it holds',
    description: 'Makes an empty environment.',
    fresh: 'always',
    example: { name: 'acceptance' },
    run: async (tx, admin, call) => ({ environment: present(call, await createEnvironment(tx, admin, call.body)) }),
  },
  update: {
    body: environmentPatch,
    id: 'update_environment',
    summary: 'Change what an environment demands of those who decide, and how far it trusts its app',
    description: 'Changes what an environment demands.',
    fresh: 'always',
    example: { independentApproval: true },
    run: async (tx, admin, call) => ({
      environment: present(call, await updateEnvironment(tx, admin, call.id, call.body)),
    }),
  },
});
