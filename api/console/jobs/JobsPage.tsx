/** Jobs in the settings: what waits, runs or failed in the background, why, and trying it now. Refreshes itself. Used by SettingsPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { ThingLink } from '../content/links.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import type { JobsSearch } from '../shell/address.ts';
import { type SearchProps } from '../shell/address.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ColumnHead } from '../ui/PageParts.tsx';
import { count } from '../ui/plural.ts';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowEarlier } from '../ui/Rows.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { jobsKey, jobsQuery } from '../wire/settingsQueries.ts';
import type { Job } from '../wire/types.ts';
import { JobsHeader } from './JobsHeader.tsx';
import { JobTable, jobTitle } from './JobTable.tsx';
import { jobTexts } from './texts.ts';

/** What a run waits for that was looked for by its id and has no job, with a link to it. */
const RunWithoutJob = ({ id, why }: { readonly id: string; readonly why: string }) => {
  return (
    <Empty title={jobTexts.none}>
      <ThingLink type="run" id={id}>
        {id}
      </ThingLink>{' '}
      {why}
    </Empty>
  );
};

/** Intervals in ms; longer once many pages are open, each of which is read. */
const refreshMs = { few: 3_000, many: 15_000 } as const;
const fewPages = 2;

/** ms without a move of the pointer after which rows may move under it: whoever rests it there reads, and does not aim. */
const restMs = 5_000;

/** Calls `read` every few seconds, except while nobody looks or the pointer moves over rows. */
const useRefresh = (read: () => unknown, pages: number): void => {
  const everyMs = pages > fewPages ? refreshMs.many : refreshMs.few;
  useEffect(() => {
    let movedAt = -restMs;
    const note = ({ target }: PointerEvent): void => {
      if (target instanceof Element && target.closest('.jobs .table') !== null) movedAt = performance.now();
    };
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'visible' && performance.now() - movedAt >= restMs) read();
    }, everyMs);
    window.addEventListener('pointermove', note);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener('pointermove', note);
    };
  }, [read, everyMs]);
};

const texts = jobTexts.selected;
type Change = 'retry' | 'discard';

/** How many a call changes, and whether more are left. */
interface Fitting {
  readonly changed: number;
  readonly left: boolean;
}

/** What fits, by change; null: these can't be discarded. */
interface Found {
  readonly retry: Fitting;
  readonly discard: Fitting | null;
}

/** The kinds of failed jobs that can be discarded: no sweep stages them again. */
const discardable: readonly (string | undefined)[] = [undefined, 'replySend', 'triageItem'];

const countText = ({ changed, left }: Fitting): string => (left ? texts.andMore(count(changed)) : count(changed));

/** Retries or discards the jobs that were given up and fit the page's filters; says first how many these are. */
const FailedJobs = ({ search: { kind, error, since } }: { readonly search: JobsSearch }) => {
  const [found, setFound] = useState<Found | null>(null);
  const { call, change, dialog } = useSettingsChange(jobsKey);
  const select = (what: Change, dryRun: boolean) =>
    ({
      method: 'POST',
      path: '/settings/jobs',
      body: { change: what, kind, error, since: since === undefined ? since : Number(since), dryRun },
    }) as const;
  const find = async (): Promise<void> =>
    setFound({
      retry: await call<Fitting>(select('retry', true)),
      discard: discardable.includes(kind) ? await call<Fitting>(select('discard', true)) : null,
    });
  const act = (what: Change): void => {
    setFound(null);
    void change<Fitting>(select(what, false), (done) => texts.done[what](count(done.changed)));
  };
  return (
    <div className="verdict-buttons" role="group" aria-label={texts.title}>
      {found === null && <Button onClick={() => void find().catch(() => setFound(null))}>{texts.find}</Button>}
      {found !== null && (
        <Button disabled={found.retry.changed === 0} onClick={() => act('retry')}>
          {texts.retry(countText(found.retry))}
        </Button>
      )}
      {found !== null && found.discard !== null && (
        <Button disabled={found.discard.changed === 0} onClick={() => act('discard')}>
          {texts.discard(countText(found.discard))}
        </Button>
      )}
      {dialog}
    </div>
  );
};

const emptyText = (search: JobsSearch, hasMore: boolean): string => {
  if (hasMore) return jobTexts.noneSoFar;
  return Object.keys(search).some((name) => name !== 'sort') ? jobTexts.noneMatches : jobTexts.allDone;
};

export const JobsPage = ({ search, onSearch }: SearchProps<JobsSearch>) => {
  const { http } = useSession();
  const list = useInfiniteQuery(jobsQuery(http, search));
  const { data, error, refetch, hasNextPage } = list;
  const { change, dialog } = useSettingsChange(jobsKey);
  const jobs = data?.pages.flatMap((page) => page.jobs);
  const why = data?.pages[0]?.why ?? null;
  const retry = (job: Job): void =>
    void change({ method: 'POST', path: `/settings/jobs/${job.id}/retry` }, jobTexts.isTried(jobTitle(job)));
  const readAnew = useCallback((): void => void refetch(), [refetch]);
  useRefresh(readAnew, data?.pages.length ?? 0);
  useKeys({ l: readAnew }, 'list');
  if (error !== null && jobs === undefined) return <Problem isPage error={error} onRetry={readAnew} />;
  return (
    <div className="column wide home jobs">
      <ColumnHead title={jobTexts.title} about={jobTexts.about}>
        <Button onClick={readAnew} shortcut="l">
          {uiTexts.readAgain}
        </Button>
      </ColumnHead>
      <JobsHeader search={search} counts={data?.pages[0]?.counts} onSearch={onSearch} />
      {search.state === 'failed' && search.about === undefined && (
        <FailedJobs key={JSON.stringify(search)} search={search} />
      )}
      {jobs === undefined && <Skeleton rows={6} />}
      {jobs?.length === 0 && why === null && <Empty title={jobTexts.none}>{emptyText(search, hasNextPage)}</Empty>}
      {jobs?.length === 0 && why !== null && <RunWithoutJob id={search.about ?? ''} why={why} />}
      {jobs !== undefined && jobs.length > 0 && <JobTable jobs={jobs} hasMore={hasNextPage} onRetry={retry} />}
      <ShowEarlier what="jobs" list={list} />
      {dialog}
    </div>
  );
};
