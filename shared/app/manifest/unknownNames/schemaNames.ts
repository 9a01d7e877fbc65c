/**
 * Finds what the JSON Schemas of a manifest say in vain: keywords that are probably misspelt, and so check nothing, members that are
 * demanded and refused at once, defaults that the schema refuses, record pickers of what is no text. Used by unknownNames.ts.
 */
import type { FaultDetail } from '../../../catalogue/errors.ts';
import { canonicalJson, isObject } from '../../../platform/json/jsonLimits.ts';
import { schemasInside } from '../../../platform/json/jsonSchemaProblems.ts';
import { didYouMean, misspelled } from '../../../platform/words/nearestNames.ts';

type Members = Readonly<Record<string, unknown>>;

/** The keywords of JSON Schema 2020-12 that are words; https://json-schema.org/draft/2020-12/schema. */
const keywords = [
  'additionalProperties',
  'allOf',
  'anyOf',
  'const',
  'contains',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'default',
  'definitions',
  'dependentRequired',
  'dependentSchemas',
  'deprecated',
  'description',
  'else',
  'enum',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'if',
  'items',
  'maxContains',
  'maximum',
  'maxItems',
  'maxLength',
  'maxProperties',
  'minContains',
  'minimum',
  'minItems',
  'minLength',
  'minProperties',
  'multipleOf',
  'not',
  'oneOf',
  'pattern',
  'patternProperties',
  'prefixItems',
  'properties',
  'propertyNames',
  'readOnly',
  'required',
  'then',
  'title',
  'type',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
  'writeOnly',
];
const known = new Set(keywords);

const misspeltKeywords = (schema: Members, path: string): FaultDetail[] =>
  Object.keys(schema).flatMap((name) => {
    const meant = known.has(name) || name.startsWith('$') ? null : misspelled(name, keywords);
    return meant === null
      ? []
      : [
          {
            path: `${path}.${name}`,
            message: `is no keyword of JSON Schema, and checks nothing; did you mean ${meant}?`,
          },
        ];
  });

const refusedDemands = (schema: Members, path: string): FaultDetail[] => {
  const { required, properties = {}, additionalProperties, patternProperties } = schema;
  if (!Array.isArray(required) || additionalProperties !== false || patternProperties !== undefined) return [];
  const names = isObject(properties) ? Object.keys(properties) : [];
  return required.flatMap((name: unknown, i) =>
    names.includes(String(name))
      ? []
      : [
          {
            path: `${path}.required.${String(i)}`,
            message: `demands ${String(name)}, which additionalProperties refuses${didYouMean(String(name), names)}`,
          },
        ],
  );
};

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isObject,
  string: (value) => typeof value === 'string',
};

const typesOf = ({ type }: Members): readonly unknown[] =>
  Array.isArray(type) ? type : typeof type === 'string' ? [type] : [];

const refusedDefault = (schema: Members, path: string): FaultDetail[] => {
  if (!Object.hasOwn(schema, 'default')) return [];
  const { default: given, enum: values = Object.hasOwn(schema, 'const') ? [schema['const']] : null } = schema;
  const types = typesOf(schema);
  const refused =
    types.length > 0 && !types.some((one) => isOfType[String(one)]?.(given) ?? true)
      ? `is of another type than ${types.join(' or ')}`
      : Array.isArray(values) && !values.some((value) => canonicalJson(value) === canonicalJson(given))
        ? 'is not one of the values that are taken'
        : null;
  return refused === null ? [] : [{ path: `${path}.default`, message: `${refused}: who leaves it out is refused` }];
};

const vainPicker = (schema: Members, path: string): FaultDetail[] => {
  const types = typesOf(schema);
  return schema['x-resource'] === undefined || types.length === 0 || types.includes('string')
    ? []
    : [
        {
          path: `${path}.x-resource`,
          message: `is for a text, the id of a record, and does nothing for ${types.join(' or ')}`,
        },
      ];
};

/** Returns what a schema, which is valid by its form, says in vain. */
export const vainInSchema = (root: object | undefined, path: string): FaultDetail[] =>
  schemasInside(root, path).flatMap(({ schema, path: at }) => [
    ...misspeltKeywords(schema, at),
    ...refusedDemands(schema, at),
    ...refusedDefault(schema, at),
    ...vainPicker(schema, at),
  ]);
