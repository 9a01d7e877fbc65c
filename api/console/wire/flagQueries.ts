/** Queries of flags: the list, one, and its history. Used by the pages of flags. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { body, keys } from './queries.ts';
import type { Flag, FlagEntry } from './types.ts';

/** The flags of a definition are few; more than a page has are read page by page. */
export const flagsQuery = (http: Http) =>
  queryOptions({
    queryKey: keys.flags,
    queryFn: async ({ signal }) => {
      const all: Flag[] = [];
      let cursor: string | null = null;
      do {
        const page: { flags: Flag[]; cursor: string | null } = await body(
          http.call('GET', '/flags', { query: { limit: 200, ...(cursor === null ? {} : { cursor }) }, signal }),
        );
        all.push(...page.flags);
        ({ cursor } = page);
      } while (cursor !== null);
      return all;
    },
    staleTime: 30_000,
  });

export const flagQuery = (http: Http, name: string) =>
  queryOptions({
    queryKey: keys.flag(name),
    queryFn: async ({ signal }) =>
      (await body(http.call<{ flag: Flag }>('GET', `/flags/${encodeURIComponent(name)}`, { signal }))).flag,
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
