/** Classifies failures of PostgreSQL: unavailable (503), a duplicate, a conflict to retry; any other is a bug. */
import { describeTlsRefusal, findRefusal, type Refusals } from '../log/refusals.ts';

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
/** Why PostgreSQL gives no connection until an operator has mended it, by SQLSTATE. A statement that lacks a right is a fault of its own. */
export const dbRefusals: Refusals = [
  [/^28P01$/, 'it refuses the password'],
  [/^28/, 'the role may not log in (nologin, or pg_hba.conf)'],
  [/^42501$/, 'the role may not connect to this database'],
  [/^3D000$/, 'it has no database of this name'],
  [/^55000$/, 'the database takes no connections'],
];
/**
 * SQLSTATEs that are an outage whichever statement meets them: a broken connection, a server that stops, starts or recovers, one
 * that lacks disk, memory or connections, one whose system fails, one that only reads.
 */
const outageStates = /^(?:08|57P|53|58|25006)/;

const unavailableText =
  /Connection terminated|Connection ended|timeout expired|Client has encountered a connection error|not queryable|Unable to acquire a connection|Timeout acquiring/;

/** Returns PostgreSQL's error; Objection wraps it as `nativeError`. */
const toDbError = (error: unknown): DbError => {
  if (typeof error !== 'object' || error === null) return {};
  return 'nativeError' in error && typeof error.nativeError === 'object' && error.nativeError !== null
    ? error.nativeError
    : error;
};

/** Errors of connections to PostgreSQL; those of other servers have the same codes. */
const ofConnections = new WeakSet<object>();

/** Remembers that an error came from a connection to PostgreSQL, or from opening one. */
export const markConnectionError = (error: Error): void => void ofConnections.add(error);

/** Returns whether PostgreSQL can't be reached, refuses us, is starting, stopping, read-only or full: the same request may succeed later. */
export const isDbUnavailable = (error: unknown): boolean => {
  const found = toDbError(error);
  const { code = '', message = '', name = '' } = found;
  return (
    ofConnections.has(found) ||
    networkCodes.has(code) ||
    outageStates.test(code) ||
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

/** Returns whether PostgreSQL is unavailable, for sure and not another server. */
export const isDbOutage = (error: unknown): boolean => {
  const found = toDbError(error);
  const { code = '', message = '' } = found;
  return (
    found instanceof NoConnectionError ||
    ofConnections.has(found) ||
    outageStates.test(code) ||
    /Connection terminated|not queryable/.test(message)
  );
};

/** Returns what PostgreSQL refuses and an operator has to mend, in words; null: it is away, or the error is no outage. */
export const describeDbRefusal = (error: unknown): string | null => {
  const found = toDbError(error);
  if (!isDbOutage(found)) return null;
  return findRefusal(dbRefusals, found.code ?? '') ?? (found instanceof Error ? describeTlsRefusal(found) : null);
};
