/** The runs of actions: the list, newest first, beside the one that is open. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, type ReactNode } from 'react';
import { useActionSheet } from '../actions/useActionSheet.tsx';
import { useSession } from '../shell/session.ts';
import { useRowKeys } from '../shell/useRowKeys.ts';
import { Button } from '../ui/Button.tsx';
import { KeyHint } from '../ui/KeyHint.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowNew } from '../ui/ShowNew.tsx';
import { actionsQuery } from '../wire/actionQueries.ts';
import { runsQuery } from '../wire/runQueries.ts';
import { useRunArrivals } from '../wire/runStore.ts';
import type { Run } from '../wire/types.ts';
import { RunDetail } from './RunDetail.tsx';
import { RunRow } from './RunRow.tsx';
import { RunsHeader } from './RunsHeader.tsx';
import type { RunsSearch } from './search.ts';
import { runsTexts } from './texts.ts';

interface RunsPageProps {
  readonly search: RunsSearch;
  readonly onSearch: (search: RunsSearch, replace: boolean) => void;
}

/** Returns how many runs have come since the list was read that belong to it. */
const useNewRuns = (runs: readonly Run[], since: number, { status, action }: RunsSearch): number => {
  const { runs: store } = useSession();
  const arrivals = useRunArrivals(store);
  return useMemo(() => {
    const present = new Set(runs.map(({ id }) => id));
    let came = 0;
    for (const { at, run } of store.arrivals())
      if (
        at > since &&
        (status === undefined || run.status === status) &&
        (action === undefined || run.action === action) &&
        !present.has(run.id)
      )
        came += 1;
    return came;
  }, [store, arrivals, runs, since, status, action]);
};

const emptyText = ({ status, action }: RunsSearch): string =>
  status !== undefined || action !== undefined ? runsTexts.noneMatches : runsTexts.noneYet;

export const RunsPage = ({ search, onSearch }: RunsPageProps) => {
  const { http, runs: store, queries } = useSession();
  const options = runsQuery(http, store, search);
  const list = useInfiniteQuery(options);
  const { data: actions = [] } = useQuery(actionsQuery(http));
  const pages = list.data?.pages;
  const runs = useMemo(() => pages?.flatMap((page) => page.runs) ?? [], [pages]);
  const newCount = useNewRuns(runs, pages?.[0]?.since ?? Infinity, search);
  const { run: openId, act } = search;
  const open = useCallback(
    (id: string | undefined) => {
      const { run: _run, ...rest } = search;
      onSearch(id === undefined ? rest : { ...rest, run: id }, true);
    },
    [search, onSearch],
  );
  const { open: openSheet, sheet } = useActionSheet(() => {
    const { act: _act, ...rest } = search;
    if (act !== undefined) onSearch(rest, true);
  });
  // The palette names an action in the address.
  useEffect(() => {
    if (act !== undefined) openSheet({ action: act, record: null });
  }, [act, openSheet]);
  const { queryKey } = options;
  const readAnew = useCallback(() => void queries.resetQueries({ queryKey }), [queries, queryKey]);
  useRowKeys({ list: JSON.stringify(queryKey), isReading: list.isPending, rows: runs, openId, open, readAnew });
  let rows: ReactNode;
  if (list.error !== null && list.data === undefined) rows = <Problem error={list.error} onRetry={readAnew} />;
  else if (list.data === undefined) rows = <Skeleton rows={6} />;
  else if (runs.length === 0) rows = <Empty title={runsTexts.none}>{emptyText(search)}</Empty>;
  else
    rows = (
      <ul className="requests">
        {runs.map((run) => (
          <RunRow key={run.id} run={run} isOpen={run.id === openId} onOpen={open} />
        ))}
      </ul>
    );
  return (
    <div className={`inbox ${openId === undefined ? 'no-item' : 'has-item'}`}>
      <section className="list" aria-label={runsTexts.title}>
        <RunsHeader search={search} actions={actions} onChange={(next) => onSearch(next, false)} onRun={openSheet} />
        <div className="announcement" aria-live="polite">
          <ShowNew newCount={newCount} onShow={readAnew} />
        </div>
        <div className="scroll">
          {rows}
          {list.hasNextPage && (
            <Button className="more" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {runsTexts.older}
            </Button>
          )}
        </div>
      </section>
      <div className="detail scroll">
        {openId === undefined ? (
          <Empty title={runsTexts.nothingOpen}>
            <KeyHint>{runsTexts.howToOpen}</KeyHint>
          </Empty>
        ) : (
          <RunDetail key={openId} id={openId} onAction={openSheet} onBack={() => open(undefined)} />
        )}
      </div>
      {sheet}
    </div>
  );
};
