/** Lists whose rows say their place, and how many there are, to those who do not see the list; and the ends of those whose newest rows come first: what came since, the next page, what may be archived. Used by every list of rows. */
import { Children, createContext, isValidElement, use, type ComponentProps } from 'react';
import { Button } from './Button.tsx';
import { uiTexts } from './texts.tsx';
import { dateOf, exactTime } from './time.tsx';

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

/** The ends of a list whose newest elements come first: what came since it was read, the next page, and what may be archived. */
export const ShowEarlier = ({ what, list: { hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowEarlierProps) =>
  hasNextPage && (
    <div className="verdict-buttons">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {uiTexts.earlier.show[what]}
      </Button>
    </div>
  );
