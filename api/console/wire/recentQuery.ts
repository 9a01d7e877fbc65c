/** Query of what was written and done on an item lately: its newest entries, and what its newest report brought. Used by the page of approvals. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { body, keys } from './queries.ts';
import type { Entry, Occurrence } from './types.ts';

/** Entries that are read: those since a request are few. */
const entriesMost = 50;

/** Read anew with each entry that a live message brings. */
export const recentQuery = (http: Http, item: string) =>
  queryOptions({
    queryKey: keys.recent(item),
    queryFn: async ({ signal }) => {
      const path = `/items/${encodeURIComponent(item)}`;
      const [timeline, { occurrences }] = await Promise.all([
        http.call<{ entries: Entry[]; cursor: string | null }>('GET', `${path}/timeline`, {
          query: { limit: entriesMost },
          signal,
        }),
        body(http.call<{ occurrences: Occurrence[] }>('GET', `${path}/occurrences`, { query: { limit: 1 }, signal })),
      ]);
      const { entries, cursor } = timeline.body;
      // The offset has it read again where a stream begins later.
      return { entries, isMore: cursor !== null, occurrence: occurrences[0] ?? null, offset: timeline.offset };
    },
    staleTime: 10_000,
  });
