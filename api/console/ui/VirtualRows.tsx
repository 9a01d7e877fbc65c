/** A list of which only the rows in sight are drawn; it keeps the open one in sight. Used by ItemList and RecordList. */
import { useVirtualizer, type Range, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';

interface VirtualRowsProps {
  readonly ids: readonly string[];
  readonly label: string;
  readonly openId: string | undefined;
  readonly isMultiselectable?: boolean;
  /** Whether there may be a next page; a page may be empty while there is one. */
  readonly hasMore: boolean;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
  /** Returns the id of a row's element. */
  readonly elementId: (id: string, index: number) => string;
  readonly children: (id: string, index: number) => ReactNode;
}

const rowPx = 56;
/** Rows that are drawn before they come into sight, and after they have left it: what is drawn costs in every frame. */
const [soonRows, goneRows] = [8, 2];
/** The next page is asked for so many rows before the end. */
const aheadRows = 30;

/** Returns the places of the rows that are drawn. */
const drawnRows = ({ startIndex, endIndex, count }: Range, isUpwards: boolean): number[] => {
  const [above, below] = isUpwards ? [soonRows, goneRows] : [goneRows, soonRows];
  const first = Math.max(0, startIndex - above);
  const last = Math.min(count - 1, endIndex + below);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
};

export const VirtualRows = ({
  ids,
  label,
  openId,
  isMultiselectable = false,
  hasMore,
  onEnd,
  elementId,
  children,
}: VirtualRowsProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const rows: Virtualizer<HTMLDivElement, Element> = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    rangeExtractor: (range) => drawnRows(range, rows.scrollDirection === 'backward'),
    getItemKey: (at) => ids[at] ?? at,
  });
  const openAt = openId === undefined ? -1 : ids.indexOf(openId);
  useEffect(() => {
    if (openAt >= 0) rows.scrollToIndex(openAt, { align: 'auto' });
  }, [openAt, rows]);
  const drawn = rows.getVirtualItems();
  const lastDrawn = drawn.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && lastDrawn >= ids.length - aheadRows) onEnd();
  }, [hasMore, lastDrawn, ids.length, onEnd]);
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
      <div className="rows-all" style={{ height: rows.getTotalSize() }}>
        {drawn.map(({ index, key, start }) => {
          const id = ids[index];
          return id === undefined ? null : (
            <div className="rows-place" key={key} style={{ transform: `translateY(${String(start)}px)` }}>
              {children(id, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
};
