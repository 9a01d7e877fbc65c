/** Searches items and records at once, best first, with an excerpt of each hit. Called by api/routes/search.ts. */
import type { Caller } from '../../access/principal.ts';
import { limits } from '../../catalogue/limits.ts';
import { requireQueryWords } from '../../items/contentFilter.ts';
import { foldCase } from '../../platform/core/searchWords.ts';
import type { ViewDeps } from '../deps.ts';
import { searchItems, type Hit } from './items.ts';
import { searchAllRecords } from './records.ts';

export const searchTypes = ['items', 'records'] as const;
type SearchType = (typeof searchTypes)[number];

interface SearchQuery {
  readonly q: string;
  readonly types?: readonly SearchType[] | undefined;
  readonly limit?: number | undefined;
}

interface SearchAnswer {
  readonly results: readonly Hit['result'][];
  /** Resources whose app did not answer in time. */
  readonly incomplete: readonly string[];
}

/** Returns the hits of several lists, best first; equal ones in turn, in the order of their lists. */
const mergeHits = (lists: readonly (readonly Hit[])[], limit: number): Hit[] =>
  lists
    .flatMap((hits) => hits.toSorted((a, b) => b.score - a.score).map((hit, place) => ({ hit, place })))
    .sort((a, b) => b.hit.score - a.hit.score || a.place - b.place)
    .slice(0, limit)
    .map(({ hit }) => hit);

/** Returns what the role sees of what has all words. Throws `invalid` for a text without words, or with too many. */
export const searchEverything = async (
  deps: ViewDeps,
  caller: Caller,
  { q, types = searchTypes, limit = limits.searchResults }: SearchQuery,
): Promise<SearchAnswer> => {
  const request = { words: requireQueryWords('q', q), query: foldCase(q).trim(), limit, now: deps.clock.now() };
  const [items, records] = await Promise.all([
    types.includes('items') ? searchItems(deps, caller, request) : [],
    types.includes('records') ? searchAllRecords(deps, caller, request) : { hits: [], incomplete: [] },
  ]);
  return {
    results: mergeHits([items, ...records.hits], limit).map(({ result }) => result),
    incomplete: records.incomplete,
  };
};
