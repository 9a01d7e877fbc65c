/** What a message about a run changes in what is known of runs. Used by the session. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { recordKeys } from './actionQueries.ts';
import { keys } from './queries.ts';
import { readRequestsAnew } from './requestTargets.ts';
import { withBlocks, type RunStore } from './runStore.ts';
import type { Run } from './types.ts';

export const runKeys = {
  lists: ['runs'],
  one: (id: string) => ['run', id],
} as const;

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
