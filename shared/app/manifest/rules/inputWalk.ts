/** Collects the limits of an action's input from its JSON Schema, each at its path, with references resolved. Used by inputLimits.ts. */
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { resolveRef, schemaKeywords } from '../../../platform/json/jsonSchemaProblems.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The limits of an input: by path (`properties.amount.maximum`) the values of the keyword that the path ends with, all of
 * which hold. Of a keyword with alternatives the value is the part of the schema that has it. `type` is among them for what
 * has a limit, at its place or below. The path '' has the whole schema, when it can't be taken apart.
 */
export type InputLimits = Readonly<Record<string, readonly unknown[]>>;

/** Keywords whose removal or widening loosens a dangerous action. */
export const limitKeywords = [
  'enum',
  'const',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'maxItems',
  'pattern',
] as const;

const annotations = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);
const unused = new Set(['$schema', '$id', '$comment', '$defs', 'definitions', '$anchor']);

/** Keywords that are compared as a whole, with those that they mean nothing without. */
const wholeKeywords: readonly (readonly string[])[] = [
  ['anyOf'],
  ['oneOf'],
  ['not'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['propertyNames'],
  ['dependentSchemas'],
];

/** Schemas that are looked at, through all references; of a larger input the whole schema is the limit. */
const schemasMax = 2_000;
const pathsMax = 500;

/** Thrown by the walk when a schema can't be taken apart: it leads back to itself, or is too large. */
class IndivisibleError extends Error {}

/** Returns a name as a part of a path: paths are cut at dots. */
const pathPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('.', '~1');

const hasLimit = (schema: unknown): boolean =>
  new RegExp(`"(?:${limitKeywords.join('|')})":`).test(JSON.stringify(schema));

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const allTrue = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, true]));

class InputWalk {
  readonly found = new Map<string, unknown[]>();
  /** `type` of each place but the input itself, which is an object always. Not counted, as most belong to no limit. */
  readonly types = new Map<string, unknown[]>();
  readonly #root: Schema;
  #schemas = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  #count(): void {
    this.#schemas += 1;
    if (this.#schemas > schemasMax || this.found.size > pathsMax) throw new IndivisibleError();
  }

  #add(path: readonly string[], keyword: string, value: unknown, to = this.found): void {
    const key = [...path, keyword].join('.');
    const known = to.get(key) ?? [];
    const text = JSON.stringify(value);
    if (!known.some((other) => JSON.stringify(other) === text)) to.set(key, [...known, value]);
  }

  #resolve(ref: string, refs: readonly string[]): unknown {
    if (refs.includes(ref)) throw new IndivisibleError();
    return resolveRef(this.#root, ref);
  }

  /** Returns a schema without what does not restrict a value, and with what it refers to in place of the reference. */
  inline(schema: unknown, refs: readonly string[]): unknown {
    if (!isObject(schema)) return schema;
    this.#count();
    const inner = (value: unknown): unknown => this.inline(value, refs);
    const members = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (annotations.has(key) || unused.has(key) || key === '$ref') return [];
      if (schemaKeywords.named.includes(key) && isObject(value))
        return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]))]];
      if (schemaKeywords.list.includes(key)) return [[key, list(value).map(inner)]];
      return [[key, schemaKeywords.one.includes(key) ? inner(value) : value]];
    });
    const own = Object.fromEntries(members);
    const ref = schema['$ref'];
    if (typeof ref !== 'string') return own;
    const named = this.inline(this.#resolve(ref, refs), [...refs, ref]);
    return members.length === 0 ? named : { allOf: [named, own] };
  }

  #addWhole(path: readonly string[], keyword: string, fragment: Schema, refs: readonly string[]): void {
    if (!hasLimit(fragment) && !JSON.stringify(fragment).includes('"$ref":')) return;
    const inlined = this.inline(fragment, refs);
    if (hasLimit(inlined)) this.#add(path, keyword, inlined);
  }

  /** `items` and `additionalProperties` apply to what their neighbours leave over. */
  #addRest(schema: Schema, path: readonly string[], refs: readonly string[]): void {
    const { properties, patternProperties, additionalProperties, prefixItems, items } = schema;
    if (isObject(additionalProperties))
      this.#addWhole(
        path,
        'additionalProperties',
        {
          ...(isObject(properties) ? { properties: allTrue(Object.keys(properties)) } : {}),
          ...(isObject(patternProperties) ? { patternProperties: allTrue(Object.keys(patternProperties)) } : {}),
          additionalProperties,
        },
        refs,
      );
    if (isObject(items) && prefixItems !== undefined)
      this.#addWhole(path, 'items', { prefixItems: list(prefixItems).map(() => true), items }, refs);
  }

  walk(schema: unknown, path: readonly string[], refs: readonly string[]): void {
    if (!isObject(schema)) return;
    this.#count();
    for (const keyword of limitKeywords) if (Object.hasOwn(schema, keyword)) this.#add(path, keyword, schema[keyword]);
    if (path.length > 0 && Object.hasOwn(schema, 'type')) this.#add(path, 'type', schema['type'], this.types);
    const { $ref: ref, allOf, properties, patternProperties, prefixItems, items } = schema;
    if (typeof ref === 'string') this.walk(this.#resolve(ref, refs), path, [...refs, ref]);
    for (const one of list(allOf)) this.walk(one, path, refs);
    for (const [keyword, named] of Object.entries({ properties, patternProperties }))
      if (isObject(named))
        for (const [name, one] of Object.entries(named)) this.walk(one, [...path, keyword, pathPart(name)], refs);
    for (const [i, one] of list(prefixItems).entries()) this.walk(one, [...path, 'prefixItems', String(i)], refs);
    if (prefixItems === undefined) this.walk(items, [...path, 'items'], refs);
    this.#addRest(schema, path, refs);
    for (const group of wholeKeywords) {
      const [keyword = ''] = group;
      if (!Object.hasOwn(schema, keyword)) continue;
      const members = group.filter((name) => Object.hasOwn(schema, name)).map((name) => [name, schema[name]] as const);
      this.#addWhole(path, keyword, Object.fromEntries(members), refs);
    }
    if (isObject(schema['unevaluatedProperties']) || isObject(schema['unevaluatedItems'])) throw new IndivisibleError();
  }
}

/** Returns the schema without what names and explains it, to compare it as a whole. */
const wholeInput = ({ $schema: _, $id: __, $comment: ___, title: ____, description: _____, ...rest }: Schema): Schema =>
  rest;

/** Returns the limits of an input, with the types of all places. Its schema has passed the checks of manifests. */
export const collectInputLimits = (schema: object): InputLimits => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a schema is a JSON object
  const root = schema as Schema;
  const walk = new InputWalk(root);
  try {
    walk.walk(root, [], []);
  } catch (error) {
    if (!(error instanceof IndivisibleError)) throw error;
    return { '': [wholeInput(root)] };
  }
  return Object.fromEntries([...walk.found, ...walk.types]);
};

/** Keywords that say by themselves which values there are, of whatever type. */
const listingKeywords: ReadonlySet<string> = new Set(['enum', 'const']);

/**
 * Returns limits without the types that keep none of them: those of places without a limit, at them or below. A limit means
 * nothing for values of another type, so that `maximum` holds only together with `type: number`.
 */
export const withoutFreeTypes = (limits: InputLimits): InputLimits => {
  const bound = new Set<string>();
  for (const path of Object.keys(limits)) {
    const parts = path.split('.');
    const keyword = parts.pop() ?? '';
    if (keyword === 'type') continue;
    if (listingKeywords.has(keyword)) parts.pop();
    while (parts.length > 0) {
      bound.add(parts.join('.'));
      parts.pop();
    }
  }
  return Object.fromEntries(
    Object.entries(limits).filter(([path]) => !path.endsWith('.type') || bound.has(path.slice(0, -'.type'.length))),
  );
};

/** Returns the types among limits. */
export const typesAmong = (limits: InputLimits): InputLimits =>
  Object.fromEntries(Object.entries(limits).filter(([path]) => path.endsWith('.type')));
