/** Finds and runs a command of the admin tool and returns its result, which admin.ts prints. */
import { systemAdministrator } from '../../accounts/settings/adminChange.ts';
import type { Config } from '../../platform/config/config.ts';
import { openDatabaseClock, type DatabaseClock } from '../../platform/db/databaseClock.ts';
import { openDb, type Db } from '../../platform/db/knex.ts';
import { closeClient, failFastOptions, openClient } from '../../platform/redis/client.ts';
import { openKeyRing } from '../../platform/redis/keyRing.ts';
import { openRedisBus } from '../../platform/redis/redisBus.ts';
import { type Clock, sleep } from '../../platform/time/clock.ts';
import { commandUsage, parseCommandArguments, type Command, type CommandResult } from './command.ts';
import { type DatabaseSource, toCommandError } from './commandErrors.ts';
import { openBulkDb } from './context.ts';
import { UsageError } from './failures.ts';
import { agentCommands } from './things/agents.ts';
import { appKeyCommands } from './things/appKeys.ts';
import { archiveCommands } from './things/archives.ts';
import { auditCommands } from './things/audit.ts';
import { environmentCommands } from './things/environments.ts';
import { jobCommands } from './things/jobs.ts';
import { personCommands } from './things/people.ts';
import { retentionCommands } from './things/retention.ts';
import { roleCommands } from './things/roles.ts';

interface AdminEnvironment {
  /** Called only when a command is about to run; throws an Error that names the bad variable. */
  readonly readConfig: () => Config;
  readonly readInput: () => Promise<string>;
}

export interface CommandOutcome {
  /** 0: done; 1: the command failed; 2: the command is written wrong. */
  readonly exitCode: 0 | 1 | 2;
  /** For standard output, when it is done; else for standard error. */
  readonly text: string;
}

const commands: readonly Command[] = [
  ...environmentCommands,
  ...roleCommands,
  ...agentCommands,
  ...personCommands,
  ...appKeyCommands,
  ...auditCommands,
  ...archiveCommands,
  ...retentionCommands,
  ...jobCommands,
];

const help = (): string => {
  const lines = commands.map((command) => `  ${commandUsage(command)}\n      ${command.about}`);
  return [
    'Usage: npm run admin -- <thing> <verb> [name] [options]',
    '',
    ...lines,
    '',
    'With --json the answer alone goes to standard output.',
  ].join('\n');
};

/** Returns the help of everything, or of one thing. */
const helpFor = (thing: string | null): string => {
  if (thing === null) return help();
  const lines = commands
    .filter((command) => command.thing === thing)
    .map((command) => `  ${commandUsage(command)}\n      ${command.about}`);
  return [`Usage: npm run admin -- ${thing} <verb> [name] [options]`, '', ...lines].join('\n');
};

/** Returns the thing that help is asked for, null for all of them, undefined when none is. */
const helpWanted = ([thing, verb]: readonly string[]): string | null | undefined => {
  const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h' || word === 'help';
  if (isHelp(thing)) return commands.find((command) => command.thing === verb)?.thing ?? null;
  return isHelp(verb) ? commands.find((command) => command.thing === thing)?.thing : undefined;
};

/** Returns the command and the words behind its name. A thing may have a command without a verb. */
const findCommand = ([thing, verb, ...rest]: readonly string[]): readonly [Command, readonly string[]] => {
  const things = [...new Set(commands.map((command) => command.thing))];
  if (thing === undefined) throw new UsageError(help());
  if (!things.includes(thing))
    throw new UsageError(
      `There is no ${JSON.stringify(thing)} here; there are ${things.join(', ')}. All of it: npm run admin -- --help`,
    );
  const verbs = commands.filter((command) => command.thing === thing);
  const command = verbs.find((one) => one.verb === verb);
  if (command !== undefined) return [command, rest];
  const plain = verbs.find((one) => one.verb === '');
  if (plain !== undefined && (verb === undefined || verb.startsWith('--')))
    return [plain, verb === undefined ? [] : [verb, ...rest]];
  throw new UsageError(
    `${verb === undefined ? `${thing} needs a verb` : `${thing} has no verb ${JSON.stringify(verb)}`}; there are ${verbs.flatMap((one) => (one.verb === '' ? [] : [one.verb])).join(', ')}.`,
  );
};

/** How long to wait for Redis, in ms; without a wake signal each process still polls, twice a second. */
const redisWaitMs = 1_000;

interface Message {
  readonly channel: string;
  readonly text: string;
}

const publishMessages = async (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { redisUrl, redisPrefix }: Config,
  messages: readonly Message[],
): Promise<void> => {
  if (messages.length === 0) return;
  const keys = await openKeyRing(db, clock, () => undefined);
  const address = { url: redisUrl, prefix: redisPrefix, onError: () => undefined };
  const client = openClient(address, failFastOptions);
  const bus = openRedisBus(address, client, { keys, onRefused: () => undefined });
  const until = performance.now() + redisWaitMs;
  while (!bus.connected && performance.now() < until) await sleep(10);
  for (const { channel, text } of messages) bus.publish(channel, text);
  await bus.close();
  await closeClient(client);
  keys.close();
};

const runCommand = async (
  command: Command,
  args: readonly string[],
  config: () => Config,
  readInput: AdminEnvironment['readInput'],
): Promise<string> => {
  const given = parseCommandArguments(command, args);
  if (given.help) return `npm run admin -- ${commandUsage(command)}\n${command.about}`;
  const { migrateDatabaseUrl: url, publicUrl } = config();
  const messages: Message[] = [];
  const bus = { publish: (channel: string, text: string): void => void messages.push({ channel, text }) };
  const db = openDb({ url, poolSize: 2, applicationName: 'console-admin' });
  // Connects at its first statement.
  const bulk = openBulkDb(url, 3);
  let answer: CommandResult;
  let clock: DatabaseClock | null = null;
  try {
    clock = await openDatabaseClock(db);
    const admin = systemAdministrator('admin command', clock.now());
    answer = await command.run({ db, bulk, bus, admin, publicUrl, readInput }, given);
    await publishMessages({ db, clock }, config(), messages);
  } finally {
    clock?.close();
    await bulk.destroy();
    await db.destroy();
  }
  return given.json ? JSON.stringify(answer.json, undefined, 2) : answer.lines.join('\n');
};

/** Runs `<thing> <verb> [name] [options]` and returns its exit code and text. Never throws. */
export const runAdmin = async (
  words: readonly string[],
  { readConfig, readInput }: AdminEnvironment,
): Promise<CommandOutcome> => {
  let database: DatabaseSource | null = null;
  const config = (): Config => {
    const read = readConfig();
    const { databaseUrl, migrateDatabaseUrl: url } = read;
    database = { url, variable: url === databaseUrl ? 'DATABASE_URL' : 'MIGRATE_DATABASE_URL' };
    return read;
  };
  try {
    const wanted = helpWanted(words);
    if (wanted !== undefined) return { exitCode: 0, text: helpFor(wanted) };
    const [command, rest] = findCommand(words);
    return { exitCode: 0, text: await runCommand(command, rest, config, readInput) };
  } catch (error) {
    return toCommandError(error, database);
  }
};
