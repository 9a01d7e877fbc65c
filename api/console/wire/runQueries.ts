/** Queries of runs. Used by the action sheet and the runs page. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { byCursor, withCursor } from './reading.ts';
import { type RunPage, type RunStore, runKeys } from './runStore.ts';
import type { Run } from './types.ts';

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
      const { body } = await http.call<{ runs: Run[]; cursor: string | null }>('GET', '/runs', { query, signal });
      return { runs: body.runs.map((run) => store.newest(run, since)), cursor: body.cursor, since };
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
      const { body } = await http.call<{ run: Run }>('GET', `/runs/${encodeURIComponent(id)}`, { signal });
      return store.newest(body.run, since);
    },
    staleTime: Infinity,
  });
