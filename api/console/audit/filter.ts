/** The filters of the audit log: in the page's address, and as the API's query. */

const names = ['actor', 'actorKind', 'verb', 'target', 'record', 'from', 'to'] as const;

/** Kinds of principals, as the API names them. */
export const actorKinds = ['agent', 'person', 'app', 'system'] as const;

/** `from` and `to`: milliseconds since 1970 UTC. */
export type AuditSearch = Readonly<Partial<Record<(typeof names)[number], string>>>;

const isKnown = (name: string, value: string): boolean =>
  value !== '' && (name !== 'actorKind' || actorKinds.some((kind) => kind === value));

/** Returns the search of an address without what it does not know. */
export const readAuditSearch = (raw: Readonly<Record<string, unknown>>): AuditSearch =>
  Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = raw[name];
      return typeof value === 'string' && isKnown(name, value) ? [[name, value]] : [];
    }),
  );
