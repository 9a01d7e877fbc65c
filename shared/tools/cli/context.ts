/** Context of the admin tool's commands: the database, the audited actor, and the lookup of things by name. */
import { runAdminChange, type Administrator } from '../../accounts/settings/adminChange.ts';
import { listEnvironments } from '../../accounts/settings/environments/environments.ts';
import { openDb, type Db, type Tx } from '../../platform/db/knex.ts';
import { withoutTimeLimits } from '../../platform/db/sessionSettings.ts';
import type { Bus } from '../../platform/redis/bus.ts';
import { CommandFailure, UsageError } from './failures.ts';

export interface CommandContext {
  readonly db: Db;
  /** PostgreSQL for commands that read or write whole tables: without limits of time. */
  readonly bulk: Db;
  readonly bus: Pick<Bus, 'publish'>;
  readonly admin: Administrator;
  /** The host's address, without a trailing slash. */
  readonly publicUrl: string;
  /** All of standard input, without the line's end. */
  readonly readInput: () => Promise<string>;
}

/** Returns PostgreSQL for reading and writing whole tables. */
export const openBulkDb = (url: string, poolSize: number): Db =>
  openDb({
    url,
    poolSize,
    applicationName: 'console-admin',
    settings: { ...withoutTimeLimits, plan_cache_mode: 'auto', enable_seqscan: 'on' },
  });

export const runCommandChange = <T>({ db, bus }: CommandContext, work: (tx: Tx) => Promise<T>): Promise<T> =>
  runAdminChange(db, bus, work);

/** Sends the wake signal of a committed change that has raised the revision, so that every process reloads its directory. */
export const announceChange = (context: CommandContext): Promise<void> =>
  runCommandChange(context, () => Promise.resolve());

interface Named {
  readonly id: string;
}

/** Returns the one thing that `given` names, by id or by the result of `nameOf`. Throws CommandFailure. */
export const findOneByName = <T extends Named>(
  things: readonly T[],
  given: string,
  what: string,
  nameOf: (thing: T) => string,
): T => {
  const found = things.filter((thing) => thing.id === given || nameOf(thing) === given);
  const [first, second] = found;
  if (first === undefined)
    throw new CommandFailure(`There is no ${what} ${JSON.stringify(given)}. See: npm run admin -- ${what} list`);
  if (second !== undefined)
    throw new CommandFailure(
      `${String(found.length)} ${what}s are named ${JSON.stringify(given)}; use the id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  return first;
};

/** Returns the environments to act in: those given, else the only one. Throws CommandFailure if there are several. */
export const resolveEnvironments = async (
  { db }: CommandContext,
  given: readonly string[] | undefined,
): Promise<readonly string[]> => {
  if (given !== undefined) return given;
  const names = (await listEnvironments(db)).map(({ name }) => name);
  if (names.length === 0)
    throw new CommandFailure('There is no environment yet. Make one: npm run admin -- environment create <name>');
  if (names.length > 1) throw new UsageError(`--environment is missing; give one of ${names.join(', ')}.`);
  return names;
};

export const environmentUrl = ({ publicUrl }: CommandContext, environment: string): string =>
  `${publicUrl}/api/env/${environment}`;

/** Returns the address for a credential: that of its first environment; for `*`, that of the oldest. */
export const credentialBaseUrl = async (
  context: CommandContext,
  environments: readonly string[],
): Promise<string | null> => {
  const [first] = environments;
  const name = first === '*' ? (await listEnvironments(context.db))[0]?.name : first;
  return name === undefined ? null : environmentUrl(context, name);
};
