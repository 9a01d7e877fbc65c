/** A request in a list: what will happen, who asks, and whether one may decide it or how it ended. Used by ApprovalsPage and EndedRequests. */
import { legible } from '../content/legible.ts';
import { Ago } from '../ui/Time.tsx';
import type { Approval } from '../wire/types.ts';
import { useLeftOut } from './LeftOut.tsx';
import { RequestEnd } from './RequestEnd.tsx';
import { requestTexts } from './requestTexts.tsx';
import { figuresText, useFigures } from './Sums.tsx';
import { approvalTexts } from './texts.ts';

interface RequestRowProps {
  readonly approval: Approval;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

export const RequestRow = ({ approval, isOpen, onOpen }: RequestRowProps) => {
  const { id, status, sentence, itemTitle, reversible, requestedBy, requestedAt, canDecide } = approval;
  const isPending = status === 'pending';
  const figures = figuresText(useFigures(approval));
  const leftOut = useLeftOut(approval);
  return (
    <li>
      <button
        type="button"
        className={`request ${isPending && reversible === false ? 'grave' : ''}`}
        aria-current={isOpen}
        onClick={() => onOpen(id)}
      >
        <span dir="auto">{sentence}</span>
        {leftOut.map((text) => (
          <span key={text} dir="auto">
            {text}
          </span>
        ))}
        {figures !== '' && <span dir="auto">{figures}</span>}
        {itemTitle !== null && (
          <span className="soft" dir="auto">
            {requestTexts.ofItem(legible(itemTitle))}
          </span>
        )}
        <span className="soft">
          {requestedBy.name} · <Ago at={requestedAt} />
          {isPending ? (
            <>
              {reversible === false && ` · ${approvalTexts.canNotBeUndone}`}
              {!canDecide.approve && ` · ${approvalTexts.notYours}`}
            </>
          ) : (
            <>
              {' · '}
              <RequestEnd approval={approval} />
            </>
          )}
        </span>
      </button>
    </li>
  );
};
