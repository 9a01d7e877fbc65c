/** The search of the records page in its address. Used by the router and the pages of records. */

export interface RecordsSearch {
  readonly q?: string;
  /** JSON, as the API takes it. */
  readonly filters?: string;
  readonly sort?: string;
  /** The record that is open beside the list. */
  readonly record?: string;
}

/** Returns the search of an address without what it does not know. */
export const readRecordsSearch = (raw: Readonly<Record<string, unknown>>): RecordsSearch =>
  Object.fromEntries(
    ['q', 'filters', 'sort', 'record'].flatMap((name) => {
      const value = raw[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    }),
  );
