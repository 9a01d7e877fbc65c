/** Lists whose rows say their place, and how many there are, to those who do not see the list. Used by every list of rows. */
import { Children, createContext, isValidElement, use, type ComponentProps } from 'react';

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
