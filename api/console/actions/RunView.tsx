/** A run: how it stands, what came of it, and what it was given. Follows the live stream. Used by the action sheet and the runs page. */
import { Link } from '@tanstack/react-router';
import { Blocks } from '../content/Blocks.tsx';
import { RecordLink } from '../content/RecordLink.tsx';
import { useStreamState } from '../live/stream.ts';
import { useSession } from '../shell/session.ts';
import { whenTime } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { toWords } from '../ui/words.ts';
import type { ActionReference, Run } from '../wire/types.ts';
import { meaningOf, runLabels } from './runWords.ts';

export const RunState = ({ run }: { readonly run: Run }) => {
  const { label, tone } = runLabels[run.status];
  return <span className={`run-state ${tone}`}>{label}</span>;
};

/** The part that the app says is done; without one, that something goes on. */
export const RunProgress = ({ run }: { readonly run: Run }) =>
  run.status !== 'running' ? null : (
    <span className="run-progress">
      <progress
        max={1}
        aria-label={`Progress of ${run.label}`}
        {...(run.progress === null ? {} : { value: run.progress })}
      />
      {run.progress !== null && <span className="soft">{Math.floor(run.progress * 100)} %</span>}
    </span>
  );

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const Links = ({ run: { resource, record, item, approval, bulk } }: { readonly run: Run }) => {
  const { environment } = useSession();
  return (
    <>
      {resource !== null && record !== null && (
        <div>
          <dt>Record</dt>
          <dd>
            <RecordLink resource={resource} id={record} title={record} /> <span className="soft">{resource}</span>
          </dd>
        </div>
      )}
      {item !== null && (
        <div>
          <dt>Item</dt>
          <dd>
            <Link to="/env/$environment/items" params={{ environment }} search={{ show: 'all', item }}>
              {item}
            </Link>
          </dd>
        </div>
      )}
      {approval !== null && (
        <div>
          <dt>Approval</dt>
          <dd>
            <Link to="/env/$environment/approvals/$id" params={{ environment, id: approval }}>
              {approval}
            </Link>
          </dd>
        </div>
      )}
      {bulk !== null && (
        <div>
          <dt>Bulk</dt>
          <dd className="mono">{bulk}</dd>
        </div>
      )}
    </>
  );
};

/** The input of a run. */
export const RunInput = ({ run }: { readonly run: Run }) =>
  Object.keys(run.input).length === 0 ? null : (
    <section aria-label="Input">
      <h2>Input</h2>
      <dl className="fields">
        {Object.entries(run.input).map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{toWords(name)}</dt>
            <dd dir="auto">{shown(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );

/** The facts of a run beside its outcome and its input: who, when, which attempt. */
export const RunFacts = ({ run }: { readonly run: Run }) => (
  <dl className="fields">
    <Links run={run} />
    <div>
      <dt>Asked for</dt>
      <dd>
        by <span dir="auto">{run.by.name}</span>, <Ago isInSentence at={run.requestedAt} />
        {run.approvedBy !== null && (
          <>
            , approved by <span dir="auto">{run.approvedBy.name}</span>
          </>
        )}
      </dd>
    </div>
    {run.reason !== null && (
      <div>
        <dt>Reason</dt>
        <dd dir="auto">{run.reason}</dd>
      </div>
    )}
    {run.startedAt !== null && (
      <div>
        <dt>Started</dt>
        <dd>
          {whenTime(run.startedAt)}
          {run.attempts > 1 && `, given to the app ${String(run.attempts)} times`}
          {run.attempt > 1 && `, run ${String(run.attempt)} times`}
        </dd>
      </div>
    )}
    {run.finishedAt !== null && (
      <div>
        <dt>Ended</dt>
        <dd>{whenTime(run.finishedAt)}</dd>
      </div>
    )}
    <div>
      <dt>Run</dt>
      <dd className="mono">{run.id}</dd>
    </div>
  </dl>
);

interface RunOutcomeProps {
  readonly run: Run;
  /** Opens an action that the result proposes. */
  readonly onAction: (reference: ActionReference) => void;
}

/** How a run stands and what came of it, in words. */
export const RunOutcome = ({ run, onAction }: RunOutcomeProps) => {
  const { appOnline } = useStreamState(useSession().stream());
  const meaning = meaningOf(run, appOnline);
  return (
    <div className={`run-outcome ${runLabels[run.status].tone}`} role="status">
      <p className="run-head">
        <RunState run={run} /> <RunProgress run={run} />
        {run.expiresAt !== null && ['pending', 'queued'].includes(run.status) && (
          <span className="soft">expires {whenTime(run.expiresAt)}</span>
        )}
      </p>
      {run.message !== null && (
        <p className="prose" dir="auto">
          {run.message}
        </p>
      )}
      {run.error !== null && (
        <p className="problem" dir="auto">
          {run.error} {run.code !== null && <span className="code">{run.code}</span>}
        </p>
      )}
      {meaning !== '' && <p className={run.status === 'unknown' ? '' : 'soft'}>{meaning}</p>}
      {run.blocks !== null && <Blocks blocks={run.blocks} onAction={onAction} />}
    </div>
  );
};
