/** The header by which a client's request is part of a trace of its own (W3C Trace Context). Used by middleware/environmentAccess.ts. */
import type { IncomingMessage } from 'node:http';

/** Returns the header; null for none, or for several, of which none counts. */
export const traceparentOf = ({ headers }: IncomingMessage): string | null => {
  const given = headers['traceparent'];
  return typeof given === 'string' ? given : null;
};
