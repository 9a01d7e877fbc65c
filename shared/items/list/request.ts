/** What a list is asked for, as routes/items.ts has resolved it from parameters, view and role. */
import type { ItemSort } from '../../environments/itemQuery.ts';
import { queryWords } from '../../platform/core/searchWords.ts';

export interface VisibleInbox {
  readonly name: string;
  /** Every state that an item of it may be in, retired ones too: other sorts than `lastSeen` find items by these. */
  readonly states: readonly string[];
}

/** null: not filtered by. */
interface ItemFilter {
  readonly states: readonly string[] | null;
  /** All are required. */
  readonly tags: readonly string[] | null;
  /** A person's id, or `none`. */
  readonly assignee: string | null;
  /** As the client wrote them, cut at white space at least. */
  readonly words: readonly string[] | null;
  readonly overdue: boolean | null;
  readonly triaged: boolean | null;
  readonly snoozed: boolean | null;
}

export type ItemFilterName = keyof ItemFilter;

export interface ItemCountRequest extends ItemFilter {
  readonly env: number;
  /** Those that the role sees, narrowed to the inbox that was asked for. */
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

/** The same request without filters that filter nothing; words as the parts that titles are searched for. */
export const normalizeRequest = <R extends ItemFilter>(request: R): R => {
  const words = [...new Set((request.words ?? []).flatMap(queryWords))];
  return {
    ...request,
    words: words.length === 0 ? null : words,
    tags: request.tags?.length === 0 ? null : request.tags,
  };
};
