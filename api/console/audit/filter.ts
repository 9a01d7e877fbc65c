/** The filters of the audit log: in the page's address, and as the API's query. */

const names = ['actor', 'verb', 'target', 'from', 'to'] as const;

/** `from` and `to`: milliseconds since 1970 UTC. */
export type AuditSearch = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** Returns the search of an address without what it does not know. */
export const readAuditSearch = (raw: Readonly<Record<string, unknown>>): AuditSearch =>
  Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = raw[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
