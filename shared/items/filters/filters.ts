/** Resolves the parameters of GET /items and its view to a request for items/list. For lists, summaries, bulks and pages. */
import { type Caller, unknownName, findVisibleInbox } from '../../accounts/access/principal.ts';
import { eachEdited, itemSorts, type ItemSort } from '../../app/items/members.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { invalidAt } from '../../catalogue/errors.ts';
import { getOrCreate } from '../../platform/caches.ts';
import type { Db } from '../../platform/db/knex.ts';
import { listNearest } from '../../platform/words/nearestNames.ts';
import { cleanText } from '../../platform/words/texts.ts';
import { statesOf } from '../inboxRules.ts';
import { anyTime } from '../list/filters.ts';
import type { ItemListRequest, TimeRange, VisibleInbox } from '../list/request.ts';
import type { RecordRef } from '../model.ts';
import { checkFieldNames, parseContents, parseQueryWords, requireQueryWords } from './contentFilter.ts';
import {
  declaredNames,
  filtersOfQuery,
  mergeFilters,
  parseRecordFilter,
  type ItemListQuery,
  type ListFilters,
  type ThreeWay,
} from './listFilters.ts';
import { findView } from './views.ts';

/** Returns the inboxes that the caller sees, in the order of the definition. */
export const visibleInboxes = (caller: Caller): InboxDefinition[] =>
  [...caller.env.definition.inboxes.values()].filter((inbox) => caller.principal.access.sees('inbox', inbox.name));

/** Returns the inbox, or all that the caller sees. Throws `not_found`. */
export const inboxesOf = (caller: Caller, name: string | undefined): InboxDefinition[] => {
  if (name === undefined) return visibleInboxes(caller);
  const inbox = findVisibleInbox(caller, name);
  if (inbox === undefined) throw unknownName('inbox', name, visibleInboxes(caller));
  return [inbox];
};

/** Throws `invalid` at `path` for a name that is not known. Not for views, which may have names of inboxes that the caller doesn't see. */
export const requireKnown = (known: ReadonlySet<string>, names: readonly string[] | undefined, path: string): void => {
  const unknown = names?.find((name) => !known.has(name));
  if (unknown !== undefined) throw invalidAt(path, `must be among ${listNearest(unknown, [...known])}`);
};

const listed = new WeakMap<InboxDefinition, VisibleInbox>();

/** Returns an inbox as lists read it. */
export const toListed = (inbox: InboxDefinition): VisibleInbox =>
  getOrCreate(listed, inbox, () => ({
    name: inbox.name,
    states: [...statesOf([inbox])],
    priorities: [...inbox.priorities.map((name) => [name]), inbox.retiredPriorities],
  }));

/** Throws `invalid` for me where the caller is no person, at the view where `asked`, the query's own assignee, is not given. */
const resolveAssignees = (
  { principal }: Caller,
  given: readonly string[] | undefined,
  asked: readonly string[] | undefined,
): string[] | null => {
  if (given?.includes('me') === true && principal.type !== 'person')
    throw asked === undefined
      ? invalidAt('view', 'is of what is assigned to whoever asks, a person; an agent gives an assignee beside it')
      : invalidAt('assignee', 'must be none or people’s ids; me is for persons');
  return given?.map((who) => (who === 'me' ? (principal.id ?? who) : who)) ?? null;
};

/** Returns the holders or agents that are asked for, with the caller's id for me. */
const resolveHolders = ({ principal: { id } }: Caller, given: readonly string[] | undefined): string[] | null =>
  given?.map((who) => (who === 'me' ? (id ?? who) : who)) ?? null;

/** Returns the record that is asked for. Throws `not_found` for a resource that the caller doesn't see. */
export const resolveRecord = (
  { env, principal: { access } }: Caller,
  { record }: Pick<ListFilters, 'record'>,
): RecordRef | null => {
  if (record === undefined) return null;
  const ref = parseRecordFilter(record);
  if (!env.definition.resources.has(ref.resource) || !access.sees('resource', ref.resource)) {
    const known = [...env.definition.resources.keys()].filter((resource) => access.sees('resource', resource));
    throw unknownName('record', ref.resource, known);
  }
  return ref;
};

const toRange = (from: number | undefined, to: number | undefined): TimeRange | null =>
  from === undefined && to === undefined ? null : { from: from ?? anyTime.from, to: to ?? anyTime.to };

/** Returns the words of the request's search, else of the view's, which may have none; null: no words. */
const parseSearchWords = (asked: string | undefined, search: string | undefined): string[] | null => {
  if (asked !== undefined) return requireQueryWords('search', asked);
  const words = search === undefined ? [] : parseQueryWords('search', search);
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

interface ListContext {
  readonly view: ListFilters | null;
  readonly now: number;
  /** Whether states and fields must be those of the inbox that is named, instead of any that the caller sees. */
  readonly ofInbox?: boolean;
}

/** Resolves the parameters for this caller. Throws `not_found` for an unseen inbox, `invalid` for states, words or assignees that can't be. */
export const resolveFilters = (
  caller: Caller,
  query: ItemListQuery,
  { view, now, ofInbox = false }: ListContext,
): ResolvedItemList => {
  const merged = mergeFilters(filtersOfQuery(query), view);
  const inboxes = inboxesOf(caller, merged.inbox);
  const known = ofInbox ? inboxes : visibleInboxes(caller);
  for (const [filter, namesOf] of declaredNames)
    if (query[filter] !== undefined) requireKnown(namesOf(known), query[filter], filter);
  checkFieldNames(query['fields.*'] ?? {}, known);
  const assignees = resolveAssignees(caller, merged.assignee, query.assignee);
  const claimed = resolveHolders(caller, merged.claimed);
  const delegates = resolveHolders(caller, merged.delegate);
  const record = resolveRecord(caller, merged);
  const words = parseSearchWords(query.search, merged.search);
  const order = merged.sort ?? '-lastSeen';
  const descending = order.startsWith('-');
  const sort = sortOf(descending ? order.slice(1) : order);
  const key = JSON.stringify([
    caller.principal.role?.id ?? null,
    {
      ...merged,
      assignee: assignees ?? undefined,
      claimed: claimed ?? undefined,
      delegate: delegates ?? undefined,
      sort: order,
    },
  ]);
  const states = merged.state === undefined ? null : [...new Set(merged.state)];
  const narrowed = inboxes.map(toListed);
  const within =
    states === null ? narrowed : narrowed.filter((inbox) => inbox.states.some((state) => states.includes(state)));
  if (within.length === 0) return { request: null, key };
  return {
    key,
    request: {
      env: caller.env.id,
      inboxes: within,
      states,
      tags: merged.tags === undefined ? null : [...new Set(merged.tags.map(cleanText))],
      assignees,
      claimed,
      delegates,
      record,
      created: toRange(merged.createdAfter, merged.createdBefore),
      seen: toRange(merged.seenAfter, merged.seenBefore),
      words,
      contents: parseContents(merged.q, merged.fields),
      overdue: threeWayToBoolean(merged.overdue),
      triaged: threeWayToBoolean(merged.triaged),
      snoozed: threeWayToBoolean(merged.snoozed),
      ...eachEdited((name) => merged[name] ?? null),
      sort,
      descending,
      now,
    },
  };
};

/** Resolves the parameters and the view that they name. Throws as `resolveFilters` does, and `not_found` for an unseen view. */
export const resolveItemList = async (
  db: Db,
  caller: Caller,
  query: ItemListQuery,
  now: number,
): Promise<ResolvedItemList> => resolveFilters(caller, query, { view: await findView(db, caller, query.view), now });
