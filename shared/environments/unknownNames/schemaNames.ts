/**
 * Finds what the JSON Schemas of a manifest say in vain: keywords that are probably misspelt, and so check nothing, members that are
 * demanded and refused at once, defaults that the schema refuses. Used by unknownNames.ts.
 */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';
import { schemasInside } from '../../platform/core/jsonSchemaProblems.ts';
import { didYouMean, misspelled } from '../../platform/core/nearestNames.ts';

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

const refusedDefault = (schema: Members, path: string): FaultDetail[] => {
  const { type } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : typeof type === 'string' ? [type] : [];
  if (!Object.hasOwn(schema, 'default') || types.length === 0) return [];
  if (types.some((one) => isOfType[String(one)]?.(schema['default']) ?? true)) return [];
  return [
    { path: `${path}.default`, message: `is of another type than ${types.join(' or ')}: who leaves it out is refused` },
  ];
};

/** Returns what a schema, which is valid by its form, says in vain. */
export const vainInSchema = (root: object | undefined, path: string): FaultDetail[] =>
  schemasInside(root, path).flatMap(({ schema, path: at }) => [
    ...misspeltKeywords(schema, at),
    ...refusedDemands(schema, at),
    ...refusedDefault(schema, at),
  ]);
