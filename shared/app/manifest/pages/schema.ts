/**
 * Blocks as a page declares them. Without `source` a block is shown as it stands, with its templates filled; with one
 * the service (or, for `app`, the app) makes it:
 *
 * | source | types | query |
 * | - | - | - |
 * | `items` | `items`, `stat` (how many) | as `GET /items`, lists as comma-separated texts |
 * | `counts` | `stat`, `table` (a row per inbox) | `{ inbox, count }` or `{ inbox, state }`; without `inbox`: all that are seen |
 * | `records` | `record`, `table` | `{ resource, id }`; `{ resource, q, filters, sort, limit }` |
 * | `flags` | `table` | none |
 * | `app` | any | none: the call to the app names page and place |
 *
 * Any text may contain `{{params.<name>}}`; a member of `query` that is an absent parameter alone counts as left out.
 */
import { limits } from '../../../catalogue/limits.ts';
import { nameSchema, strictObject, Type, type Static, type TSchema } from '../../../platform/json/schema.ts';
import { valueTypes } from '../../blocks/schema.ts';
import { itemListQuery } from '../itemQuery.ts';

/** Columns of a table of counts, beside those of the states. */
export const tableMeasures = ['total', 'active', 'unassigned', 'snoozed', 'triaged', 'overdue'] as const;
/** Kinds of states can be counted alone: in a table they would stand beside states of the same names. `active…`: of what is active. */
const countMeasures = [...tableMeasures, 'open', 'waiting', 'closed', 'activeUnassigned', 'activeOverdue'] as const;

const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageMax }));
const { cursor: _cursor, count: _count, ...filters } = itemListQuery.properties;

/** As for requests: `state` and `tags` are lists once their texts are split. */
const items = strictObject(filters);
const counts = strictObject({
  inbox: Type.Optional(nameSchema('One inbox.')),
  count: Type.Optional(Type.Union(countMeasures.map((measure) => Type.Literal(measure)))),
  state: Type.Optional(nameSchema('How many are in this state.')),
});
const record = strictObject({
  resource: nameSchema('The resource.'),
  id: Type.String({ minLength: 1, maxLength: limits.recordIdMax }),
});
const records = strictObject({
  resource: nameSchema('The resource.'),
  q: Type.Optional(Type.String({ maxLength: limits.searchMax })),
  filters: Type.Optional(Type.Object({})),
  sort: Type.Optional(Type.String({ minLength: 1, maxLength: 101 })),
  limit,
});
const none = strictObject({});

export type ItemsQuery = Static<typeof items>;
export type CountsQuery = Static<typeof counts>;
export type RecordQuery = Static<typeof record>;
export type RecordsQuery = Static<typeof records>;

export const blockSources = ['items', 'counts', 'records', 'flags', 'app'] as const;
export type BlockSource = (typeof blockSources)[number];

/** The query of each source by the types that it makes. */
export const querySchemas: Readonly<Record<Exclude<BlockSource, 'app'>, Readonly<Record<string, TSchema>>>> = {
  items: { items, stat: items },
  counts: { stat: counts, table: counts },
  records: { record, table: records },
  flags: { table: none },
};

export const columnsSchema = Type.Array(
  strictObject({
    name: nameSchema('A field of the record, or id, title, subtitle, updatedAt.'),
    label: Type.Optional(Type.String({ maxLength: 200 })),
    type: Type.Optional(Type.Union(valueTypes.map((type) => Type.Literal(type)))),
  }),
  { minItems: 1, maxItems: 50 },
);
