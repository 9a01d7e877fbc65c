/** How many items a list has in all, kept by what the live stream says of the inboxes. Used by useItemList. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../shell/session.ts';
import { countsQuery, readTotal, type ItemQuery, type Total } from '../wire/queries.ts';
import type { Counts, Inbox } from '../wire/types.ts';
import type { ListSearch, Show } from './filter.ts';

type InboxCounts = Counts['inboxes'][string];

/** Lists that the counts don't know are counted again at most so often while their inboxes change. */
const againMs = 3_000;

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

interface ListedTotal {
  readonly search: ListSearch;
  readonly query: ItemQuery;
  /** Those of the list. */
  readonly inboxes: readonly Inbox[];
  /** What the list said when it was read; null: it has not been read. */
  readonly read: Total | null;
}

export const useTotal = ({ search, query, inboxes, read }: ListedTotal): Total | null => {
  const { http } = useSession();
  const { data } = useQuery(countsQuery(http));
  const counts = inboxes.map(({ name }) => data?.inboxes[name]);
  const present = JSON.stringify(counts);
  const [base, setBase] = useState({ read, present });
  if (base.read !== read) setBase({ read, present });
  const known = counted(search, counts);
  const again = useQuery({
    queryKey: ['total', query, read],
    queryFn: async ({ signal }) => ({ total: await readTotal(http, query, signal), present }),
    enabled: known === null && read !== null && base.present !== present,
    refetchInterval: ({ state }) => (state.data?.present === present ? false : againMs),
    gcTime: 0,
  });
  if (read === null) return null;
  return known === null ? (again.data?.total ?? read) : { count: known, isMinimum: false };
};
