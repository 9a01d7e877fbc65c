/** The form of conditions (contract section 5): its schema for requests and manifests, and every problem of one. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { conditionOps } from './conditions.ts';
import { jsonProblem } from './jsonLimits.ts';
import { strictObject, Type } from './schema.ts';
import { isRange } from './semver.ts';

/** They bound what evaluating one can cost. */
export const conditionLimits = {
  depth: 8,
  nodes: 100,
  /** Of a path, in characters. */
  field: 300,
  /** Of `in` and `nin`. */
  values: 1_000,
  /** Of a text to compare with, in characters. */
  text: 1_000,
  /** Of `contains`, which looks at every place of the other text. */
  part: 100,
  /** Of a whole condition as JSON. */
  characters: 64 * 1024,
} as const;

const inner = Type.Object({}, { description: 'A condition.' });
const list = (description: string) =>
  Type.Optional(Type.Array(inner, { maxItems: conditionLimits.nodes, description }));

/**
 * How a condition looks from outside, one level of it; which members go together, and all levels, are checked by
 * `conditionProblems`, which says more than a schema's alternatives could.
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
        description: 'What the field is compared with; a list for in and nin, true or false for exists.',
      }),
    ),
  },
  {
    minProperties: 1,
    description: `A condition: { all }, { any }, { not } or { field, op, value }; at most ${String(conditionLimits.depth)} levels and ${String(conditionLimits.nodes)} conditions.`,
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
    typeof value === 'string' && value.length > conditionLimits.part
      ? `must have at most ${String(conditionLimits.part)} characters`
      : scalar(value),
  startsWith: text,
  endsWith: text,
  exists: (value) => (value === undefined || typeof value === 'boolean' ? null : 'must be true or false'),
  matchesSemver: (value) =>
    text(value) ?? (isRange(value as string) ? null : 'must be a range of versions, such as >=1.2.0 <2'),
};

const comparisonProblems = (
  { field, op, value, ...others }: Readonly<Record<string, unknown>>,
  path: string,
): FaultDetail[] => {
  const details: FaultDetail[] = Object.keys(others).map((member) => ({
    path: `${path}.${member.slice(0, 100)}`,
    message: 'is not known here',
  }));
  if (
    typeof field !== 'string' ||
    field.length === 0 ||
    field.length > conditionLimits.field ||
    field.split('.').includes('')
  ) {
    details.push({ path: `${path}.field`, message: 'must be a dotted path, such as item.fields.plan' });
  }
  const check = typeof op === 'string' && Object.hasOwn(valueChecks, op) ? valueChecks[op] : undefined;
  if (check === undefined)
    return [...details, { path: `${path}.op`, message: `must be one of ${conditionOps.join(', ')}` }];
  const problem = check(value);
  return problem === null ? details : [...details, { path: `${path}.value`, message: problem }];
};

const form = 'must be { all }, { any }, { not } or { field, op, value }';

interface Node {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** What is wrong with one level, and the levels below it. */
const nodeProblems = ({ value, path, depth }: Node): { details: FaultDetail[]; inner: Node[] } => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { details: [{ path, message: form }], inner: [] };
  const condition = value as Readonly<Record<string, unknown>>;
  const [name = '', ...more] = Object.keys(condition);
  if (name !== 'all' && name !== 'any' && name !== 'not')
    return { details: comparisonProblems(condition, path), inner: [] };
  const below = condition[name];
  if (more.length > 0 || (name !== 'not' && !Array.isArray(below)))
    return { details: [{ path, message: form }], inner: [] };
  const list: unknown[] = name === 'not' ? [below] : (below as unknown[]);
  return {
    details: [],
    inner: list.slice(0, conditionLimits.nodes + 1).map((child, i) => ({
      value: child,
      path: name === 'not' ? `${path}.not` : `${path}.${name}.${String(i)}`,
      depth: depth + 1,
    })),
  };
};

/** Every problem of a condition, or the one that it is too large. */
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
