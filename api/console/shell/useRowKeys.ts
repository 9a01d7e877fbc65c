/** The keys of a list with one open row: they open the next and the previous one, and close it. Used by the pages of records and of runs. */
import { idAfter } from '../ui/choose.ts';
import { useHeldKeys, useKeys } from './keyboard.ts';

interface RowKeysOptions {
  /** Differs between lists. */
  readonly list: string;
  /** Whether the rows are still to come. */
  readonly isReading: boolean;
  readonly rows: readonly { readonly id: string }[];
  /** The open row; undefined: none is. */
  readonly openId: string | undefined;
  /** Opens a row; undefined: closes it. */
  readonly open: (id: string | undefined) => void;
  readonly readAnew: () => void;
  /** Moves into the search, where the list has one. */
  readonly search?: () => void;
}

export const useRowKeys = ({ list, isReading, rows, openId, open, readAnew, search }: RowKeysOptions): void => {
  const { press } = useHeldKeys<1 | -1>({
    list,
    isReading,
    apply: (moves) => {
      const ids = rows.map(({ id }) => id);
      const next = idAfter(ids, openId, moves);
      if (next !== undefined) open(next);
    },
  });
  useKeys(
    {
      j: () => press(1),
      k: () => press(-1),
      ArrowDown: () => press(1),
      ArrowUp: () => press(-1),
      l: readAnew,
      '/': search,
      Escape: () => open(undefined),
    },
    'list',
  );
};
