/** Compares the limits of an action's input with those in force, and keeps the latter in the schema. Used by rules.ts and by actions.ts. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { collectInputLimits, limitKeywords, type InputLimits } from './inputWalk.ts';
import { isNarrowerType, isWider, keywordOf, numericKeywords, strictest } from './limitOrder.ts';

type Schema = Readonly<Record<string, unknown>>;

const partName = (part: string): string => part.replaceAll('~1', '.').replaceAll('~0', '~');
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Returns whether a declared input takes no value at the place of a path: an object on the way is closed and lacks the property. */
const isUnreachable = (schema: unknown, [step, name, ...rest]: readonly string[]): boolean => {
  if (!isObject(schema) || step === undefined) return false;
  if (step === 'items') return isUnreachable(schema['items'], name === undefined ? [] : [name, ...rest]);
  if (step !== 'properties' || name === undefined) return false;
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const own = partName(name);
  if (Object.hasOwn(properties, own)) return properties[own] === false || isUnreachable(properties[own], rest);
  return schema['additionalProperties'] === false && schema['patternProperties'] === undefined;
};

interface InputComparison {
  /** The limits that are declared, with the types of all places. */
  readonly limits: InputLimits;
  /** Paths of limits in force that the declaration removes or widens. */
  readonly widened: readonly string[];
  /** Paths of limits in force to which the declaration has no place any more. */
  readonly unreachable: readonly string[];
}

const closedInput = { type: 'object', additionalProperties: false };

/** Compares a declared input with the limits in force. An absent input takes no value. */
export const compareInput = (inForce: InputLimits, declared: object = closedInput): InputComparison => {
  const limits = collectInputLimits(declared);
  const [widened, unreachable]: [string[], string[]] = [[], []];
  for (const [path, values] of Object.entries(inForce)) {
    if (!isWider(path, values, limits)) continue;
    (isUnreachable(declared, path.split('.').slice(0, -1)) ? unreachable : widened).push(path);
  }
  return { limits, widened, unreachable };
};

/** Returns a limit as people read it: its value, or the values that all have to hold. */
export const limitValue = (path: string, values: readonly unknown[] | undefined): unknown => {
  if (values === undefined || values.length === 0) return null;
  const keyword = keywordOf(path);
  if (numericKeywords.has(keyword)) return strictest(values, keyword);
  const shown = values.map((value) =>
    isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, keyword) ? value[keyword] : value,
  );
  return shown.length === 1 ? shown[0] : shown;
};

const simpleKeywords: ReadonlySet<string> = new Set([...limitKeywords, 'type']);

/** Returns the schemas that require each of the values, for the place where the keyword stands. */
const fragmentsOf = (keyword: string, values: readonly unknown[]): Schema[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- other keywords are kept as the part of a schema
  values.map((value) => (simpleKeywords.has(keyword) ? { [keyword]: value } : (value as Schema)));

/** Returns a schema that requires `fragment` at the place that the steps of a path lead to. */
const schemaAt = (steps: readonly string[], fragment: Schema): Schema => {
  const [step, name, ...rest] = steps;
  if (step === undefined) return fragment;
  if (step === 'items') return { items: schemaAt(steps.slice(1), fragment) };
  const inner = schemaAt(rest, fragment);
  if (step === 'prefixItems') return { prefixItems: [...Array.from({ length: Number(name) }, () => true), inner] };
  return { [step]: { [partName(name ?? '')]: inner } };
};

/**
 * Returns the declared schema with the keyword set where it stands, so that it can be read there; null when it does not
 * stand there by itself, as the way to it leads through a reference or out of the schema.
 */
const setInPlace = (schema: unknown, steps: readonly string[], keyword: string, value: unknown): Schema | null => {
  if (!isObject(schema)) return null;
  const [step, name, ...rest] = steps;
  if (step === undefined) {
    const now = schema[keyword];
    if (now === undefined || numericKeywords.has(keyword) || (keyword === 'type' && isNarrowerType(value, now)))
      return { ...schema, [keyword]: value };
    if (keyword !== 'enum' || !Array.isArray(now) || !Array.isArray(value)) return null;
    const both = now.filter((one) => value.some((other) => isDeepStrictEqual(one, other)));
    return both.length === 0 ? null : { ...schema, enum: both };
  }
  if (step === 'items') {
    // Beside `prefixItems` it applies to what these leave over, and not to all elements.
    if (Object.hasOwn(schema, 'prefixItems')) return null;
    const inner = setInPlace(schema['items'], steps.slice(1), keyword, value);
    return inner === null ? null : { ...schema, items: inner };
  }
  const named = schema[step];
  const own = partName(name ?? '');
  if (step === 'prefixItems' || !isObject(named) || !Object.hasOwn(named, own)) return null;
  const inner = setInPlace(named[own], rest, keyword, value);
  return inner === null ? null : { ...schema, [step]: { ...named, [own]: inner } };
};

const freeName = (name: string, taken: object): string =>
  Object.hasOwn(taken, name) ? freeName(`${name}_`, taken) : name;

/** Returns the schema with every reference in it below `at`. */
const movedReferences = (value: unknown, at: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => movedReferences(one, at));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === '$ref' && typeof one === 'string' ? `${at}${one.slice(1)}` : movedReferences(one, at),
    ]),
  );
};

const withAll = (schema: Schema, further: readonly unknown[]): Schema => ({
  ...schema,
  allOf: [...(isList(schema['allOf']) ? schema['allOf'] : []), ...further],
});

/** Returns the schema with a whole former schema required beside it. */
const withWhole = (schema: Schema, whole: unknown): Schema => {
  const defs = isObject(schema['$defs']) ? schema['$defs'] : {};
  const name = freeName('inForce', defs);
  const moved = { ...schema, $defs: { ...defs, [name]: movedReferences(whole, `#/$defs/${name}`) } };
  return withAll(moved, [{ $ref: `#/$defs/${name}` }]);
};

const withLimit = (schema: Schema, path: string, values: readonly unknown[]): Schema => {
  if (path === '') return values.reduce<Schema>(withWhole, schema);
  const steps = path.split('.');
  const keyword = steps.pop() ?? '';
  const one = numericKeywords.has(keyword) ? [strictest(values, keyword)] : values;
  const set = one.length === 1 && simpleKeywords.has(keyword) ? setInPlace(schema, steps, keyword, one[0]) : null;
  if (set !== null) return set;
  return withAll(
    schema,
    fragmentsOf(keyword, values).map((fragment) => schemaAt(steps, fragment)),
  );
};

/** Returns the declared schema with the limits in force that it removes or widens; the same object when it does neither. */
export const keepInputLimits = (declared: object, inForce: InputLimits): object =>
  Object.keys(inForce).length === 0
    ? declared
    : compareInput(inForce, declared).widened.reduce<Schema>(
        (schema, path) => withLimit(schema, path, inForce[path] ?? []),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a schema is a JSON object
        declared as Schema,
      );
