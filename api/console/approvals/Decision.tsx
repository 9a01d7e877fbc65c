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
import { shown } from './shown.ts';

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

const ends: Readonly<Record<string, string>> = {
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired: nobody decided in time',
  cancelled: 'Taken back by whoever asked',
  stale: 'No longer fits what is, so that it can’t be approved',
};

const Diff = ({ approval }: { readonly approval: Approval }) => {
  const { before, now, after } = approval;
  const rows = differences(before, now, after);
  if (rows.length === 0) return null;
  return (
    <section className="diff" aria-label="What it changes">
      <table>
        <thead>
          <tr>
            <td />
            <th>When asked</th>
            <th>Now</th>
            <th>After</th>
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
                {will === undefined ? 'not known' : shown(will)}
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
      <h2>{approval.input === null ? 'Change' : 'Input'}</h2>
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
        <span className="soft">{resource}, now</span>
      </h2>
      <Facts facts={facts.slice(0, factsMost)} />
    </section>
  );
};

const Reversible = ({ reversible }: Pick<Approval, 'reversible'>) =>
  reversible === null ? (
    <span>The app doesn’t say whether it can be undone</span>
  ) : reversible ? (
    <span>Can be undone</span>
  ) : (
    <strong className="problem">Can’t be undone</strong>
  );

/** The buttons; of a grave request the second word takes their place, and has the focus. */
const Verdict = ({ approval, isBusy, isConfirming, onDecide, onHold }: DecisionProps): ReactNode =>
  isConfirming ? (
    <div key="confirm" className="verdict-buttons" role="group" aria-label="Confirm the approval">
      <p className="problem" role="alert" dir="auto">
        {approval.reversible === false ? 'This can’t be undone' : 'High danger'}: {approval.sentence}
      </p>
      <Button tone="danger" autoFocus disabled={isBusy} onClick={() => onDecide('approve')} shortcut="a">
        Approve it all the same
      </Button>
      <Button disabled={isBusy} onClick={onHold} shortcut="Esc">
        Not yet
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
        Approve
      </Button>
      <Button disabled={isBusy} onClick={() => onDecide('reject')} shortcut="r">
        Reject
      </Button>
    </div>
  );

export const Decision = (props: DecisionProps) => {
  const { approval, others, problem, note, noteInput, onNote, onBack } = props;
  const { sentence, requestedBy, requestedAt, expiresAt, reason, status, decidedBy, decidedAt, canDecide } = approval;
  const isPending = status === 'pending';
  const [isNoteShown, setNoteShown] = useState(false);
  return (
    <article className={`decision ${approval.reversible === false ? 'grave' : ''}`}>
      <Button className="back" onClick={onBack}>
        ← Queue
      </Button>
      <h1 dir="auto">{sentence}</h1>
      <p className="soft">
        <strong dir="auto">{requestedBy.name}</strong> ({requestedBy.type}) asked <Ago isInSentence at={requestedAt} />{' '}
        · expires {whenTime(expiresAt)} · <Reversible reversible={approval.reversible} />
      </p>
      <RequestRecord requestedBy={requestedBy} />
      <blockquote dir="auto" className={reason === null ? 'soft' : ''}>
        {reason ?? 'No reason was given.'}
      </blockquote>
      <Given approval={approval} />
      <Target approval={approval} />
      <Diff approval={approval} />
      {others.length > 0 && (
        <section>
          <h2>Also waiting on the same target</h2>
          {others.map((other) => (
            <p key={other.id} dir="auto">
              {other.sentence} <span className="soft">({other.requestedBy.name})</span>
            </p>
          ))}
        </section>
      )}
      {!isPending && (
        <p className="verdict" role="status">
          <strong>{ends[status] ?? status}</strong>
          {decidedBy !== null && ` by ${decidedBy.name}`} {decidedAt !== null && <Ago isInSentence at={decidedAt} />}
          {approval.note !== null && <span dir="auto">: {approval.note}</span>}
        </p>
      )}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {isPending && !canDecide.approve && (
        <p className="hint">You can’t decide this one: {canDecide.why ?? 'your role may not.'}</p>
      )}
      {isPending && canDecide.approve && (
        <div className="verdict-form">
          <label className={isNoteShown || note !== '' ? '' : 'quiet'}>
            Note for {requestedBy.name}
            <input
              ref={noteInput}
              value={note}
              placeholder="Optional"
              aria-keyshortcuts="n"
              onFocus={() => setNoteShown(true)}
              onChange={({ target }) => onNote(target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur();
              }}
            />
          </label>
          <TooLong what="The note" text={note} most={noteMost} />
          <Verdict {...props} />
        </div>
      )}
    </article>
  );
};
