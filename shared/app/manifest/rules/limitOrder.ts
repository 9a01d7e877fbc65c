/** Finds which limits of an input are wider than others. Used by inputLimits.ts, and the other way round by narrowing.ts. */
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '../../../platform/json/jsonLimits.ts';
import type { InputLimits } from './inputWalk.ts';

/** Returns the keyword at the end of a path. */
export const keywordOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
const neighbour = (path: string, keyword: string): string => `${path.slice(0, path.lastIndexOf('.') + 1)}${keyword}`;
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const lowerBounds: ReadonlySet<string> = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems']);
/** Keywords whose value is a number: of several the strictest holds. */
export const numericKeywords: ReadonlySet<string> = new Set([
  ...lowerBounds,
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
]);

/** Returns the value that holds of several of a numeric keyword. */
export const strictest = (values: readonly unknown[], keyword: string): number =>
  lowerBounds.has(keyword) ? Math.max(...values.map(Number)) : Math.min(...values.map(Number));

/** Returns whether a value of a keyword in force is not met by the values that are declared. */
const exceeds = (bound: number, keyword: string, now: readonly unknown[] | undefined): boolean =>
  now === undefined || (lowerBounds.has(keyword) ? strictest(now, keyword) < bound : strictest(now, keyword) > bound);

/** Returns whether a declaration admits numbers beyond a bound in force, which either form of bound may keep. */
const exceedsBound = (
  path: string,
  values: readonly unknown[],
  declared: InputLimits,
  [inclusive, exclusive]: readonly [string, string],
): boolean => {
  const keyword = keywordOf(path);
  const bound = strictest(values, keyword);
  const now = declared[neighbour(path, inclusive)];
  const isMet =
    !exceeds(bound, exclusive, declared[neighbour(path, exclusive)]) ||
    (!exceeds(bound, inclusive, now) && (keyword === inclusive || strictest(now ?? [], inclusive) !== bound));
  return !isMet;
};

/** Numbers are of two kinds, as `integer` is a part of `number`. */
const allKinds = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction'] as const;

const kindsOf = (type: unknown): readonly unknown[] =>
  (isList(type) ? type : [type]).flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : [name]));

/** Returns the kinds of values that all of the values of `type` admit. */
export const admittedKinds = (types: readonly unknown[]): readonly string[] => {
  const lists = types.map(kindsOf);
  return allKinds.filter((kind) => lists.every((list) => list.includes(kind)));
};

/** Returns the kind of a value. */
export const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  return typeof value;
};

/** Returns whether each value of one `type` is one of the other. */
export const isNarrowerType = (type: unknown, than: unknown): boolean =>
  admittedKinds([type]).every((kind) => admittedKinds([than]).includes(kind));

/** Returns values as texts: a list of thousands is looked up in, and not gone through for each value. */
const textOf = (value: unknown): string => (typeof value === 'object' ? canonicalJson(value) : JSON.stringify(value));
const textsOf = (values: readonly unknown[]): ReadonlySet<string> => new Set(values.map(textOf));

/** Returns the values that a path allows by all of its `enum` and `const`; null: any. */
export const allowedValues = (declared: InputLimits, path: string): readonly unknown[] | null => {
  const lists = [
    ...(declared[neighbour(path, 'enum')] ?? []),
    ...(declared[neighbour(path, 'const')] ?? []).map((value) => [value]),
  ].filter(isList);
  const [first, ...others] = lists;
  if (first === undefined) return null;
  const texts = others.map(textsOf);
  return texts.length === 0 ? first : first.filter((value) => texts.every((other) => other.has(textOf(value))));
};

/** Returns whether a declaration takes values of a kind that the types in force of a path refuse. */
const isWiderType = (path: string, types: readonly unknown[], declared: InputLimits): boolean => {
  const inForce = admittedKinds(types);
  const kinds = admittedKinds(declared[path] ?? []);
  const listed = allowedValues(declared, path)?.map(kindOf);
  return kinds.some((kind) => !inForce.includes(kind) && (listed === undefined || listed.includes(kind)));
};

/** Returns whether a declaration allows what the values in force of a path don't. A changed `pattern` counts, as its language can't be compared. */
export const isWider = (path: string, values: readonly unknown[], declared: InputLimits): boolean => {
  const keyword = keywordOf(path);
  const now = declared[path];
  switch (keyword) {
    case 'maxLength':
    case 'maxItems':
    case 'minLength':
    case 'minItems':
      return exceeds(strictest(values, keyword), keyword, now);
    case 'maximum':
    case 'exclusiveMaximum':
      return exceedsBound(path, values, declared, ['maximum', 'exclusiveMaximum']);
    case 'minimum':
    case 'exclusiveMinimum':
      return exceedsBound(path, values, declared, ['minimum', 'exclusiveMinimum']);
    case 'type':
      return isWiderType(path, values, declared);
    case 'enum':
    case 'const': {
      const allowed = textsOf(allowedValues({ [path]: values }, path) ?? []);
      const declaredValues = allowedValues(declared, path);
      return declaredValues?.some((value) => !allowed.has(textOf(value))) ?? true;
    }
    default:
      return values.some((value) => !(now ?? []).some((one) => isDeepStrictEqual(one, value)));
  }
};
