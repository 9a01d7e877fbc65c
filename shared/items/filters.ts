/** Resolves the parameters of GET /items and its view to a request for items/list. For api/routes/items.ts, bulks and pages. */
import { findVisibleInbox } from '../access/gates.ts';
import type { Caller } from '../access/principal.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { InboxDefinition } from '../environments/definition.ts';
import { itemSorts, type itemListQuery, type ItemSort } from '../environments/itemQuery.ts';
import type { ManifestView } from '../environments/manifest.ts';
import type { Static } from '../platform/core/schema.ts';
import { queryWords } from '../platform/core/searchWords.ts';
import type { ItemListRequest } from './list/request.ts';

type ItemListQuery = Static<typeof itemListQuery>;
type ThreeWay = '0' | '1' | undefined;

/** The filters of a list: the explicit parameters, and the view's for those that are absent. */
interface MergedFilters {
  readonly inbox: string | undefined;
  readonly state: readonly string[] | undefined;
  readonly tags: readonly string[] | undefined;
  readonly assignee: string | undefined;
  readonly search: string | undefined;
  readonly overdue: ThreeWay;
  readonly triaged: ThreeWay;
  readonly snoozed: ThreeWay;
  readonly sort: string;
}

/** Returns the view. Throws `not_found` for a view of an inbox that the caller doesn't see, even when the query names another inbox. */
const findView = (caller: Caller, name: string | undefined): ManifestView | undefined => {
  if (name === undefined) return undefined;
  const view = caller.env.definition.views.get(name);
  if (view === undefined || (view.inbox !== undefined && findVisibleInbox(caller, view.inbox) === undefined))
    throw fault('not_found');
  return view;
};

const split = (list: string | undefined): string[] | undefined => list?.split(',').filter((value) => value !== '');

const mergeView = (query: ItemListQuery, view: ManifestView | undefined): MergedFilters => ({
  inbox: query.inbox ?? view?.inbox,
  state: query.state ?? split(view?.state),
  tags: query.tags ?? split(view?.tags),
  assignee: query.assignee ?? view?.assignee,
  search: query.search ?? view?.search,
  overdue: query.overdue ?? view?.overdue,
  triaged: query.triaged ?? view?.triaged,
  snoozed: query.snoozed ?? view?.snoozed,
  sort: query.sort ?? view?.sort ?? '-lastSeen',
});

/** Returns the inboxes that the caller sees, in the order of the definition. */
export const visibleInboxes = (caller: Caller): InboxDefinition[] =>
  [...caller.env.definition.inboxes.values()].filter((inbox) => caller.principal.access.sees('inbox', inbox.name));

const inboxesOf = (caller: Caller, name: string | undefined): InboxDefinition[] => {
  if (name === undefined) return visibleInboxes(caller);
  const inbox = findVisibleInbox(caller, name);
  if (inbox === undefined) throw fault('not_found');
  return [inbox];
};

const allStates = (inbox: InboxDefinition): string[] =>
  [...inbox.states, ...inbox.retiredStates].map((state) => state.name);

/** Throws `invalid` for a state that no visible inbox has. Not for views, which may name states of inboxes that the caller doesn't see. */
const checkStates = (caller: Caller, states: readonly string[] | undefined): void => {
  const known = [...new Set(visibleInboxes(caller).flatMap(allStates))];
  const unknown = states?.find((state) => !known.includes(state));
  if (unknown !== undefined) throw invalidAt('state', `must be among ${known.join(', ')}`);
};

const resolveAssignee = ({ principal }: Caller, assignee: string | undefined): string | null => {
  if (assignee !== 'me') return assignee ?? null;
  if (principal.type !== 'person') throw invalidAt('assignee', 'must be none or a person’s id; me is for persons');
  return principal.id;
};

const parseSearchWords = (search: string | undefined): string[] | null => {
  if (search === undefined) return null;
  if (search.split(/\s+/u).filter((word) => word !== '').length > limits.searchWords) {
    throw invalidAt('search', `must have at most ${String(limits.searchWords)} words`);
  }
  const words = queryWords(search);
  return words.length === 0 ? null : words;
};

const threeWayToBoolean = (value: ThreeWay): boolean | null => (value === undefined ? null : value === '1');

interface ResolvedItemList {
  /** null: no item can match. */
  readonly request: Omit<ItemListRequest, 'after' | 'limit'> | null;
  /** The text that cursors of the list are sealed with: role and filters. */
  readonly key: string;
}

const sortOf = (name: string): ItemSort => itemSorts.find((known) => known === name) ?? 'lastSeen';

/** Resolves the parameters for this caller. Throws `not_found` for an unseen view or inbox, `invalid` for states, words or assignees that can't be. */
export const resolveItemList = (caller: Caller, query: ItemListQuery, now: number): ResolvedItemList => {
  const view = findView(caller, query.view);
  const merged = mergeView(query, view);
  const inboxes = inboxesOf(caller, merged.inbox);
  checkStates(caller, query.state);
  const assignee = resolveAssignee(caller, merged.assignee);
  const words = parseSearchWords(merged.search);
  const descending = merged.sort.startsWith('-');
  const sort = sortOf(descending ? merged.sort.slice(1) : merged.sort);
  const key = JSON.stringify([caller.principal.role?.id ?? null, { ...merged, assignee }]);
  const states = merged.state === undefined ? null : [...new Set(merged.state)];
  const narrowed = inboxes.map((inbox) => ({ name: inbox.name, states: allStates(inbox) }));
  const within =
    states === null ? narrowed : narrowed.filter((inbox) => inbox.states.some((state) => states.includes(state)));
  if (within.length === 0) return { request: null, key };
  return {
    key,
    request: {
      env: caller.env.id,
      inboxes: within,
      states,
      tags: merged.tags === undefined ? null : [...new Set(merged.tags)],
      assignee,
      words,
      overdue: threeWayToBoolean(merged.overdue),
      triaged: threeWayToBoolean(merged.triaged),
      snoozed: threeWayToBoolean(merged.snoozed),
      sort,
      descending,
      now,
    },
  };
};
