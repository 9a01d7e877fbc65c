/** One request on one screen: what will happen, who asks and why, what it changes, and the decision. Used by ApprovalsPage. */
import { Link } from '@tanstack/react-router';
import { ItemLink } from '../content/ItemLink.tsx';
import { legible } from '../content/legible.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { whenTime } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import type { Approval } from '../wire/types.ts';
import { BulkFacts } from './BulkFacts.tsx';
import { LeftOut } from './LeftOut.tsx';
import { Outcome } from './Outcome.tsx';
import { RecentEntries } from './RecentEntries.tsx';
import { Changes, Given, Target } from './RequestFacts.tsx';
import { RequestRecord } from './RequestRecord.tsx';
import { requestTexts } from './requestTexts.tsx';
import { Sums } from './Sums.tsx';
import { approvalTexts } from './texts.ts';
import { undoableOf } from './undoable.ts';
import { UnsentNote } from './UnsentNote.tsx';
import { useIsDangerous } from './useIsGrave.ts';
import { Verdict, type VerdictProps } from './Verdict.tsx';
import { verdictTexts } from './verdictTexts.tsx';

interface DecisionProps extends VerdictProps {
  /** Those that wait on the same target. */
  readonly others: readonly Approval[];
  readonly problem: string | null;
  readonly onBack: () => void;
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
  const { environment } = useSession();
  if (others.length === 0) return null;
  return (
    <section aria-label={requestTexts.others}>
      <h2>{requestTexts.others}</h2>
      <ul>
        {others.map(({ id, sentence, requestedBy, requestedAt }) => (
          <li key={id}>
            <Link to="/env/$environment/approvals/$id" params={{ environment, id }} dir="auto">
              {sentence}
            </Link>
            <span className="soft">
              {' · '}
              {requestedBy.name} · <Ago at={requestedAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** What a request would change, where that has a page: nobody decides unseen. */
const About = ({ approval: { item, itemTitle, flag, now } }: { readonly approval: Approval }) => {
  const { environment } = useSession();
  const { description }: { readonly description?: unknown } = now ?? {};
  return (
    <>
      {item !== null && <p>{requestTexts.ofItem(<ItemLink id={item} title={itemTitle} />)}</p>}
      {flag !== null && (
        <p>
          {typeof description === 'string' && <span dir="auto">{legible(description)} </span>}
          <Link to="/env/$environment/flags/$flag" params={{ environment, flag }}>
            {requestTexts.openFlag}
          </Link>
        </p>
      )}
    </>
  );
};

export const Decision = (props: DecisionProps) => {
  const { approval, others, problem, note, isBusy, onNote, onBack } = props;
  const { sentence, requestedBy, requestedAt, expiresAt, reason, status, canDecide } = approval;
  const isPending = status === 'pending';
  const isDangerous = useIsDangerous(approval);
  // An answer that got lost may have taken it.
  const isUnsent = !isPending && !isBusy && note.trim() !== '' && note.trim() !== approval.note;
  return (
    <article className={`decision ${approval.reversible === false ? 'grave' : ''}`}>
      <Button className="back" onClick={onBack}>
        {approvalTexts.back}
      </Button>
      <h1 dir="auto">{sentence}</h1>
      <LeftOut approval={approval} />
      <Sums approval={approval} />
      <About approval={approval} />
      <p className="soft">
        {requestTexts.asked(
          <strong dir="auto">{requestedBy.name}</strong>,
          requestedBy.type,
          <Ago isInSentence at={requestedAt} />,
        )}
        {isPending && ` · ${requestTexts.expires(whenTime(expiresAt))}`} · <Reversible approval={approval} />
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
        <section aria-label={requestTexts.theirReason(requestedBy.name)}>
          <h2>{requestTexts.theirReason(requestedBy.name)}</h2>
          <blockquote dir="auto" className={reason === null ? 'soft' : ''} tabIndex={0}>
            {reason === null ? requestTexts.noReason : legible(reason)}
          </blockquote>
        </section>
      )}
      <RecentEntries approval={approval} />
      <Given approval={approval} />
      <Target approval={approval} />
      <Changes approval={approval} />
      <BulkFacts approval={approval} />
      <Others others={others} />
      {problem !== null && status !== 'stale' && (
        <p className={isPending ? 'problem' : 'hint'} role="alert">
          {problem}
        </p>
      )}
      {isPending && !canDecide.approve && (
        <p className="hint">{canDecide.why === null ? verdictTexts.mayNot : verdictTexts.mayNotAs(canDecide.why)}</p>
      )}
      {isPending && canDecide.approve && <Verdict {...props} />}
    </article>
  );
};
