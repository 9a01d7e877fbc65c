/** Queries of bulks: the list, and what became of the items. Used by the pages of bulks, the inbox and home. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { keys } from './queries.ts';
import { body, memberOf } from './reading.ts';
import type { Bulk, BulkResult } from './types.ts';

/** Those that one started, and for who sees the audit log everybody’s; newest first. */
export const bulksQuery = (http: Http) =>
  queryOptions({
    queryKey: keys.bulks,
    ...memberOf<readonly Bulk[]>(http, '/bulk', 'bulks', { limit: 50 }),
    staleTime: 10_000,
  });

export const bulkResultsQuery = (http: Http, { id, done }: Bulk, outcome: BulkResult['outcome']) =>
  queryOptions({
    queryKey: [...keys.bulk(id), 'results', outcome, done],
    queryFn: async ({ signal }) => {
      const { results, cursor } = await body(
        http.call<{ results: BulkResult[]; cursor: string | null }>('GET', `/bulk/${encodeURIComponent(id)}/results`, {
          query: { outcome, limit: 100 },
          signal,
        }),
      );
      return { results, isMore: cursor !== null };
    },
    placeholderData: (earlier) => earlier,
  });
