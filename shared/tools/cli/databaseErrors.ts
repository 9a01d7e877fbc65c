/** Describes errors of PostgreSQL's state, address and rights in a sentence, for the admin tool and for migrations. */
import { describeDbRefusal, isDbUnavailable } from '../../platform/db/errors.ts';
import { describeConnectError } from '../services/connectError.mjs';

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
