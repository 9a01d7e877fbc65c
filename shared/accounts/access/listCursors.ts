/** Cursors of lists: each is worth something only in its environment, for the role that it was made under, and for its list and query. Used by lists. */
import type { Caller } from './principal.ts';

type Place = readonly (string | number | null)[];

interface ListCursors {
  /** Returns the place of a cursor; null without one. Throws `bad_cursor` for one of another environment, role, list or query. */
  open(text: string | undefined): Place | null;
  /** Returns the cursor of the next page, which begins behind `place`; null: there is none. */
  next(place: Place | null): string | null;
}

/** Returns the cursors of a list. `query`: what else they belong to, such as filters. */
export const listCursors = (
  { env: { seal }, principal: { role } }: Caller,
  list: string,
  query: readonly unknown[] = [],
): ListCursors => {
  const key = `${list}:${JSON.stringify([role?.id ?? null, ...query])}`;
  return {
    open: (text) => seal.openCursor(key, text),
    next: (place) => (place === null ? null : seal.cursor(key, place)),
  };
};
