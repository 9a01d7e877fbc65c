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

const two = (n: number): string => String(n).padStart(2, '0');

/** Returns a time as an input of the person's own zone shows it. */
export const toLocal = (at: string | undefined): string => {
  const date = new Date(Number(at));
  if (at === undefined || Number.isNaN(date.getTime())) return '';
  const day = `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
};

/** Returns the time of such an input; empty: none. */
export const fromLocal = (text: string): string => (text === '' ? '' : String(new Date(text).getTime()));
