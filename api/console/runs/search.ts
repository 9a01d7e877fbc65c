/** The search of the runs page in its address. Used by the router and the page. */

export interface RunsSearch {
  readonly status?: string;
  readonly action?: string;
  /** The run that is open beside the list. */
  readonly run?: string;
  /** The action, without a record, whose sheet is to be opened. */
  readonly act?: string;
}

/** Returns the search of an address without what it does not know. */
export const readRunsSearch = (raw: Readonly<Record<string, unknown>>): RunsSearch =>
  Object.fromEntries(
    ['status', 'action', 'run', 'act'].flatMap((name) => {
      const value = raw[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    }),
  );
