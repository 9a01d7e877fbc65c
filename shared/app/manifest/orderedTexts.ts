/**
 * Refuses conditions of a manifest that order a text against a field of numbers: texts are ordered letter by letter, so that
 * "100.00" comes before "50". Finds those that order a number against a date, which never hold. Used by when.ts,
 * manifestProblems.ts, inboxProblems.ts and unknownNames/.
 */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { conditionProblems } from '../../platform/conditions/conditionSchema.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import type { ManifestInbox, ManifestResource } from './manifest.ts';

interface Comparison {
  /** Where it stands in the manifest. */
  readonly at: string;
  readonly field: string;
  readonly op: unknown;
  readonly value: unknown;
  /** Of one that compares with a path: that path. */
  readonly other: string | null;
}

/** Returns the comparisons of a condition that stands at `at`. */
export const comparisonsIn = (condition: unknown, at: string): Comparison[] => {
  if (!isObject(condition)) return [];
  const { field, op, value, path, not } = condition;
  const other = typeof path === 'string' ? path : null;
  return [
    ...(typeof field === 'string' ? [{ at, field, op, value, other }] : []),
    ...['all', 'any'].flatMap((name) => {
      const list: unknown = condition[name];
      return Array.isArray(list) ? list.flatMap((inner, i) => comparisonsIn(inner, `${at}.${name}.${String(i)}`)) : [];
    }),
    ...comparisonsIn(not, `${at}.not`),
  ];
};

/** The declared types of fields of numbers, by their paths in the subject of a condition. */
export type NumericFields = ReadonlyMap<string, string>;

const orderings: readonly unknown[] = ['lt', 'lte', 'gt', 'gte'];
const numericTypes: readonly unknown[] = ['number', 'money', 'integer'];

/** Returns the fields of these types of a record: those that all of the resources which declare them declare so. */
const recordFieldsOf = (resources: readonly ManifestResource[], types: readonly unknown[]): NumericFields => {
  const declared = resources.flatMap(({ fields }) => (Array.isArray(fields) ? fields : []));
  const others = new Set(declared.filter(({ type }) => !types.includes(type)).map(({ name }) => name));
  return new Map(
    declared.flatMap(({ name, type = '' }) => (others.has(name) ? [] : [[`record.fields.${name}`, type] as const])),
  );
};

/** Returns the fields of numbers of a record. */
export const numericRecordFields = (resources: readonly ManifestResource[]): NumericFields =>
  recordFieldsOf(resources, numericTypes);

/** Returns the fields of numbers of an inbox's items. */
export const numericItemFields = ({ fields = {} }: ManifestInbox): NumericFields => {
  const { properties } = fields as { readonly properties?: unknown };
  return new Map(
    Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) =>
      isObject(schema) && numericTypes.includes(schema['type'])
        ? [[`item.fields.${name}`, String(schema['type'])] as const]
        : [],
    ),
  );
};

const orderedTextProblems = (condition: unknown, path: string, numeric: NumericFields): FaultDetail[] =>
  comparisonsIn(condition, path).flatMap(({ at, field, op, value }) => {
    const type = numeric.get(field);
    return type === undefined || typeof value !== 'string' || !orderings.includes(op)
      ? []
      : [{ path: `${at}.value`, message: `must be a number, as ${field.slice(0, 200)} is declared as ${type}` }];
  });

/** Returns the comparisons of a condition that order a number against a date of the record. */
export const orderedDates = (
  condition: unknown,
  path: string,
  resources: readonly ManifestResource[],
): FaultDetail[] => {
  const dates = recordFieldsOf(resources, ['date']);
  return comparisonsIn(condition, path).flatMap(({ at, field, op, value }) =>
    dates.has(field) && typeof value === 'number' && orderings.includes(op)
      ? [
          {
            path: `${at}.value`,
            message: `never holds: ${field.slice(0, 200)} is declared as date, a text such as "2026-01-31"`,
          },
        ]
      : [],
  );
};

/** Returns the problems of a condition: of its form, and of its comparisons with fields of numbers. */
export const subjectProblems = (condition: unknown, path: string, numeric: NumericFields): FaultDetail[] => {
  const problems = conditionProblems(condition, path);
  return problems.length > 0 ? problems : orderedTextProblems(condition, path, numeric);
};
