/** The request for a list or count of items, resolved from parameters, view and role. Used by items/list/, `GET /items` and blocks of items. */
import type { ItemSort } from '../../environments/itemQuery.ts';
import { queryWords } from '../../platform/core/searchWords.ts';

export interface VisibleInbox {
  readonly name: string;
  /** Every state that an item of the inbox may be in, retired states too: sorts other than `lastSeen` read a branch for each. */
  readonly states: readonly string[];
}

/** Filters; null: not filtered by this. */
interface ItemFilter {
  readonly states: readonly string[] | null;
  /** An item needs all of these. */
  readonly tags: readonly string[] | null;
  /** A person's id, or `none`. */
  readonly assignee: string | null;
  /** As the client wrote them, split at white space. */
  readonly words: readonly string[] | null;
  readonly overdue: boolean | null;
  readonly triaged: boolean | null;
  readonly snoozed: boolean | null;
}

export type ItemFilterName = keyof ItemFilter;

export interface ItemCountRequest extends ItemFilter {
  readonly env: number;
  /** The inboxes that the role sees, or the requested one of them. */
  readonly inboxes: readonly VisibleInbox[];
  /** Epoch milliseconds; decides what is overdue or snoozed. */
  readonly now: number;
}

/** Where a page ends: the value that is sorted by, and the item's id. */
export type CursorKeys = readonly (string | number | null)[];

export interface ItemListRequest extends ItemCountRequest {
  readonly sort: ItemSort;
  readonly descending: boolean;
  /** From the cursor; null: the first page. */
  readonly after: CursorKeys | null;
  readonly limit: number;
}

/** Returns the request without filters that exclude nothing, and with words split as titles are indexed. */
export const normalizeRequest = <R extends ItemFilter>(request: R): R => {
  const words = [...new Set((request.words ?? []).flatMap(queryWords))];
  return {
    ...request,
    words: words.length === 0 ? null : words,
    tags: request.tags?.length === 0 ? null : request.tags,
  };
};
