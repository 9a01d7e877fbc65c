/** Queries of the server's search for the typed text, and of the titles of items that are known by their ids alone. Used by the palette, the audit log and the results of bulks. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { memberOf, read, type PageOf } from './reading.ts';
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
      const { results, cursor } = await read<PageOf<'results', Found>>(http, '/search', { q, limit: 12 }, signal);
      return { results, isPartial: cursor !== null };
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

/** Ids of one call. */
const idsMost = 100;
/** For so many ms a title counts as the newest one. */
const freshMs = 60_000;

interface Asked {
  readonly ids: Set<string>;
  readonly titles: Promise<ReadonlyMap<string, string>>;
}

/** What the nextAsked call asks for. */
const nextAsked = new WeakMap<Http, Asked>();

const readTitles = async (http: Http, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> => {
  // Those who ask in the same turn are rows that were drawn together.
  await new Promise((resolve) => setTimeout(resolve));
  nextAsked.delete(http);
  const { items } = await read<{ items: readonly Item[] }>(http, '/items/batch', { ids: [...ids].join(',') });
  return new Map(items.map(({ id, title }) => [id, title]));
};

const readTitle = async (http: Http, id: string): Promise<string | null> => {
  let asked = nextAsked.get(http);
  if (asked === undefined || asked.ids.size === idsMost) {
    const ids = new Set<string>();
    asked = { ids, titles: readTitles(http, ids) };
    nextAsked.set(http, asked);
  }
  asked.ids.add(id);
  return (await asked.titles).get(id) ?? null;
};

/** Query of the title of an item; null: there is no such item, or it is not seen. */
export const itemTitleQuery = (http: Http, id: string) =>
  queryOptions({
    queryKey: ['itemTitle', id],
    queryFn: () => readTitle(http, id),
    staleTime: freshMs,
    retry: false,
  });
