/** The request for a list or count of items, resolved from parameters, view and role. Used by items/list/, `GET /items` and blocks of items. */
import { eachEdited, type EditedName, type ItemSort } from '../../app/items/members.ts';
import type { RecordRef } from '../model.ts';
import type { ContentFilter } from '../search/itemWords.ts';

export interface VisibleInbox {
  readonly name: string;
  /** Every state that an item of the inbox may be in, retired states too: sorts other than `lastSeen` read a branch for each. */
  readonly states: readonly string[];
  /** Every priority that an item of the inbox may have, the most urgent first; those of the last group are not declared any more. */
  readonly priorities: readonly (readonly string[])[];
}

/** Epoch milliseconds, half-open. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Filters; null: not filtered by this. */
interface ItemFilter extends Readonly<Record<EditedName, readonly string[] | null>> {
  readonly states: readonly string[] | null;
  /** An item needs all of these. */
  readonly tags: readonly string[] | null;
  /** People's ids, any of them; `none`: nobody. */
  readonly assignees: readonly string[] | null;
  /** Holders of a claim that is not over, any of them; `none`: nobody holds it, `any`: somebody does. */
  readonly claimed: readonly string[] | null;
  /** Agents’ ids, any of them; `none`: no agent. */
  readonly delegates: readonly string[] | null;
  /** Parts of `queryWords` that the title has. */
  readonly words: readonly string[] | null;
  /** Parts of `queryWords` that any text of the item has, and values of its fields. */
  readonly contents: ContentFilter | null;
  readonly overdue: boolean | null;
  readonly triaged: boolean | null;
  readonly snoozed: boolean | null;
  /** The item's record or one of its links. */
  readonly record: RecordRef | null;
  /** When the item was made. */
  readonly created: TimeRange | null;
  /** Its last activity. */
  readonly seen: TimeRange | null;
}

export type ItemFilterName = keyof ItemFilter;

/** Lets every item through. */
export const unfiltered: ItemFilter = {
  states: null,
  tags: null,
  assignees: null,
  claimed: null,
  delegates: null,
  words: null,
  contents: null,
  overdue: null,
  triaged: null,
  snoozed: null,
  record: null,
  created: null,
  seen: null,
  ...eachEdited(() => null),
};

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

/** Returns the request without filters that exclude nothing. */
export const normalizeRequest = <R extends ItemFilter>(request: R): R => {
  const { contents, words } = request;
  return {
    ...request,
    words: words?.length === 0 ? null : words,
    contents: contents === null || contents.words.length + contents.fields.length === 0 ? null : contents,
    tags: request.tags?.length === 0 ? null : request.tags,
    assignees: request.assignees === null ? null : [...new Set(request.assignees)],
  };
};
