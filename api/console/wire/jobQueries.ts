/** The query of background jobs. Used by their page in the settings. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { pagesOf } from './reading.ts';
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
    ...pagesOf<JobsPage>(http, '/settings/jobs', { ...filter, limit: 50 }),
  });
