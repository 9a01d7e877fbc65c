/** Roles, which all environments share: only who has access to all of them changes one. Served by api/routes/settings.ts; used by the admin command too. */
import { fault, invalidAt } from '../../catalogue/errors.ts';
import type { Grant } from '../../catalogue/permissions.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import { isId } from '../../platform/ids.ts';
import { responseObject, strictObject, Type, type Static } from '../../platform/json/schema.ts';
import { invalidFault } from '../../platform/json/validate.ts';
import { grantProblems } from '../access/access.ts';
import { grantsInput, grantsSchema, stampSchema, unassignedSchema, uniqueNameSchema } from '../schema.ts';
import type { Administrator } from './adminChange.ts';
import { requireAdminRemains, stageUnassigning } from './lostAccess.ts';
import { patchOf, resource } from './resource.ts';
import { settingsStore } from './store.ts';

const roleView = responseObject({
  id: Type.String({ description: 'Id.' }),
  name: Type.String({ description: 'Its name.' }),
  grants: grantsSchema,
  builtIn: Type.Boolean({ description: 'Built-in roles can’t be changed.' }),
  createdAt: stampSchema('createdAt'),
  updatedAt: stampSchema('updatedAt'),
});
export const roleInput = strictObject({ name: uniqueNameSchema, grants: grantsInput });
export const rolePatch = patchOf(roleInput);

export type Role = Static<typeof roleView>;
type RoleInput = Static<typeof roleInput>;
type RolePatch = Static<typeof rolePatch>;

const store = settingsStore({
  type: 'role',
  prefix: 'rol',
  scope: 'service',
  table: { name: 'roles', json: ['grants'] },
  order: [{ column: 'built_in', order: 'desc' }, 'name'],
  view: roleView,
  input: roleInput,
  audited: ['name', 'grants'],
  unique: 'roles_name_key',
});

const countUsersSql = statement(
  'administer.roles.users',
  `
  select (select count(*) from people where role = $1 and removed_at is null)::int as people,
    (select count(*) from agents where role = $1 and revoked_at is null)::int as agents`,
);
const holdersOfRoleSql = statement(
  'administer.roles.holders',
  `select id from people where role = $1 and removed_at is null
  union all select id from agents where role = $1 and revoked_at is null`,
);
/** Rows of removed people and revoked agents stay, as timelines name them; they get another role, as the column must have one. */
const resetAgentRolesSql = statement(
  'administer.roles.leaveAgents',
  `
  update agents set role = (select id from roles where name = 'viewer') where role = $1`,
);
const resetPersonRolesSql = statement(
  'administer.roles.leavePeople',
  `
  update people set role = (select id from roles where name = 'viewer') where role = $1`,
);

/** Returns all roles, the built-in ones first, then by name. */
export const listRoles = store.list;

/** Throws `invalid` for a name or grants that the schema does not refuse. */
const checkRole = ({ name, grants }: { readonly name?: string; readonly grants?: readonly Grant[] }): void => {
  // Requests name a role by id or by name, so no name may have the form of an id.
  if (name !== undefined && isId(name, 'rol')) throw invalidAt('name', 'must not have the form of an id');
  const problems = grantProblems(grants ?? []);
  if (problems.length > 0) throw invalidFault(problems);
};

const lockCustomRole = async (tx: Tx, admin: Administrator, id: string, what: string): Promise<Role> => {
  const role = await store.lock(tx, admin, id);
  if (role.builtIn) throw fault('conflict', `The role ${role.name} is built in and can’t be ${what}.`);
  return role;
};

/** Creates a role. Throws `invalid` for its grants, `conflict` for a name that exists. */
export const createRole = async (tx: Tx, admin: Administrator, input: RoleInput): Promise<Role> => {
  checkRole(input);
  return store.create(tx, admin, input, []);
};

/** A role after a change, and how many items the change takes from its people, as they don't see their inboxes any more. */
interface ChangedRole {
  readonly role: Role;
  readonly unassigned: number;
}

const applyRoleChange = async (tx: Tx, admin: Administrator, id: string, patch: RolePatch): Promise<ChangedRole> => {
  const before = await lockCustomRole(tx, admin, id, 'changed');
  const role = await store.write(tx, admin, before, patch);
  if (role === before) return { role, unassigned: 0 };
  const holders = patch.grants === undefined ? [] : await queryRows<{ id: string }>(tx, holdersOfRoleSql, [id]);
  const unassigned = await stageUnassigning(
    tx,
    admin,
    holders.map((holder) => holder.id),
    id,
  );
  await store.record(tx, admin, 'update', before, role);
  return { role, unassigned };
};

/** Changes a role. Throws `conflict` for a built-in one, and when nobody would be left who may manage settings. */
export const updateRole = async (tx: Tx, admin: Administrator, id: string, patch: RolePatch): Promise<ChangedRole> => {
  checkRole(patch);
  const refusal = ({ role: { name } }: ChangedRole, where: string): string =>
    `In ${where} only people with the role ${name} may manage settings; let another person do so there first.`;
  return patch.grants === undefined
    ? applyRoleChange(tx, admin, id, patch)
    : requireAdminRemains(tx, () => applyRoleChange(tx, admin, id, patch), refusal);
};

/** Deletes a role. Throws `conflict` for a built-in one, and while a person or an agent has it. */
export const deleteRole = async (tx: Tx, admin: Administrator, id: string): Promise<void> => {
  const role = await lockCustomRole(tx, admin, id, 'deleted');
  const { people = 0, agents = 0 } =
    (await queryRow<{ people: number; agents: number }>(tx, countUsersSql, [id])) ?? {};
  if (people + agents > 0) {
    throw fault(
      'conflict',
      `The role ${role.name} is in use by ${String(people)} people and ${String(agents)} agents; give them another one first.`,
    );
  }
  await executeStatement(tx, resetAgentRolesSql, [id]);
  await executeStatement(tx, resetPersonRolesSql, [id]);
  await store.end(tx, admin, 'delete', role);
};

const grants = [
  { on: 'inbox:support', can: ['see', 'note'] },
  { on: 'resource:customer', can: ['see'] },
];

export const roles = resource({
  type: 'role',
  plural: 'roles',
  path: '/settings/roles',
  exampleId: 'rol_01jd0000000000000000000000',
  view: roleView,
  components: {
    Role: [roleView, 'What agents and people may do.'],
    RolePatch: [rolePatch, 'What a role is made with, or what changes.'],
  },
  list: {
    id: 'list_roles',
    summary: 'The roles, built in or made',
    description: 'The roles, with what they grant.',
    find: store.listSeen,
  },
  create: {
    body: roleInput,
    id: 'create_role',
    summary: 'Make a role',
    description: 'Makes a role. For those who have all environments.',
    fresh: 'always',
    example: { name: 'Second line', grants },
    run: async (tx, admin, { body }) => ({ role: await createRole(tx, admin, body) }),
  },
  update: {
    body: rolePatch,
    id: 'update_role',
    summary: 'Change a role, and so everyone who has it; built-in ones stay',
    description: 'Changes what is given within a second.',
    fresh: 'always',
    example: { grants },
    answers: { unassigned: unassignedSchema },
    run: (tx, admin, { id, body }) => updateRole(tx, admin, id, body),
  },
  end: {
    verb: 'delete',
    id: 'delete_role',
    summary: 'Delete a role that nobody has',
    description: 'Deletes a role; one in use or built in is 409.',
    fresh: 'always',
    run: (tx, admin, { id }) => deleteRole(tx, admin, id),
  },
});
