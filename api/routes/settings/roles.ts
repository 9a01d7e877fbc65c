/** Settings: roles. */
import { responseObject } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import { createRole, deleteRole, listRoles, updateRole } from '../../../shared/settings/roles.ts';
import { roleInput, rolePatch, roleViewSchema } from '../../../shared/settings/schema.ts';
import { writeEndpoint, type Endpoint } from '../../endpoint.ts';
import {
  requireManager,
  runSettingsChange,
  settingsListEndpoint,
  settingsRemovalEndpoint,
  settingsTag,
  settingsTarget,
} from './manage.ts';

const checkRoleInput = compileCheck(roleInput);
const checkRolePatch = compileCheck(rolePatch);

const id = 'rol_01jd0000000000000000000000';
const target = settingsTarget('role');
const roleResponse = responseObject({ role: roleViewSchema });
const grants = [
  { on: 'inbox:support', can: ['see', 'note'] },
  { on: 'resource:customer', can: ['see'] },
];

const list = settingsListEndpoint({
  path: '/settings/roles',
  plural: 'roles',
  summary: 'The roles, built in or made',
  schema: roleViewSchema,
  find: ({ deps }) => listRoles(deps.db),
});

const create = writeEndpoint({
  path: '/settings/roles',
  name: 'role.create',
  summary: 'Make a role',
  tag: settingsTag,
  body: roleInput,
  responses: { 201: roleResponse },
  example: { body: { name: 'Second line', grants } },
  audit: { verb: 'role.create', target },
  check: checkRoleInput,
  handle: async (call) => {
    requireManager(call, { fresh: true });
    return runSettingsChange(call, async (tx, admin) => ({
      status: 201,
      body: { role: await createRole(tx, admin, call.body) },
    }));
  },
});

const update = writeEndpoint({
  method: 'patch',
  path: '/settings/roles/:id',
  name: 'role.update',
  summary: 'Change a role, and so everyone who has it; built-in ones stay',
  tag: settingsTag,
  body: rolePatch,
  responses: { 200: roleResponse },
  example: { params: { id }, body: { grants } },
  audit: { verb: 'role.update', target },
  check: checkRolePatch,
  handle: async (call) => {
    requireManager(call, { fresh: true });
    return runSettingsChange(call, async (tx, admin) => ({
      status: 200,
      body: { role: await updateRole(tx, admin, call.params['id'] ?? '', call.body) },
    }));
  },
});

const remove = settingsRemovalEndpoint({
  path: '/settings/roles',
  type: 'role',
  exampleId: id,
  summary: 'Delete a role that nobody has',
  verb: 'delete',
  fresh: true,
  remove: deleteRole,
});

export const roleSettings: readonly Endpoint[] = [list, create, update, remove];
