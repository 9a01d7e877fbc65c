/** Names the comparisons for which a condition fails, each with the value that it read. Used by runs/authorizeAction.ts. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { evaluateCondition, getPath, type ConditionExpression } from './conditions.ts';

type Comparison = Extract<ConditionExpression, { readonly field: string }>;

const detailsMax = 10;
/** Characters of a value that is shown. */
const shownMax = 100;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value ?? null);
  return text.length > shownMax ? `${text.slice(0, shownMax).toWellFormed()}…` : text;
};

/** The words for what each comparison asks for. */
const phrases: Readonly<Record<string, (wanted: string) => string>> = {
  eq: (wanted) => wanted,
  ne: (wanted) => `other than ${wanted}`,
  in: (wanted) => `one of ${wanted}`,
  nin: (wanted) => `none of ${wanted}`,
  lt: (wanted) => `less than ${wanted}`,
  lte: (wanted) => `at most ${wanted}`,
  gt: (wanted) => `more than ${wanted}`,
  gte: (wanted) => `at least ${wanted}`,
  contains: (wanted) => `something with ${wanted} in it`,
  startsWith: (wanted) => `a text that begins with ${wanted}`,
  endsWith: (wanted) => `a text that ends with ${wanted}`,
  exists: (wanted) => (wanted === 'false' ? 'absent' : 'there'),
  matchesSemver: (wanted) => `a version in ${wanted}`,
};

const sentence = (comparison: Comparison, subject: unknown, holds: boolean): string => {
  const { field, op } = comparison;
  const wanted =
    'path' in comparison
      ? `${comparison.path} (${shown(getPath(subject, comparison.path))})`
      : shown(comparison.value ?? true);
  const asked = phrases[op]?.(wanted) ?? wanted;
  const actual = getPath(subject, field) ?? null;
  return `is ${actual === null ? 'absent' : shown(actual)}, ${holds ? 'which is' : 'and not'} ${asked}`;
};

/** Returns whether a comparison reads a member of the subject. */
const reads = (comparison: Comparison, member: string): boolean =>
  [comparison.field, 'path' in comparison ? comparison.path : ''].some((path) => path.split('.', 1)[0] === member);

/**
 * Returns the comparisons for which a condition doesn't hold of a subject, at most `detailsMax`, each with the path that it reads.
 * `unknown`: a member that the subject lacks; what reads it is left out.
 */
export const unmetComparisons = (
  condition: ConditionExpression,
  subject: object,
  unknown?: string,
): readonly FaultDetail[] => {
  const unmetOf = (inner: ConditionExpression, wanted: boolean): FaultDetail[] => {
    if (evaluateCondition(inner, subject) === wanted) return [];
    if ('all' in inner) return inner.all.flatMap((each) => unmetOf(each, wanted));
    if ('any' in inner) return inner.any.flatMap((each) => unmetOf(each, wanted));
    if ('not' in inner) return unmetOf(inner.not, !wanted);
    if (unknown !== undefined && reads(inner, unknown)) return [];
    return [{ path: inner.field, message: sentence(inner, subject, !wanted) }];
  };
  return unmetOf(condition, true).slice(0, detailsMax);
};
