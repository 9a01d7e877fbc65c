/** The query of item lists, for `GET /items`, views and blocks of pages: its schema, and its form in JSON. */
import { limits } from '../../catalogue/limits.ts';
import {
  type Static,
  type TSchema,
  assigneePattern,
  claimedPattern,
  delegatePattern,
  csvListSchema,
  cursorSchema,
  limitSchema,
  nameSchema,
  recordRefPattern,
  strictObject,
  timeSchema,
  Type,
} from '../../platform/json/schema.ts';
import { compileCheck } from '../../platform/json/validate.ts';
import { eachEdited, itemSorts } from '../items/members.ts';

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
  claimed: Type.Optional(csvListSchema(Type.String({ pattern: claimedPattern }), 'none, any, me, or ids of holders')),
  delegate: Type.Optional(csvListSchema(Type.String({ pattern: delegatePattern }), 'none, me (agents) or agents’ ids')),
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
  ...eachEdited((_, { plural, wanted }) => Type.Optional(csvListSchema(wanted, `${plural}, any of them`))),
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

/** Parameters of a list that choose no items. */
const notFilters = new Set(['sort', 'cursor', 'limit', 'count', 'fields']);
/** Parameters with the values 0 and 1, which JSON has booleans for. */
const flagNames = new Set(['overdue', 'triaged', 'snoozed']);
/** The parameters `fields.<name>`, as the list's schema calls them. */
const fieldsParameter = 'fields.*';

const fieldValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const jsonFilter = (name: string, schema: TSchema): [string, TSchema] => {
  if (flagNames.has(name))
    return [name, Type.Optional(Type.Boolean({ description: `Only ${name} items, or only the others.` }))];
  if (name !== fieldsParameter) return [name, schema];
  const description = 'Items whose fields have these values.';
  return ['fields', Type.Optional(Type.Record(Type.String(), fieldValue, { description }))];
};

const properties: Readonly<Record<string, TSchema>> = itemListQuery.properties;

/** The filters of a list as JSON: lists as arrays, flags as booleans, fields as an object. */
export const itemQueryJsonSchema = strictObject(
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !notFilters.has(name))
      .map(([name, schema]) => jsonFilter(name, schema)),
  ),
  { description: 'The filters of GET /items.' },
);

export type JsonItemQuery = Readonly<Record<string, unknown>>;

/** Returns the query, checked. Throws `invalid` with paths below `query`. */
export const checkItemQueryJson: (query: unknown) => JsonItemQuery = compileCheck(itemQueryJsonSchema, 'query.');

/** Returns the query as the parameters of a list. */
export const toListQuery = ({ fields, ...query }: JsonItemQuery): Static<typeof itemListQuery> => {
  const given = Object.entries(query).map(([name, value]) => [
    name,
    flagNames.has(name) ? (value === true ? '1' : '0') : value,
  ]);
  const texts = Object.entries(fields ?? {}).map(([name, value]) => [name, String(value)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- itemQueryJsonSchema is made of the schema of the list
  return Object.fromEntries(
    fields === undefined ? given : [...given, [fieldsParameter, Object.fromEntries(texts)]],
  ) as Static<typeof itemListQuery>;
};
