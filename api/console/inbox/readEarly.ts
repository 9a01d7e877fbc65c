/** Reads a list before it is drawn. Used by router.tsx. */
import type { Session } from '../shell/session.ts';
import { inboxesQuery, itemsQuery } from '../wire/queries.ts';
import { toQuery, type ListSearch } from './filter.ts';

/** Asks for the first page of a list as soon as the inboxes are known; the list finds it in the cache, or takes over its request. */
export const readListEarly = async (
  { http, items, queries }: Session,
  inbox: string | null,
  search: ListSearch,
): Promise<void> => {
  const inboxes = await queries.ensureQueryData(inboxesQuery(http));
  const listed = inbox === null ? inboxes : inboxes.filter(({ name }) => name === inbox);
  if (listed.length > 0) await queries.prefetchInfiniteQuery(itemsQuery(http, items, toQuery(search, inbox, listed)));
};
