/** A list of which only the rows in sight are drawn; it keeps the open one in sight. Used by ItemList and RecordList. */
import { useEffect, useRef, type ReactNode } from 'react';
import { rowPx, useDrawnRows, useInSight } from './drawnRows.ts';

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
  /** Returns a row, with a key and its place: the `transform` of its element. */
  readonly children: (id: string, index: number, place: string) => ReactNode;
}

/** The next page is asked for so many rows before the end. */
const aheadRows = 30;

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
  const [from, to] = useDrawnRows(scroller, ids.length);
  const openAt = openId === undefined ? -1 : ids.indexOf(openId);
  useInSight(scroller, openAt);
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
        {ids.slice(from, to).map((id, at) => children(id, from + at, `translateY(${String((from + at) * rowPx)}px)`))}
      </div>
    </div>
  );
};
