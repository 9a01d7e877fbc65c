/** The query of item lists, for `GET /items`, views and blocks of pages. */
import { limits } from '../../catalogue/limits.ts';
import {
  assigneePattern,
  csvListSchema,
  cursorSchema,
  limitSchema,
  nameSchema,
  recordRefPattern,
  strictObject,
  timeSchema,
  Type,
} from '../../platform/json/schema.ts';
import { eachAnyOf, itemMembers } from '../items/members.ts';

export const itemSorts = ['lastSeen', 'firstSeen', 'occurrences', 'users', 'title', 'due', 'priority'] as const;
export type ItemSort = (typeof itemSorts)[number];

const threeWay = (what: string) =>
  Type.Optional(
    Type.Union([Type.Literal('1'), Type.Literal('0')], {
      description: `1: only ${what}; 0: the others.`,
    }),
  );

/** `<resource>:<id>`. */
export const recordFilterSchema = Type.String({
  pattern: recordRefPattern,
  description: 'Of or linked with this record: `<resource>:<id>`.',
});

export const itemListQuery = strictObject({
  inbox: Type.Optional(nameSchema('One inbox; absent: all.')),
  view: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Filters of a view, a saved one by its id; others beat them.',
    }),
  ),
  state: Type.Optional(csvListSchema(nameSchema('A state.'), 'States, any of them')),
  tags: Type.Optional(csvListSchema(Type.String({ minLength: 1, maxLength: limits.tagMax }), 'Tags, all of them')),
  assignee: Type.Optional(
    csvListSchema(Type.String({ pattern: assigneePattern }), 'none, me (persons) or people’s ids'),
  ),
  record: Type.Optional(recordFilterSchema),
  createdAfter: Type.Optional(timeSchema('Made at this time or later')),
  createdBefore: Type.Optional(timeSchema('Made before this time')),
  seenAfter: Type.Optional(timeSchema('Last active at this time or later')),
  seenBefore: Type.Optional(timeSchema('Last active before this time')),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.searchMax,
      description: 'Words of the title, or their beginnings.',
    }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.searchMax,
      description: 'Words of title, fields, occurrences, notes or replies.',
    }),
  ),
  'fields.*': Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: limits.fieldFilterMax }), {
      description: '`fields.<name>=<value>`: items with that value; at most five.',
    }),
  ),
  overdue: threeWay('items past their deadline'),
  triaged: threeWay('items that triage closed'),
  snoozed: threeWay('snoozed items'),
  ...eachAnyOf((name) => Type.Optional(csvListSchema(nameSchema('One of them.'), itemMembers[name].anyOf))),
  sort: Type.Optional(
    Type.Union(
      itemSorts.flatMap((sort) => [Type.Literal(sort), Type.Literal(`-${sort}` as const)]),
      { description: 'A leading - means descending; -lastSeen when absent.' },
    ),
  ),
  cursor: Type.Optional(cursorSchema),
  limit: Type.Optional(limitSchema),
  count: Type.Optional(Type.Literal('1', { description: '1: answer total too.' })),
});

const parametersOf = (type: 'array' | 'integer'): ReadonlySet<string> =>
  new Set(
    Object.entries<object>(itemListQuery.properties).flatMap(([name, schema]) =>
      'type' in schema && schema.type === type ? [name] : [],
    ),
  );

/** Parameters with several values, which stand comma-separated in a URL and in views. */
export const listParameters = parametersOf('array');
/** Parameters that are numbers. */
export const numberParameters = parametersOf('integer');
