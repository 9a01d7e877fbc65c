/** Queries of runs and of bulks, with what became of the items of one. Used by the action sheet, the pages of both, the inbox and home. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { keys } from './queries.ts';
import { byCursor, withCursor, memberOf, read, type PageOf } from './reading.ts';
import { type RunPage, type RunStore, runKeys } from './runStore.ts';
import type { Run, Bulk, BulkResult } from './types.ts';

/** The filters of a list of runs. */
interface RunFilter {
  readonly status?: string;
  readonly action?: string;
}

const pageSize = 100;

export const runsQuery = (http: Http, store: RunStore, { status, action }: RunFilter) =>
  infiniteQueryOptions({
    queryKey: [...runKeys.lists, status ?? '', action ?? ''],
    queryFn: async ({ pageParam, signal }): Promise<RunPage> => {
      const since = store.now();
      const query = withCursor({ status, action, limit: pageSize }, pageParam);
      const { runs, cursor } = await read<PageOf<'runs', Run>>(http, '/runs', query, signal);
      return { runs: runs.map((run) => store.newest(run, since)), cursor, since };
    },
    ...byCursor,
    staleTime: Infinity,
    gcTime: 5 * 60_000,
  });

export const runQuery = (http: Http, store: RunStore, id: string) =>
  queryOptions({
    queryKey: runKeys.one(id),
    queryFn: async ({ signal }) => {
      const since = store.now();
      const { run } = await read<{ run: Run }>(http, `/runs/${encodeURIComponent(id)}`, {}, signal);
      return store.newest(run, since);
    },
    staleTime: Infinity,
  });

/** Those that one started, and for who sees the audit log everybody’s; newest first. */
export const bulksQuery = (http: Http) =>
  queryOptions({
    queryKey: keys.bulks,
    ...memberOf<readonly Bulk[]>(http, '/bulk', 'bulks', { limit: 50 }),
    staleTime: 10_000,
  });

/** What became of the items of a bulk that had one outcome. */
export const bulkResultsQuery = (http: Http, { id, done }: Bulk, outcome: BulkResult['outcome']) =>
  queryOptions({
    queryKey: [...keys.bulk(id), 'results', outcome, done],
    queryFn: async ({ signal }) => {
      const path = `/bulk/${encodeURIComponent(id)}/results`;
      const query = { outcome, limit: 100 };
      const { results, cursor } = await read<PageOf<'results', BulkResult>>(http, path, query, signal);
      return { results, isMore: cursor !== null };
    },
    placeholderData: (earlier) => earlier,
  });
