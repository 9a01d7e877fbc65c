/** Finds conditions that hold whatever they are asked about: to declare one is to declare none. Used by rules.ts. */
import { getComparison } from '../../platform/core/conditions.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';
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

/** Returns whether a condition holds where its fields have these values. */
const holdsWith = (condition: unknown, values: ReadonlyMap<unknown, unknown>): boolean => {
  if (!isObject(condition)) return false;
  const { all, any, not, field, op, value } = condition;
  if (all !== undefined) return list(all).every((inner) => holdsWith(inner, values));
  if (any !== undefined) return list(any).some((inner) => holdsWith(inner, values));
  if (not !== undefined) return !holdsWith(not, values);
  return getComparison(String(op))(values.get(field), value);
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

/** Returns whether a declared `when` refuses nothing: it holds for every value that its comparisons tell apart. */
export const alwaysHolds = (when: object): boolean => {
  const condition = conditionOf(when);
  const comparisons = comparisonsOf(condition);
  const fields = [...new Set(comparisons.map(({ field }) => field))];
  let tried: readonly ReadonlyMap<unknown, unknown>[] = [new Map()];
  for (const field of fields) {
    const near = comparisons.flatMap((one) => (one['field'] === field ? valuesNear(one['value']) : []));
    const values = [...new Set([...others, ...near])];
    if (tried.length * values.length > triedMost) return false;
    tried = tried.flatMap((known) => values.map((value) => new Map([...known, [field, value]])));
  }
  return tried.every((values) => holdsWith(condition, values));
};
