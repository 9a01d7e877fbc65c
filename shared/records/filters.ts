/** `q`, `filters` and `sort` of a record list, checked against what the resource declares: called by list and search. */
import { invalid } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { jsonProblem } from '../core/guard.ts';
import { invalidDetails } from '../core/validate.ts';
import type { ManifestResource } from '../environments/manifest.ts';
import { isNumeric, typeOf, type FieldType } from './terms.ts';

export const filterOps = ['eq', 'ne', 'in', 'nin', 'lt', 'lte', 'gt', 'gte', 'contains', 'startsWith', 'exists'] as const;
export type FilterOp = (typeof filterOps)[number];
export type Scalar = string | number | boolean;

/** One comparison; all of them have to hold. `exists` has one boolean, `in` and `nin` any number of values, others one. */
export interface Clause {
  readonly field: string;
  readonly op: FilterOp;
  readonly values: readonly Scalar[];
}

const isOp = (op: string): op is FilterOp => (filterOps as readonly string[]).includes(op);
const ordering: readonly FilterOp[] = ['lt', 'lte', 'gt', 'gte'];
const textual: readonly FilterOp[] = ['contains', 'startsWith'];

const scalarOf = (type: FieldType, value: unknown, path: string): Scalar => {
  if (typeof value === 'number' && (isNumeric(type) || type === 'any')) return value;
  if (typeof value === 'boolean' && (type === 'boolean' || type === 'any')) return value;
  if (typeof value === 'string' && !isNumeric(type) && type !== 'boolean') return value;
  throw invalid(path, `must be ${type === 'any' ? 'a string, a number or a boolean' : isNumeric(type) ? 'a number' : type === 'boolean' ? 'true or false' : 'a string'}`);
};

const clauseOf = (field: string, type: FieldType, op: FilterOp, value: unknown): Clause => {
  const path = `filters.${field}.${op}`;
  if (op === 'exists') {
    if (typeof value !== 'boolean') throw invalid(path, 'must be true or false');
    return { field, op, values: [value] };
  }
  if (op === 'in' || op === 'nin') {
    if (!Array.isArray(value) || value.length < 1 || value.length > limits.filterValues) throw invalid(path, `must be an array of 1 to ${String(limits.filterValues)} values`);
    return { field, op, values: value.map((member: unknown, i) => scalarOf(type, member, `${path}.${String(i)}`)) };
  }
  if (ordering.includes(op) && type === 'boolean') throw invalid(path, 'is not an order that true and false have');
  const scalar = scalarOf(type, value, path);
  if (textual.includes(op) && typeof scalar !== 'string') throw invalid(path, 'is for texts');
  if (ordering.includes(op) && typeof scalar === 'boolean') throw invalid(path, 'is not an order that true and false have');
  return { field, op, values: [scalar] };
};

const clausesOf = (field: string, type: FieldType, given: unknown): Clause[] => {
  const path = `filters.${field}`;
  if (Array.isArray(given)) {
    if (given.length < 1 || given.length > limits.filterValues) throw invalid(path, `must have 1 to ${String(limits.filterValues)} values`);
    return [{ field, op: 'in', values: given.map((member: unknown, i) => scalarOf(type, member, `${path}.${String(i)}`)) }];
  }
  if (typeof given !== 'object' || given === null) return [{ field, op: 'eq', values: [scalarOf(type, given, path)] }];
  const ops = Object.entries(given);
  if (ops.length === 0) throw invalid(path, 'must name at least one op');
  return ops.map(([op, value]) => {
    if (!isOp(op)) throw invalid(`${path}.${op.slice(0, 100)}`, `is not an op; known are ${filterOps.join(', ')}`);
    return clauseOf(field, type, op, value);
  });
};

/** A filter object as parsed from JSON. A field that isn't declared, or not to be filtered by, is `400 invalid` alike. */
export const checkFilters = ({ fields = [] }: ManifestResource, filters: Readonly<Record<string, unknown>>): Clause[] =>
  Object.entries(filters).flatMap(([name, given]) => {
    const declared = fields.find((field) => field.name === name && field.filter === true);
    if (declared === undefined) throw invalid(`filters.${name.slice(0, 100)}`, 'is not a field that can be filtered by');
    return clausesOf(name, typeOf(declared.type), given);
  });

/** The JSON text of the query parameter. */
export const parseFilters = (text: string | undefined): Readonly<Record<string, unknown>> => {
  if (text === undefined) return {};
  if (Buffer.byteLength(text) > limits.jsonParameterBytes) throw invalid('filters', `must be at most ${String(limits.jsonParameterBytes / 1024)} KiB`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid('filters', 'is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw invalid('filters', 'must be a JSON object');
  const problem = jsonProblem(parsed);
  if (problem !== null) throw invalidDetails([{ path: problem.path === '' ? 'filters' : `filters.${problem.path}`, message: problem.message }]);
  return parsed as Readonly<Record<string, unknown>>;
};

export type SortBy = { readonly kind: 'title' | 'updatedAt' | 'id' } | { readonly kind: 'field'; readonly field: string };
export interface Order {
  readonly by: SortBy;
  readonly descending: boolean;
}

const fixed = ['title', 'updatedAt', 'id'] as const;

/** A declared field of one of the fixed names is sorted by under its own name. */
export const checkSort = ({ fields = [] }: ManifestResource, sort: string | undefined): Order => {
  const given = sort ?? 'title';
  const descending = given.startsWith('-');
  const name = descending ? given.slice(1) : given;
  const kind = fixed.find((known) => known === name);
  if (fields.some((field) => field.name === name && field.sort === true)) return { by: { kind: 'field', field: name }, descending };
  if (kind !== undefined) return { by: { kind }, descending };
  const known = [...fixed, ...fields.filter((field) => field.sort === true).map((field) => field.name)];
  throw invalid('sort', `must be one of ${known.join(', ')}, with a leading - for descending`);
};

/** What is searched for; null: nothing is. */
export const checkText = (q: string | undefined): string | null => {
  const text = q?.trim() ?? '';
  if (text.split(/\s+/u).length > limits.searchWords) throw invalid('q', `must have at most ${String(limits.searchWords)} words`);
  return text === '' ? null : text;
};

const literal = (value: Scalar): string => JSON.stringify(value);

/**
 * A clause as a predicate of SQL/JSON path. Comparing two types is `unknown` there, which neither a predicate nor its
 * negation is; `ne` and `nin` hold for whatever isn't the value, also for what is missing.
 */
const predicate = ({ field, op, values }: Clause): string => {
  const path = `$.${JSON.stringify(field)}`;
  const any = `(${values.map((value) => `${path} == ${literal(value)}`).join(' || ')})`;
  const value = literal(values[0] ?? '');
  switch (op) {
    case 'eq':
    case 'in': return any;
    case 'ne':
    case 'nin': return `(${values.map((each) => `(!(${path} == ${literal(each)}) || (${path} == ${literal(each)}) is unknown)`).join(' && ')})`;
    case 'lt': return `(${path} < ${value})`;
    case 'lte': return `(${path} <= ${value})`;
    case 'gt': return `(${path} > ${value})`;
    case 'gte': return `(${path} >= ${value})`;
    case 'contains': return `(${path} like_regex ${value} flag "q")`;
    case 'startsWith': return `(${path} starts with ${value})`;
    case 'exists': return values[0] === true ? `(exists (${path} ? (@ != null)))` : `(!(exists (${path} ? (@ != null))))`;
  }
};

/** All clauses as one SQL/JSON path predicate, which PostgreSQL takes as a parameter; null: nothing is asked. */
export const pathOf = (clauses: readonly Clause[]): string | null => (clauses.length === 0 ? null : clauses.map(predicate).join(' && '));
