// Says in an operator's words why a server can't be reached; used by the launcher, the admin command and the doctor.

/** @type {Record<string, string>} */
const reasons = {
  ECONNREFUSED: 'the connection is refused, as nothing listens there',
  ECONNRESET: 'the connection is closed at once',
  EHOSTUNREACH: 'there is no route to it',
  EINVAL: 'the address is not valid',
  ENETUNREACH: 'there is no route to it',
  ENOTFOUND: 'its name is not known (DNS)',
  EAI_AGAIN: 'its name could not be looked up (DNS)',
  ETIMEDOUT: 'it does not answer in time',
};

/**
 * Returns the reason, in one line and without an address.
 * @param {unknown} error what a client of PostgreSQL or Redis threw
 * @returns {string}
 */
export function describeConnectError(error) {
  // Of a name with several addresses each has an error of its own; the first is as good as any.
  /** @type {unknown} */
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  if (first.cause instanceof Error) return describeConnectError(first.cause);
  const code = 'code' in first && typeof first.code === 'string' ? first.code : '';
  const reason = reasons[code];
  if (reason !== undefined) return `${reason} (${code})`;
  if (/timeout|timed out|did not answer/i.test(`${first.name} ${first.message}`)) return 'it does not answer in time';
  return first.message.replaceAll(/\s+/g, ' ') || code || first.name;
}
