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
    name === 'PoolFullError' ||
    name === 'NoConnectionError' ||
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

/** Returns whether values are none of their columns: of another form or range, missing, or there already. */
export const isDataError = (error: unknown): boolean =>
  error instanceof RangeError || /^(?:22|23|54)/.test(toDbError(error).code ?? '');

/** Returns whether a lock was waited for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => toDbError(error).code === '55P03';

/** Returns whether PostgreSQL stopped the statement because it took too long. */
export const isStatementTimeout = (error: unknown): boolean => toDbError(error).code === '57014';

/** All connections of a pool were lent for as long as a call waits for one. */
export class PoolFullError extends Error {
  override readonly name = 'PoolFullError';
}

/** PostgreSQL gave no connection in time. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';
}

/** Returns whether no connection of the pool came free in time. */
export const isPoolFull = (error: unknown): boolean => toDbError(error) instanceof PoolFullError;

/** Errors of connections to PostgreSQL; those of other servers have the same codes. */
const ofConnections = new WeakSet<Error>();

/** Remembers that an error came from a connection to PostgreSQL, or from opening one. */
export const markConnectionError = (error: Error): void => void ofConnections.add(error);

/** Returns whether PostgreSQL is unavailable, for sure and not another server. */
export const isDbOutage = (error: unknown): boolean => {
  const found = toDbError(error);
  const { code = '', message = '' } = found;
  return (
    found instanceof NoConnectionError ||
    (found instanceof Error && ofConnections.has(found) && isDbUnavailable(found)) ||
    /^(?:08|57P|53)/.test(code) ||
    code === '25006' ||
    /Connection terminated|not queryable/.test(message)
  );
};
