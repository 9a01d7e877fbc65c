/** Checks `q`, `filters` and `sort` of a record list against the resource's declaration, and compiles filters to SQL/JSON path. For read.ts and list/. */
import type { ManifestResource } from '../app/manifest/manifest.ts';
import { invalidAt, type FaultDetail } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { isObject, jsonProblem } from '../platform/json/jsonLimits.ts';
import { invalidFault } from '../platform/json/validate.ts';
import { listNearest } from '../platform/words/nearestNames.ts';
import { isNumeric, toFieldType, type FieldType } from './terms.ts';

export const filterOps = [
  'eq',
  'ne',
  'in',
  'nin',
  'lt',
  'lte',
  'gt',
  'gte',
  'contains',
  'startsWith',
  'exists',
] as const;
type FilterOp = (typeof filterOps)[number];
type FilterScalar = string | number | boolean;

/** One comparison; a record is listed when all hold. `exists` has one boolean, `in` and `nin` at least one value, others one. */
export interface FilterClause {
  readonly field: string;
  readonly op: FilterOp;
  readonly values: readonly FilterScalar[];
}

const isOp = (op: string): op is FilterOp => filterOps.some((known) => known === op);
const isScalar = (value: unknown): value is FilterScalar => ['string', 'number', 'boolean'].includes(typeof value);
const ordering: readonly string[] = ['lt', 'lte', 'gt', 'gte'];
const textual: readonly string[] = ['contains', 'startsWith'];
const listed: readonly string[] = ['in', 'nin'];

const isOfType = (type: FieldType, value: unknown): value is FilterScalar => {
  if (typeof value === 'number') return isNumeric(type) || type === 'any';
  if (typeof value === 'boolean') return type === 'boolean' || type === 'any';
  return typeof value === 'string' && !isNumeric(type) && type !== 'boolean';
};

const scalarProblems = (type: FieldType, value: unknown, path: string): FaultDetail[] =>
  isOfType(type, value)
    ? []
    : [
        {
          path,
          message: `must be ${type === 'any' ? 'a string, a number or a boolean' : isNumeric(type) ? 'a number' : type === 'boolean' ? 'true or false' : 'a string'}`,
        },
      ];

const listProblems = (type: FieldType, value: unknown, path: string): FaultDetail[] =>
  Array.isArray(value) && value.length >= 1 && value.length <= limits.recordFilterValues
    ? value.flatMap((member: unknown, i) => scalarProblems(type, member, `${path}.${String(i)}`))
    : [{ path, message: `must be an array of 1 to ${String(limits.recordFilterValues)} values` }];

const opProblems = (type: FieldType, op: string, value: unknown, path: string): FaultDetail[] => {
  if (!isOp(op)) return [{ path, message: `is not an op; known are ${filterOps.join(', ')}` }];
  if (op === 'exists') return typeof value === 'boolean' ? [] : [{ path, message: 'must be true or false' }];
  if (listed.includes(op)) return listProblems(type, value, path);
  if (ordering.includes(op) && (type === 'boolean' || (type === 'any' && typeof value === 'boolean')))
    return [{ path, message: 'must not be true or false, which have no order; use eq or ne' }];
  const problems = scalarProblems(type, value, path);
  return problems.length === 0 && textual.includes(op) && typeof value !== 'string'
    ? [{ path, message: `must be a string, as ${op} compares texts` }]
    : problems;
};

const fieldProblems = (type: FieldType, given: unknown, path: string): FaultDetail[] => {
  if (Array.isArray(given)) return listProblems(type, given, path);
  if (!isObject(given)) return scalarProblems(type, given, path);
  const ops = Object.entries(given);
  return ops.length === 0
    ? [{ path, message: 'must name at least one op' }]
    : ops.flatMap(([op, value]) => opProblems(type, op, value, `${path}.${op.slice(0, 100)}`));
};

const scalarsOf = (value: unknown): FilterScalar[] => (Array.isArray(value) ? value : [value]).filter(isScalar);

/** Returns the clauses of a field's filter, which has no problems. */
const clausesOf = (field: string, given: unknown): FilterClause[] => {
  if (!isObject(given)) return [{ field, op: Array.isArray(given) ? 'in' : 'eq', values: scalarsOf(given) }];
  return Object.entries(given).flatMap(([op, value]) => (isOp(op) ? [{ field, op, values: scalarsOf(value) }] : []));
};

/**
 * Returns the clauses of a filter object. Throws `invalid` with every problem; a field that isn't declared and one that
 * can't be filtered by give the same problem.
 */
export const parseFilterClauses = (
  { fields = [] }: ManifestResource,
  filters: Readonly<Record<string, unknown>>,
): FilterClause[] => {
  const known = fields.filter(({ filter }) => filter === true).map(({ name }) => name);
  const problems = Object.entries(filters).flatMap(([name, given]): FaultDetail[] => {
    const declared = fields.find((field) => field.name === name && field.filter === true);
    const path = `filters.${name.slice(0, 100)}`;
    return declared === undefined
      ? [
          {
            path,
            message: `is not a field that can be filtered by${known.length === 0 ? '' : `; known: ${listNearest(name, known)}`}`,
          },
        ]
      : fieldProblems(toFieldType(declared.type), given, path);
  });
  if (problems.length > 0) throw invalidFault(problems.slice(0, limits.detailsMax));
  return Object.entries(filters).flatMap(([name, given]) => clausesOf(name, given));
};

/** Returns the object of the query parameter `filters`, empty when it is absent. Throws `invalid` when it isn't a JSON object. */
export const parseFilterJson = (text: string | undefined): Readonly<Record<string, unknown>> => {
  if (text === undefined) return {};
  if (Buffer.byteLength(text) > limits.jsonParameterBytes)
    throw invalidAt('filters', `must be at most ${String(limits.jsonParameterBytes / 1024)} KiB`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalidAt('filters', 'is not JSON');
  }
  if (!isObject(parsed)) throw invalidAt('filters', 'must be a JSON object');
  const problem = jsonProblem(parsed);
  if (problem !== null)
    throw invalidFault([
      { path: problem.path === '' ? 'filters' : `filters.${problem.path}`, message: problem.message },
    ]);
  return parsed;
};

type RecordSortField =
  | { readonly kind: 'title' | 'updatedAt' | 'id' }
  | { readonly kind: 'field'; readonly field: string };
export interface RecordOrder {
  readonly by: RecordSortField;
  readonly descending: boolean;
}

const fixed = ['title', 'updatedAt', 'id'] as const;

/** Returns the order of the query parameter `sort`. A declared sortable field named like a fixed order takes precedence over it. */
export const parseRecordOrder = ({ fields = [] }: ManifestResource, sort: string | undefined): RecordOrder => {
  const given = sort ?? 'title';
  const descending = given.startsWith('-');
  const name = descending ? given.slice(1) : given;
  const kind = fixed.find((known) => known === name);
  if (fields.some((field) => field.name === name && field.sort === true))
    return { by: { kind: 'field', field: name }, descending };
  if (kind !== undefined) return { by: { kind }, descending };
  const known = [...fixed, ...fields.filter((field) => field.sort === true).map((field) => field.name)];
  throw invalidAt('sort', `must be one of ${known.join(', ')}, with a leading - for descending`);
};

/** Returns the trimmed search text, or null when there is none. Throws `invalid` for too many words. */
export const normalizeSearchText = (q: string | undefined): string | null => {
  const text = q?.trim() ?? '';
  if (text.split(/\s+/u).length > limits.searchWords)
    throw invalidAt('q', `must have at most ${String(limits.searchWords)} words`);
  return text === '' ? null : text;
};

const literal = (value: FilterScalar): string => JSON.stringify(value);

/**
 * Returns a clause as a predicate of SQL/JSON path. Comparing values of two types gives `unknown` there, and so does its
 * negation; `ne` and `nin` hold for every other value, of whichever type, and for a missing one.
 */
const clausePredicate = ({ field, op, values }: FilterClause): string => {
  const path = `$.${JSON.stringify(field)}`;
  const any = `(${values.map((value) => `${path} == ${literal(value)}`).join(' || ')})`;
  const value = literal(values[0] ?? '');
  switch (op) {
    case 'eq':
    case 'in':
      return any;
    case 'ne':
    case 'nin':
      return `(${values.map((each) => `(!(${path} == ${literal(each)}) || (${path} == ${literal(each)}) is unknown)`).join(' && ')})`;
    case 'lt':
      return `(${path} < ${value})`;
    case 'lte':
      return `(${path} <= ${value})`;
    case 'gt':
      return `(${path} > ${value})`;
    case 'gte':
      return `(${path} >= ${value})`;
    case 'contains':
      return `(${path} like_regex ${value} flag "q")`;
    case 'startsWith':
      return `(${path} starts with ${value})`;
    case 'exists':
      return values[0] === true ? `(exists (${path} ? (@ != null)))` : `(!(exists (${path} ? (@ != null))))`;
  }
};

/** Returns all clauses as one SQL/JSON path predicate, which statements take as a parameter, or null without clauses. */
export const filterJsonPath = (clauses: readonly FilterClause[]): string | null =>
  clauses.length === 0 ? null : clauses.map(clausePredicate).join(' && ');
