/** Jobs in the settings: what waits, runs or failed in the background, why, and trying it now. Refreshes itself. Used by SettingsPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { jobsKey, jobsQuery } from '../wire/jobQueries.ts';
import type { Job } from '../wire/types.ts';
import { JobsHeader } from './JobsHeader.tsx';
import { JobTable } from './JobTable.tsx';
import { RunWithoutJob } from './RunWithoutJob.tsx';
import type { JobsSearch } from './search.ts';
import { jobTexts } from './texts.ts';
import { useRefresh } from './useRefresh.ts';
import { jobTitle } from './words.ts';

interface JobsPageProps {
  readonly search: JobsSearch;
  readonly onSearch: (search: JobsSearch) => void;
}

const emptyText = (search: JobsSearch, hasMore: boolean): string => {
  if (hasMore) return jobTexts.noneSoFar;
  return Object.keys(search).some((name) => name !== 'sort') ? jobTexts.noneMatches : jobTexts.allDone;
};

export const JobsPage = ({ search, onSearch }: JobsPageProps) => {
  const { http } = useSession();
  const list = useInfiniteQuery(jobsQuery(http, search));
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const { change, dialog } = useSettingsChange(jobsKey);
  const jobs = data?.pages.flatMap((page) => page.jobs);
  const why = data?.pages[0]?.why ?? null;
  const retry = (job: Job): void =>
    void change({ method: 'POST', path: `/settings/jobs/${job.id}/retry` }, jobTexts.isTried(jobTitle(job)));
  const readAnew = useCallback((): void => void refetch(), [refetch]);
  const place = useRefresh(readAnew, data?.pages.length ?? 0);
  useKeys({ l: readAnew }, 'list');
  if (error !== null && jobs === undefined) return <Problem isPage error={error} onRetry={readAnew} />;
  return (
    <div className="column wide home jobs" ref={place}>
      <header className="column-head">
        <div>
          <h1>{jobTexts.title}</h1>
          <p className="soft">{jobTexts.about}</p>
        </div>
        <Button onClick={readAnew} shortcut="l">
          {jobTexts.readAgain}
        </Button>
      </header>
      <JobsHeader search={search} counts={data?.pages[0]?.counts} onSearch={onSearch} />
      {jobs === undefined && <Skeleton rows={6} />}
      {jobs?.length === 0 && why === null && <Empty title={jobTexts.none}>{emptyText(search, hasNextPage)}</Empty>}
      {jobs?.length === 0 && why !== null && <RunWithoutJob id={search.about ?? ''} why={why} />}
      {jobs !== undefined && jobs.length > 0 && <JobTable jobs={jobs} onRetry={retry} />}
      {hasNextPage && (
        <div className="verdict-buttons">
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {jobTexts.more}
          </Button>
        </div>
      )}
      {dialog}
    </div>
  );
};
