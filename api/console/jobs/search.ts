/** The filters of the list of jobs: in the page's address, and as the API's query. */

const names = ['state', 'kind', 'about', 'sort'] as const;

export type JobsSearch = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** Returns the search of an address without what it does not know. */
export const readJobsSearch = (raw: Readonly<Record<string, unknown>>): JobsSearch =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = raw[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    }),
  );
