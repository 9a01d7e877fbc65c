/** Turns errors into messages of the admin tool: the option that is wrong, and what to do; used by run.ts. */
import { Fault } from '../../catalogue/errors.ts';
import { describeDatabaseError, type DatabaseSource } from './databaseErrors.ts';
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
