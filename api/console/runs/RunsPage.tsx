/** The runs of actions: the list with its filters, newest first, beside the one that is open. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, memo, useCallback, useEffect, useMemo, useState } from 'react';
import type { ActionRequest } from '../actions/request.ts';
import { RunFacts, RunInput, RunOutcome, RunProgress, RunState } from '../actions/RunView.tsx';
import { actionTexts } from '../actions/texts.tsx';
import { useActionSheet, ActionPicker } from '../actions/useActionSheet.tsx';
import { useRunDeeds } from '../actions/useRunDeeds.tsx';
import { Approver } from '../content/TimelineEntry.tsx';
import { useRowKeys } from '../lists/NamedList.tsx';
import { readRunsSearch, type RunsSearch, type SearchProps } from '../shell/address.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession, useRead } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Button } from '../ui/Button.tsx';
import { Select } from '../ui/fields.tsx';
import { Ago } from '../ui/marks.tsx';
import { Section, Back } from '../ui/PageParts.tsx';
import { Empty, Problem, Skeleton, NothingOpen, Unread } from '../ui/Problem.tsx';
import { ShowNew, Row, Rows } from '../ui/Rows.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { actionsQuery } from '../wire/actionQueries.ts';
import { useArrivals } from '../wire/arrivals.ts';
import { runQuery, runsQuery } from '../wire/runQueries.ts';
import type { Run, Action } from '../wire/types.ts';
import { runsTexts } from './texts.ts';

interface RunsHeaderProps {
  readonly search: RunsSearch;
  /** Those that the role may run. */
  readonly actions: readonly Action[];
  /** What shows those that came since. */
  readonly fresh: ReactNode;
  readonly onChange: (search: RunsSearch) => void;
  readonly onRun: (request: ActionRequest) => void;
}

/** The head of the list of runs: its filters, and running an action that takes no record. */
const RunsHeader = ({ search, actions, fresh, onChange, onRun }: RunsHeaderProps) => {
  const [isChoosing, setChoosing] = useState(false);
  const { status, action } = search;
  const canRun = actions.some(({ resource }) => resource === null);
  const undeclared =
    action === undefined || actions.some(({ name }) => name === action) ? [] : [{ name: action, label: action }];
  const choose = (): void => setChoosing(true);
  useKeys({ d: canRun ? choose : undefined }, 'actions');
  const change = (part: Pick<RunsSearch, 'status' | 'action'>): void =>
    onChange(readRunsSearch({ ...search, ...part }));
  return (
    <header className="list-head">
      <div className="list-title">
        <h1>{shellTexts.places.runs}</h1>
        <div className="announcement" role="status">
          {fresh}
        </div>
        {canRun && (
          <Button className="total" onClick={choose} shortcut="d">
            {actionTexts.picker.title}
          </Button>
        )}
      </div>
      <div className="list-filters">
        <Select
          className="wide"
          aria-label={runsTexts.status}
          value={status ?? ''}
          any={runsTexts.anyStatus}
          options={Object.entries(actionTexts.runs.status)}
          onValue={(next) => change({ status: next })}
        />
        <Select
          className="wide"
          aria-label={runsTexts.action}
          value={action ?? ''}
          any={runsTexts.anyAction}
          options={[...undeclared, ...actions].map(({ name, label }) => [name, label])}
          onValue={(next) => change({ action: next })}
        />
      </div>
      {isChoosing && (
        <ActionPicker targets={[]} suggested={[]} item={null} onPick={onRun} onClose={() => setChoosing(false)} />
      )}
    </header>
  );
};

interface RunDetailProps {
  readonly id: string;
  readonly onAction: (request: ActionRequest) => void;
  readonly onBack: () => void;
}

/** One run beside the list: how it stands, what came of it, and what can be done. */
const RunDetail = ({ id, onAction, onBack }: RunDetailProps) => {
  const { http, runs } = useSession();
  const read = useQuery({ ...runQuery(http, runs, id) });
  const { data: run } = read;
  const { cancel, retry, buttons, dialog } = useRunDeeds(run, true);
  useKeys({ c: cancel, r: retry }, 'run');
  const back = <Back onClick={onBack}>{uiTexts.back}</Back>;
  if (run === undefined)
    return (
      <>
        {back}
        <Unread of={read} rows={4} gone={runsTexts.notFound} />
      </>
    );
  return (
    <article className="decision run">
      {back}
      <h1 dir="auto">{run.label}</h1>
      <RunOutcome
        run={run}
        onAction={({ action, record, input }) => onAction({ action, record, input, item: run.item })}
      />
      <div className="deeds">{buttons}</div>
      <RunInput run={run} />
      <Section title={runsTexts.run}>
        <RunFacts run={run} />
      </Section>
      {dialog}
    </article>
  );
};

interface RunRowProps {
  readonly run: Run;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

/** One row of the list of runs. */
const RunRow = memo(({ run, isOpen, onOpen }: RunRowProps) => (
  <Row>
    <button type="button" className="request run-row" aria-current={isOpen} onClick={() => onOpen(run.id)}>
      <span>
        <span dir="auto">{run.label}</span> <RunState run={run} />
      </span>
      <span className="soft">
        {run.record !== null && (
          <>
            <span className="mono">{run.record}</span> ·{' '}
          </>
        )}
        <span dir="auto">{run.by.name}</span> ·{' '}
        {run.approvedBy !== null && (
          <>
            <Approver name={run.approvedBy.name} /> ·{' '}
          </>
        )}
        <Ago at={run.requestedAt} /> <RunProgress run={run} />
      </span>
    </button>
  </Row>
));

/** Returns how many runs have come since the list was read that belong to it. */
const useNewRuns = (runs: readonly Run[], since: number, { status, action }: RunsSearch): number => {
  const { runs: store } = useSession();
  const arrivals = useArrivals(store);
  return useMemo(() => {
    const present = new Set(runs.map(({ id }) => id));
    let came = 0;
    for (const { at, value: run } of store.all())
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

export const RunsPage = ({ search, onSearch }: SearchProps<RunsSearch>) => {
  const { http, runs: store, queries } = useSession();
  const options = runsQuery(http, store, search);
  const list = useInfiniteQuery(options);
  const { data: actions = [] } = useRead(actionsQuery);
  const pages = list.data?.pages;
  const runs = useMemo(() => pages?.flatMap((page) => page.runs) ?? [], [pages]);
  const newCount = useNewRuns(runs, pages?.[0]?.since ?? Infinity, search);
  const { run: openId, act } = search;
  const open = useCallback(
    (id: string | undefined) => onSearch(readRunsSearch({ ...search, run: id }), true),
    [search, onSearch],
  );
  const { open: openSheet, sheet } = useActionSheet(() => {
    if (act !== undefined) onSearch(readRunsSearch({ ...search, act: undefined }), true);
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
      <Rows className="requests" hasMore={list.hasNextPage}>
        {runs.map((run) => (
          <RunRow key={run.id} run={run} isOpen={run.id === openId} onOpen={open} />
        ))}
      </Rows>
    );
  return (
    <div className={`inbox ${openId === undefined ? 'no-item' : 'has-item'}`}>
      <section className="list" aria-label={shellTexts.places.runs}>
        <RunsHeader
          search={search}
          actions={actions}
          fresh={<ShowNew newCount={newCount} onShow={readAnew} />}
          onChange={(next) => onSearch(next, false)}
          onRun={openSheet}
        />
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
          <NothingOpen hint={runsTexts.howToOpen} />
        ) : (
          <RunDetail key={openId} id={openId} onAction={openSheet} onBack={() => open(undefined)} />
        )}
      </div>
      {sheet}
    </div>
  );
};
