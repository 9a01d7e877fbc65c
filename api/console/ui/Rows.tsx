/** Lists whose rows say their place, and how many there are, to those who do not see the list; long ones of which only the rows in sight are drawn; and the ends of those whose newest rows come first: what came since, the next page, what may be archived. Used by every list of rows. */
import {
  Children,
  createContext,
  isValidElement,
  use,
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { Button } from './Button.tsx';
import { uiTexts } from './texts.tsx';
import { dateOf, exactTime } from './time.ts';

interface Place {
  readonly 'aria-posinset': number;
  readonly 'aria-setsize': number;
}

/** Returns the place of a row. `index`: counted from 0; `size`: -1 as long as nobody knows how many there are. */
export const placeOf = (index: number, size: number): Place => ({ 'aria-posinset': index + 1, 'aria-setsize': size });

const RowPlace = createContext<Place | null>(null);

interface RowsProps extends ComponentProps<'ul'> {
  /** Whether there are further rows, which are not read yet. */
  readonly hasMore?: boolean;
  /** How many rows there are, where the list shows only the first. */
  readonly total?: number | null;
}

/** A list of `Row`s. */
export const Rows = ({ hasMore = false, total, children, ...list }: RowsProps) => {
  const rows = Children.toArray(children);
  const size = hasMore ? -1 : (total ?? rows.length);
  return (
    <ul {...list}>
      {rows.map((row, index) => (
        <RowPlace key={isValidElement(row) ? row.key : index} value={placeOf(index, size)}>
          {row}
        </RowPlace>
      ))}
    </ul>
  );
};

/** A row of `Rows`. */
export const Row = (row: ComponentProps<'li'>) => <li {...use(RowPlace)} {...row} />;

interface ShowNewProps {
  readonly newCount: number;
  readonly onShow: () => void;
}

/** The button that shows what came since a list was read; nothing while nothing came. */
export const ShowNew = ({ newCount, onShow }: ShowNewProps) =>
  newCount > 0 && (
    <Button tone="bare" onClick={onShow} shortcut="l">
      {uiTexts.showNew(newCount)}
    </Button>
  );

interface ArchivedNoteProps {
  /** Epoch milliseconds; absent: nothing is archived, or it is not the end yet. */
  readonly before: number | undefined;
}

/** A line at the end of a timeline, a history or the audit log: older entries may be archived. */
export const ArchivedNote = ({ before }: ArchivedNoteProps) =>
  before === undefined ? null : (
    <p className="soft">
      {uiTexts.earlier.archived(
        <time dateTime={new Date(before).toISOString()} title={exactTime(before)}>
          {dateOf(before)}
        </time>,
      )}
    </p>
  );

interface ShowEarlierProps {
  /** The list's elements. */
  readonly what: keyof typeof uiTexts.earlier.show;
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** The button that reads the next page of a list whose newest elements come first. */
export const ShowEarlier = ({ what, list: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowEarlierProps) =>
  hasNextPage && (
    <div className="verdict-buttons">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {uiTexts.earlier.show[what]}
      </Button>
    </div>
  );

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

/** A list of which only the rows in sight are drawn; it keeps the open one in sight. All rows have one height, so that nothing is measured. */
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
