/** Making, changing and deleting roles; a role of the project counts in every environment. */
import { fault, invalid } from '../catalogue/errors.ts';
import type { Grant } from '../catalogue/permissions.ts';
import { isId, newId } from '../platform/core/ids.ts';
import { invalidDetails } from '../platform/core/validate.ts';
import { isDuplicate } from '../platform/db/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { RoleRow } from '../platform/db/models.ts';
import { row, run, statement } from '../platform/db/sql.ts';
import { grantProblems } from '../access/access.ts';
import { settle, type Administrator } from './administer.ts';
import { keepingAnAdmin } from './lastAdmin.ts';
import type { RoleInput, RolePatch } from './schema.ts';

export interface RoleView {
  readonly id: string;
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly builtIn: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const viewOf = ({ id, name, grants, builtIn, createdAt, updatedAt }: RoleRow): RoleView => ({ id, name, grants, builtIn, createdAt, updatedAt });

const users = statement('administer.roles.users', `
  select (select count(*) from people where role = $1 and removed_at is null)::int as people,
    (select count(*) from agents where role = $1 and revoked_at is null)::int as agents`);
/** Rows of whom was removed stay, for what they did; their role means nothing any more, but the row must name one. */
const leaveAgents = statement('administer.roles.leaveAgents', `
  update agents set role = (select id from roles where name = 'viewer') where role = $1`);
const leavePeople = statement('administer.roles.leavePeople', `
  update people set role = (select id from roles where name = 'viewer') where role = $1`);

/** The built-in ones first, then by name. */
export const listRoles = async (db: Db | Tx): Promise<RoleView[]> =>
  (await RoleRow.query(db).orderBy([{ column: 'built_in', order: 'desc' }, 'name'])).map(viewOf);

const check = ({ name, grants }: { readonly name?: string; readonly grants?: readonly Grant[] }): void => {
  // A role is named by id or name, so that no name may look like an id.
  if (name !== undefined && isId(name, 'rol')) throw invalid('name', 'must not have the form of an id');
  const problems = grantProblems(grants ?? []);
  if (problems.length > 0) throw invalidDetails(problems);
};

const named = async (name: string, write: () => Promise<RoleRow | undefined>): Promise<RoleView> => {
  try {
    const role = await write();
    if (role === undefined) throw fault('not_found');
    return viewOf(role);
  } catch (error) {
    if (isDuplicate(error, 'roles_name_key')) throw fault('conflict', `There is already a role ${JSON.stringify(name)}.`);
    throw error;
  }
};

const own = async (tx: Tx, id: string, what: string): Promise<RoleView> => {
  const role = await RoleRow.query(tx).findById(id).forUpdate();
  if (role === undefined) throw fault('not_found');
  if (role.builtIn) throw fault('conflict', `The role ${role.name} is built in and can’t be ${what}.`);
  return viewOf(role);
};

const told = ({ name, grants }: RoleView): object => ({ name, grants });
const target = ({ id }: RoleView) => ({ type: 'role', id });
const everywhere = ['*'];

export const createRole = async (tx: Tx, admin: Administrator, input: RoleInput): Promise<RoleView> => {
  check(input);
  const role = await named(input.name, async () =>
    RoleRow.query(tx).insert({ id: newId('rol', admin.at), ...input, createdAt: admin.at, updatedAt: admin.at }).returning('*'));
  await settle(tx, admin, { verb: 'role.create', target: target(role), environments: everywhere, before: null, after: told(role) });
  return role;
};

const change = async (tx: Tx, admin: Administrator, id: string, patch: RolePatch): Promise<RoleView> => {
  const before = await own(tx, id, 'changed');
  const { name, grants } = { ...before, ...patch };
  if (name === before.name && JSON.stringify(grants) === JSON.stringify(before.grants)) return before;
  const role = await named(name, async () => RoleRow.query(tx).patchAndFetchById(id, { name, grants, updatedAt: admin.at }));
  await settle(tx, admin, { verb: 'role.update', target: target(role), environments: everywhere, before: told(before), after: told(role) });
  return role;
};

/** `409 conflict` for a built-in role, and when nobody would be left who may manage settings. */
export const updateRole = (tx: Tx, admin: Administrator, id: string, patch: RolePatch): Promise<RoleView> => {
  check(patch);
  const refusal = ({ name }: RoleView): string => `Only people with the role ${name} may manage settings; let another person do so first.`;
  return patch.grants === undefined ? change(tx, admin, id, patch) : keepingAnAdmin(tx, () => change(tx, admin, id, patch), refusal);
};

/** `409 conflict` while somebody has it. */
export const deleteRole = async (tx: Tx, admin: Administrator, id: string): Promise<void> => {
  const role = await own(tx, id, 'deleted');
  const { people = 0, agents = 0 } = (await row<{ people: number; agents: number }>(tx, users, [id])) ?? {};
  if (people + agents > 0) {
    throw fault('conflict', `The role ${role.name} is in use by ${String(people)} people and ${String(agents)} agents; give them another one first.`);
  }
  await run(tx, leaveAgents, [id]);
  await run(tx, leavePeople, [id]);
  await RoleRow.query(tx).deleteById(id);
  await settle(tx, admin, { verb: 'role.delete', target: target(role), environments: everywhere, before: told(role), after: null });
};
