/** The `person …` commands of the admin tool; used by run.ts. */
import { hashPassword } from '../../../accounts/passwords.ts';
import {
  createPerson,
  listPeople,
  normalizeEmail,
  personInput,
  personPatch,
  removePerson,
  updatePerson,
  type PersonView,
} from '../../../accounts/settings/people.ts';
import { compileCheck } from '../../../platform/json/validate.ts';
import type { Command } from '../command.ts';
import { findOneByName, runCommandChange, type CommandContext } from '../context.ts';
import { formatTable } from '../print.ts';

const thing = 'person';
const checkInput = compileCheck(personInput);
const checkPatch = compileCheck(personPatch);

/** The default of `--environment`: people made here are the project's first, so they have access to all of them. */
const everywhere = ['*'];

/** Not as an option's value: other users of the machine see command lines. */
const passwordOption = { 'password-stdin': { kind: 'flag', required: true } } as const;

/** Returns the person of an address or an id. */
const findPerson = async ({ db }: CommandContext, argument: string): Promise<PersonView> => {
  const given = argument.includes('@') ? normalizeEmail(argument) : argument;
  return findOneByName(await listPeople(db), given, thing, ({ email }) => email);
};

export const personCommands: readonly Command[] = [
  {
    thing,
    verb: 'create',
    about:
      "makes a person, who signs in with the password on standard input; without --environment in all of them ('*'), also later ones",
    argument: '<email>',
    options: {
      role: { kind: 'text', value: '<role>', required: true },
      ...passwordOption,
      name: { kind: 'text', value: '<name>' },
      environment: { kind: 'list', value: `<name or '*'>` },
    },
    run: async (context, { argument, text, list }) => {
      const password = await context.readInput();
      const name = text('name') ?? argument.split('@')[0];
      const { password: _, ...input } = checkInput({
        email: argument,
        name,
        role: text('role'),
        password,
        environments: list('environment'),
      });
      const passwordHash = await hashPassword(password);
      const person = await runCommandChange(context, (tx) =>
        createPerson(tx, context.admin, { ...input, passwordHash }, everywhere),
      );
      const line = `${person.name} <${person.email}> (${person.id}) can sign in: role ${person.role.name}, in ${person.environments.join(', ')}.`;
      return { json: { person }, lines: [line] };
    },
  },
  {
    thing,
    verb: 'password',
    about: 'sets a password, that on standard input, and ends the person’s sessions',
    argument: '<email>',
    options: passwordOption,
    run: async (context, { argument }) => {
      const { id } = await findPerson(context, argument);
      const password = await context.readInput();
      checkPatch({ password });
      const passwordHash = await hashPassword(password);
      const { person } = await runCommandChange(context, (tx) => updatePerson(tx, context.admin, id, { passwordHash }));
      return {
        json: { person },
        lines: [`${person.name} <${person.email}> (${person.id}) signs in with the new password.`],
      };
    },
  },
  {
    thing,
    verb: 'list',
    about: 'lists people',
    argument: null,
    options: {},
    run: async ({ db }) => {
      const people = await listPeople(db);
      const rows = people.map(({ id, email, name, role, environments }) => [
        name,
        email,
        id,
        role.name,
        environments.join(','),
      ]);
      return {
        json: { people },
        lines: formatTable(['name', 'e-mail', 'id', 'role', 'environments'], rows, 'There is no person.'),
      };
    },
  },
  {
    thing,
    verb: 'revoke',
    about: 'removes a person and ends their sessions; not the last admin',
    argument: '<email>',
    options: {},
    run: async (context, { argument }) => {
      const { id } = await findPerson(context, argument);
      const { person, unassigned, agents } = await runCommandChange(context, (tx) =>
        removePerson(tx, context.admin, id),
      );
      const items = unassigned === 0 ? [] : [`Items that become nobody’s: ${String(unassigned)}.`];
      const made =
        agents.length === 0 ? [] : [`Agents that they made, which stay: ${agents.map(({ name }) => name).join(', ')}.`];
      return {
        json: { person, revoked: true, unassigned, agents },
        lines: [`${person.name} <${person.email}> (${person.id}) is removed.`, ...items, ...made],
      };
    },
  },
];
