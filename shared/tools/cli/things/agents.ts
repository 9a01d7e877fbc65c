/** The `agent …` commands of the admin tool; used by run.ts. */
import {
  agentInput,
  createAgent,
  listAgents,
  revokeAgent,
  rotateAgent,
  type AgentToken,
} from '../../../accounts/settings/agents.ts';
import { rotationInput } from '../../../accounts/settings/credentials.ts';
import type { Tx } from '../../../platform/db/knex.ts';
import { compileCheck } from '../../../platform/json/validate.ts';
import type { Command, CommandResult } from '../command.ts';
import {
  credentialBaseUrl,
  findOneByName,
  resolveEnvironments,
  runCommandChange,
  type CommandContext,
} from '../context.ts';
import { CommandFailure } from '../failures.ts';
import { credentialLines, formatTable, formatTime } from '../print.ts';

const thing = 'agent';
const checkInput = compileCheck(agentInput);
const checkRotation = compileCheck(rotationInput);

const answerOf = async (
  context: CommandContext,
  { agent, token }: AgentToken,
  what: string,
): Promise<CommandResult> => {
  const baseUrl = await credentialBaseUrl(context, agent.environments);
  const first = `The agent ${agent.name} (${agent.id}) ${what}: role ${agent.role.name}, ${agent.mode}, in ${agent.environments.join(', ')}.`;
  return { json: { agent, token, baseUrl }, lines: [first, ...credentialLines(token, baseUrl)] };
};

const find = async ({ db }: CommandContext, given: string): Promise<string> =>
  findOneByName(await listAgents(db), given, thing, ({ name }) => name).id;

/**
 * Throws CommandFailure when an agent that is not revoked has the name: logs and people tell agents by it. Commands that make
 * one of the same name at once take turns.
 */
const refuseSameName = async (tx: Tx, name: string): Promise<void> => {
  await tx.raw("select pg_advisory_xact_lock(hashtextextended('agent name ' || ?, 0))", [name]);
  const same = (await listAgents(tx)).find((agent) => agent.name === name);
  if (same === undefined) return;
  throw new CommandFailure(
    `There is already an agent named ${JSON.stringify(name)}: ${same.id}, role ${same.role.name}, in ${same.environments.join(', ')}. ` +
      `For a new token: npm run admin -- agent rotate ${same.id}. For a second agent of that name: --same-name.`,
  );
};

export const agentCommands: readonly Command[] = [
  {
    thing,
    verb: 'create',
    about: 'makes an agent and tells its token once',
    argument: '<name>',
    options: {
      role: { kind: 'text', value: '<role>', required: true },
      mode: { kind: 'text', value: 'normal|readonly|supervised' },
      'expires-at': { kind: 'text', value: '<ms since 1970>' },
      environment: { kind: 'list', value: `<name or '*'>` },
      'same-name': { kind: 'flag' },
    },
    run: async (context, { argument, text, ms, list, flag }) => {
      const environments = await resolveEnvironments(context, list('environment'));
      const input = checkInput({
        name: argument,
        role: text('role'),
        mode: text('mode'),
        expiresAt: ms('expires-at'),
        environments,
      });
      const made = await runCommandChange(context, async (tx) => {
        if (!flag('same-name')) await refuseSameName(tx, input.name);
        return createAgent(tx, context.admin, input, environments);
      });
      return answerOf(context, made, 'is made');
    },
  },
  {
    thing,
    verb: 'list',
    about: 'lists agents',
    argument: null,
    options: {},
    run: async ({ db }) => {
      const agents = await listAgents(db);
      const rows = agents.map(({ id, name, role, mode, environments, expiresAt, lastUsedAt }) => [
        name,
        id,
        role.name,
        mode,
        environments.join(','),
        formatTime(expiresAt, 'never'),
        formatTime(lastUsedAt, 'never'),
      ]);
      return {
        json: { agents },
        lines: formatTable(
          ['name', 'id', 'role', 'mode', 'environments', 'expires', 'last used'],
          rows,
          'There is no agent.',
        ),
      };
    },
  },
  {
    thing,
    verb: 'rotate',
    about: 'a new token; the old one works for the grace (0 to 7 days) more',
    argument: '<name>',
    options: { grace: { kind: 'text', value: '<ms>' } },
    run: async (context, { argument, ms }) => {
      const { grace = 0 } = checkRotation({ grace: ms('grace') });
      const id = await find(context, argument);
      return answerOf(
        context,
        await runCommandChange(context, (tx) => rotateAgent(tx, context.admin, id, grace)),
        'has a new token',
      );
    },
  },
  {
    thing,
    verb: 'revoke',
    about: 'ends an agent for good',
    argument: '<name>',
    options: {},
    run: async (context, { argument }) => {
      const id = await find(context, argument);
      const agent = await runCommandChange(context, (tx) => revokeAgent(tx, context.admin, id));
      return { json: { agent, revoked: true }, lines: [`The agent ${agent.name} (${agent.id}) is revoked.`] };
    },
  },
];
