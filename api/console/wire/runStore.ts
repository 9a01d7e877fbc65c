/** What the live stream said of runs since the page was opened, and what a message changes in what is known of them: answers under way may bring an older state. Used by the session and the queries of runs. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { recordKeys } from './actionQueries.ts';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { keys } from './queries.ts';
import type { Approval, Run } from './types.ts';

/** Reads requests anew whose target has changed, as they are decided by what stands there now. */
export const readRequestsAnew = (queries: QueryClient, isAbout: (approval: Approval) => boolean): void => {
  for (const [, approval] of queries.getQueriesData<Approval>({ queryKey: keys.everyApproval }))
    if (approval?.status === 'pending' && isAbout(approval))
      void queries.invalidateQueries({ queryKey: keys.approval(approval.id) });
};

export const runKeys = { lists: ['runs'], one: (id: string) => ['run', id] } as const;

export interface RunPage {
  readonly runs: readonly Run[];
  readonly cursor: string | null;
  /** The number of the last live message when the page was asked for. */
  readonly since: number;
}

const openStatuses: readonly string[] = ['pending', 'queued', 'running'];

export const isOpenRun = ({ status }: Run): boolean => openStatuses.includes(status);

/** Takes over a message about a run: in the lists, in its own answer, and in what its end may have changed. */
export const hearRun = (queries: QueryClient, store: RunStore, run: Run): void => {
  store.hear(run);
  const take = (known: Run): Run => (known.id === run.id ? withBlocks(run, known) : known);
  queries.setQueriesData<InfiniteData<RunPage>>({ queryKey: runKeys.lists }, (known) =>
    known === undefined || !known.pages.some(({ runs }) => runs.some(({ id }) => id === run.id))
      ? known
      : { ...known, pages: known.pages.map((page) => ({ ...page, runs: page.runs.map(take) })) },
  );
  queries.setQueryData<Run>(runKeys.one(run.id), (known) => (known === undefined ? known : take(known)));
  if (isOpenRun(run)) return;
  // Messages have no blocks with items or actions; and what was done may be seen on the record and the item.
  void queries.invalidateQueries({ queryKey: runKeys.one(run.id) });
  if (run.item !== null) void queries.invalidateQueries({ queryKey: keys.item(run.item) });
  if (run.resource !== null && run.record !== null)
    void queries.invalidateQueries({ queryKey: recordKeys.one(run.resource, run.record) });
  readRequestsAnew(
    queries,
    ({ item, resource, record }) =>
      (item !== null && item === run.item) || (record !== null && record === run.record && resource === run.resource),
  );
};

/** Number of runs that are remembered. */
const recentMost = 500;

export interface RunStore extends Arrivals<Run> {
  /** Returns the run as a later message than `since` has it, else as it was given. */
  newest(run: Run, since: number): Run;
}

/** Returns a run of a message with the blocks that only answers have. */
const withBlocks = (heard: Run, known: Run): Run =>
  heard.attempt === known.attempt && heard.status === known.status ? { ...heard, blocks: known.blocks } : heard;

export const createRunStore = (): RunStore => {
  const arrivals = createArrivals<Run>(recentMost);
  return {
    ...arrivals,
    newest: (run, since) => {
      const heard = arrivals.of(run.id);
      return heard !== undefined && heard.at > since ? withBlocks(heard.value, run) : run;
    },
  };
};
