/** Creates, updates and deletes roles, which all environments share: only who has access to all of them does. For the settings endpoints and the admin command. */
import { grantProblems } from '../access/access.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import type { Grant } from '../catalogue/permissions.ts';
import { isId, newId } from '../platform/core/ids.ts';
import { invalidFault } from '../platform/core/validate.ts';
import { isUniqueViolation } from '../platform/db/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { RoleRow } from '../platform/db/models.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { recordAdminChange, requireWholeReach, type Administrator } from './adminChange.ts';
import { requireAdminRemains } from './lastAdmin.ts';
import type { RoleInput, RolePatch } from './schema.ts';

interface RoleView {
  readonly id: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly builtIn: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const toRoleView = ({ id, name, grants, builtIn, createdAt, updatedAt }: RoleRow): RoleView => ({
  id,
  name,
  grants,
  builtIn,
  createdAt,
  updatedAt,
});

const countRoleUsersSql = statement(
  'administer.roles.users',
  `
  select (select count(*) from people where role = $1 and removed_at is null)::int as people,
    (select count(*) from agents where role = $1 and revoked_at is null)::int as agents`,
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
export const listRoles = async (db: Db | Tx): Promise<RoleView[]> =>
  (await RoleRow.query(db).orderBy([{ column: 'built_in', order: 'desc' }, 'name'])).map(toRoleView);

const checkRole = ({ name, grants }: { readonly name?: string; readonly grants?: readonly Grant[] }): void => {
  // Requests name a role by id or by name, so no name may have the form of an id.
  if (name !== undefined && isId(name, 'rol')) throw invalidAt('name', 'must not have the form of an id');
  const problems = grantProblems(grants ?? []);
  if (problems.length > 0) throw invalidFault(problems);
};

const rejectDuplicateName = async (name: string, write: () => Promise<RoleRow | undefined>): Promise<RoleView> => {
  try {
    const role = await write();
    if (role === undefined) throw fault('not_found');
    return toRoleView(role);
  } catch (error) {
    if (isUniqueViolation(error, 'roles_name_key'))
      throw fault('conflict', `There is already a role ${JSON.stringify(name)}.`);
    throw error;
  }
};

const lockCustomRole = async (tx: Tx, id: string, what: string): Promise<RoleView> => {
  const role = await RoleRow.query(tx).findById(id).forUpdate();
  if (role === undefined) throw fault('not_found');
  if (role.builtIn) throw fault('conflict', `The role ${role.name} is built in and can’t be ${what}.`);
  return toRoleView(role);
};

const roleAuditJson = ({ name, grants }: RoleView): object => ({ name, grants });
const target = ({ id }: RoleView) => ({ type: 'role', id });
const everywhere = ['*'];

/** Creates a role. Throws `invalid` for its grants, `conflict` for a name that exists. */
export const createRole = async (tx: Tx, admin: Administrator, input: RoleInput): Promise<RoleView> => {
  checkRole(input);
  await requireWholeReach(tx, admin);
  const role = await rejectDuplicateName(input.name, async () =>
    RoleRow.query(tx)
      .insert({ id: newId('rol', admin.at), ...input, createdAt: admin.at, updatedAt: admin.at })
      .returning('*'),
  );
  await recordAdminChange(tx, admin, {
    verb: 'role.create',
    target: target(role),
    environments: everywhere,
    before: null,
    after: roleAuditJson(role),
  });
  return role;
};

const applyRoleChange = async (tx: Tx, admin: Administrator, id: string, patch: RolePatch): Promise<RoleView> => {
  await requireWholeReach(tx, admin);
  const before = await lockCustomRole(tx, id, 'changed');
  const { name, grants } = { ...before, ...patch };
  if (name === before.name && JSON.stringify(grants) === JSON.stringify(before.grants)) return before;
  const role = await rejectDuplicateName(name, async () =>
    RoleRow.query(tx).patchAndFetchById(id, { name, grants, updatedAt: admin.at }),
  );
  await recordAdminChange(tx, admin, {
    verb: 'role.update',
    target: target(role),
    environments: everywhere,
    before: roleAuditJson(before),
    after: roleAuditJson(role),
  });
  return role;
};

/** Changes a role. Throws `conflict` for a built-in one, and when nobody would be left who may manage settings. */
export const updateRole = (tx: Tx, admin: Administrator, id: string, patch: RolePatch): Promise<RoleView> => {
  checkRole(patch);
  const refusal = ({ name }: RoleView, where: string): string =>
    `In ${where} only people with the role ${name} may manage settings; let another person do so there first.`;
  return patch.grants === undefined
    ? applyRoleChange(tx, admin, id, patch)
    : requireAdminRemains(tx, () => applyRoleChange(tx, admin, id, patch), refusal);
};

/** Deletes a role. Throws `conflict` for a built-in one, and while a person or an agent has it. */
export const deleteRole = async (tx: Tx, admin: Administrator, id: string): Promise<void> => {
  await requireWholeReach(tx, admin);
  const role = await lockCustomRole(tx, id, 'deleted');
  const { people = 0, agents = 0 } =
    (await queryRow<{ people: number; agents: number }>(tx, countRoleUsersSql, [id])) ?? {};
  if (people + agents > 0) {
    throw fault(
      'conflict',
      `The role ${role.name} is in use by ${String(people)} people and ${String(agents)} agents; give them another one first.`,
    );
  }
  await executeStatement(tx, resetAgentRolesSql, [id]);
  await executeStatement(tx, resetPersonRolesSql, [id]);
  await RoleRow.query(tx).deleteById(id);
  await recordAdminChange(tx, admin, {
    verb: 'role.delete',
    target: target(role),
    environments: everywhere,
    before: roleAuditJson(role),
    after: null,
  });
};
