/** The query of background jobs. Used by their page in the settings. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { body } from './queries.ts';
import type { Job, JobCounts } from './types.ts';

export const jobsKey = ['jobs'] as const;

interface JobsPage {
  readonly jobs: readonly Job[];
  readonly cursor: string | null;
  readonly counts: JobCounts;
  /** What a run waits for that was looked for by its id and has no job. */
  readonly why: string | null;
}

export const jobsQuery = (http: Http, filter: Readonly<Record<string, string>>) =>
  infiniteQueryOptions({
    queryKey: [...jobsKey, filter],
    queryFn: ({ pageParam, signal }) =>
      body(
        http.call<JobsPage>('GET', '/settings/jobs', {
          query: { ...filter, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
          signal,
        }),
      ),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names the type of the later cursors
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
  });
