/** Compares conditions by trying values: which hold whatever they are asked about, and which admit more than others. Used by rules.ts. */
import { isDeepStrictEqual } from 'node:util';
import { compareValues, getComparison } from '../../../platform/conditions/conditions.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { conditionOf } from '../when.ts';

type Members = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the comparisons of a condition, at any level. */
const comparisonsOf = (condition: unknown): readonly Members[] => {
  if (!isObject(condition)) return [];
  const { all, any, not, op } = condition;
  return [
    ...(op === undefined ? [] : [condition]),
    ...[...list(all), ...list(any), ...(not === undefined ? [] : [not])].flatMap(comparisonsOf),
  ];
};

/** Values by paths of the subject. */
type Values = ReadonlyMap<unknown, unknown>;

/** Returns whether a condition holds where its paths have these values. */
const holdsWith = (condition: unknown, values: Values): boolean => {
  if (!isObject(condition)) return false;
  const { all, any, not, field, op, value, path } = condition;
  if (all !== undefined) return list(all).every((inner) => holdsWith(inner, values));
  if (any !== undefined) return list(any).some((inner) => holdsWith(inner, values));
  if (not !== undefined) return !holdsWith(not, values);
  const actual = values.get(field);
  return path === undefined
    ? getComparison(String(op))(actual, value)
    : compareValues(String(op), actual, values.get(path));
};

/** No value, and values of each type that no condition names. */
const others: readonly unknown[] = [undefined, null, '', '\u0001', -1e15, 1e15, 0.5, true, false, [], {}];

/** Returns the values that a comparison tells apart, and others beside them. */
const valuesNear = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value.flatMap(valuesNear);
  if (typeof value === 'number') return [value, value - 1, value + 1];
  return typeof value === 'string' ? [value, `${value}\u0001`, `\u0001${value}`] : [value];
};

/** Values that are tried at most; a condition of more is taken to depend on its subject. */
const triedMost = 4_096;

/** Returns values for all paths that the comparisons read, such that every two that they tell apart are among them; null: too many. */
const valuesToTry = (comparisons: readonly Members[]): readonly Values[] | null => {
  const paths = new Set(comparisons.flatMap(({ field, path }) => (path === undefined ? [field] : [field, path])));
  let tried: readonly Values[] = [new Map()];
  for (const path of paths) {
    const near = comparisons.flatMap((one) =>
      one['field'] === path && one['path'] === undefined ? valuesNear(one['value']) : [],
    );
    const values = [...new Set([...others, ...near])];
    if (tried.length * values.length > triedMost) return null;
    tried = tried.flatMap((known) => values.map((value) => new Map([...known, [path, value]])));
  }
  return tried;
};

/** Returns whether a declared `when` refuses nothing: it holds for every value that its comparisons tell apart. */
export const alwaysHolds = (when: object): boolean => {
  const condition = conditionOf(when);
  return valuesToTry(comparisonsOf(condition))?.every((values) => holdsWith(condition, values)) ?? false;
};

const isOfInput = (path: unknown): boolean => typeof path === 'string' && path.startsWith('input.');

/**
 * Returns whether a `when` admits, for a record to which the former one applies, an input that the former one refuses. Where
 * there is too much to try, every other `when` does.
 */
export const admitsMoreInput = (former: object, when: object): boolean => {
  const [before, now] = [conditionOf(former), conditionOf(when)];
  const comparisons = comparisonsOf(before);
  if (!comparisons.some(({ field, path }) => isOfInput(field) || isOfInput(path)) || isDeepStrictEqual(before, now))
    return false;
  const tried = valuesToTry([...comparisons, ...comparisonsOf(now)]);
  if (tried === null) return true;
  const recordOf = (values: Values): string => JSON.stringify([...values].filter(([path]) => !isOfInput(path)));
  const applied = new Set(tried.filter((values) => holdsWith(before, values)).map(recordOf));
  return tried.some((values) => holdsWith(now, values) && !holdsWith(before, values) && applied.has(recordOf(values)));
};
