/** One run beside the list: how it stands, what came of it, and what can be done. Used by RunsPage. */
import { useQuery } from '@tanstack/react-query';
import type { ActionRequest } from '../actions/request.ts';
import { RunFacts, RunInput, RunOutcome } from '../actions/RunView.tsx';
import { useRunDeeds } from '../actions/useRunDeeds.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { ApiError } from '../wire/apiError.ts';
import { runQuery } from '../wire/runQueries.ts';
import { runsTexts } from './texts.ts';

interface RunDetailProps {
  readonly id: string;
  readonly onAction: (request: ActionRequest) => void;
  readonly onBack: () => void;
}

export const RunDetail = ({ id, onAction, onBack }: RunDetailProps) => {
  const { http, runs } = useSession();
  const { data: run, error, refetch } = useQuery({ ...runQuery(http, runs, id) });
  const { cancel, retry, buttons, dialog } = useRunDeeds(run, true);
  useKeys({ c: cancel, r: retry }, 'run');
  const back = (
    <Button className="back" onClick={onBack}>
      {runsTexts.back}
    </Button>
  );
  if (run === undefined)
    return (
      <>
        {back}
        {error === null ? (
          <Skeleton rows={4} />
        ) : error instanceof ApiError && error.status === 404 ? (
          <Problem error={new ApiError(404, 'not_found', runsTexts.notFound)} />
        ) : (
          <Problem error={error} onRetry={() => void refetch()} />
        )}
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
      <section aria-label={runsTexts.run}>
        <h2>{runsTexts.run}</h2>
        <RunFacts run={run} />
      </section>
      {dialog}
    </article>
  );
};
