/** Classifies failures of PostgreSQL: unavailable (503), a duplicate, a conflict to retry; any other is a bug. */

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

/** Returns PostgreSQL's error; Objection wraps it as `nativeError`. */
const toDbError = (error: unknown): DbError => {
  if (typeof error !== 'object' || error === null) return {};
  return 'nativeError' in error && typeof error.nativeError === 'object' && error.nativeError !== null
    ? error.nativeError
    : error;
};

/** Returns whether PostgreSQL can't be reached, is starting, stopping, read-only or full: the same request may succeed later. */
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

/** Returns whether a unique constraint was violated: `constraint`, when given, or any. */
export const isUniqueViolation = (error: unknown, constraint?: string | RegExp): boolean => {
  const { code, constraint: violated = '' } = toDbError(error);
  if (code !== '23505' || constraint === undefined) return code === '23505';
  return typeof constraint === 'string' ? violated === constraint : constraint.test(violated);
};

/** Returns whether a deadlock or a serialization failure rolled the statement back: nothing was done, so it may be retried. */
export const isSerializationFailure = (error: unknown): boolean =>
  ['40001', '40P01'].includes(toDbError(error).code ?? '');

/** Returns whether a lock was waited for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => toDbError(error).code === '55P03';

/** Returns whether PostgreSQL stopped the statement because it took too long. */
export const isStatementTimeout = (error: unknown): boolean => toDbError(error).code === '57014';

/** Returns whether no connection of the pool came free in time. */
export const isPoolFull = (error: unknown): boolean => toDbError(error).name === 'KnexTimeoutError';
