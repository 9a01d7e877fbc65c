/**
 * `npm run admin -- <thing> <verb> [name] [options]`: environments, roles, agents, people and app keys, for whoever may
 * reach the database. Does what the settings endpoints do, by the same functions, and is audited as "admin command".
 */
import { systemAdministrator } from '../agents/administer.ts';
import { systemClock } from '../core/clock.ts';
import { readConfig, type Config } from '../core/config.ts';
import { openDb } from '../db/knex.ts';
import { openRedis } from '../redis/connect.ts';
import { readGiven, usageOf, UsageError, type Answer, type Command } from './command.ts';
import { Failure } from './context.ts';
import { agentCommands } from './things/agents.ts';
import { appKeyCommands } from './things/appKeys.ts';
import { environmentCommands } from './things/environments.ts';
import { personCommands } from './things/people.ts';
import { roleCommands } from './things/roles.ts';
import { troubleOf } from './troubles.ts';

const commands: readonly Command[] = [...environmentCommands, ...roleCommands, ...agentCommands, ...personCommands, ...appKeyCommands];

const help = (): string => {
  const lines = commands.map((command) => `  ${usageOf(command)}\n      ${command.about}`);
  return ['Usage: npm run admin -- <thing> <verb> [name] [options]', '', ...lines, '', 'With --json the answer alone goes to standard output.'].join('\n');
};

const commandOf = (thing: string | undefined, verb: string | undefined): Command => {
  const things = [...new Set(commands.map((command) => command.thing))];
  if (thing === undefined) throw new UsageError(help());
  if (!things.includes(thing)) throw new UsageError(`There is no ${JSON.stringify(thing)} here; there are ${things.join(', ')}. All of it: npm run admin -- --help`);
  const verbs = commands.filter((command) => command.thing === thing);
  const command = verbs.find((one) => one.verb === verb);
  if (command === undefined) throw new UsageError(`${thing} ${verb ?? ''}: give one of ${verbs.map((one) => one.verb).join(', ')}.`);
  return command;
};

const readInput = async (): Promise<string> => {
  if (process.stdin.isTTY) process.stderr.write('password (shown as you type; end with Enter): ');
  let text = '';
  for await (const piece of process.stdin) {
    text += String(piece);
    if (process.stdin.isTTY && text.includes('\n')) break;
  }
  return text.replace(/\r?\n$/, '');
};

/** Waits this long for Redis, in ms; without it each process still looks by itself, twice a second. */
const redisWaitMs = 1_000;

interface Message {
  readonly channel: string;
  readonly text: string;
}

const tell = async ({ redisUrl, redisPrefix }: Config, messages: readonly Message[]): Promise<void> => {
  if (messages.length === 0) return;
  const redis = openRedis({ url: redisUrl, prefix: redisPrefix, onError: () => undefined });
  const until = systemClock.now() + redisWaitMs;
  while (!redis.bus.up && systemClock.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
  for (const { channel, text } of messages) redis.bus.publish(channel, text);
  await redis.close();
};

const perform = async (command: Command, args: readonly string[]): Promise<string> => {
  const given = readGiven(command, args);
  if (given.help) return `npm run admin -- ${usageOf(command)}\n${command.about}`;
  const config = configOrFailure();
  const admin = systemAdministrator('admin command', systemClock.now());
  const messages: Message[] = [];
  const bus = { publish: (channel: string, text: string): void => void messages.push({ channel, text }) };
  const db = openDb({ url: config.migrateDatabaseUrl, poolSize: 2, applicationName: 'console-admin' });
  let answer: Answer;
  try {
    answer = await command.run({ db, bus, admin, publicUrl: config.publicUrl, readInput }, given);
  } finally {
    await db.destroy();
  }
  await tell(config, messages);
  return given.json ? JSON.stringify(answer.json, undefined, 2) : answer.lines.join('\n');
};

const configOrFailure = (): Config => {
  try {
    return readConfig();
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error));
  }
};

const [thing, verb, ...rest] = process.argv.slice(2);
try {
  const asked = thing === '--help' || thing === 'help';
  process.stdout.write(`${asked ? help() : await perform(commandOf(thing, verb), rest)}\n`);
} catch (error) {
  const config = error instanceof Failure || error instanceof UsageError ? null : readConfig();
  const { text, exitCode } = troubleOf(error, config?.migrateDatabaseUrl ?? '');
  process.stderr.write(`${text}\n`);
  process.exitCode = exitCode;
}
