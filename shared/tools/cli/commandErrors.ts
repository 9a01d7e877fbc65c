/** Turns errors into messages of the admin tool: the option that is wrong, and what to do; used by run.ts. */
import { Fault } from '../../catalogue/errors.ts';
import { isDbUnavailable } from '../../platform/db/errors.ts';
import { describeConnectError } from '../services/connectError.mjs';
import { CommandFailure, UsageError } from './failures.ts';

/** The options that give the members of an input, by the names of the members. */
const options: Readonly<Record<string, string>> = {
  role: '--role',
  mode: '--mode',
  expiresAt: '--expires-at',
  environments: '--environment',
  environment: '--environment',
  grants: '--grants',
  grace: '--grace',
  password: 'the password',
  email: 'the e-mail address',
  name: 'the name',
};
const hints: Readonly<Record<string, string>> = {
  role: 'See: npm run admin -- role list',
  environments: 'See: npm run admin -- environment list',
  environment: 'See: npm run admin -- environment list',
};

const optionName = (path: string): string => {
  const [first = '', ...rest] = path.split('.');
  const option = options[first];
  if (option === undefined) return path;
  // No index for an option that is given once per value.
  const inner = first === 'environments' ? [] : rest;
  return inner.length === 0 ? option : `${option} ${inner.join('.')}`;
};

const formatFault = ({ message, extra: { details = [] } }: Fault): string => {
  if (details.length === 0) return message;
  const lines = details.map(({ path, message: problem }) =>
    path === '' ? problem : `${optionName(path)}: ${problem}`,
  );
  const named = [...new Set(details.map(({ path }) => hints[path.split('.')[0] ?? '']))].filter(
    (hint) => hint !== undefined,
  );
  return [...lines, ...named].join('\n');
};

/** Where the command finds PostgreSQL, and the variable that says so. */
export interface DatabaseSource {
  readonly url: string;
  readonly variable: 'DATABASE_URL' | 'MIGRATE_DATABASE_URL';
}

const formatDbError = (error: Error & { readonly code?: string }, { url, variable }: DatabaseSource): string | null => {
  const { code = '' } = error;
  if (isDbUnavailable(error))
    return `PostgreSQL at ${new URL(url).host} can’t be reached: ${describeConnectError(error)}. Is it running, and is ${variable} right?`;
  if (code === '42P01' || code === '42703')
    return 'The database is not up to date. Bring it up to date first: npm run migrate';
  if (code === '42501') return 'The database’s role may not do this. Name its owner in MIGRATE_DATABASE_URL.';
  return code.startsWith('28') || code === '3D000'
    ? `PostgreSQL refuses the connection of ${variable}: ${error.message}`
    : null;
};

interface CommandError {
  readonly text: string;
  readonly exitCode: 1 | 2;
}

/** Returns the error to print. `database` is null if the configuration itself could not be read. */
export const toCommandError = (error: unknown, database: DatabaseSource | null): CommandError => {
  if (error instanceof UsageError) return { text: error.message, exitCode: 2 };
  if (error instanceof Fault) return { text: formatFault(error), exitCode: error.code === 'invalid' ? 2 : 1 };
  if (error instanceof CommandFailure) return { text: error.message, exitCode: 1 };
  if (!(error instanceof Error)) return { text: String(error), exitCode: 1 };
  if (database === null) return { text: error.message, exitCode: 1 };
  return { text: formatDbError(error, database) ?? error.stack ?? error.message, exitCode: 1 };
};
