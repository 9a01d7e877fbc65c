/** Queries of the server's search for the typed text. Used by the palette and the filters of the audit log. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import type { AppRecord, Item, Person } from './types.ts';

/** What a search found. */
export type Found =
  | { readonly type: 'item'; readonly item: Item }
  | { readonly type: 'record'; readonly record: AppRecord };

/** Items and records with all words. */
export const foundQuery = (http: Http, q: string) =>
  queryOptions({
    queryKey: ['palette', 'found', q],
    queryFn: async ({ signal }) =>
      (await http.call<{ results: Found[] }>('GET', '/search', { query: { q, limit: 12 }, signal })).body.results,
    staleTime: 10_000,
    retry: false,
  });

/** The item with this id; none where there is none, or it is not seen. */
export const itemOfIdQuery = (http: Http, id: string) =>
  queryOptions({
    queryKey: ['palette', 'item', id],
    queryFn: async ({ signal }) =>
      (await http.call<{ items: Item[] }>('GET', '/items/batch', { query: { ids: id }, signal })).body.items,
    staleTime: 10_000,
    retry: false,
  });

/** People of the name; none where the role may not assign. */
export const foundPeopleQuery = (http: Http, q: string) =>
  queryOptions({
    queryKey: ['palette', 'people', q],
    queryFn: async ({ signal }) =>
      (await http.call<{ people: Person[] }>('GET', '/people', { query: { q, limit: 5 }, signal })).body.people,
    staleTime: 10_000,
    retry: false,
  });
