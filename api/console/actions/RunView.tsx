/** A run: how it stands, what came of it, and what it was given. Follows the live stream. Used by the action sheet and the runs page. */
import { Link } from '@tanstack/react-router';
import { Blocks } from '../content/Blocks.tsx';
import { RecordLink } from '../content/RecordLink.tsx';
import { useStreamState } from '../live/stream.ts';
import { useSession } from '../shell/session.ts';
import { inRow } from '../ui/plural.ts';
import { whenTime } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { toWords } from '../ui/words.ts';
import type { ActionReference, Run } from '../wire/types.ts';
import { runTexts } from './runTexts.tsx';
import { meaningOf, runTones } from './runWords.ts';

const { facts } = runTexts;

export const RunState = ({ run: { status } }: { readonly run: Run }) => (
  <span className={`run-state ${runTones[status]}`}>{runTexts.status[status]}</span>
);

/** The part that the app says is done; without one, that something goes on. */
export const RunProgress = ({ run }: { readonly run: Run }) =>
  run.status !== 'running' ? null : (
    <span className="run-progress">
      <progress
        max={1}
        aria-label={runTexts.progress(run.label)}
        {...(run.progress === null ? {} : { value: run.progress })}
      />
      {run.progress !== null && <span className="soft">{runTexts.percent(Math.floor(run.progress * 100))}</span>}
    </span>
  );

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const Links = ({ run: { resource, record, item, approval, bulk } }: { readonly run: Run }) => {
  const { environment } = useSession();
  return (
    <>
      {resource !== null && record !== null && (
        <div>
          <dt>{facts.record}</dt>
          <dd>
            <RecordLink resource={resource} id={record} title={record} /> <span className="soft">{resource}</span>
          </dd>
        </div>
      )}
      {item !== null && (
        <div>
          <dt>{facts.item}</dt>
          <dd>
            <Link to="/env/$environment/items" params={{ environment }} search={{ show: 'all', item }}>
              {item}
            </Link>
          </dd>
        </div>
      )}
      {approval !== null && (
        <div>
          <dt>{facts.approval}</dt>
          <dd>
            <Link to="/env/$environment/approvals/$id" params={{ environment, id: approval }}>
              {approval}
            </Link>
          </dd>
        </div>
      )}
      {bulk !== null && (
        <div>
          <dt>{facts.bulk}</dt>
          <dd className="mono">{bulk}</dd>
        </div>
      )}
    </>
  );
};

/** The input of a run. */
export const RunInput = ({ run }: { readonly run: Run }) =>
  Object.keys(run.input).length === 0 ? null : (
    <section aria-label={runTexts.input}>
      <h2>{runTexts.input}</h2>
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

/** Who asked for a run and when, and who approved it. */
const Asked = ({ run: { by, requestedAt, approvedBy } }: { readonly run: Run }) => {
  const who = <span dir="auto">{by.name}</span>;
  const when = <Ago isInSentence at={requestedAt} />;
  return approvedBy === null
    ? runTexts.asked(who, when)
    : runTexts.askedAndApproved(who, when, <span dir="auto">{approvedBy.name}</span>);
};

/** Returns when a run started, and how often where that is more than once. */
const startText = (startedAt: number, { attempts, attempt }: Run): string =>
  inRow([
    whenTime(startedAt),
    ...(attempts > 1 ? [runTexts.givenToApp(attempts)] : []),
    ...(attempt > 1 ? [runTexts.ranTimes(attempt)] : []),
  ]);

/** The facts of a run beside its outcome and its input: who, when, which attempt. */
export const RunFacts = ({ run }: { readonly run: Run }) => (
  <dl className="fields">
    <Links run={run} />
    <div>
      <dt>{facts.askedFor}</dt>
      <dd>
        <Asked run={run} />
      </dd>
    </div>
    {run.reason !== null && (
      <div>
        <dt>{facts.reason}</dt>
        <dd dir="auto">{run.reason}</dd>
      </div>
    )}
    {run.startedAt !== null && (
      <div>
        <dt>{facts.started}</dt>
        <dd>{startText(run.startedAt, run)}</dd>
      </div>
    )}
    {run.finishedAt !== null && (
      <div>
        <dt>{facts.ended}</dt>
        <dd>{whenTime(run.finishedAt)}</dd>
      </div>
    )}
    <div>
      <dt>{facts.run}</dt>
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
    <div className={`run-outcome ${runTones[run.status]}`} role="status">
      <p className="run-head">
        <RunState run={run} /> <RunProgress run={run} />
        {run.expiresAt !== null && ['pending', 'queued'].includes(run.status) && (
          <span className="soft">{runTexts.expires(whenTime(run.expiresAt))}</span>
        )}
      </p>
      {run.message !== null && (
        <p className="prose" dir="auto">
          {run.message}
        </p>
      )}
      {run.error !== null && (
        <p className="problem" dir="auto">
          {run.error}
        </p>
      )}
      {meaning !== '' && <p className={run.status === 'unknown' ? '' : 'soft'}>{meaning}</p>}
      {run.blocks !== null && <Blocks blocks={run.blocks} onAction={onAction} />}
    </div>
  );
};
