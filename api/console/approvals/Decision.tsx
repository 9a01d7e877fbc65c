/** One request on one screen: what will happen, who asks and why, what it changes, and the decision. Used by ApprovalsPage. */
import { useState, type ReactNode, type RefObject } from 'react';
import { RecordLink } from '../content/RecordLink.tsx';
import { Button } from '../ui/Button.tsx';
import { whenTime } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { TooLong } from '../ui/TooLong.tsx';
import type { Approval } from '../wire/types.ts';
import { differences } from './difference.ts';
import { RequestRecord } from './RequestRecord.tsx';
import { requestTexts } from './requestTexts.tsx';
import { shown } from './shown.ts';
import { approvalTexts } from './texts.ts';
import { verdictTexts } from './verdictTexts.tsx';

interface DecisionProps {
  readonly approval: Approval;
  /** Other pending requests on the same target. */
  readonly others: readonly Approval[];
  readonly problem: string | null;
  readonly isBusy: boolean;
  /** Whether its approval waits for a second word. */
  readonly isConfirming: boolean;
  readonly note: string;
  readonly noteInput: RefObject<HTMLInputElement | null>;
  readonly onNote: (note: string) => void;
  readonly onDecide: (verb: 'approve' | 'reject') => void;
  /** Called when the second word is not said. */
  readonly onHold: () => void;
  readonly onBack: () => void;
}

const { difference, undo } = requestTexts;

const Diff = ({ approval }: { readonly approval: Approval }) => {
  const { before, now, after } = approval;
  const rows = differences(before, now, after);
  if (rows.length === 0) return null;
  return (
    <section className="diff" aria-label={difference.title}>
      <table>
        <thead>
          <tr>
            <td />
            <th>{difference.before}</th>
            <th>{difference.now}</th>
            <th>{difference.after}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, before: was, now: is, after: will, moved }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className={moved ? 'moved' : ''} dir="auto">
                {shown(was)}
              </td>
              <td className={will === undefined ? '' : 'removed'} dir="auto">
                {shown(is)}
              </td>
              <td className={will === undefined ? '' : 'added'} dir="auto">
                {will === undefined ? difference.unknown : shown(will)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

const Facts = ({ facts }: { readonly facts: readonly (readonly [string, unknown])[] }) => (
  <dl className="fields">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd dir="auto">{shown(value)}</dd>
      </div>
    ))}
  </dl>
);

/** The members of the request that the comparison does not show. */
const Given = ({ approval }: { readonly approval: Approval }) => {
  const told = new Set(
    differences(approval.before, approval.now, approval.after).flatMap(({ name, after }) =>
      after === undefined ? [] : [name],
    ),
  );
  const given = Object.entries(approval.input ?? approval.operation ?? approval.change ?? {}).filter(
    ([name, value]) => name !== 'type' && value !== null && !told.has(name),
  );
  if (given.length === 0) return null;
  return (
    <section>
      <h2>{approval.input === null ? requestTexts.change : requestTexts.input}</h2>
      <Facts facts={given} />
    </section>
  );
};

/** Characters of a note, as the API takes them. */
const noteMost = 500;

/** Values of the record that are shown before its page is. */
const factsMost = 12;

/** The record that an action is for, as it is now: without it nobody can say whether the request is right. */
const Target = ({ approval: { now, resource, record } }: { readonly approval: Approval }) => {
  if (resource === null || record === null || now === null) return null;
  const { title, fields } = now as { readonly title?: unknown; readonly fields?: unknown };
  const facts = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
  return (
    <section>
      <h2>
        <RecordLink resource={resource} id={record} title={typeof title === 'string' ? title : record} />{' '}
        <span className="soft">{requestTexts.now(resource)}</span>
      </h2>
      <Facts facts={facts.slice(0, factsMost)} />
    </section>
  );
};

const Reversible = ({ reversible }: Pick<Approval, 'reversible'>) =>
  reversible === null ? (
    <span>{undo.unknown}</span>
  ) : reversible ? (
    <span>{undo.possible}</span>
  ) : (
    <strong className="problem">{undo.impossible}</strong>
  );

/** The buttons; of a grave request the second word takes their place, and has the focus. */
const Verdict = ({ approval, isBusy, isConfirming, onDecide, onHold }: DecisionProps): ReactNode =>
  isConfirming ? (
    <div key="confirm" className="verdict-buttons" role="group" aria-label={verdictTexts.confirm}>
      <p className="problem" role="alert" dir="auto">
        {(approval.reversible === false ? verdictTexts.final : verdictTexts.dangerous)(approval.sentence)}
      </p>
      <Button tone="danger" autoFocus disabled={isBusy} onClick={() => onDecide('approve')} shortcut="a">
        {verdictTexts.approveAllTheSame}
      </Button>
      <Button disabled={isBusy} onClick={onHold} shortcut="Esc">
        {verdictTexts.notYet}
      </Button>
    </div>
  ) : (
    <div key="decide" className="verdict-buttons">
      <Button
        tone={approval.reversible === false ? 'danger' : 'main'}
        disabled={isBusy}
        onClick={() => onDecide('approve')}
        shortcut="a"
      >
        {verdictTexts.approve}
      </Button>
      <Button disabled={isBusy} onClick={() => onDecide('reject')} shortcut="r">
        {verdictTexts.reject}
      </Button>
    </div>
  );

/** How a request ended, who ended it and when. */
const Ended = ({ approval: { status, decidedBy, decidedAt } }: { readonly approval: Approval }) => {
  const ends: Readonly<Record<string, string>> = verdictTexts.ends;
  const end = <strong>{ends[status] ?? status}</strong>;
  const when = decidedAt !== null && <Ago isInSentence at={decidedAt} />;
  return decidedBy === null ? verdictTexts.ended(end, when) : verdictTexts.endedBy(end, decidedBy.name, when);
};

export const Decision = (props: DecisionProps) => {
  const { approval, others, problem, note, noteInput, onNote, onBack } = props;
  const { sentence, requestedBy, requestedAt, expiresAt, reason, status, canDecide } = approval;
  const isPending = status === 'pending';
  const [isNoteShown, setNoteShown] = useState(false);
  return (
    <article className={`decision ${approval.reversible === false ? 'grave' : ''}`}>
      <Button className="back" onClick={onBack}>
        {approvalTexts.back}
      </Button>
      <h1 dir="auto">{sentence}</h1>
      <p className="soft">
        {requestTexts.asked(
          <strong dir="auto">{requestedBy.name}</strong>,
          requestedBy.type,
          <Ago isInSentence at={requestedAt} />,
        )}{' '}
        · {requestTexts.expires(whenTime(expiresAt))} · <Reversible reversible={approval.reversible} />
      </p>
      <RequestRecord requestedBy={requestedBy} />
      <blockquote dir="auto" className={reason === null ? 'soft' : ''}>
        {reason ?? requestTexts.noReason}
      </blockquote>
      <Given approval={approval} />
      <Target approval={approval} />
      <Diff approval={approval} />
      {others.length > 0 && (
        <section>
          <h2>{requestTexts.others}</h2>
          {others.map((other) => (
            <p key={other.id} dir="auto">
              {other.sentence} <span className="soft">({other.requestedBy.name})</span>
            </p>
          ))}
        </section>
      )}
      {!isPending && (
        <p className="verdict" role="status">
          <Ended approval={approval} />
          {approval.note !== null && <span dir="auto">: {approval.note}</span>}
        </p>
      )}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {isPending && !canDecide.approve && (
        <p className="hint">{canDecide.why === null ? verdictTexts.mayNot : verdictTexts.mayNotAs(canDecide.why)}</p>
      )}
      {isPending && canDecide.approve && (
        <div className="verdict-form">
          <label className={isNoteShown || note !== '' ? '' : 'quiet'}>
            {verdictTexts.noteFor(requestedBy.name)}
            <input
              ref={noteInput}
              value={note}
              placeholder={verdictTexts.optional}
              aria-keyshortcuts="n"
              onFocus={() => setNoteShown(true)}
              onChange={({ target }) => onNote(target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
              }}
            />
          </label>
          <TooLong what={verdictTexts.theNote} text={note} most={noteMost} />
          <Verdict {...props} />
        </div>
      )}
    </article>
  );
};
