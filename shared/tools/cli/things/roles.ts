/** The `role …` commands of the admin tool; used by run.ts. */
import {
  createRole,
  deleteRole,
  listRoles,
  roleInput,
  rolePatch,
  updateRole,
} from '../../../accounts/settings/roles.ts';
import { compileCheck } from '../../../platform/json/validate.ts';
import { type Command } from '../command.ts';
import { findOneByName, runCommandChange } from '../context.ts';
import { UsageError } from '../failures.ts';
import { formatTable } from '../print.ts';

const thing = 'role';
const checkInput = compileCheck(roleInput);
const checkPatch = compileCheck(rolePatch);
const example = `--grants '[{"on":"inbox:support","can":["see","note"]}]'`;

const grantsOf = (text: string | undefined): unknown => {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`--grants is not JSON: ${error instanceof Error ? error.message : ''}\nExample: ${example}`);
  }
};

const summary = (grants: readonly { readonly on: string; readonly can: readonly string[] }[]): string =>
  grants.map(({ on, can }) => `${on} ${can.join(',')}`).join('; ');

export const roleCommands: readonly Command[] = [
  {
    thing,
    verb: 'create',
    about: 'makes a role',
    argument: '<name>',
    options: { grants: { kind: 'text', value: '<JSON>', required: true } },
    run: async (context, { argument, text }) => {
      const input = checkInput({ name: argument, grants: grantsOf(text('grants')) });
      const role = await runCommandChange(context, (tx) => createRole(tx, context.admin, input));
      return { json: { role }, lines: [`The role ${role.name} (${role.id}) is made.`] };
    },
  },
  {
    thing,
    verb: 'list',
    about: 'lists roles',
    argument: null,
    options: {},
    run: async ({ db }) => {
      const roles = await listRoles(db);
      const rows = roles.map(({ id, name, builtIn, grants }) => [name, id, builtIn ? 'built in' : '', summary(grants)]);
      return { json: { roles }, lines: formatTable(['name', 'id', '', 'grants'], rows, 'There is no role.') };
    },
  },
  {
    thing,
    verb: 'update',
    about: 'changes a role; everyone who has it at once',
    argument: '<name>',
    options: { grants: { kind: 'text', value: '<JSON>' }, name: { kind: 'text', value: '<new name>' } },
    run: async (context, { argument, text }) => {
      const grants = grantsOf(text('grants'));
      const name = text('name');
      if (grants === undefined && name === undefined)
        throw new UsageError(`Give --grants or --name, or both. Example: ${example}`);
      const patch = checkPatch({
        ...(grants === undefined ? {} : { grants }),
        ...(name === undefined ? {} : { name }),
      });
      const { id } = findOneByName(await listRoles(context.db), argument, thing, (role) => role.name);
      const { role } = await runCommandChange(context, (tx) => updateRole(tx, context.admin, id, patch));
      return { json: { role }, lines: [`The role ${role.name} (${role.id}) is: ${summary(role.grants)}`] };
    },
  },
  {
    thing,
    verb: 'delete',
    about: 'deletes a role that nobody has',
    argument: '<name>',
    options: {},
    run: async (context, { argument }) => {
      const role = findOneByName(await listRoles(context.db), argument, thing, ({ name }) => name);
      await runCommandChange(context, (tx) => deleteRole(tx, context.admin, role.id));
      return { json: { role, deleted: true }, lines: [`The role ${role.name} (${role.id}) is deleted.`] };
    },
  },
];
