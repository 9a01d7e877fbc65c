/** The list of an inbox as the store has it: read page by page, counted, and read before it is drawn. Used by InboxPage and the router. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { type Session, useSession, useRead } from '../shell/session.ts';
import { useNow } from '../ui/marks.tsx';
import { useArrivals } from '../wire/arrivals.ts';
import type { ItemStore } from '../wire/itemStore.ts';
import {
  type ItemQuery,
  type Total,
  countsQuery,
  inboxesQuery,
  itemsQuery,
  readTotal,
  viewsQuery,
  type SavedView,
  type ViewFilters,
  filtersOf,
  savedViewsQuery,
} from '../wire/queries.ts';
import type { Counts, Inbox, Item, View } from '../wire/types.ts';
import { type ListSearch, type Show, isListed, isOutside, listedInboxes, toQuery } from './filter.ts';

type InboxCounts = Counts['inboxes'][string];

/** Lists that the counts don't know are counted again at most so often while their inboxes change. */
const againMs = 3_000;
/** So long the first of several messages about one change waits for the others. */
const soonMs = 100;

/** Returns how many items of an inbox a list shows; null: its counts don't tell. */
const countOf: Readonly<Record<Show, (of: InboxCounts) => number | null>> = {
  open: ({ open, waiting, snoozed, active }) => (waiting === 0 ? active.total : snoozed === 0 ? open : null),
  waiting: ({ open, waiting, snoozed, active }) => (open === 0 ? active.total : snoozed === 0 ? waiting : null),
  closed: ({ closed }) => closed,
  snoozed: ({ snoozed }) => snoozed,
  all: ({ total }) => total,
};

const counted = (
  { show = 'open', item: _, sort: __, ...filters }: ListSearch,
  counts: readonly (InboxCounts | undefined)[],
): number | null => {
  if (Object.values(filters).some((filter) => filter !== undefined)) return null;
  let sum = 0;
  for (const of of counts) {
    const shown = of === undefined ? null : countOf[show](of);
    if (shown === null) return null;
    sum += shown;
  }
  return sum;
};

/** Returns the number of the last message about an item of these inboxes; 0: there is none. */
const newestOf = (items: ItemStore, inboxes: readonly Inbox[]): number => {
  const names = new Set(inboxes.map(({ name }) => name));
  let newest = 0;
  for (const { at, value: item } of items.arrivals.all()) if (names.has(item.inbox)) newest = at;
  return newest;
};

interface Read {
  readonly total: Total;
  /** The number of the last live message when the list was asked for. */
  readonly since: number;
}

interface ListedTotal {
  readonly search: ListSearch;
  readonly query: ItemQuery;
  /** Those of the list. */
  readonly inboxes: readonly Inbox[];
  /** What the list said when it was read; null: it has not been read. */
  readonly read: Read | null;
}

/** How many items a list has in all, kept by what the live stream says of the inboxes. */
const useTotal = ({ search, query, inboxes, read }: ListedTotal): Total | null => {
  const { http, items } = useSession();
  const { data } = useRead(countsQuery);
  const counts = inboxes.map(({ name }) => data?.inboxes[name]);
  const arrivals = useArrivals(items.arrivals);
  const newest = useMemo(() => newestOf(items, inboxes), [items, arrivals, inboxes]);
  const presentAt = (message: number): string => JSON.stringify([message, counts]);
  const present = presentAt(newest);
  const [known, setKnown] = useState<{ readonly read: Read | null; readonly present: string } | null>(null);
  const isSame = known !== null && known.read?.total === read?.total && known.read?.since === read?.since;
  // What came while the list was read may not be in its number.
  const base = isSame ? known : { read, present: presentAt(Math.min(newest, read?.since ?? newest)) };
  if (base !== known) setKnown(base);
  const told = counted(search, counts);
  const { data: total } = useQuery({
    queryKey: ['total', query, read],
    queryFn: async ({ signal }) => ({ total: await readTotal(http, query, signal), present }),
    initialData: read === null ? undefined : { total: read.total, present: base.present },
    initialDataUpdatedAt: 0,
    enabled: told === null && read !== null,
    refetchInterval: ({ state }) => {
      if (state.data?.present === present) return false;
      if (state.fetchStatus !== 'idle') return againMs;
      return Math.max(soonMs, Math.max(state.dataUpdatedAt, state.errorUpdatedAt) + againMs - Date.now());
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (read === null) return null;
  return told === null ? (total?.total ?? read.total) : { count: told, isMinimum: false };
};

/** Prefetches the first page of a list once the inboxes are known. The list reads it from the cache, or joins its request. */
export const readListEarly = async (
  { http, items, queries }: Session,
  inbox: string | null,
  search: ListSearch,
): Promise<void> => {
  const inboxes = await queries.ensureQueryData(inboxesQuery(http));
  const listed = listedInboxes(inboxes, inbox);
  if (listed.length > 0) await queries.prefetchInfiniteQuery(itemsQuery(http, items, toQuery(search, inbox, listed)));
};

export interface ItemListState {
  readonly inboxes: readonly Inbox[];
  /** The inboxes of the list: one, or all that the person sees. */
  readonly listed: readonly Inbox[];
  /** The filters of its view; undefined: it has none. */
  readonly view: ViewFilters | undefined;
  readonly views: readonly View[];
  readonly savedViews: readonly SavedView[];
  /** Filters and order of the list, as `GET /items` takes them. */
  readonly query: ItemQuery;
  readonly ids: readonly string[];
  readonly total: Total | null;
  /** Whether the person sees no inbox of the list, so that there is none to read. */
  readonly isUnknown: boolean;
  /** How many items came since the list was read that belong to it. */
  readonly newCount: number;
  readonly hasLeft: (item: Item) => boolean;
  /** Returns whether an item of the list still belongs to it. */
  readonly stays: (id: string) => boolean;
  /** Whether there may be more; a page may be empty while there is. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly readMore: () => void;
  readonly readAnew: () => void;
}

const nothing: readonly never[] = [];

/** `me`: the person's id, for the filter of one's own items. */
export const useItemList = (inbox: string | null, search: ListSearch, me: string | null): ItemListState => {
  const { http, items, queries } = useSession();
  const now = useNow();
  const { data: known, error: inboxError } = useRead(inboxesQuery);
  const { data: views = nothing } = useRead(viewsQuery);
  const { data: savedViews = nothing } = useRead(savedViewsQuery);
  const inboxes = known ?? nothing;
  const listed = useMemo(() => listedInboxes(inboxes, inbox), [inbox, inboxes]);
  const asked = JSON.stringify(toQuery(search, inbox, listed));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same query as long as it says the same
  const query = useMemo(() => JSON.parse(asked) as ItemQuery, [asked]);
  const options = itemsQuery(http, items, query);
  const list = useInfiniteQuery({ ...options, enabled: listed.length > 0 });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  const pages = list.data?.pages;
  const ids = useMemo(() => [...new Set(pages?.flatMap((page) => page.ids) ?? [])], [pages]);
  const view = useMemo(() => {
    const declared = (called: unknown) => views.find(({ name }) => name === called);
    const saved = savedViews.find(({ id }) => id === query['view']);
    return saved === undefined ? declared(query['view']) : filtersOf(saved, declared(saved.query['view']));
  }, [views, savedViews, query]);
  const arrivals = useArrivals(items.arrivals);
  const since = pages?.[0]?.since ?? Infinity;
  const newCount = useMemo(() => {
    const present = new Set(ids);
    // An item behind the last row that was read of a list by activity is on a later page; a change does not make it new.
    const last = query['sort'] === undefined && hasNextPage ? items.get(ids.at(-1) ?? '') : undefined;
    let came = 0;
    for (const { at, value: item } of items.arrivals.all())
      if (
        at > since &&
        !present.has(item.id) &&
        item.lastSeen >= (last?.lastSeen ?? 0) &&
        isListed(item, query, view, { me, now, inboxes })
      )
        came += 1;
    return came;
  }, [items, arrivals, ids, since, query, view, me, now, inboxes, hasNextPage]);
  const hasLeft = useCallback(
    (item: Item) => isOutside(item, query, view, { me, now, inboxes }),
    [query, view, me, now, inboxes],
  );
  const stays = useCallback(
    (id: string) => {
      const item = items.get(id);
      return item === undefined || !hasLeft(item);
    },
    [items, arrivals, hasLeft],
  );
  const readMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const { queryKey } = options;
  const readAnew = useCallback(() => void queries.resetQueries({ queryKey }), [queries, queryKey]);
  const count = pages?.[0]?.total ?? null;
  const total = useTotal({ search, query, inboxes: listed, read: count === null ? null : { total: count, since } });
  const isHere = (each: { readonly inbox: string | null }): boolean =>
    inbox === null || each.inbox === null || each.inbox === inbox;
  return {
    inboxes,
    views: views.filter(isHere),
    savedViews: savedViews.filter(isHere),
    query,
    listed,
    view,
    isUnknown: known !== undefined && listed.length === 0,
    ids,
    total,
    newCount,
    hasLeft,
    stays,
    hasMore: hasNextPage,
    isLoading: list.isPending,
    error: list.error ?? inboxError,
    readMore,
    readAnew,
  };
};
