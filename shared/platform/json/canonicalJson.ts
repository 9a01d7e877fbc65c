/** JSON of which equal values have equal texts, and its hash. Used by approvals/, records/ and views/approvals/. */
import { createHash } from 'node:crypto';
import { isObject } from './jsonLimits.ts';

/** Returns JSON with the members of every object sorted by name. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );

/** Returns a hash that equal values have in common. */
export const hashJson = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');
