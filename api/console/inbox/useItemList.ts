/** The ids of a list, page by page, and what has come since it was read. Used by InboxPage. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSession } from '../shell/session.ts';
import { useNow } from '../ui/clock.ts';
import { useArrivals } from '../wire/itemStore.ts';
import { inboxesQuery, itemsQuery, viewsQuery, type ItemQuery, type Total } from '../wire/queries.ts';
import { filtersOf, savedViewsQuery, type SavedView, type ViewFilters } from '../wire/savedViews.ts';
import type { Inbox, Item, View } from '../wire/types.ts';
import { isListed, isOutside, listedInboxes, readListSearch, toQuery, type ListSearch } from './filter.ts';
import { useTotal } from './useTotal.ts';

interface ItemListState {
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
  const { data: known, error: inboxError } = useQuery(inboxesQuery(http));
  const { data: views = nothing } = useQuery(viewsQuery(http));
  const { data: savedViews = nothing } = useQuery(savedViewsQuery(http));
  const inboxes = known ?? nothing;
  const { show, view: viewName, assignee, tags, overdue, q, sort } = search;
  const listed = useMemo(() => listedInboxes(inboxes, inbox), [inbox, inboxes]);
  const query = useMemo(() => {
    const given = { show, view: viewName, assignee, tags, overdue, q, sort };
    return toQuery(readListSearch(given), inbox, listed);
  }, [show, viewName, assignee, tags, overdue, q, sort, inbox, listed]);
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
  const arrivals = useArrivals(items);
  const since = pages?.[0]?.since ?? Infinity;
  const newCount = useMemo(() => {
    const present = new Set(ids);
    // An item behind the last row that was read of a list by activity is on a later page; a change does not make it new.
    const last = query['sort'] === undefined && hasNextPage ? items.get(ids.at(-1) ?? '') : undefined;
    let came = 0;
    for (const { at, item } of items.arrivals())
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
    isLoading: list.isPending,
    error: list.error ?? inboxError,
    readMore,
    readAnew,
  };
};
