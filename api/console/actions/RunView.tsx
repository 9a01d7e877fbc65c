/** A run: how it stands, what came of it, and what it was given. Follows the live stream. Used by the action sheet and the runs page. */
import type { ReactNode } from 'react';
import { Blocks } from '../content/Blocks.tsx';
import { RecordLink, ThingLink } from '../content/links.tsx';
import { legible, toWords } from '../content/values.ts';
import { PlainText, WithLinks } from '../content/Written.tsx';
import { useStreamState } from '../live/stream.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Ago } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { inRow } from '../ui/plural.ts';
import { whenTime } from '../ui/time.ts';
import { actionsQuery } from '../wire/actionQueries.ts';
import { recordQuery } from '../wire/appQueries.ts';
import type { ActionReference, Run, RunStatus } from '../wire/types.ts';
import { type Field, inputText, toForm } from './schema.ts';
import { actionTexts } from './texts.tsx';

type RunTone = 'waits' | 'active' | 'done' | 'failed' | 'unclear' | 'ended';

const runTones: Readonly<Record<RunStatus, RunTone>> = {
  pending: 'waits',
  queued: 'waits',
  running: 'active',
  succeeded: 'done',
  failed: 'failed',
  unknown: 'unclear',
  rejected: 'ended',
  expired: 'ended',
  cancelled: 'ended',
};

const texts = actionTexts.runs.meaning;

const meanings: Readonly<Record<RunStatus, (run: Run, appOnline: boolean | null) => string>> = {
  pending: () => texts.pending,
  queued: (_, appOnline) => (appOnline === false ? texts.queuedOffline : texts.queued),
  running: () => texts.running,
  succeeded: () => '',
  failed: () => texts.failed,
  unknown: ({ record }) => (record === null ? texts.unknown : texts.unknownOfRecord),
  rejected: () => texts.rejected,
  expired: ({ approval, startedAt }) =>
    approval !== null && startedAt === null ? texts.expiredUndecided : texts.expired,
  cancelled: () => texts.cancelled,
};

/** Returns what a run's status means for whoever looks at it; `appOnline` null: not known. */
export const meaningOf = (run: Run, appOnline: boolean | null): string => meanings[run.status](run, appOnline);

const { facts } = actionTexts.runs;

export const RunState = ({ run: { status } }: { readonly run: Run }) => (
  <span className={`run-state ${runTones[status]}`}>{actionTexts.runs.status[status]}</span>
);

/** The part that the app says is done; without one, that something goes on. */
export const RunProgress = ({ run }: { readonly run: Run }) =>
  run.status !== 'running' ? null : (
    <span className="run-progress">
      <progress
        max={1}
        aria-label={actionTexts.runs.progress(run.label)}
        {...(run.progress === null ? {} : { value: run.progress })}
      />
      {run.progress !== null && (
        <span className="soft">{actionTexts.runs.percent(Math.floor(run.progress * 100))}</span>
      )}
    </span>
  );

interface FactProps {
  readonly label: string;
  readonly className?: string;
  readonly dir?: 'auto';
  /** null: the run has no such fact. */
  readonly children: ReactNode;
}

const Fact = ({ label, children, ...value }: FactProps) =>
  children !== null && (
    <div>
      <dt>{label}</dt>
      <dd {...value}>{children}</dd>
    </div>
  );

/** The input of a run. */
export const RunInput = ({ run }: { readonly run: Run }) => {
  const { data: actions } = useRead(actionsQuery);
  const schema = actions?.find(({ name }) => name === run.action)?.input;
  const { data: page } = useRead((http) => ({
    ...recordQuery(http, { resource: run.resource ?? '', id: run.record ?? '' }),
    enabled: run.resource !== null && run.record !== null,
    retry: false,
  }));
  const form = schema === undefined ? null : toForm(schema, page?.record.fields);
  const memberOf = (name: string): Field | undefined =>
    form?.kind === 'group' ? form.members.find((member) => member.name === name) : undefined;
  return Object.keys(run.input).length === 0 ? null : (
    <Section title={actionTexts.runs.input}>
      <dl className="fields">
        {Object.entries(run.input).map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{legible(memberOf(name)?.label ?? toWords(name))}</dt>
            <dd dir="auto">
              <WithLinks text={inputText(memberOf(name), value, run.input)} />
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
};

/** Who asked for a run and when, and who approved it. */
const Asked = ({ run: { by, requestedAt, approvedBy } }: { readonly run: Run }) => {
  const who = <span dir="auto">{by.name}</span>;
  const when = <Ago isInSentence at={requestedAt} />;
  return approvedBy === null
    ? actionTexts.runs.asked(who, when)
    : actionTexts.runs.askedAndApproved(who, when, <span dir="auto">{approvedBy.name}</span>);
};

/** Returns when a run started, and how often where that is more than once. */
const startText = (startedAt: number, { attempts, attempt }: Run): string =>
  inRow([
    whenTime(startedAt),
    ...(attempts > 1 ? [actionTexts.runs.givenToApp(attempts)] : []),
    ...(attempt > 1 ? [actionTexts.runs.ranTimes(attempt)] : []),
  ]);

const thingLink = (type: string, id: string | null): ReactNode =>
  id === null ? null : (
    <ThingLink type={type} id={id}>
      {id}
    </ThingLink>
  );

/** The facts of a run beside its outcome and its input: who, when, which attempt. */
export const RunFacts = ({ run }: { readonly run: Run }) => (
  <dl className="fields">
    {run.resource !== null && run.record !== null && (
      <Fact label={facts.record}>
        <RecordLink resource={run.resource} id={run.record} title={run.record} />{' '}
        <span className="soft">{run.resource}</span>
      </Fact>
    )}
    <Fact label={facts.item}>{thingLink('item', run.item)}</Fact>
    <Fact label={facts.approval}>{thingLink('approval', run.approval)}</Fact>
    <Fact label={facts.bulk} className="mono">
      {run.bulk}
    </Fact>
    <Fact label={facts.askedFor}>
      <Asked run={run} />
    </Fact>
    <Fact label={facts.reason} dir="auto">
      {run.reason}
    </Fact>
    <Fact label={facts.started}>{run.startedAt === null ? null : startText(run.startedAt, run)}</Fact>
    <Fact label={facts.ended}>{run.finishedAt === null ? null : whenTime(run.finishedAt)}</Fact>
    <Fact label={facts.run} className="mono">
      {run.id}
    </Fact>
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
          <span className="soft">{actionTexts.runs.expires(whenTime(run.expiresAt))}</span>
        )}
      </p>
      {run.message !== null && <PlainText text={run.message} />}
      {run.error !== null && (
        <p className="problem as-written" dir="auto">
          {run.error}
        </p>
      )}
      {meaning !== '' && <p className={run.status === 'unknown' ? '' : 'soft'}>{meaning}</p>}
      {run.blocks !== null && <Blocks blocks={run.blocks} onAction={onAction} />}
    </div>
  );
};
