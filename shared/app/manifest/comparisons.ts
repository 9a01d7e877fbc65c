/** Finds the comparisons of a condition in a manifest. Used by orderedTexts.ts and unknownNames/paths.ts. */
import { isObject } from '../../platform/json/jsonLimits.ts';

interface Comparison {
  /** Where it stands in the manifest. */
  readonly at: string;
  readonly field: string;
  readonly op: unknown;
  readonly value: unknown;
  /** Of one that compares with a path: that path. */
  readonly other: string | null;
}

/** Returns the comparisons of a condition that stands at `at`. */
export const comparisonsIn = (condition: unknown, at: string): Comparison[] => {
  if (!isObject(condition)) return [];
  const { field, op, value, path, not } = condition;
  const other = typeof path === 'string' ? path : null;
  return [
    ...(typeof field === 'string' ? [{ at, field, op, value, other }] : []),
    ...['all', 'any'].flatMap((name) => {
      const list: unknown = condition[name];
      return Array.isArray(list) ? list.flatMap((inner, i) => comparisonsIn(inner, `${at}.${name}.${String(i)}`)) : [];
    }),
    ...comparisonsIn(not, `${at}.not`),
  ];
};
