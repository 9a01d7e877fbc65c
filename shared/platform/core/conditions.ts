/**
 * Evaluates conditions (`when` of actions, suggestions, triage and flag rules) and fills templates. conditionSchema.ts checks
 * the form of conditions. The SDK contains this file.
 */
import { matchesRange } from './semver.ts';

export type ConditionExpression =
  | { readonly all: readonly ConditionExpression[] }
  | { readonly any: readonly ConditionExpression[] }
  | { readonly not: ConditionExpression }
  | { readonly field: string; readonly op: string; readonly value?: unknown };

type Compare = (actual: unknown, wanted: unknown) => boolean;

const ordered =
  (test: (order: number) => boolean): Compare =>
  (actual, wanted) => {
    if (typeof actual === 'number' && typeof wanted === 'number') return test(actual - wanted);
    if (typeof actual === 'string' && typeof wanted === 'string')
      return test(actual < wanted ? -1 : actual > wanted ? 1 : 0);
    return false;
  };
const textual =
  (test: (actual: string, wanted: string) => boolean): Compare =>
  (actual, wanted) =>
    typeof actual === 'string' && typeof wanted === 'string' && test(actual, wanted);
const oneOf: Compare = (actual, wanted) => Array.isArray(wanted) && wanted.includes(actual);

/** Returns whether there is a value: not null, and of a list a member that is one. */
const hasValue = (actual: unknown): boolean =>
  Array.isArray(actual) ? actual.some(hasValue) : actual !== undefined && actual !== null;

const comparisons: Readonly<Record<string, Compare>> = {
  eq: (actual, wanted) => actual === wanted,
  ne: (actual, wanted) => actual !== wanted,
  in: oneOf,
  nin: (actual, wanted) => Array.isArray(wanted) && !wanted.includes(actual),
  lt: ordered((order) => order < 0),
  lte: ordered((order) => order <= 0),
  gt: ordered((order) => order > 0),
  gte: ordered((order) => order >= 0),
  contains: (actual, wanted) =>
    Array.isArray(actual) ? actual.includes(wanted) : textual((text, part) => text.includes(part))(actual, wanted),
  startsWith: textual((actual, wanted) => actual.startsWith(wanted)),
  endsWith: textual((actual, wanted) => actual.endsWith(wanted)),
  exists: (actual, wanted) => hasValue(actual) === (wanted !== false),
  matchesSemver: textual(matchesRange),
};

/** A map, so that an op such as `constructor` is not found on a prototype. */
const ops: ReadonlyMap<string, Compare> = new Map(Object.entries(comparisons));
export const conditionOps: readonly string[] = [...ops.keys()];
/** Returns the comparison of an op, for compiled conditions (shared/flags/evaluate.ts). An unknown op is never true. */
export const getComparison = (op: string): Compare => {
  const compare = ops.get(op) ?? (() => false);
  // A path that leads nowhere has the value null.
  return (actual, wanted) => compare(actual ?? null, wanted);
};

/** Returns the value at a dotted path. Only own members count, so `constructor` finds nothing. */
const getPath = (subject: unknown, path: string): unknown => {
  let value = subject;
  for (const member of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the member
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
};

/** Returns whether `condition` is true of `subject`. The condition has passed `conditionProblems` (conditionSchema.ts). */
export const evaluateCondition = (condition: ConditionExpression, subject: unknown): boolean => {
  if ('all' in condition) return condition.all.every((inner) => evaluateCondition(inner, subject));
  if ('any' in condition) return condition.any.some((inner) => evaluateCondition(inner, subject));
  if ('not' in condition) return !evaluateCondition(condition.not, subject);
  return getComparison(condition.op)(getPath(subject, condition.field), condition.value);
};

const wholeTemplate = /^\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}$/;

/** Returns whether a template is one path and nothing else, such as `{{item.title}}`. */
export const isSinglePathTemplate = (template: unknown): boolean =>
  typeof template === 'string' && wholeTemplate.test(template);

/** Characters that are filled in at most: a template may name a long value often. */
const filledMax = 65_536;

interface Room {
  left: number;
}

/** Returns the value at a path as it is filled in, and takes its size from the room. */
const valueAt = (subject: unknown, path: string, room: Room, isWhole: boolean): unknown => {
  const value = getPath(subject, path) ?? null;
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  room.left -= text.length;
  return isWhole ? value : text;
};

const fill = (template: unknown, subject: unknown, room: Room): unknown => {
  if (room.left < 0) return null;
  if (typeof template === 'string') {
    const whole = wholeTemplate.exec(template);
    if (whole?.[1] !== undefined) return valueAt(subject, whole[1], room, true);
    return template.replace(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g, (_, path: string) =>
      room.left < 0 ? '' : String(valueAt(subject, path, room, false)),
    );
  }
  if (Array.isArray(template)) return template.map((inner) => fill(inner, subject, room));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(Object.entries(template).map(([key, inner]) => [key, fill(inner, subject, room)]));
  }
  return template;
};

/**
 * Fills `{{path}}` in a template; a template that is one path keeps the value's type. Returns null where more than `filledMax`
 * characters would be filled in, as of a path that leads nowhere.
 */
export const fillTemplate = (template: unknown, subject: unknown): unknown => {
  const room: Room = { left: filledMax };
  const filled = fill(template, subject, room);
  return room.left < 0 ? null : filled;
};
