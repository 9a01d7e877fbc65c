/** A list of which only the rows in sight are drawn; it keeps the open one in sight. All rows have one height, so that nothing is measured. Used by ItemList and ResourcePage. */
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** As in tokens.css. */
const rowPx = 56;
/** Rows that are drawn before they come into sight, and after they have left it: what is drawn costs in every frame. */
const [soonRows, goneRows] = [6, 1];

interface Sight {
  /** The number of the first row in sight. */
  readonly first: number;
  readonly rows: number;
  readonly isUpwards: boolean;
}

const sightOf = ({ scrollTop, clientHeight }: HTMLElement, known: Sight): Sight => {
  const first = Math.floor(scrollTop / rowPx);
  const rows = Math.ceil(clientHeight / rowPx) + 1;
  return first === known.first && rows === known.rows ? known : { first, rows, isUpwards: first < known.first };
};

/** Returns the first of the `count` rows that are drawn, and the end. */
const useDrawnRows = (scroller: RefObject<HTMLElement | null>, count: number): readonly [number, number] => {
  const [{ first, rows, isUpwards }, setSight] = useState<Sight>({ first: 0, rows: 0, isUpwards: false });
  useLayoutEffect(() => {
    const place = scroller.current;
    if (place === null) return;
    const look = (): void => setSight((known) => sightOf(place, known));
    // Rows are there in the frame in which they come into sight.
    const scroll = (): void => flushSync(look);
    const sizes = new ResizeObserver(look);
    look();
    sizes.observe(place);
    place.addEventListener('scroll', scroll, { passive: true });
    return () => {
      sizes.disconnect();
      place.removeEventListener('scroll', scroll);
    };
  }, [scroller]);
  const [above, below] = isUpwards ? [soonRows, goneRows] : [goneRows, soonRows];
  const from = Math.max(0, Math.min(first, count) - above);
  return [from, Math.min(count, first + rows + below)];
};

/** Scrolls no further than it has to until a row is in sight; -1: none. */
const useInSight = (scroller: RefObject<HTMLElement | null>, at: number): void => {
  useEffect(() => {
    const place = scroller.current;
    if (place === null || at < 0) return;
    const [top, end] = [at * rowPx, (at + 1) * rowPx];
    if (top < place.scrollTop) place.scrollTop = top;
    else if (end > place.scrollTop + place.clientHeight) place.scrollTop = end - place.clientHeight;
  }, [scroller, at]);
};

interface VirtualRowsProps {
  readonly ids: readonly string[];
  readonly label: string;
  readonly openId: string | undefined;
  readonly isMultiselectable?: boolean;
  /** How many there are; null: nobody knows. */
  readonly total: number | null;
  /** Whether there may be a next page; a page may be empty while there is one. */
  readonly hasMore: boolean;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
  /** Returns the id of a row's element. */
  readonly elementId: (id: string, index: number) => string;
  /** Returns a row, with a key, its place, which is the `transform` of its element, and its `aria-setsize`. */
  readonly children: (id: string, index: number, place: string, size: number) => ReactNode;
}

/** The next page is asked for so many rows before the end. */
const aheadRows = 30;

export const VirtualRows = ({
  ids,
  label,
  openId,
  isMultiselectable = false,
  total,
  hasMore,
  onEnd,
  elementId,
  children,
}: VirtualRowsProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const [from, to] = useDrawnRows(scroller, ids.length);
  const openAt = openId === undefined ? -1 : ids.indexOf(openId);
  useInSight(scroller, openAt);
  // Rows that have left the list are still drawn.
  const size = total === null || total < ids.length ? -1 : total;
  const isEnding = to >= ids.length - aheadRows;
  useEffect(() => {
    if (hasMore && isEnding) onEnd();
  }, [hasMore, isEnding, ids.length, onEnd]);
  return (
    <div
      className="rows"
      ref={scroller}
      role="listbox"
      aria-label={label}
      aria-multiselectable={isMultiselectable || undefined}
      tabIndex={0}
      aria-activedescendant={openAt < 0 || openId === undefined ? undefined : elementId(openId, openAt)}
    >
      <div className="rows-all" style={{ height: ids.length * rowPx }}>
        {ids
          .slice(from, to)
          .map((id, at) => children(id, from + at, `translateY(${String((from + at) * rowPx)}px)`, size))}
      </div>
    </div>
  );
};
