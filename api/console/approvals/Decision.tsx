/** One request on one screen: what will happen, who asks and why, what it changes, and the decision. Used by ApprovalsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RunState } from '../actions/RunView.tsx';
import { deedOf, progressOf } from '../bulks/BulkLine.tsx';
import { ItemLink, ThingLink } from '../content/links.tsx';
import { useNames } from '../content/names.ts';
import { Fields } from '../content/Value.tsx';
import { isObject, legible } from '../content/values.ts';
import { useCopy } from '../shell/copying.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { loadedLater } from '../ui/lazy.tsx';
import { Ago, Aside } from '../ui/marks.tsx';
import { Section, Back } from '../ui/PageParts.tsx';
import { count } from '../ui/plural.ts';
import { Row, Rows } from '../ui/Rows.tsx';
import { whenTime } from '../ui/time.ts';
import { ApiError } from '../wire/apiError.ts';
import { requestRecordQuery } from '../wire/approvalQueries.ts';
import { type Total, bulkQuery } from '../wire/queries.ts';
import { runQuery } from '../wire/runQueries.ts';
import { wireTexts } from '../wire/texts.ts';
import type { Approval } from '../wire/types.ts';
import { Comments } from './Comments.tsx';
import type { Edit } from './EditDialog.tsx';
import { undoableOf, useIsDangerous } from './gravity.ts';
import { RecentEntries } from './RecentEntries.tsx';
import { BulkFacts, ChangedSinceSeen, Changes, Given, Target } from './RequestFacts.tsx';
import { requestTexts } from './texts.tsx';
import { Verdict, type VerdictProps } from './Verdict.tsx';
import { LeftOut, Sums } from './words.tsx';

const EditDialog = loadedLater(async () => (await import('./EditDialog.tsx')).EditDialog);

const isHidden = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** The run that an approval began. */
const LedToRun = ({ id }: { readonly id: string }) => {
  const { http, runs } = useSession();
  const { data: run, error } = useQuery({ ...runQuery(http, runs, id), retry: false });
  if (run === undefined) return isHidden(error) && <p className="soft">{requestTexts.verdict.unseenRun}</p>;
  return (
    <p>
      {requestTexts.verdict.ledTo}{' '}
      <ThingLink type="run" id={id} dir="auto">
        {legible(run.label)}
      </ThingLink>{' '}
      <RunState run={run} />
      {(run.message ?? run.error) !== null && <Aside> {legible(run.message ?? run.error ?? '')}</Aside>}
    </p>
  );
};

/** The bulk that an approval began. */
const LedToBulk = ({ id }: { readonly id: string }) => {
  const names = useNames();
  const { data: bulk, error } = useRead((http) => ({ ...bulkQuery(http, id), retry: false }));
  if (bulk === undefined) return isHidden(error) && <p className="soft">{requestTexts.verdict.unseenBulk}</p>;
  return (
    <p>
      {requestTexts.verdict.ledTo}{' '}
      <ThingLink type="bulk" id={id} dir="auto">
        {deedOf(bulk.operation, names.of)}
      </ThingLink>{' '}
      <span className="soft">{progressOf(bulk)}</span>
    </p>
  );
};

/** How a request ended: who decided it, when and why, and what it led to. */
const Outcome = ({ approval }: { readonly approval: Approval }) => {
  const { status, decidedBy, decidedAt, note, run, bulk } = approval;
  const ends: Readonly<Record<string, string>> = requestTexts.verdict.ends;
  const end = <strong>{ends[status] ?? status}</strong>;
  const when = decidedAt !== null && <Ago isInSentence at={decidedAt} />;
  // The actor of a stale request has not decided it; its note is the API's sentence.
  const isOutdated = status === 'stale';
  const isApproved = status === 'approved';
  return (
    <div className="verdict" role="status">
      <p>
        {decidedBy === null || isOutdated
          ? requestTexts.verdict.ended(end, when)
          : requestTexts.verdict.endedBy(end, decidedBy.name, when)}
        {note !== null && (isOutdated ? <br /> : ': ')}
        {note !== null && <span dir="auto">{note}</span>}
      </p>
      {isApproved && run !== null && <LedToRun id={run} />}
      {isApproved && bulk !== null && <LedToBulk id={bulk} />}
    </div>
  );
};

const texts = requestTexts.recordCounts;

/** Returns a number of requests as it is said. */
const said = ({ count: n, isMinimum }: Total): string => (isMinimum ? wireTexts.moreThan(n) : count(n));

/** What became of the requests of a principal: how many were approved, were rejected, ended undecided, and wait. */
const RequestRecord = ({ requestedBy: { id } }: Pick<Approval, 'requestedBy'>) => {
  const { data } = useRead((http) => ({ ...requestRecordQuery(http, id ?? ''), enabled: id !== null }));
  return (
    <p className="soft record-of-requests">
      {data === undefined
        ? '\u00a0'
        : requestTexts.record([
            texts.approved(data.approved.count, said(data.approved)),
            texts.rejected(data.rejected.count, said(data.rejected)),
            ...(data.undecided.count === 0 ? [] : [texts.undecided(data.undecided.count, said(data.undecided))]),
            texts.pending(data.pending.count, said(data.pending)),
          ])}
    </p>
  );
};

interface UnsentNoteProps {
  readonly note: string;
  readonly onForget: () => void;
}

/** A note that somebody typed for a request that ended meanwhile, until they forget it. */
const UnsentNote = ({ note, onForget }: UnsentNoteProps) => {
  const copy = useCopy();
  return (
    <section className="verdict" role="alert">
      <p>{requestTexts.verdict.notSent}</p>
      <blockquote dir="auto" tabIndex={0}>
        {legible(note)}
      </blockquote>
      <div className="verdict-buttons">
        <Button onClick={copy(note, requestTexts.verdict.noteCopied)}>{requestTexts.verdict.copyNote}</Button>
        <Button onClick={onForget}>{requestTexts.verdict.forgetNote}</Button>
      </div>
    </section>
  );
};

interface DecisionProps extends Omit<VerdictProps, 'onEdit'> {
  /** Those that wait on the same target. */
  readonly others: readonly Approval[];
  readonly problem: string | null;
  /** The request as it was when its approval failed because it has changed; null: it did not. */
  readonly seen: Approval | null;
  readonly onBack: () => void;
  /** Approves it with other values. */
  readonly onEdited: (edit: Edit) => void;
}

const { undo } = requestTexts;

const Reversible = ({ approval }: { readonly approval: Approval }) => {
  const undoable = undoableOf(approval);
  if (approval.reversible === null) return <span>{undo.unknown}</span>;
  if (!approval.reversible) return <strong className="problem">{undo.impossible}</strong>;
  return <span>{undoable === 'not' ? undo.stays : undoable === 'butNote' ? undo.butNote : undo.possible}</span>;
};

/** Whether the input says why, beside the requester's own reason. */
const givesReason = ({ input }: Approval): boolean => {
  const { reason }: { readonly reason?: unknown } = input ?? {};
  return typeof reason === 'string';
};

/** Other requests that wait on the same target: whoever approves both may do the same twice. */
const Others = ({ others }: Pick<DecisionProps, 'others'>) => {
  if (others.length === 0) return null;
  return (
    <Section title={requestTexts.others}>
      <Rows>
        {others.map(({ id, sentence, requestedBy, requestedAt }) => (
          <Row key={id}>
            <ThingLink type="approval" id={id} dir="auto">
              {sentence}
            </ThingLink>
            <span className="soft">
              {' · '}
              {requestedBy.name} · <Ago at={requestedAt} />
            </span>
          </Row>
        ))}
      </Rows>
    </Section>
  );
};

/** The requester, the time of the request, and its end while it waits. */
export const Asked = ({
  approval: { requestedBy, requestedAt, expiresAt, status },
}: {
  readonly approval: Approval;
}) => (
  <>
    {requestTexts.asked(
      <strong dir="auto">{requestedBy.name}</strong>,
      requestedBy.type,
      <Ago isInSentence at={requestedAt} />,
    )}
    {status === 'pending' && ` · ${requestTexts.expires(whenTime(expiresAt))}`}
  </>
);

/** What a request would change, where that has a page: nobody decides unseen. */
export const About = ({ approval: { item, itemTitle, flag, now } }: { readonly approval: Approval }) => {
  const { description }: { readonly description?: unknown } = now ?? {};
  return (
    <>
      {item !== null && <p>{requestTexts.ofItem(<ItemLink id={item} title={itemTitle} />)}</p>}
      {flag !== null && (
        <p>
          {typeof description === 'string' && <span dir="auto">{legible(description)} </span>}
          <ThingLink type="flag" id={flag}>
            {requestTexts.openFlag}
          </ThingLink>
        </p>
      )}
    </>
  );
};

/** The values of the request before somebody edited it. Shown only for an edited request. */
const AskedFor = ({ approval: { asked, decided } }: { readonly approval: Approval }) => {
  const values = Object.values<unknown>(isObject(asked) ? asked : {})[0];
  if (decided === null || !isObject(values)) return null;
  return (
    <Section title={requestTexts.edit.asked}>
      <Fields fields={Object.entries(values).map(([label, value]) => ({ label, value }))} />
    </Section>
  );
};

/** Returns whether the console can edit the request: the input of an action, or the text of a reply or a note. */
const isEditable = ({ kind, operation }: Approval): boolean => {
  const { type }: { readonly type?: unknown } = operation ?? {};
  return kind === 'action' || (kind === 'item' && (type === 'reply' || type === 'note'));
};

/** The votes on a request that needs several people, and the number of people that are missing. */
const Votes = ({ approval: { votes, needed, roles, status } }: { readonly approval: Approval }) => {
  if (needed < 2 && roles === null) return null;
  const missing = status === 'pending' ? needed - votes.length : 0;
  return (
    <Section title={requestTexts.votes.title}>
      {votes.map(({ by, at, note }) => (
        <p key={by.id} className="comment">
          <strong dir="auto">{by.name}</strong> <Aside>{note ?? ''}</Aside> <Ago at={at} />
        </p>
      ))}
      {missing > 0 && <p className="soft">{requestTexts.votes.needs(missing)}</p>}
      {roles !== null && <p className="soft">{requestTexts.votes.roles(roles)}</p>}
    </Section>
  );
};

export const Decision = (props: DecisionProps) => {
  const { approval, others, problem, seen, note, isBusy, onNote, onBack, onEdited } = props;
  const [isEditing, setEditing] = useState(false);
  const { sentence, requestedBy, reason, status, canDecide } = approval;
  const isPending = status === 'pending';
  const isDangerous = useIsDangerous(approval);
  // An answer that got lost may have taken it.
  const isUnsent = !isPending && !isBusy && note.trim() !== '' && note.trim() !== approval.note;
  return (
    <article className={`decision ${approval.reversible === false ? 'grave' : ''}`}>
      <Back onClick={onBack}>{requestTexts.queue.back}</Back>
      <h1 dir="auto">{sentence}</h1>
      <LeftOut approval={approval} />
      <Sums approval={approval} />
      <About approval={approval} />
      <p className="soft">
        <Asked approval={approval} /> · <Reversible approval={approval} />
        {isDangerous && (
          <>
            {' · '}
            <strong className="problem">{requestTexts.highDanger}</strong>
          </>
        )}
      </p>
      {!isPending && <Outcome approval={approval} />}
      {isUnsent && <UnsentNote note={note} onForget={() => onNote('')} />}
      <RequestRecord requestedBy={requestedBy} />
      {(reason !== null || !givesReason(approval)) && (
        <Section title={requestTexts.theirReason(requestedBy.name)}>
          <blockquote dir="auto" className={reason === null ? 'soft' : ''} tabIndex={0}>
            {reason === null ? requestTexts.noReason : legible(reason)}
          </blockquote>
        </Section>
      )}
      <RecentEntries approval={approval} />
      <Given approval={approval} />
      <Target approval={approval} />
      <Changes approval={approval} />
      <BulkFacts approval={approval} />
      {isPending && <AskedFor approval={approval} />}
      <Votes approval={approval} />
      <Others others={others} />
      <Comments approval={approval} />
      {problem !== null && status !== 'stale' && (
        <p className={isPending ? 'problem' : 'hint'} role="alert">
          {problem}
        </p>
      )}
      {seen !== null && <ChangedSinceSeen approval={approval} seen={seen} />}
      {isPending && !canDecide.approve && (
        <p className="hint">
          {canDecide.why === null ? requestTexts.verdict.mayNot : requestTexts.verdict.mayNotAs(canDecide.why)}
        </p>
      )}
      {isPending && canDecide.approve && (
        <Verdict {...props} onEdit={isEditable(approval) ? () => setEditing(true) : null} />
      )}
      {isEditing && isPending && (
        <EditDialog
          approval={approval}
          onApprove={(edit) => {
            setEditing(false);
            onEdited(edit);
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </article>
  );
};
