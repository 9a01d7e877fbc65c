/** Queries of the server's search for the typed text. Used by the palette and the filters of the audit log. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { memberOf } from './reading.ts';
import type { AppRecord, Item, Person } from './types.ts';

/** What a search found. */
export type Found =
  | { readonly type: 'item'; readonly item: Item }
  | { readonly type: 'record'; readonly record: AppRecord };

/** `isPartial`: the time was over before all items were searched. */
export interface FoundPart {
  readonly results: readonly Found[];
  readonly isPartial: boolean;
}

/** Items and records with all words. */
export const foundQuery = (http: Http, q: string) =>
  queryOptions({
    queryKey: ['palette', 'found', q],
    queryFn: async ({ signal }): Promise<FoundPart> => {
      const { body } = await http.call<{ results: Found[]; cursor: string | null }>('GET', '/search', {
        query: { q, limit: 12 },
        signal,
      });
      return { results: body.results, isPartial: body.cursor !== null };
    },
    staleTime: 10_000,
    retry: false,
  });

/** The item with this id; none where there is none, or it is not seen. */
export const itemOfIdQuery = (http: Http, id: string) =>
  queryOptions({
    queryKey: ['palette', 'item', id],
    ...memberOf<readonly Item[]>(http, '/items/batch', 'items', { ids: id }),
    staleTime: 10_000,
    retry: false,
  });

/** People of the name; none where the role may not assign. */
export const foundPeopleQuery = (http: Http, q: string) =>
  queryOptions({
    queryKey: ['palette', 'people', q],
    ...memberOf<readonly Person[]>(http, '/people', 'people', { q, limit: 5 }),
    staleTime: 10_000,
    retry: false,
  });
