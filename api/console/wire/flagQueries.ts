/** Queries of flags: the list, one, and its history. Used by the pages of flags. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { keys } from './queries.ts';
import { body, memberOf, wholeOf } from './reading.ts';
import type { Flag, FlagEntry } from './types.ts';

/** The flags of a definition are few; more than a page has are read page by page. */
export const flagsQuery = (http: Http) =>
  queryOptions({ queryKey: keys.flags, ...wholeOf<Flag>(http, '/flags', 'flags'), staleTime: 30_000 });

export const flagQuery = (http: Http, name: string) =>
  queryOptions({
    queryKey: keys.flag(name),
    ...memberOf<Flag>(http, `/flags/${encodeURIComponent(name)}`, 'flag'),
    staleTime: 30_000,
  });

export const flagHistoryQuery = (http: Http, name: string) =>
  queryOptions({
    queryKey: keys.flagHistory(name),
    queryFn: async ({ signal }) => {
      const { entries, cursor } = await body(
        http.call<{ entries: FlagEntry[]; cursor: string | null }>(
          'GET',
          `/flags/${encodeURIComponent(name)}/history`,
          { query: { limit: 100 }, signal },
        ),
      );
      return { entries, isMore: cursor !== null };
    },
    staleTime: 30_000,
  });
