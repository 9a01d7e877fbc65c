/** Places of a JSON Schema: which schemas hold for one value, and what they say of it by themselves. Used by narrowing.ts. */
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { resolveRef } from '../../../platform/json/jsonSchemaProblems.ts';
import type { InputLimits } from './inputWalk.ts';
import { admittedKinds, allowedValues, kindOf } from './limitOrder.ts';

type Schema = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Keywords with the kinds of values that they limit; null: all. */
const limitedKinds: Readonly<Record<string, readonly string[] | null>> = {
  type: null,
  enum: null,
  const: null,
  maximum: ['integer', 'fraction'],
  exclusiveMaximum: ['integer', 'fraction'],
  minimum: ['integer', 'fraction'],
  exclusiveMinimum: ['integer', 'fraction'],
  maxLength: ['string'],
  minLength: ['string'],
  pattern: ['string'],
  format: ['string'],
  maxItems: ['array'],
  minItems: ['array'],
  uniqueItems: ['array'],
};

/** Returns whether a keyword means something for one of the kinds. */
export const limitsKinds = (keyword: string, kinds: readonly string[]): boolean =>
  limitedKinds[keyword]?.some((kind) => kinds.includes(kind)) ?? true;

/** Values of keywords that limit nothing. */
const freeValues: Readonly<Record<string, unknown>> = { uniqueItems: false, minLength: 0, minItems: 0 };

/** Keywords whose schemas hold for some values only. */
const conditionalKeywords = ['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired'];

/** Thrown when there is more to compare than is compared. */
export class TooLargeError extends Error {}

/** Characters of schemas that are looked at, each schema with all inside it, and again for each reference to it. */
const charactersMax = 1_000_000;

/** The characters left of those that one comparison of manifests may look at, which bounds it whatever the references lead to. */
export class Budget {
  readonly #sizes = new WeakMap<object, number>();
  #left = charactersMax;

  /** Counts a look at a schema. Throws `TooLargeError` when it is one too many. */
  take(schema: Schema): void {
    const size = this.#sizes.get(schema) ?? JSON.stringify(schema).length;
    this.#sizes.set(schema, size);
    this.#left -= size;
    if (this.#left < 0) throw new TooLargeError();
  }
}

/** The places of one schema. */
export class Places {
  readonly #root: unknown;
  readonly #budget: Budget;

  constructor(root: unknown, budget: Budget) {
    this.#root = root;
    this.#budget = budget;
  }

  /** Returns the schemas that all hold where the given ones do: these, what they refer to, and their `allOf`. */
  at(given: readonly unknown[]): readonly Schema[] {
    const found = new Set<Schema>();
    const queue = [...given];
    for (let schema = queue.shift(); schema !== undefined; schema = queue.shift()) {
      if (!isObject(schema) || found.has(schema)) continue;
      this.#budget.take(schema);
      found.add(schema);
      if (typeof schema['$ref'] === 'string') queue.push(resolveRef(this.#root, schema['$ref']));
      queue.push(...list(schema['allOf']));
    }
    return [...found];
  }

  /** Returns the limits of a place by their keywords. Of alternatives the types and the values of all of them are limits. */
  limits(place: readonly Schema[]): InputLimits {
    const found: Record<string, unknown[]> = {};
    const add = (keyword: string, value: unknown): void => {
      (found[keyword] ??= []).push(value);
    };
    for (const schema of place) {
      for (const keyword of Object.keys(limitedKinds))
        if (Object.hasOwn(schema, keyword) && schema[keyword] !== freeValues[keyword]) add(keyword, schema[keyword]);
      for (const branches of [schema['anyOf'], schema['oneOf']])
        if (Array.isArray(branches)) this.#addAlternatives(branches, add);
    }
    return found;
  }

  #addAlternatives(branches: readonly unknown[], add: (keyword: string, value: unknown) => void): void {
    const each = branches.filter((branch) => branch !== false).map((branch) => this.limits(this.at([branch])));
    add('type', [...new Set(each.flatMap(kindsOf))]);
    const values = each.map(valuesOf);
    if (values.every((some) => some !== null)) add('enum', values.flat());
  }
}

/** Returns the kinds of values that limits admit. */
export const kindsOf = (limits: InputLimits): readonly string[] => {
  const kinds = admittedKinds(limits['type'] ?? []);
  const listed = allowedValues(limits, 'enum')?.map(kindOf);
  return listed === undefined ? kinds : kinds.filter((kind) => listed.includes(kind));
};

const fewValues: Readonly<Record<string, readonly unknown[]>> = { boolean: [true, false], null: [null] };

/** Returns the values that limits admit where these are few; null: any, or too many to list. */
export const valuesOf = (limits: InputLimits): readonly unknown[] | null => {
  const kinds = admittedKinds(limits['type'] ?? []);
  const listed = allowedValues(limits, 'enum');
  if (listed !== null) return listed.filter((value) => kinds.includes(kindOf(value)));
  const few = kinds.map((kind) => fewValues[kind]);
  return few.every((values) => values !== undefined) ? few.flat() : null;
};

/** Returns what holds for some values of a place only. */
export const conditionsOf = (place: readonly Schema[]): readonly unknown[] =>
  place.flatMap((schema) =>
    conditionalKeywords
      .filter((keyword) => Object.hasOwn(schema, keyword))
      .map((keyword) => [keyword, schema[keyword]]),
  );

/** Returns the schemas of a property at a place. */
export const propertyOf = (place: readonly Schema[], name: string): readonly unknown[] =>
  place.flatMap(({ properties }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  );

/** Returns the names of the properties that a place takes by name. */
export const propertyNames = (place: readonly Schema[]): readonly string[] => [
  ...new Set(place.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))),
];

const isClosed = ({ additionalProperties, patternProperties }: Schema): boolean =>
  additionalProperties === false && patternProperties === undefined;

/** Returns whether a place refuses the members that nothing names. `unevaluated`: also where only its alternatives may name some. */
export const refusesOthers = (place: readonly Schema[], unevaluated: boolean): boolean =>
  place.some(
    (schema) =>
      isClosed(schema) ||
      (unevaluated && (schema['additionalProperties'] === false || schema['unevaluatedProperties'] === false)),
  );

/** Returns whether a place refuses a member, whatever its value. */
export const refusesMember = (place: readonly Schema[], name: string): boolean =>
  propertyOf(place, name).includes(false) ||
  place.some((schema) => isClosed(schema) && propertyOf([schema], name).length === 0);

/** Returns the members that a place requires. */
export const requiredOf = (place: readonly Schema[]): readonly string[] => [
  ...new Set(place.flatMap(({ required }) => list(required).map(String))),
];
