/** Turns errors into messages of the admin tool, the option that is wrong and what to do (run.ts), and those of PostgreSQL's state, address and rights for migrations too. */
import { Fault } from '../../catalogue/errors.ts';
import { describeDbRefusal, isDbUnavailable } from '../../platform/db/errors.ts';
import { describeConnectError } from '../services/connectError.mjs';
import { CommandFailure, UsageError } from './failures.ts';

/** Where a command finds PostgreSQL, and the variable that says so. */
export interface DatabaseSource {
  readonly url: string;
  readonly variable: 'DATABASE_URL' | 'MIGRATE_DATABASE_URL';
}

/** Returns the sentence, or null for an error that is none of PostgreSQL's state, address or rights. */
export const describeDatabaseError = (
  error: Error & { readonly code?: string },
  { url, variable }: DatabaseSource,
): string | null => {
  const { code = '' } = error;
  const { host } = new URL(url);
  if (code === '25006')
    return `PostgreSQL at ${host} only reads: it is a standby, or default_transaction_read_only is on. Name the primary in ${variable}; npm run doctor says more.`;
  if (code === '53100')
    return `PostgreSQL at ${host} can’t write, as its disk is full. Free space there, and try again.`;
  const refusal = describeDbRefusal(error);
  if (refusal !== null) return `PostgreSQL refuses the connection of ${variable}: ${refusal} (${error.message}).`;
  if (isDbUnavailable(error))
    return `PostgreSQL at ${host} can’t be reached: ${describeConnectError(error)}. Is it running, and is ${variable} right?`;
  if (code === '42501') return 'The database’s role may not do this. Name its owner in MIGRATE_DATABASE_URL.';
  return code.startsWith('28') || code === '3D000'
    ? `PostgreSQL refuses the connection of ${variable}: ${error.message}`
    : null;
};

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

const formatDbError = (error: Error & { readonly code?: string }, database: DatabaseSource): string | null =>
  error.code === '42P01' || error.code === '42703'
    ? 'The database is not up to date. Bring it up to date first: npm run migrate'
    : describeDatabaseError(error, database);

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
