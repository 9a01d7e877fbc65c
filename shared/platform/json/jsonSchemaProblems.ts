/**
 * Checks a JSON Schema of the customer's app before it is compiled: its size, its references and its patterns. Walks schemas
 * only, so that a property called `pattern`, or an example, is not taken for a keyword. All schemas of a manifest share a budget. Used by shared/app/manifest.
 */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { metaSchemaProblems } from './appSchemas.ts';
import { isObject } from './jsonLimits.ts';
import { checkPattern } from './linearPattern.ts';

/** Limits of all schemas of a manifest. docs/manifest.md names them. */
const manifestLimits = {
  schemas: 25_000,
  /** Different ones, as equal ones are compiled once. */
  patterns: 5_000,
  /** Of the compiled patterns: `^[a-z]+@example\.com$` has 20. What else a pattern takes is counted as instructions. */
  instructions: 200_000,
} as const;

export interface SchemaBudget {
  takeSchemas(count: number): void;
  takePattern(pattern: string, instructions: number): void;
  /** The limit that is exceeded, as the message of a problem; null while there is none. */
  readonly problem: string | null;
}

const tooMany = (limit: number, what: string): string =>
  `is too much: up to here the schemas of the manifest have more than ${limit.toLocaleString('en-US')} ${what}`;

/** Returns the budget of one manifest. */
export const createBudget = (): SchemaBudget => {
  const patterns = new Set<string>();
  let [schemas, instructions] = [0, 0];
  return {
    takeSchemas: (count) => {
      schemas += count;
    },
    takePattern: (pattern, size) => {
      if (patterns.has(pattern)) return;
      patterns.add(pattern);
      instructions += size;
    },
    get problem() {
      if (schemas > manifestLimits.schemas) return tooMany(manifestLimits.schemas, 'schemas inside');
      if (patterns.size > manifestLimits.patterns) return tooMany(manifestLimits.patterns, 'different patterns');
      return instructions > manifestLimits.instructions
        ? tooMany(manifestLimits.instructions, 'instructions in their compiled patterns')
        : null;
    },
  };
};

/** Limits of one schema. docs/manifest.md names them. */
export const schemaLimits = {
  /** Of the schema as JSON in UTF-8. */
  bytes: 64 * 1024,
  /** Schemas inside one: each takes up to 0.4 ms to compile, during which the process does nothing else. */
  schemas: 250,
  patterns: 50,
  /** Schemas that one value is checked against, through all references. */
  applied: 10_000,
} as const;

type Members = Readonly<Record<string, unknown>>;

/** Keywords that contain schemas: one, a list, or one by name. Those of `same` apply to the same value, of `below` to parts of it. */
const keywords = {
  one: {
    same: ['not', 'if', 'then', 'else'],
    below: [
      'items',
      'contains',
      'additionalProperties',
      'propertyNames',
      'unevaluatedItems',
      'unevaluatedProperties',
      'contentSchema',
    ],
  },
  list: { same: ['allOf', 'anyOf', 'oneOf'], below: ['prefixItems'] },
  named: {
    same: ['dependentSchemas', 'dependencies'],
    below: ['properties', 'patternProperties', '$defs', 'definitions'],
  },
} as const;

/** Keywords that contain schemas, whatever value those apply to. */
export const schemaKeywords: Readonly<Record<keyof typeof keywords, readonly string[]>> = {
  one: [...keywords.one.same, ...keywords.one.below],
  list: [...keywords.list.same, ...keywords.list.below],
  named: [...keywords.named.same, ...keywords.named.below],
};

/** Keywords that would refer to other documents, or back into the schema by other ways than `$ref`, or make the check asynchronous. */
const refusedKeywords = ['$dynamicRef', '$recursiveRef', '$async'];

interface Child {
  readonly schema: unknown;
  readonly at: string;
  readonly same: boolean;
}

const childrenOf = (schema: Members): Child[] => {
  const children: Child[] = [];
  const add = (child: unknown, at: string, same: boolean): void => {
    children.push({ schema: child, at, same });
  };
  for (const same of [true, false]) {
    const group = same ? 'same' : 'below';
    for (const name of keywords.one[group]) if (Object.hasOwn(schema, name)) add(schema[name], name, same);
    for (const name of keywords.list[group])
      for (const [i, child] of (Array.isArray(schema[name]) ? schema[name] : []).entries())
        add(child, `${name}.${String(i)}`, same);
    for (const name of keywords.named[group])
      for (const [key, child] of isObject(schema[name]) ? Object.entries(schema[name]) : [])
        add(child, `${name}.${key}`, same);
  }
  return children;
};

/** Returns every schema that stands inside one, itself first, with its path. What references name is where it stands. */
export const schemasInside = (
  root: unknown,
  path: string,
): readonly { readonly schema: Members; readonly path: string }[] =>
  isObject(root)
    ? [{ schema: root, path }, ...childrenOf(root).flatMap(({ schema, at }) => schemasInside(schema, `${path}.${at}`))]
    : [];

/** Returns the schema that a reference such as `#/a/b~1c` names (RFC 6901), or undefined. */
export const resolveRef = (root: unknown, ref: string): unknown => {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodedPart(part);
    if (key === null || typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the member, of a list too
    at = (at as Members)[key];
  }
  return at;
};

/**
 * Returns the names of the members that a schema declares for the values that it is checked against, in the order in which they
 * stand: its own, then those of its references and alternatives.
 */
export const declaredMembers = (root: unknown): readonly string[] => {
  const names = new Set<string>();
  const met = new Set<unknown>();
  const queue: unknown[] = [root];
  for (const schema of queue) {
    if (!isObject(schema) || met.has(schema)) continue;
    met.add(schema);
    const { properties, $ref: ref } = schema;
    for (const name of isObject(properties) ? Object.keys(properties) : []) names.add(name);
    if (typeof ref === 'string') queue.push(resolveRef(root, ref));
    for (const child of childrenOf(schema)) if (child.same) queue.push(child.schema);
  }
  return [...names];
};

const decodedPart = (part: string): string | null => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
};

/** The findings of the walk so far. */
interface Walk {
  readonly root: Members;
  readonly details: FaultDetail[];
  /** By schema, the schemas that apply to the same value. */
  readonly same: Map<object, object[]>;
  readonly budget: SchemaBudget;
  schemas: number;
  patterns: number;
}

/** Yields after each pattern that was compiled. */
function* checkKeywords(schema: Members, path: string, walk: Walk): Generator<undefined, void> {
  const addProblem = (keyword: string, message: string): void => {
    walk.details.push({ path: `${path}.${keyword}`.slice(0, 300).toWellFormed(), message });
  };
  for (const keyword of refusedKeywords)
    if (Object.hasOwn(schema, keyword)) addProblem(keyword, 'is not supported; leave it out');
  if (Object.hasOwn(schema, '$id') && schema !== walk.root)
    addProblem('$id', 'is not supported inside a schema; leave it out');
  const patterns: readonly (readonly [string, string])[] = [
    ...(typeof schema['pattern'] === 'string' ? [['pattern', schema['pattern']] as const] : []),
    ...(isObject(schema['patternProperties'])
      ? Object.keys(schema['patternProperties']).map((key) => [`patternProperties.${key}`, key] as const)
      : []),
  ];
  for (const [keyword, pattern] of patterns) {
    walk.patterns += 1;
    if (walk.patterns > schemaLimits.patterns) {
      addProblem(keyword, `is one pattern too many; a schema may have ${String(schemaLimits.patterns)}`);
      return;
    }
    const { problem, size } = checkPattern(pattern);
    walk.budget.takePattern(pattern, size);
    if (problem !== null) addProblem(keyword, problem);
    if (walk.budget.problem !== null) return;
    yield;
  }
}

/** Returns how many schemas one stands for: a name that another requires takes as long to compile as a schema. */
const countSchemas = ({ dependentRequired, dependencies }: Members): number =>
  [dependentRequired, dependencies]
    .filter(isObject)
    .flatMap((lists) => Object.values(lists))
    .reduce((sum: number, list) => sum + 1 + (Array.isArray(list) ? list.length : 0), 1);

/** Checks every schema inside the root once, in order, those behind references included. Yields after each pattern. */
function* walkAll(walk: Walk, path: string): Generator<undefined, void> {
  const queue: { schema: unknown; path: string }[] = [{ schema: walk.root, path }];
  for (let next = queue.shift(); next !== undefined && walk.details.length < limits.detailsMax; next = queue.shift()) {
    const { schema } = next;
    if (!isObject(schema) || walk.same.has(schema)) continue;
    const children = childrenOf(schema);
    const same = children.filter((child) => child.same).map((child) => child.schema);
    const ref = schema['$ref'];
    if (typeof ref === 'string') {
      const named = resolveRef(walk.root, ref);
      if (named === undefined)
        walk.details.push({
          path: `${next.path}.$ref`,
          message: 'must be # or a pointer such as #/$defs/address to a part of this schema',
        });
      else same.push(named);
      queue.push({ schema: named, path: `${next.path}.$ref` });
    }
    walk.same.set(schema, same.filter(isObject));
    const schemas = countSchemas(schema);
    walk.schemas += schemas;
    if (walk.schemas > schemaLimits.schemas) {
      walk.details.push({
        path,
        message: `has more than ${String(schemaLimits.schemas)} schemas inside, with the names in dependentRequired`,
      });
      return;
    }
    walk.budget.takeSchemas(schemas);
    if (walk.budget.problem === null) yield* checkKeywords(schema, next.path, walk);
    if (walk.budget.problem !== null) {
      walk.details.splice(0, Infinity, { path, message: walk.budget.problem });
      return;
    }
    for (const child of children) queue.push({ schema: child.schema, path: `${next.path}.${child.at}` });
  }
}

/** Returns how many schemas one value is checked against, or null when a schema leads back to itself for the same value. */
const countAppliedSchemas = (schema: object, walk: Walk, known: Map<object, number | null>): number | null => {
  const before = known.get(schema);
  if (before !== undefined) return before;
  known.set(schema, null);
  let sum: number | null = 1;
  for (const inner of walk.same.get(schema) ?? []) {
    const more = countAppliedSchemas(inner, walk, known);
    if (more === null) return null;
    sum = Math.min(sum + more, schemaLimits.applied + 1);
  }
  known.set(schema, sum);
  return sum;
};

const dialects: readonly unknown[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://json-schema.org/draft/2020-12/schema#',
];

/** Returns the problems of a schema's form, with paths below `path`. Yields after each pattern, so that other work can be done. */
function* jsonSchemaSteps(root: unknown, path: string, budget: SchemaBudget): Generator<undefined, FaultDetail[]> {
  if (!isObject(root)) return [{ path, message: 'must be an object' }];
  if (Buffer.byteLength(JSON.stringify(root)) > schemaLimits.bytes)
    return [{ path, message: `is larger than ${String(schemaLimits.bytes / 1024)} KiB` }];
  const { $schema: dialect } = root;
  if (dialect !== undefined && !dialects.includes(dialect))
    return [{ path: `${path}.$schema`, message: `must be ${String(dialects[0])}, or absent` }];
  const wrong = metaSchemaProblems(root, `${path}.`);
  if (wrong.length > 0) return wrong;
  const walk: Walk = { root, details: [], same: new Map(), budget, schemas: 0, patterns: 0 };
  yield* walkAll(walk, path);
  if (walk.details.length > 0) return walk.details;
  const known = new Map<object, number | null>();
  for (const schema of walk.same.keys()) {
    const count = countAppliedSchemas(schema, walk, known);
    if (count === null) return [{ path, message: 'has a $ref that leads back to itself' }];
    if (count > schemaLimits.applied)
      return [
        {
          path,
          message: `checks one value against more than ${String(schemaLimits.applied)} schemas through its references`,
        },
      ];
  }
  return [];
}

/** Returns the problems of a schema's form, with paths below `path`. */
export const jsonSchemaProblems = (root: unknown, path: string): FaultDetail[] => {
  const steps = jsonSchemaSteps(root, path, createBudget());
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
};

/** As `jsonSchemaSteps`, for a schema of objects: fields of items, inputs of actions. */
export function* objectSchemaSteps(
  schema: object,
  path: string,
  budget: SchemaBudget,
): Generator<undefined, FaultDetail[]> {
  const { type } = schema as { readonly type?: unknown };
  return type === undefined || type === 'object'
    ? yield* jsonSchemaSteps(schema, path, budget)
    : [{ path: `${path}.type`, message: 'must be object' }];
}
