/**
 * The members of an item, a row each: its columns in `items`, which changes write them, and how it is shown, audited, filtered and sorted
 * by. Whatever lists members of items reads this table; test/laws/items.test.ts names the step that a row lacks.
 */
import type { ActorRef, ItemClaim } from '../../catalogue/events.ts';
import { usualPriority } from '../../catalogue/states.ts';
import {
  actorSchema,
  idSchema,
  nameSchema,
  nullable,
  responseObject,
  Type,
  type TSchema,
} from '../../platform/json/schema.ts';
import {
  countIn,
  derivedFrom,
  flagIn,
  jsonIn,
  jsonTextIn,
  nameIn,
  optionalTextIn,
  optionalTimeIn,
  recordIn,
  tagsIn,
  textIn,
  timeIn,
  type Column,
  type RecordRef,
  type Stored,
} from './columns.ts';

export interface TriageAnswer {
  readonly question: string;
  readonly answer: unknown;
  readonly by: ActorRef;
  readonly at: number;
}

export interface ItemTriage {
  readonly answers: readonly TriageAnswer[];
  readonly closed: boolean;
}

/** The last `occurred` entry of an item whose inbox keeps a number of occurrences: when it was written, and the count that it ended at. */
interface OccurredEntry {
  readonly at: number;
  readonly to: number;
  /** The entry, which further occurrences update. Absent: it was written by a release that did not update entries. */
  readonly entry?: { readonly id: string; readonly from: number; readonly actor: ActorRef };
}

/** A member to which people give a value: lists, views, bulks and tools filter by any of several values, and updates set it, by the verb `edit`. */
interface Edited<V> {
  /** Its name as descriptions begin with it. */
  readonly plural: string;
  /** The schema of one of the values that a list is filtered by, a text. */
  readonly wanted: TSchema;
  /** The schema of the value that an update gives it. */
  readonly given: TSchema;
  /** The value of a new item, which compact forms leave out. */
  readonly usual: V;
}

interface ItemMember<V> {
  readonly stored: Stored<V>;
  /** Which changes write it: every one, by which `id` also finds the item; those of title and fields; those of links; the creation alone. */
  readonly written: 'always' | 'content' | 'links' | 'once';
  /** Its schema in responses, live messages and lists; null: only operations and the detail page read it. */
  readonly shown: TSchema | null;
  /** Whether the audit log shows it. */
  readonly audited: boolean;
  /** Whether it may be about a person, so that an erasure removes it. */
  readonly erased: boolean;
  /** Parameters of lists that filter by it. */
  readonly filters: readonly string[];
  /** null: it is changed by operations of its own, or not at all. */
  readonly edited: Edited<V> | null;
  /** The name of the order of lists by it; null: lists are not sorted by it. */
  readonly sort: string | null;
}

const always = {
  written: 'always',
  shown: null,
  audited: true,
  erased: false,
  filters: [],
  edited: null,
  sort: null,
} as const;
const once = { ...always, written: 'once' } as const;

const time = (description: string) => Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

export const claimSchema = responseObject(
  { by: actorSchema, until: time('When it ends') },
  { description: 'Who works on it now; it is over when until has passed.' },
);

/** In the order in which responses have them. */
export const itemMembers = {
  id: { ...always, stored: nameIn('id'), shown: idSchema('itm', 'Id.') },
  inbox: { ...once, stored: nameIn('inbox'), shown: Type.String({ description: 'Its inbox.' }), filters: ['inbox'] },
  title: {
    ...always,
    stored: textIn(
      'title',
      derivedFrom('title_key', (title) => title.toLowerCase()),
    ),
    written: 'content',
    shown: Type.String({ description: 'Its title.' }),
    erased: true,
    filters: ['search', 'q'],
    sort: 'title',
  },
  state: {
    ...always,
    stored: nameIn('state'),
    shown: Type.String({ description: 'Its state, one of the inbox’s.' }),
    filters: ['state'],
  },
  priority: {
    ...always,
    stored: nameIn('priority'),
    shown: Type.String({ description: 'Its priority, one of the inbox’s.' }),
    filters: ['priority'],
    edited: {
      plural: 'Priorities',
      wanted: nameSchema('One of them.'),
      given: nameSchema('One of the inbox’s priorities.'),
      usual: usualPriority,
    },
    sort: 'priority',
  },
  /** Whether the state is of kind `closed`. */
  closed: { ...always, stored: flagIn('closed'), audited: false },
  record: {
    ...once,
    stored: recordIn('record'),
    shown: nullable(
      responseObject(
        {
          resource: Type.String({ description: 'Its resource.' }),
          id: Type.String({ description: 'Its id in the app.' }),
          title: nullable(Type.String({ description: 'Its title; null: not known here.' })),
        },
        { description: 'Its record; null also when you can’t see that resource.' },
      ),
    ),
    erased: true,
    filters: ['record'],
  },
  links: {
    ...always,
    stored: jsonIn<readonly RecordRef[]>('links', []),
    written: 'links',
    filters: ['record'],
  },
  tags: {
    ...always,
    stored: tagsIn('tags'),
    shown: Type.Array(Type.String(), { description: 'Sorted.' }),
    filters: ['tags'],
  },
  assignee: {
    ...always,
    stored: optionalTextIn('assignee'),
    shown: nullable(Type.String({ description: 'A person’s id.' })),
    filters: ['assignee'],
  },
  delegate: {
    ...always,
    stored: optionalTextIn('delegate'),
    shown: nullable(Type.String({ description: 'The id of the agent that works on it for its assignee.' })),
    filters: ['delegate'],
  },
  claim: {
    ...always,
    stored: jsonIn<ItemClaim | null>('claim', null),
    shown: nullable(claimSchema),
    audited: false,
    filters: ['claimed'],
  },
  occurrences: {
    ...always,
    stored: countIn('occurrences'),
    shown: Type.Integer({ minimum: 1, description: 'How often it was reported.' }),
    sort: 'occurrences',
  },
  users: {
    ...always,
    stored: countIn('users'),
    shown: Type.Integer({ minimum: 0, description: 'How many users it affected.' }),
    sort: 'users',
  },
  firstSeen: { ...once, stored: timeIn('first_seen'), shown: time('First report'), sort: 'firstSeen' },
  lastSeen: {
    ...always,
    stored: timeIn('last_seen'),
    shown: time('Last report: its activity'),
    filters: ['seenAfter', 'seenBefore'],
    sort: 'lastSeen',
  },
  dueAt: {
    ...always,
    stored: optionalTimeIn('due_at'),
    shown: nullable(time('When a response is due')),
    filters: ['overdue'],
    sort: 'due',
  },
  /** JSON text, as it is stored and as responses contain it. */
  fields: {
    ...always,
    stored: jsonTextIn('fields'),
    written: 'content',
    shown: Type.Object({}, { description: 'Further fields, as the inbox declares them.' }),
    erased: true,
    filters: ['q', 'fields.*'],
  },
  snoozedUntil: {
    ...always,
    stored: optionalTimeIn('snoozed_until'),
    shown: nullable(time('When it wakes')),
    filters: ['snoozed'],
  },
  triaged: {
    ...always,
    stored: flagIn('triaged'),
    shown: Type.Boolean({ description: 'Whether triage closed it.' }),
    filters: ['triaged'],
  },
  triage: { ...always, stored: jsonIn<ItemTriage | null>('triage', null), erased: true },
  key: { ...once, stored: optionalTextIn('key'), audited: false, erased: true },
  occurredEntry: { ...always, stored: jsonIn<OccurredEntry | null>('occurred_entry', null), audited: false },
  createdAt: {
    ...once,
    stored: timeIn('created_at'),
    shown: time('createdAt'),
    filters: ['createdAfter', 'createdBefore'],
  },
  updatedAt: { ...always, stored: timeIn('updated_at'), shown: time('updatedAt'), audited: false },
  version: {
    ...always,
    stored: countIn('version'),
    shown: Type.Integer({ minimum: 1, description: 'Raised by changes; send it as if-match.' }),
    audited: false,
  },
} as const satisfies Readonly<Record<string, ItemMember<unknown>>>;

/** Columns of `items` that are no member of an item: the environment, and what lists search by (shared/items/search/terms.ts). */
export const otherItemColumns = ['env', 'terms'] as const;

type Members = typeof itemMembers;
type ValueOf<M> = M extends { readonly stored: Stored<infer V> } ? V : never;

export type Item = { readonly [M in keyof Members]: ValueOf<Members[M]> };

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const memberNames = Object.keys(itemMembers) as (keyof Item)[];

/** Returns the columns of a member. */
export const columnsOf = (name: keyof Item): readonly Column<unknown>[] => itemMembers[name].stored.columns;

export type EditedName = { [M in keyof Members]: Members[M]['edited'] extends null ? never : M }[keyof Members];
export const editedNames = memberNames.filter((name): name is EditedName => itemMembers[name].edited !== null);

/** Returns a value for each of `editedNames`. */
export const eachEdited = <V>(
  valueOf: (name: EditedName, edited: Members[EditedName]['edited']) => V,
): Readonly<Record<EditedName, V>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name gets its value
  Object.fromEntries(editedNames.map((name) => [name, valueOf(name, itemMembers[name].edited)])) as Record<
    EditedName,
    V
  >;

/** The values of edited members that new items have. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each has the value of its row
export const usualValues = eachEdited((_, { usual }) => usual) as Pick<Item, EditedName>;

type SortName = { [M in keyof Members]: Members[M]['sort'] }[keyof Members];
export type ItemSort = Exclude<SortName, null>;
export const itemSorts = memberNames
  .map((name) => itemMembers[name].sort)
  .filter((sort): sort is ItemSort => sort !== null);

type ErasedName = { [M in keyof Members]: Members[M]['erased'] extends true ? M : never }[keyof Members];
/** The members that may be about a person. */
export const erasedNames = memberNames.filter((name): name is ErasedName => itemMembers[name].erased);
export type ErasedMembers = Pick<Item, ErasedName>;

type ShownName = { [M in keyof Members]: Members[M]['shown'] extends TSchema ? M : never }[keyof Members];

/** The schema of an item in responses, by itself and inside blocks. */
export const itemSchema = responseObject(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rows that have a schema, by their names
  Object.fromEntries(
    memberNames.flatMap((name) => (itemMembers[name].shown === null ? [] : [[name, itemMembers[name].shown]])),
  ) as {
    readonly [M in ShownName]: Members[M]['shown'];
  },
);
