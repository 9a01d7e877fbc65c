/** The filters of `GET /items` as JSON, for bulks by query and saved views: their schema, and what they are as parameters of a list. */
import { strictObject, Type, type Static, type TSchema } from '../../platform/json/schema.ts';
import { compileCheck } from '../../platform/json/validate.ts';
import { itemListQuery } from './itemQuery.ts';

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
