/** How many items a list has in all, kept by what the live stream says of the inboxes. Used by useItemList. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useSession } from '../shell/session.ts';
import { useArrivals, type ItemStore } from '../wire/itemStore.ts';
import { countsQuery, readTotal, type ItemQuery, type Total } from '../wire/queries.ts';
import type { Counts, Inbox } from '../wire/types.ts';
import type { ListSearch, Show } from './filter.ts';

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
  for (const { at, item } of items.arrivals()) if (names.has(item.inbox)) newest = at;
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

export const useTotal = ({ search, query, inboxes, read }: ListedTotal): Total | null => {
  const { http, items } = useSession();
  const { data } = useQuery(countsQuery(http));
  const counts = inboxes.map(({ name }) => data?.inboxes[name]);
  const arrivals = useArrivals(items);
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
