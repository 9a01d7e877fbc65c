/** The form of conditions: its JSON Schema, and the check for manifests and flag rules. conditions.ts evaluates them. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { isObject, jsonProblem } from '../json/jsonLimits.ts';
import { strictObject, Type } from '../json/schema.ts';
import { conditionOps, partMax } from './conditions.ts';
import { isRange } from './semver.ts';

/** Limits that bound the cost of evaluating a condition. */
export const conditionLimits = {
  depth: 8,
  nodes: 100,
  /** Characters of a path. */
  field: 300,
  /** Values of `in` and `nin`. */
  values: 1_000,
  /** Characters of a text to compare with. */
  text: 1_000,
  /** Characters of the whole condition as JSON. */
  characters: 64 * 1024,
} as const;

const inner = Type.Object({}, { description: 'A condition.' });
const list = (description: string) =>
  Type.Optional(Type.Array(inner, { maxItems: conditionLimits.nodes, description }));

/**
 * The schema of one level of a condition. `conditionProblems` checks all levels, and which members go together, with better
 * messages than the alternatives of a schema would give.
 */
export const conditionSchema = strictObject(
  {
    all: list('All of them hold; with none of them it holds.'),
    any: list('At least one of them holds.'),
    not: Type.Optional(inner),
    field: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: conditionLimits.field,
        description: 'A dotted path, such as item.fields.plan.',
      }),
    ),
    op: Type.Optional(Type.Enum([...conditionOps], { description: 'How the field is compared with the value.' })),
    value: Type.Optional(
      Type.Unknown({
        description: 'Compared with; a list for in and nin.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: conditionLimits.field,
        description: 'Instead of value: a path.',
      }),
    ),
  },
  {
    minProperties: 1,
    description: `A condition: { all }, { any }, { not }, { field, op, value } or { field, op, path }; at most ${String(conditionLimits.depth)} levels and ${String(conditionLimits.nodes)} conditions.`,
  },
);

type Problem = string | null;
type Check = (value: unknown) => Problem;

const scalar: Check = (value) => {
  if (typeof value === 'string')
    return value.length > conditionLimits.text ? `must have at most ${String(conditionLimits.text)} characters` : null;
  return value === null || typeof value === 'number' || typeof value === 'boolean'
    ? null
    : 'must be a text, a number, true, false or null';
};
const text: Check = (value) => (typeof value === 'string' ? scalar(value) : 'must be a text');
const orderable: Check = (value) =>
  typeof value === 'number' ? null : typeof value === 'string' ? scalar(value) : 'must be a number or a text';
const scalars: Check = (value) => {
  if (!Array.isArray(value)) return 'must be a list';
  if (value.length > conditionLimits.values) return `must have at most ${String(conditionLimits.values)} values`;
  return value.map(scalar).find((problem) => problem !== null) ?? null;
};

const valueChecks: Readonly<Record<string, Check>> = {
  eq: scalar,
  ne: scalar,
  in: scalars,
  nin: scalars,
  lt: orderable,
  lte: orderable,
  gt: orderable,
  gte: orderable,
  contains: (value) =>
    typeof value === 'string' && value.length > partMax
      ? `must have at most ${String(partMax)} characters`
      : scalar(value),
  startsWith: text,
  endsWith: text,
  exists: (value) => (value === undefined || typeof value === 'boolean' ? null : 'must be true or false'),
  matchesSemver: (value) =>
    typeof value !== 'string'
      ? text(value)
      : (text(value) ?? (isRange(value) ? null : 'must be a range of versions, such as >=1.2.0 <2')),
};

/** Ops that compare with no path: what is there is no value, and a range of versions is read when it is declared. */
const opsWithoutPath: readonly unknown[] = ['exists', 'matchesSemver'];

const pathProblems = (given: unknown, path: string): FaultDetail[] =>
  typeof given === 'string' &&
  given.length > 0 &&
  given.length <= conditionLimits.field &&
  !given.split('.').includes('')
    ? []
    : [{ path, message: 'must be a dotted path, such as item.fields.plan' }];

const comparisonProblems = (given: Readonly<Record<string, unknown>>, path: string): FaultDetail[] => {
  const { field, op, value, path: other, ...others } = given;
  const details: FaultDetail[] = Object.keys(others).map((member) => ({
    path: `${path}.${member.slice(0, 100)}`,
    message: 'is not known here',
  }));
  details.push(...pathProblems(field, `${path}.field`));
  const check = typeof op === 'string' && Object.hasOwn(valueChecks, op) ? valueChecks[op] : undefined;
  if (check === undefined)
    return [...details, { path: `${path}.op`, message: `must be one of ${conditionOps.join(', ')}` }];
  if (Object.hasOwn(given, 'path')) {
    if (Object.hasOwn(given, 'value'))
      details.push({ path: `${path}.path`, message: 'can’t be there together with value' });
    if (opsWithoutPath.includes(op))
      details.push({ path: `${path}.path`, message: `can’t be there with ${String(op)}` });
    return [...details, ...pathProblems(other, `${path}.path`)];
  }
  const problem = check(value);
  return problem === null ? details : [...details, { path: `${path}.value`, message: problem }];
};

const form = 'must be { all }, { any }, { not }, { field, op, value } or { field, op, path }';

interface Node {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** Returns the problems of one level, and the levels below it. */
const nodeProblems = ({ value, path, depth }: Node): { details: FaultDetail[]; inner: Node[] } => {
  if (!isObject(value)) return { details: [{ path, message: form }], inner: [] };
  const [name = '', ...more] = Object.keys(value);
  if (name !== 'all' && name !== 'any' && name !== 'not')
    return { details: comparisonProblems(value, path), inner: [] };
  const below = value[name];
  const list: unknown = name === 'not' ? [below] : below;
  if (more.length > 0 || !Array.isArray(list)) return { details: [{ path, message: form }], inner: [] };
  return {
    details: [],
    inner: list.slice(0, conditionLimits.nodes + 1).map((child: unknown, i) => ({
      value: child,
      path: name === 'not' ? `${path}.not` : `${path}.${name}.${String(i)}`,
      depth: depth + 1,
    })),
  };
};

/** Returns the problems of a condition, at most `limits.detailsMax`, with paths below `path`; only one when it is too large. */
export const conditionProblems = (root: unknown, path: string): FaultDetail[] => {
  const unkept = jsonProblem(root);
  if (unkept !== null) return [{ path: unkept.path === '' ? path : `${path}.${unkept.path}`, message: unkept.message }];
  const details: FaultDetail[] = [];
  const stack: Node[] = [{ value: root, path, depth: 1 }];
  let nodes = 0;
  for (let node = stack.shift(); node !== undefined; node = stack.shift()) {
    nodes += 1;
    if (node.depth > conditionLimits.depth)
      return [{ path, message: `is nested deeper than ${String(conditionLimits.depth)} levels` }];
    const { details: found, inner: below } = nodeProblems(node);
    if (nodes + stack.length + below.length > conditionLimits.nodes)
      return [{ path, message: `has more than ${String(conditionLimits.nodes)} conditions` }];
    details.push(...found);
    stack.push(...below);
  }
  if (JSON.stringify(root).length > conditionLimits.characters)
    return [{ path, message: `is larger than ${String(conditionLimits.characters / 1024)} KiB` }];
  return details.slice(0, limits.detailsMax);
};
