/** Reads pages of what stands in two tables, the unfinished and recent rows and the months of those that ended. Used by lists. */
import { limits } from '../../catalogue/limits.ts';
import { idTime } from '../ids.ts';

/** ms by which clocks of processes may differ. */
const skewMs = 3_600_000;

interface TwoTables<R> {
  readonly now: number;
  /** The id below which the page begins. */
  readonly before: string;
  readonly wanted: number;
  /** Returns the rows of the page from the table of the unfinished and recent rows. */
  readonly readRecent: () => Promise<R[]>;
  /** Returns the rows of the page from both tables. */
  readonly readAll: () => Promise<R[]>;
}

/** Returns the rows of a page, newest first; the months are looked into only for pages that reach back to them. */
export const readPageOfTwo = async <R extends { readonly id: string }>({
  now,
  before,
  wanted,
  readRecent,
  readAll,
}: TwoTables<R>): Promise<R[]> => {
  const border = now - limits.endedRowsMs + skewMs;
  const from = idTime(before);
  if (from !== 0 && from <= border) return readAll();
  const found = await readRecent();
  const last = found.at(-1);
  return found.length === wanted && last !== undefined && idTime(last.id) > border ? found : readAll();
};
