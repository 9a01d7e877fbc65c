/**
 * What is wrong with a JSON Schema of the customer's app (contract section 5) before it is compiled: its size, its
 * references and its patterns. Walks schemas only, so that a property called `pattern` or an example is none.
 */
import { isObject } from './jsonLimits.ts';
import type { FaultDetail } from '../../catalogue/errors.ts';
import { patternProblem } from './linearPattern.ts';
import { metaSchemaProblems } from './appSchemas.ts';

export const schemaLimits = {
  bytes: 64 * 1024,
  /** Schemas inside one: each is up to 0.4 ms of compiling, which nothing else can interrupt. */
  schemas: 250,
  patterns: 50,
  /** Schemas that one value has to be held against, through all references. */
  applied: 10_000,
} as const;

type Members = Readonly<Record<string, unknown>>;

/** Which keywords hold schemas: one, a list, or one by name. Those of the first group speak of the same value. */
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
  named: { same: ['dependentSchemas'], below: ['properties', 'patternProperties', '$defs', 'definitions'] },
} as const;

/** They would make it speak of other documents, of itself by other ways than `$ref`, or answer later. */
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

/** What `#/a/b~1c` names, or undefined. */
const resolveRef = (root: unknown, ref: string): unknown => {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let at = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodedPart(part);
    if (key === null || typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Members)[key];
  }
  return at;
};

const decodedPart = (part: string): string | null => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
};

/** Everything that was found on the walk. */
interface Walk {
  readonly root: Members;
  readonly details: FaultDetail[];
  /** Of each schema those that speak of the same value. */
  readonly same: Map<object, object[]>;
  patterns: number;
}

const checkKeywords = (schema: Members, path: string, walk: Walk): void => {
  const say = (keyword: string, message: string): void => {
    walk.details.push({ path: `${path}.${keyword}`.slice(0, 300).toWellFormed(), message });
  };
  for (const keyword of refusedKeywords) if (Object.hasOwn(schema, keyword)) say(keyword, 'is not taken here');
  if (Object.hasOwn(schema, '$id') && schema !== walk.root) say('$id', 'is not taken inside a schema');
  const patterns: readonly (readonly [string, unknown])[] = [
    ...(typeof schema['pattern'] === 'string' ? [['pattern', schema['pattern']] as const] : []),
    ...(isObject(schema['patternProperties'])
      ? Object.keys(schema['patternProperties']).map((key) => [`patternProperties.${key}`, key] as const)
      : []),
  ];
  for (const [keyword, pattern] of patterns) {
    walk.patterns += 1;
    const problem =
      walk.patterns > schemaLimits.patterns
        ? `is one pattern too many; ${String(schemaLimits.patterns)} are taken`
        : patternProblem(String(pattern));
    if (problem !== null) say(keyword, problem);
    if (walk.patterns > schemaLimits.patterns) return;
  }
};

/** Looks at every schema once, those that are referred to included. */
const walkAll = (walk: Walk, path: string): void => {
  const queue: { schema: unknown; path: string }[] = [{ schema: walk.root, path }];
  for (let next = queue.shift(); next !== undefined && walk.details.length < 20; next = queue.shift()) {
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
    if (walk.same.size > schemaLimits.schemas) {
      walk.details.push({ path, message: `has more than ${String(schemaLimits.schemas)} schemas inside` });
      return;
    }
    checkKeywords(schema, next.path, walk);
    for (const child of children) queue.push({ schema: child.schema, path: `${next.path}.${child.at}` });
  }
};

/** How many schemas one value is held against, or null where a schema leads back to itself without going into the value. */
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

/** Every problem of a schema's form, with paths below `path`. */
export const jsonSchemaProblems = (root: unknown, path: string): FaultDetail[] => {
  if (!isObject(root)) return [{ path, message: 'must be an object' }];
  if (Buffer.byteLength(JSON.stringify(root)) > schemaLimits.bytes)
    return [{ path, message: `is larger than ${String(schemaLimits.bytes / 1024)} KiB` }];
  const { $schema: dialect } = root;
  if (dialect !== undefined && !dialects.includes(dialect))
    return [{ path: `${path}.$schema`, message: `must be ${String(dialects[0])}, or absent` }];
  const wrong = metaSchemaProblems(root, `${path}.`);
  if (wrong.length > 0) return wrong;
  const walk: Walk = { root, details: [], same: new Map(), patterns: 0 };
  walkAll(walk, path);
  if (walk.details.length > 0) return walk.details;
  const known = new Map<object, number | null>();
  for (const schema of walk.same.keys()) {
    const count = countAppliedSchemas(schema, walk, known);
    if (count === null) return [{ path, message: 'has a $ref that leads back to itself' }];
    if (count > schemaLimits.applied)
      return [{ path, message: 'holds one value against too many schemas through its references' }];
  }
  return [];
};

/** The same for what has to be an object: fields of items, inputs of actions. */
export const objectSchemaProblems = (schema: object | undefined, path: string): FaultDetail[] => {
  if (schema === undefined) return [];
  const { type } = schema as { readonly type?: unknown };
  return type === undefined || type === 'object'
    ? jsonSchemaProblems(schema, path)
    : [{ path: `${path}.type`, message: 'must be object' }];
};
