/** Settings: roles. */
import { createRole, deleteRole, listRoles, updateRole } from '../../../shared/settings/roles.ts';
import { roleInput, rolePatch, roleView } from '../../../shared/settings/schema.ts';
import { answer, closed } from '../../../shared/platform/core/schema.ts';
import { compile } from '../../../shared/platform/core/validate.ts';
import { write, type Call, type Endpoint } from '../../endpoint.ts';
import { change, mustManage, settingsList, tag } from './manage.ts';

const checkRoleInput = compile(roleInput);
const checkRolePatch = compile(rolePatch);

const id = 'rol_01jd0000000000000000000000';
const target = ({ params }: Pick<Call, 'params'>) => ({ type: 'role', id: params['id'] ?? null });
const told = answer({ role: roleView });
const grants = [{ on: 'inbox:support', can: ['see', 'note'] }, { on: 'resource:customer', can: ['see'] }];

const list = settingsList({ path: '/settings/roles', plural: 'roles', summary: 'The roles, built in or made', schema: roleView, find: ({ deps }) => listRoles(deps.db) });

const create = write({
  path: '/settings/roles',
  name: 'role.create',
  summary: 'Make a role',
  tag,
  body: roleInput,
  responses: { 201: told },
  example: { body: { name: 'Second line', grants } },
  audit: { verb: 'role.create', target },
  check: checkRoleInput,
  handle: async (call) => {
    mustManage(call, { fresh: true });
    return change(call, async (tx, admin) => ({ status: 201, body: { role: await createRole(tx, admin, call.body) } }));
  },
});

const update = write({
  method: 'patch',
  path: '/settings/roles/:id',
  name: 'role.update',
  summary: 'Change a role, and so everyone who has it; built-in ones stay',
  tag,
  body: rolePatch,
  responses: { 200: told },
  example: { params: { id }, body: { grants } },
  audit: { verb: 'role.update', target },
  check: checkRolePatch,
  handle: async (call) => {
    mustManage(call, { fresh: true });
    return change(call, async (tx, admin) => ({ status: 200, body: { role: await updateRole(tx, admin, call.params['id'] ?? '', call.body) } }));
  },
});

const noBody = closed({});

const remove = write({
  method: 'delete',
  path: '/settings/roles/:id',
  name: 'role.delete',
  summary: 'Delete a role that nobody has',
  tag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { params: { id }, body: {} },
  audit: { verb: 'role.delete', target },
  check: compile(noBody),
  handle: async (call) => {
    mustManage(call, { fresh: true });
    return change(call, async (tx, admin) => {
      await deleteRole(tx, admin, call.params['id'] ?? '');
      return { status: 204 };
    });
  },
});

export const roleSettings: readonly Endpoint[] = [list, create, update, remove];
