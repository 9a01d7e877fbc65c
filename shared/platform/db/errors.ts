/** What a failure of PostgreSQL means: away (503), a duplicate, a conflict to repeat, or a bug. */

interface DbError {
  readonly code?: string;
  readonly constraint?: string;
  readonly message?: string;
  readonly name?: string;
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
const unavailableText =
  /Connection terminated|Connection ended|timeout expired|Client has encountered a connection error|not queryable|Unable to acquire a connection|Timeout acquiring/;

/** Models throw errors of their own, around PostgreSQL's. */
const toDbError = (error: unknown): DbError => {
  if (typeof error !== 'object' || error === null) return {};
  return 'nativeError' in error && typeof error.nativeError === 'object' && error.nativeError !== null
    ? error.nativeError
    : error;
};

/** PostgreSQL can't be reached, is starting, stopping or full: the same request may succeed later. */
export const isDbUnavailable = (error: unknown): boolean => {
  const { code = '', message = '', name = '' } = toDbError(error);
  return (
    networkCodes.has(code) ||
    code.startsWith('08') ||
    code.startsWith('57P') ||
    code.startsWith('53') ||
    code === '25006' ||
    name === 'KnexTimeoutError' ||
    unavailableText.test(message)
  );
};

/** A unique key was hit; `constraint` narrows it to one. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean => {
  const found = toDbError(error);
  return found.code === '23505' && (constraint === undefined || found.constraint === constraint);
};

/** Deadlock or serialisation failure: nothing was done, do it again. */
export const isSerializationFailure = (error: unknown): boolean =>
  ['40001', '40P01'].includes(toDbError(error).code ?? '');
