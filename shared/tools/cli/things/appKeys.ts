/** The `app-key …` commands of the admin tool; used by run.ts. */
import {
  appKeyInput,
  createAppKey,
  listAppKeys,
  revokeAppKey,
  rotateAppKey,
  type AppKeyToken,
} from '../../../accounts/settings/appKeys.ts';
import { rotationInput } from '../../../accounts/settings/credentials.ts';
import { compileCheck } from '../../../platform/json/validate.ts';
import { type Command, type CommandArguments, type CommandResult } from '../command.ts';
import {
  environmentUrl,
  findOneByName,
  resolveEnvironments,
  runCommandChange,
  type CommandContext,
} from '../context.ts';
import { UsageError } from '../failures.ts';
import { credentialLines, formatTable, formatTime } from '../print.ts';

const thing = 'app-key';
const checkInput = compileCheck(appKeyInput);
const checkRotation = compileCheck(rotationInput);
const environment = { kind: 'text', value: '<name>' } as const;

const answerOf = (context: CommandContext, { appKey, token }: AppKeyToken, what: string): CommandResult => {
  const baseUrl = environmentUrl(context, appKey.environment);
  const first = `The app key ${appKey.name} (${appKey.id}) of ${appKey.environment} ${what}.`;
  return { json: { appKey, token, baseUrl }, lines: [first, ...credentialLines(token, baseUrl)] };
};

/** Returns the warning that other keys have the name of a new one, which settings allow. */
const sameNameLine = (
  { name, environment: where }: AppKeyToken['appKey'],
  same: readonly AppKeyToken['appKey'][],
): string =>
  `There were keys named ${JSON.stringify(name)} in ${where} already: ${same.map(({ id }) => id).join(', ')}. rotate and revoke need the id now.`;

/** Returns the id of the named key; `--environment` selects among keys of the same name in several environments. */
const find = async ({ db }: CommandContext, { argument, text }: CommandArguments): Promise<string> => {
  const where = text('environment');
  const keys = (await listAppKeys(db)).filter((key) => where === undefined || key.environment === where);
  return findOneByName(keys, argument, thing, ({ name }) => name).id;
};

export const appKeyCommands: readonly Command[] = [
  {
    thing,
    verb: 'create',
    about: 'makes an app key for one environment and tells its token once',
    argument: '[name]',
    options: { environment },
    run: async (context, { argument, text }) => {
      const given = text('environment');
      if (given === '*') throw new UsageError('--environment must name one environment: an app key belongs to one.');
      const [where = ''] = await resolveEnvironments(context, given === undefined ? undefined : [given]);
      const input = checkInput({ name: argument === '' ? 'app' : argument });
      const same = (await listAppKeys(context.db)).filter(
        (key) => key.name === input.name && key.environment === where,
      );
      const made = await runCommandChange(context, (tx) => createAppKey(tx, context.admin, input, where));
      const answer = answerOf(context, made, 'is made');
      return same.length === 0 ? answer : { ...answer, lines: [...answer.lines, sameNameLine(made.appKey, same)] };
    },
  },
  {
    thing,
    verb: 'list',
    about: 'lists app keys',
    argument: null,
    options: {},
    run: async ({ db }) => {
      const appKeys = await listAppKeys(db);
      const rows = appKeys.map(({ id, name, environment: where, createdAt, lastUsedAt }) => [
        name,
        id,
        where,
        formatTime(createdAt, ''),
        formatTime(lastUsedAt, 'never'),
      ]);
      return {
        json: { appKeys },
        lines: formatTable(['name', 'id', 'environment', 'made', 'last used'], rows, 'There is no app key.'),
      };
    },
  },
  {
    thing,
    verb: 'rotate',
    about: 'a new token; the old one works for the grace (0 to 7 days) more',
    argument: '<name>',
    options: { grace: { kind: 'text', value: '<ms>' }, environment },
    run: async (context, given) => {
      const { grace = 0 } = checkRotation({ grace: given.ms('grace') });
      const id = await find(context, given);
      return answerOf(
        context,
        await runCommandChange(context, (tx) => rotateAppKey(tx, context.admin, id, grace)),
        'has a new token',
      );
    },
  },
  {
    thing,
    verb: 'revoke',
    about: 'ends an app key for good',
    argument: '<name>',
    options: { environment },
    run: async (context, given) => {
      const id = await find(context, given);
      const appKey = await runCommandChange(context, (tx) => revokeAppKey(tx, context.admin, id));
      return { json: { appKey, revoked: true }, lines: [`The app key ${appKey.name} (${appKey.id}) is revoked.`] };
    },
  },
];
