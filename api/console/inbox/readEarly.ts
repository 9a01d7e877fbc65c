/** Prefetches a list before it is rendered. Used by router.tsx. */
import type { Session } from '../shell/session.ts';
import { inboxesQuery, itemsQuery } from '../wire/queries.ts';
import { listedInboxes, toQuery, type ListSearch } from './filter.ts';

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
