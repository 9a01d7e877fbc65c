/**
 * The schemas of tools as models get them: short, as all of them are read before the first call. Used by tool.ts.
 * Lengths and patterns are left out; the endpoints check them.
 */
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import type { TSchema } from '../../shared/platform/json/schema.ts';
import { descriptionOf, unitOf, type Schema } from './arguments/coerce.ts';

/** Keywords that say more than a model needs to write an argument. */
const leftOut = new Set([
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'uniqueItems',
  'minimum',
  'maximum',
  'default',
  'additionalProperties',
  'description',
  'properties',
  'patternProperties',
  'anyOf',
]);
/** Remarks of descriptions that hold for the wire, not for a tool. */
const wireRemarks = / \((?:comma-separated|milliseconds since 1970 UTC)\)|,? in ms\b/g;

const isNull = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'null';
const branchesOf = ({ anyOf }: Schema): Schema[] => (Array.isArray(anyOf) ? anyOf.filter(isObject) : []);

/** Returns the values that a schema allows where they are listed, or null: clients know `enum` where they don’t know `const`. */
const enumOf = (schema: Schema): unknown[] | null => {
  const branches = branchesOf(schema).filter((branch) => !isNull(branch));
  const values = branches.length > 0 ? branches.map((branch) => branch['const']) : [schema['const']];
  return values.every((value) => value !== undefined) ? values : null;
};

const described = (schema: Schema, more: string): Schema => {
  const text = `${descriptionOf(schema).replace(wireRemarks, '')}${more}`.trim();
  return text === '' ? {} : { description: text };
};

const simplifyEnum = (schema: Schema, values: readonly unknown[]): Schema =>
  // A yes or no of a URL is one of JSON for a model.
  values.every((value) => value === '1' || value === '0')
    ? { type: 'boolean', ...described(schema, '') }
    : { enum: values, ...described(schema, '') };

const simplifyUnion = (schema: Schema): Schema => {
  const branches = branchesOf(schema).filter((branch) => !isNull(branch));
  const nullable = branches.length < branchesOf(schema).length;
  const [only, second] = branches;
  if (only === undefined || second !== undefined)
    return { anyOf: branches.map((branch) => simplifySchema(branch)), ...described(schema, '') };
  const { type, description, ...rest } = simplifySchema({
    ...only,
    description: schema['description'] ?? only['description'],
  });
  return {
    ...(type === undefined ? {} : { type: nullable ? [type, 'null'].flat() : type }),
    ...rest,
    ...(description === undefined ? {} : { description }),
  };
};

const simplifyPlain = (schema: Schema): Schema => {
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !leftOut.has(key)));
  const { properties, items } = schema;
  const hasProperties = isObject(properties) && Object.keys(properties).length > 0;
  if (schema['type'] === 'integer') {
    const unit = unitOf(descriptionOf(schema));
    if (unit !== null) return { type: 'string', ...described(schema, unit === 'time' ? ' (time)' : ' (duration)') };
  }
  return {
    ...kept,
    ...(isObject(items) ? { items: simplifySchema({ ...items, description: '' }) } : {}),
    ...(hasProperties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name, simplifySchema(value)]),
          ),
        }
      : {}),
    ...described(schema, ''),
  };
};

export const simplifySchema = (given: unknown): Schema => {
  const schema = isObject(given) ? given : {};
  const values = enumOf(schema);
  if (values !== null) return simplifyEnum(schema, values);
  return schema['anyOf'] === undefined ? simplifyPlain(schema) : simplifyUnion(schema);
};

/** Returns the type of a member of an answer, in which times are texts; absent where it has several. */
const outputType = (schema: unknown): Schema => {
  if (!isObject(schema)) return {};
  const branches = branchesOf(schema);
  const nullable = branches.some(isNull);
  const [only, second] = branches.filter((branch) => !isNull(branch));
  const main = branches.length === 0 ? schema : second === undefined ? (only ?? {}) : {};
  const { type, const: value } = main;
  const name = typeof value === 'boolean' ? 'boolean' : type;
  if (typeof name !== 'string') return {};
  const shown = name === 'integer' && unitOf(descriptionOf(main)) === 'time' ? 'string' : name;
  return { type: nullable ? [shown, 'null'] : shown };
};

const objectsOf = (schema: Schema): Schema[] =>
  isObject(schema['properties']) ? [schema] : branchesOf(schema).flatMap(objectsOf);

/** Members that only the full form has: a page says how many more there are instead. */
const fullOnly = new Set(['total', 'totalIsMinimum']);

/** Returns what a tool answers when all is well and done: the members, with their types where they have one. */
export const outputSchemaOf = (responses: Readonly<Record<number, TSchema | null>>, more: Schema): Schema => {
  const answers = Object.entries(responses).flatMap(([status, schema]) => (Number(status) < 300 ? [schema] : []));
  const [first, ...others] = answers.filter(isObject).map(objectsOf);
  const properties: Record<string, unknown> = {};
  for (const { properties: members } of first ?? [])
    for (const [name, schema] of Object.entries(isObject(members) ? members : {})) {
      if (fullOnly.has(name)) continue;
      const type = outputType(schema);
      // A member that one answer has otherwise than another has no type.
      properties[name] = name in properties && JSON.stringify(properties[name]) !== JSON.stringify(type) ? {} : type;
    }
  // Of the other answers only that a member may be another one in them: the list is read by models.
  for (const { properties: members } of others.flat())
    for (const [name, schema] of Object.entries(isObject(members) ? members : {}))
      if (name in properties && JSON.stringify(properties[name]) !== JSON.stringify(outputType(schema)))
        properties[name] = {};
  return { type: 'object', properties: { ...properties, ...more } };
};
