/** A request in a list: what will happen, who asks, and whether one may decide it or how it ended. Used by ApprovalsPage and EndedRequests. */
import { Ago } from '../ui/Time.tsx';
import type { Approval } from '../wire/types.ts';
import { useSums } from './Sums.tsx';
import { approvalTexts } from './texts.ts';
import { verdictTexts } from './verdictTexts.tsx';

interface RequestRowProps {
  readonly approval: Approval;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

/** How a request ended, and who ended it. */
const End = ({ approval: { status, decidedBy, decidedAt } }: Pick<RequestRowProps, 'approval'>) => {
  const ends: Readonly<Record<string, string>> = verdictTexts.endsInSentence;
  const end = ends[status] ?? status;
  const when = decidedAt !== null && <Ago isInSentence at={decidedAt} />;
  return decidedBy === null || status === 'stale'
    ? verdictTexts.ended(end, when)
    : verdictTexts.endedBy(end, decidedBy.name, when);
};

export const RequestRow = ({ approval, isOpen, onOpen }: RequestRowProps) => {
  const { id, status, sentence, reversible, requestedBy, requestedAt, canDecide } = approval;
  const isPending = status === 'pending';
  const sums = useSums(approval);
  return (
    <li>
      <button
        type="button"
        className={`request ${isPending && reversible === false ? 'grave' : ''}`}
        aria-current={isOpen}
        onClick={() => onOpen(id)}
      >
        <span dir="auto">{sentence}</span>
        <span className="soft">
          {requestedBy.name} · <Ago at={requestedAt} />
          {sums !== '' && ` · ${sums}`}
          {isPending ? (
            <>
              {reversible === false && ` · ${approvalTexts.canNotBeUndone}`}
              {!canDecide.approve && ` · ${approvalTexts.notYours}`}
            </>
          ) : (
            <>
              {' · '}
              <End approval={approval} />
            </>
          )}
        </span>
      </button>
    </li>
  );
};
