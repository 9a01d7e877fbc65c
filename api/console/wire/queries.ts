/** Queries of the console: one function for each read, shared by its users, and the newer of two states of a bulk. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { savedViewSchema } from '../../../shared/items/savedViews.ts';
import type { Static } from '../../../shared/platform/json/schema.ts';
import type { Http } from './http.ts';
import type { ItemStore } from './itemStore.ts';
import { answerOf, body, byCursor, memberOf, listQuery, read, type PageOf } from './reading.ts';
import type { Bulk, Counts, Entry, Inbox, Item, ItemDetail, Me, Person, ReplyDryRun, View } from './types.ts';

export const isFinished = ({ status }: Bulk): boolean => status === 'done' || status === 'cancelled';

/** Returns the later of two states of a bulk: an answer may come after a message that is newer. */
export const newerBulk = (known: Bulk | undefined, given: Bulk): Bulk =>
  known !== undefined && known.id === given.id && (isFinished(known) || known.done > given.done) ? known : given;

export const keys = {
  me: ['me'],
  counts: ['counts'],
  approvals: ['approvals'],
  items: ['items'],
  bulks: ['bulks'],
  everyApproval: ['approval'],
  approval: (id: string) => ['approval', id],
  item: (id: string) => ['item', id],
  recent: (item: string) => ['recent', item],
  bulk: (id: string) => ['bulk', id],
  savedViews: ['savedViews'],
  flags: ['flags'],
  flag: (name: string) => ['flag', name],
  flagHistory: (name: string) => ['flagHistory', name],
} as const;

/** The filters of a list of items, as the API takes them. */
export type ItemQuery = Readonly<Record<string, string | undefined>>;

export const meQuery = (http: Http) =>
  queryOptions({ queryKey: keys.me, ...answerOf<Me>(http, '/me'), staleTime: 30_000 });

const definitionMs = 60_000;

export const inboxesQuery = listQuery<Inbox>(['inboxes'], '/inboxes', 'inboxes', { staleTime: definitionMs });

/** Whom a reply to an item as it stands would go to. */
export const recipientQuery = (http: Http, { id, version }: Item, reasonRequired: boolean) =>
  queryOptions({
    queryKey: ['recipient', id, version],
    queryFn: ({ signal }) => {
      const asked = { dryRun: true, ...(reasonRequired ? { reason: 'dryRun' } : {}) };
      return body(http.call<ReplyDryRun>('POST', `/items/${id}/reply`, { body: asked, signal }));
    },
  });

export const viewsQuery = listQuery<View>(['views'], '/views', 'views', { staleTime: definitionMs });

/** The people to assign to; none where the role may not assign. */
export const peopleQuery = (http: Http) =>
  queryOptions({
    queryKey: ['people'],
    ...memberOf<readonly Person[]>(http, '/people', 'people', { limit: 200 }),
    staleTime: definitionMs,
    retry: false,
  });

export const tagsQuery = (http: Http, inbox: string) =>
  queryOptions({
    queryKey: ['tags', inbox],
    ...memberOf<readonly { readonly tag: string; readonly count: number }[]>(http, '/tags', 'tags', { inbox }),
    staleTime: definitionMs,
  });

/** Filled and kept by the live stream; read once for the first picture. */
export const countsQuery = (http: Http) =>
  queryOptions({ queryKey: keys.counts, ...answerOf<Counts>(http, '/counts'), staleTime: Infinity });

/** Returns how many requests wait for the person: those to decide, and questions. */
export const callsOf = (counts: Counts | undefined): number =>
  counts === undefined ? 0 : counts.approvals.decidable + counts.approvals.questions;

/** How many items a list has; `isMinimum`: more than that. */
export interface Total {
  readonly count: number;
  readonly isMinimum: boolean;
}

/** The same as the API says it. */
interface Counted {
  readonly total: number;
  readonly totalIsMinimum?: true;
}

export interface ItemPage {
  readonly ids: readonly string[];
  readonly cursor: string | null;
  readonly offset: string | null;
  /** The number of the last live message when the page was asked for. */
  readonly since: number;
  /** Of the first page. */
  readonly total: Total | null;
}

const pageSize = 100;

export const itemsQuery = (http: Http, store: ItemStore, query: ItemQuery) =>
  infiniteQueryOptions({
    queryKey: [...keys.items, query],
    queryFn: async ({ pageParam, signal }): Promise<ItemPage> => {
      const since = store.arrivals.now();
      const first = pageParam === null;
      const { body: page, offset } = await http.call<PageOf<'items', Item> & Partial<Counted>>('GET', '/items', {
        query: { ...query, limit: pageSize, ...(first ? { count: 1 } : { cursor: pageParam }) },
        signal,
      });
      store.put(page.items);
      return {
        ids: page.items.map(({ id }) => id),
        cursor: page.cursor,
        offset,
        since,
        total: page.total === undefined ? null : { count: page.total, isMinimum: page.totalIsMinimum ?? false },
      };
    },
    ...byCursor,
    staleTime: Infinity,
    gcTime: 5 * 60_000,
  });

export const readTotal = async (http: Http, query: ItemQuery, signal: AbortSignal): Promise<Total> => {
  const counted = await read<Counted>(http, '/items', { ...query, limit: 1, count: 1 }, signal);
  return { count: counted.total, isMinimum: counted.totalIsMinimum ?? false };
};

export interface ReadItem extends ItemDetail {
  readonly offset: string | null;
  /** How many entries of the timeline came by messages since. */
  readonly heard: number;
}

interface ItemReading {
  readonly http: Http;
  readonly items: ItemStore;
  readonly timelines: {
    /** Returns what `read` resolves with, and the entries that came meanwhile. */
    whileReading(item: string, read: () => Promise<Omit<ReadItem, 'heard'>>): Promise<ReadItem>;
  };
}

export const itemQuery = ({ http, items, timelines }: ItemReading, id: string) =>
  queryOptions({
    queryKey: keys.item(id),
    queryFn: ({ signal }): Promise<ReadItem> =>
      timelines.whileReading(id, async () => {
        const answer = await http.call<ItemDetail>('GET', `/items/${encodeURIComponent(id)}`, { signal });
        items.put([answer.body.item]);
        return { ...answer.body, offset: answer.offset };
      }),
    staleTime: Infinity,
    gcTime: 2 * 60_000,
  });

/** Returns entries of an item's timeline, newest first: the newest, or those that come before a cursor. */
export const readTimeline = (http: Http, id: string, cursor?: string) =>
  read<PageOf<'entries', Entry> & { readonly archivedBefore?: number }>(
    http,
    `/items/${encodeURIComponent(id)}/timeline`,
    { cursor },
  );

export const bulkQuery = (http: Http, id: string) =>
  queryOptions({
    queryKey: keys.bulk(id),
    queryFn: async ({ client, signal }) => {
      const { bulk } = await read<{ bulk: Bulk }>(http, `/bulk/${encodeURIComponent(id)}`, {}, signal);
      return newerBulk(client.getQueryData<Bulk>(keys.bulk(id)), bulk);
    },
    staleTime: Infinity,
  });

export type SavedView = Static<typeof savedViewSchema>;

/** The filters of a view, as the declared ones have them. */
export type ViewFilters = Partial<Readonly<Record<keyof View, unknown>>>;

export const savedViewsQuery = (http: Http) =>
  queryOptions({
    queryKey: keys.savedViews,
    ...memberOf<readonly SavedView[]>(http, '/me/views', 'views'),
    staleTime: definitionMs,
  });

const asText = (value: unknown): unknown =>
  Array.isArray(value) ? value.join(',') : typeof value === 'boolean' ? (value ? '1' : '0') : value;

/** Returns the filters of a saved view, over those of the declared one that it builds on. */
export const filtersOf = ({ inbox, query }: SavedView, declared: ViewFilters = {}): ViewFilters => ({
  ...declared,
  ...(inbox === null ? {} : { inbox }),
  ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, asText(value)])),
});
