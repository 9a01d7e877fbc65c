/** Makes schemas short for the documents: what has a name is referred to, alternatives that are texts become a list. Used by ../openapi.ts and ../asyncapi.ts. */
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { components } from './components.ts';
import { type Json, schemaExample } from './examples.ts';

/** Members whose values are schemas by a name of their own. */
const byName: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs']);
/** Members whose values are no schemas. */
const plain: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'required', 'examples']);
/** Said once, by `info` of the documents. */
const unit = ' (milliseconds since 1970 UTC)';

const textOf = ({ description: _, ...rest }: Json): string => JSON.stringify(rest);

const names: ReadonlyMap<string, string> = new Map(
  Object.entries(components).map(([name, { schema }]) => [textOf({ ...schema }), name]),
);

/** The names of objects by their members: a request that needs some of the members of a patch is that patch, and these. */
const namesByMembers: ReadonlyMap<string, string> = new Map(
  Object.entries(components).flatMap(([name, { schema }]) => {
    const { properties, minProperties }: Json = { ...schema };
    return minProperties === undefined ? [] : [[JSON.stringify(properties), name]];
  }),
);

const isNull = (value: unknown): boolean => isObject(value) && value['type'] === 'null';

/** Returns the alternatives as one schema where JSON Schema has a shorter form: texts as `enum`, a type or null as two types. */
const joinAlternatives = (schema: Json): Json => {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const texts = anyOf.map((branch: unknown) =>
    isObject(branch) && Object.keys(branch).length === 1 ? branch['const'] : null,
  );
  if (texts.length > 0 && texts.every((text) => typeof text === 'string')) return { ...rest, enum: texts };
  const [only, none] = anyOf as unknown[];
  if (anyOf.length !== 2 || !isNull(none) || !isObject(only)) return schema;
  const { type, ...members } = only;
  return typeof type === 'string' && !('enum' in only) ? { ...rest, ...members, type: [type, 'null'] } : schema;
};

/** Returns the schema of an object's members, whatever their names are, in the form that generators of clients read. */
const membersOf = (patternProperties: unknown): Json => {
  if (!isObject(patternProperties)) return {};
  const { '^.*$': any, ...others } = patternProperties;
  return any === undefined || Object.keys(others).length > 0 ? { patternProperties } : { additionalProperties: any };
};

/** Whether the rest of a schema says of which type it is: only an object has members. */
const saysItsType = (type: unknown, properties: unknown, rest: Json): boolean =>
  'const' in rest ||
  'enum' in rest ||
  (type === 'object' && isObject(properties) && Object.keys(properties).length > 0);

/** Members of schemas that say something of an object's members. */
const saysMembers = ['additionalProperties', 'allOf', 'anyOf', '$ref'] as const;

/** Whether a schema takes any object: generators of clients would make a type of it that has no members. */
const isAnyObject = (type: unknown, properties: unknown, rest: Json): boolean =>
  [type].flat().includes('object') &&
  (!isObject(properties) || Object.keys(properties).length === 0) &&
  !saysMembers.some((name) => name in rest);

/** Returns a schema without what says nothing: a type that the rest says, no properties, a pattern that every name has. */
const withoutNoise = ({ type, properties, patternProperties, ...rest }: Json): Json => ({
  ...(type === undefined || saysItsType(type, properties, rest) ? {} : { type }),
  ...(patternProperties === undefined && isAnyObject(type, properties, rest) ? { additionalProperties: true } : {}),
  ...(isObject(properties) && (Object.keys(properties).length > 0 || 'additionalProperties' in rest)
    ? { properties }
    : {}),
  ...membersOf(patternProperties),
  ...rest,
});

/** Returns a description as documents have it, where there are a thousand: no unit of times, no article, no last full stop. */
export const shortenText = (text: string): string =>
  text
    .replace(unit, '')
    .replace(/^(?:Whether|The|An?|Its|Their) (.)/, (_, first: string) => first.toUpperCase())
    .replace(/^([^.]*)\.$/, '$1');

const shortenDescription = ({ description, ...schema }: Json): Json => ({
  ...schema,
  ...(typeof description === 'string' ? { description: shortenText(description) } : {}),
});

/** Returns a member’s schema; a description that only repeats the member’s name is left out. */
const shortenMember = (name: string, schema: unknown): unknown => {
  const short = shorten(schema);
  if (!isObject(short) || typeof short['description'] !== 'string') return short;
  const { description, ...rest } = short;
  return description.toLowerCase() === name.toLowerCase() ? rest : short;
};

const shortenMembers = (schema: Json): Json =>
  withoutNoise(
    joinAlternatives(
      Object.fromEntries(
        Object.entries(shortenDescription(schema)).map(([key, value]) => {
          if (plain.has(key)) return [key, value];
          if (!byName.has(key) || !isObject(value)) return [key, shorten(value)];
          return [
            key,
            Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortenMember(name, inner)])),
          ];
        }),
      ),
    ),
  );

const shortenRequest = (schema: Json): Json => {
  const { properties, required } = schema;
  const patch = isObject(properties) ? namesByMembers.get(JSON.stringify(properties)) : undefined;
  return patch === undefined || required === undefined
    ? shortenMembers(schema)
    : { allOf: [{ $ref: `#/components/schemas/${patch}` }], required };
};

const shortenObject = (schema: Json): Json => {
  const name = names.get(textOf(schema));
  if (name === undefined) return shortenRequest(schema);
  const { description } = shortenDescription(schema);
  const component = components[name];
  const own: Json = shortenDescription({ ...component?.schema });
  const said: unknown[] = [undefined, own['description'], shortenText(component?.description ?? '')];
  return { $ref: `#/components/schemas/${name}`, ...(said.includes(description) ? {} : { description }) };
};

/** Schemas are shared by rows, so each is shortened once. */
const shortened = new WeakMap<object, Json>();

const shorten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shorten);
  if (!isObject(value)) return value;
  const known = shortened.get(value);
  if (known !== undefined) return known;
  const short = shortenObject(value);
  shortened.set(value, short);
  return short;
};

/** Returns the JSON Schema of the documents for a schema of a row. */
export const shortenSchema = (schema: object): Json => {
  const short = shorten(schema);
  return isObject(short) ? short : {};
};

const withoutDescriptions = (properties: unknown): Json =>
  isObject(properties)
    ? Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => {
          const { description: _, ...rest }: Json = isObject(schema) ? schema : {};
          return [name, rest];
        }),
      )
    : {};

const defined = (name: string): Json => {
  const component = components[name];
  if (component === undefined) return {};
  const { schema, description, asParameters } = component;
  const short = shortenMembers({ ...schema });
  return {
    ...short,
    ...(asParameters === true ? { properties: withoutDescriptions(short['properties']) } : {}),
    description: shortenText(description),
    ...schemaExample(name),
  };
};

/** Returns the components that a document refers to, directly or through another of them. */
export const componentsFor = (document: unknown): Json => {
  const wanted = new Map<string, Json>();
  const collect = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (wanted.has(name)) continue;
      const schema = defined(name);
      wanted.set(name, schema);
      collect(schema);
    }
  };
  collect(document);
  return Object.fromEntries(
    Object.keys(components)
      .filter((name) => wanted.has(name))
      .map((name) => [name, wanted.get(name)]),
  );
};
