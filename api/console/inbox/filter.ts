/** The filters of a list of items: in the page's address, as the API's query, and as a test of what comes by messages. */
import type { EditedName, ItemSort, itemMembers } from '../../../shared/app/items/members.ts';
import type { StateKind } from '../ui/marks.tsx';
import type { ItemQuery, ViewFilters } from '../wire/queries.ts';
import type { Inbox, Item } from '../wire/types.ts';

export const shows = ['open', 'waiting', 'closed', 'snoozed', 'all'] as const;
export type Show = (typeof shows)[number];

/** A member that people edit. */
interface EditedMember<M extends EditedName> {
  /** The value that rows of lists leave out. */
  readonly usual: (typeof itemMembers)[M]['edited']['usual'];
  /** Returns the values that an item of the inbox may get. */
  readonly values: (inbox: Inbox) => readonly Item[M][];
  readonly sort: ItemSort | `-${ItemSort}`;
}

/** The texts of a member are `inboxTexts.edited`. */
export const editedMembers: { readonly [M in EditedName]: EditedMember<M> } = {
  priority: { usual: 'normal', values: ({ priorities }) => priorities, sort: 'priority' },
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const editedNames = Object.keys(editedMembers) as EditedName[];

/** Returns a value for each of `editedNames`. */
export const eachEdited = <V>(valueOf: (name: EditedName) => V): Readonly<Record<EditedName, V>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name gets its value
  Object.fromEntries(editedNames.map((name) => [name, valueOf(name)])) as Record<EditedName, V>;

/** Search parameters of a list; absent: the default. */
export interface ListSearch extends Partial<Readonly<Record<EditedName, string>>> {
  readonly show?: Show;
  readonly view?: string;
  readonly assignee?: string;
  readonly tags?: string;
  readonly overdue?: '1';
  readonly q?: string;
  readonly sort?: string;
  /** The item that is open beside the list. */
  readonly item?: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns the search of an address without what it does not know. */
export const readListSearch = (raw: Readonly<Record<string, unknown>>): ListSearch => {
  const show = shows.find((known) => known === raw['show']);
  const known: Readonly<Record<string, string>> = Object.fromEntries(
    ['view', ...editedNames, 'assignee', 'tags', 'q', 'sort', 'item'].flatMap((name): [string, string][] => {
      const value = text(raw[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    ...known,
    ...(show === undefined || show === 'open' ? {} : { show }),
    ...(raw['overdue'] === '1' ? { overdue: '1' as const } : {}),
  };
};

/** Returns the inboxes of a list: one by name, or all. */
export const listedInboxes = (inboxes: readonly Inbox[], name: string | null): readonly Inbox[] =>
  name === null ? inboxes : inboxes.filter((inbox) => inbox.name === name);

export const kindOf = (inboxes: readonly Inbox[], item: Pick<Item, 'inbox' | 'state'>): StateKind => {
  const found = inboxes.find(({ name }) => name === item.inbox)?.states.find(({ name }) => name === item.state)?.kind;
  return found === 'waiting' || found === 'closed' ? found : 'open';
};

/** Returns the states in which an item of an inbox may end. */
export const closedStates = ({ states }: Inbox): Inbox['states'] => states.filter(({ kind }) => kind === 'closed');

/** Returns whether an item may get a state, or has it. */
export const isReachable = ({ transitions }: Inbox, item: Pick<Item, 'state'>, state: string): boolean =>
  transitions === null || state === item.state || transitions[item.state]?.includes(state) === true;

const statesOf = (inboxes: readonly Inbox[], kind: StateKind): string =>
  [
    ...new Set(inboxes.flatMap(({ states }) => states.filter((state) => state.kind === kind).map(({ name }) => name))),
  ].join(',');

/** Returns the API's query. `inboxes` are those of the list: one, or all that the person sees. */
export const toQuery = (search: ListSearch, inbox: string | null, inboxes: readonly Inbox[]): ItemQuery => {
  const { show = 'open', view, item: _, ...filters } = search;
  const common = { inbox: inbox ?? undefined, ...filters };
  if (view !== undefined) return { ...common, view };
  if (show === 'all') return common;
  if (show === 'snoozed') return { ...common, snoozed: '1' };
  if (show === 'closed') return { ...common, state: statesOf(inboxes, 'closed') };
  return { ...common, state: statesOf(inboxes, show), snoozed: '0' };
};

/** Returns a view's filters as the search of a list without it and without its words, as far as the page has controls for them. */
export const searchOf = (view: ViewFilters, inboxes: readonly Inbox[]): ListSearch => {
  const kinds = ['open', 'waiting', 'closed'] as const;
  const kind = kinds.find((each) => text(view.state) === statesOf(inboxes, each));
  return readListSearch({
    show: view.snoozed === '1' ? 'snoozed' : (kind ?? (view.state === undefined ? 'all' : 'open')),
    ...Object.fromEntries(editedNames.map((name) => [name, view[name]])),
    assignee: view.assignee,
    tags: view.tags,
    overdue: view.overdue,
  });
};

const lists = new Set(['state', ...editedNames, 'tags', 'assignee']);
const flags = new Set(['overdue', 'triaged', 'snoozed']);

/** Returns a list's query as the query of a bulk: lists as arrays, flags as booleans. */
export const toBulkQuery = (query: ItemQuery): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || name === 'sort'
        ? []
        : [[name, lists.has(name) ? value.split(',') : flags.has(name) ? value === '1' : value]],
    ),
  );

interface Present {
  readonly me: string | null;
  readonly now: number;
  readonly inboxes: readonly Inbox[];
}

const asFlag = (wanted: string | null | undefined, is: boolean): boolean =>
  wanted === undefined || wanted === null || wanted === (is ? '1' : '0');

const listed = (wanted: string | null | undefined): readonly string[] | null =>
  wanted === undefined || wanted === null ? null : wanted.split(',');

type FilterName = 'inbox' | 'state' | EditedName | 'tags' | 'assignee' | 'overdue' | 'snoozed' | 'triaged' | 'q';

/** Returns a filter of a list: that of its query, else of its view. */
const filterOf = (query: ItemQuery, view: ViewFilters | undefined, name: FilterName): string | undefined =>
  query[name] ?? text(view?.[name]);

/**
 * Returns whether an item does not belong to a list for sure: one of the filters that can be told here keeps it out. Words can't
 * be: the API finds them in more than the title, and in other forms.
 */
export const isOutside = (item: Item, query: ItemQuery, view: ViewFilters | undefined, present: Present): boolean => {
  const wanted = (name: FilterName) => filterOf(query, view, name);
  const people = listed(wanted('assignee'))?.map((who) => (who === 'me' ? present.me : who));
  const isClosed = kindOf(present.inboxes, item) === 'closed';
  return !(
    (wanted('inbox') ?? item.inbox) === item.inbox &&
    (listed(wanted('state'))?.includes(item.state) ?? true) &&
    editedNames.every((name) => listed(wanted(name))?.includes(String(item[name])) ?? true) &&
    (listed(wanted('tags'))?.every((tag) => item.tags.includes(tag)) ?? true) &&
    (people === undefined || people.includes(item.assignee ?? 'none')) &&
    asFlag(wanted('overdue'), !isClosed && item.dueAt !== null && item.dueAt < present.now) &&
    asFlag(wanted('snoozed'), item.snoozedUntil !== null && item.snoozedUntil > present.now) &&
    asFlag(wanted('triaged'), item.triaged)
  );
};

/** Returns whether an item seems to belong to a list: words count in the title only. */
export const isListed = (item: Item, query: ItemQuery, view: ViewFilters | undefined, present: Present): boolean => {
  const words = (filterOf(query, view, 'q') ?? '').toLowerCase().split(/\s+/u).filter(Boolean);
  const title = item.title.toLowerCase();
  return !isOutside(item, query, view, present) && words.every((word) => title.includes(word));
};
