/** Titles of items that are known by their ids alone, asked for together. Used by the audit log, the ledger of agents and the results of bulks. */
import { queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { body } from './reading.ts';
import type { Item } from './types.ts';

/** Ids of one call. */
const idsMost = 100;
/** For so many ms a title counts as the newest one. */
const freshMs = 60_000;

interface Asked {
  readonly ids: Set<string>;
  readonly titles: Promise<ReadonlyMap<string, string>>;
}

/** What the next call asks for. */
const next = new WeakMap<Http, Asked>();

const readTitles = async (http: Http, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> => {
  // Those who ask in the same turn are rows that were drawn together.
  await new Promise((resolve) => setTimeout(resolve));
  next.delete(http);
  const query = { ids: [...ids].join(',') };
  const { items } = await body(http.call<{ items: readonly Item[] }>('GET', '/items/batch', { query }));
  return new Map(items.map(({ id, title }) => [id, title]));
};

const readTitle = async (http: Http, id: string): Promise<string | null> => {
  let asked = next.get(http);
  if (asked === undefined || asked.ids.size === idsMost) {
    const ids = new Set<string>();
    asked = { ids, titles: readTitles(http, ids) };
    next.set(http, asked);
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
