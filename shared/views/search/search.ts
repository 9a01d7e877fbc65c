/** Searches items and records at once, best first, with an excerpt of each hit. Called by api/routes/search.ts. */
import { listCursors } from '../../accounts/access/listCursors.ts';
import type { Caller } from '../../accounts/access/principal.ts';
import { limits } from '../../catalogue/limits.ts';
import { requireQueryWords } from '../../items/filters/contentFilter.ts';
import { foldCase } from '../../platform/words/searchWords.ts';
import type { ViewDeps } from '../deps.ts';
import { searchItems, type Hit } from './items.ts';
import { searchAllRecords } from './records.ts';

export const searchTypes = ['items', 'records'] as const;
type SearchType = (typeof searchTypes)[number];

interface SearchQuery {
  readonly q: string;
  readonly types?: readonly SearchType[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface SearchAnswer {
  readonly results: readonly Hit['result'][];
  /** Resources whose app did not answer in time, and `items` when the time was over before all were searched. */
  readonly incomplete: readonly string[];
  /** Goes on with the items; null: all of them were searched. */
  readonly cursor: string | null;
}

/** Returns the hits of several lists, best first; equal ones in turn, in the order of their lists. */
const mergeHits = (lists: readonly (readonly Hit[])[], limit: number): Hit[] =>
  lists
    .flatMap((hits) => hits.toSorted((a, b) => b.score - a.score).map((hit, place) => ({ hit, place })))
    .sort((a, b) => b.hit.score - a.hit.score || a.place - b.place)
    .slice(0, limit)
    .map(({ hit }) => hit);

/**
 * Returns what the role sees of what has all words; with a cursor, of the items that the search before had no time for. Throws `invalid`
 * for a text without words, or with too many.
 */
export const searchEverything = async (
  deps: ViewDeps,
  caller: Caller,
  { q, types = searchTypes, limit = limits.searchResults, cursor }: SearchQuery,
): Promise<SearchAnswer> => {
  const words = requireQueryWords('q', q);
  const cursors = listCursors(caller, 'searchItems', words);
  const after = cursors.open(cursor);
  const request = { words, query: foldCase(q).trim(), limit, now: deps.clock.now(), after };
  const [items, records] = await Promise.all([
    types.includes('items') ? searchItems(deps, caller, request) : { hits: [], next: null },
    types.includes('records') && after === null
      ? searchAllRecords(deps, caller, request)
      : { hits: [], incomplete: [] },
  ]);
  return {
    results: mergeHits([items.hits, ...records.hits], limit).map(({ result }) => result),
    incomplete: [...(items.next === null ? [] : ['items']), ...records.incomplete],
    cursor: cursors.next(items.next),
  };
};
