/** JSON of which equal values have equal texts. Used by approvals/ and views/approvals/. */
import { isObject } from './jsonLimits.ts';

/** Returns JSON with the members of every object sorted by name. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
