/** A request in a list, on one line of home, and how it ended: what will happen, who asks, and whether one may decide it. Used by ApprovalsPage, HomePage and the page of an agent. */
import { ThingLink } from '../content/links.tsx';
import { legible } from '../content/values.ts';
import { Ago, Aside } from '../ui/marks.tsx';
import { Row } from '../ui/Rows.tsx';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';
import { figuresText, useFigures, useLeftOut, useWords } from './words.tsx';

/** How a request ended, within a sentence: who ended it, and when. */
export const RequestEnd = ({ approval }: { readonly approval: Approval }) => {
  const { status, decidedBy, decidedAt } = approval;
  const ends: Readonly<Record<string, string>> = requestTexts.verdict.endsInSentence;
  const end = ends[status] ?? status;
  const when = decidedAt !== null && <Ago isInSentence at={decidedAt} />;
  // Nobody decides what has expired, or what no longer fits when somebody tries to approve it.
  return decidedBy === null || status === 'stale'
    ? requestTexts.verdict.ended(end, when)
    : requestTexts.verdict.endedBy(end, decidedBy.name, when);
};

/** A request that waits, on the page of what waits: its sentence, and the figures that it is about. */
export const RequestLine = ({ approval }: { readonly approval: Approval }) => {
  const { id, sentence, requestedAt } = approval;
  const leftOut = useWords(approval)
    .leftOutOf()
    .flatMap(({ label, about }) => (about === null ? [] : [requestTexts.isLeftOut(label)]));
  const figures = figuresText([...leftOut, ...useFigures(approval)]);
  return (
    <Row>
      <span className="request-line">
        <ThingLink type="approval" id={id} dir="auto">
          {sentence}
        </ThingLink>
        {figures !== '' && <Aside>{figures}</Aside>}
      </span>
      <Ago at={requestedAt} />
    </Row>
  );
};

interface RequestRowProps {
  readonly approval: Approval;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
  /** Selects it, to be decided with others; absent: it can't be. */
  readonly onSelect?: (id: string) => void;
  readonly isSelected?: boolean;
}

export const RequestRow = ({ approval, isOpen, onOpen, onSelect, isSelected = false }: RequestRowProps) => {
  const { id, kind, status, sentence, itemTitle, reversible, requestedBy, requestedAt, canDecide } = approval;
  const isPending = status === 'pending';
  const figures = figuresText(useFigures(approval));
  const leftOut = useLeftOut(approval);
  return (
    <Row className={onSelect === undefined ? undefined : 'selectable'}>
      {onSelect !== undefined && (
        <label>
          <input
            type="checkbox"
            aria-label={requestTexts.queue.select(sentence)}
            checked={isSelected}
            onChange={() => onSelect(id)}
          />
        </label>
      )}
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
        {itemTitle !== null && <Aside>{requestTexts.ofItem(legible(itemTitle))}</Aside>}
        <span className="soft">
          {requestedBy.name} · <Ago at={requestedAt} />
          {isPending ? (
            <>
              {reversible === false && ` · ${requestTexts.queue.canNotBeUndone}`}
              {!canDecide.approve && kind !== 'question' && ` · ${requestTexts.queue.notYours}`}
            </>
          ) : (
            <>
              {' · '}
              <RequestEnd approval={approval} />
            </>
          )}
        </span>
      </button>
    </Row>
  );
};
