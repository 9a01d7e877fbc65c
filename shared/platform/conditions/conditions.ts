/**
 * Evaluates conditions (`when` of actions, suggestions, triage and flag rules) and fills templates. conditionSchema.ts checks
 * the form of conditions. The SDK contains this file.
 */
import { compileRange } from './semver.ts';

export type ConditionExpression =
  | { readonly all: readonly ConditionExpression[] }
  | { readonly any: readonly ConditionExpression[] }
  | { readonly not: ConditionExpression }
  | { readonly field: string; readonly op: string; readonly value?: unknown }
  /** Compares with the value at another path. */
  | { readonly field: string; readonly op: string; readonly path: string };

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

/** The part of a text and of a list that is compared: as much as the fields of an item or a record may have. */
const lookedAt = { characters: 32 * 1024, values: 16 * 1024 } as const;

/** Returns whether a list has a value, at any level; `left`: values that are still looked at. */
const listHasValue = (list: readonly unknown[], left: { values: number }): boolean =>
  list.some(
    (inner) =>
      left.values-- > 0 && (Array.isArray(inner) ? listHasValue(inner, left) : inner !== undefined && inner !== null),
  );

/** Returns whether there is a value: not null, and of a list a member that is one. */
const hasValue = (actual: unknown): boolean =>
  Array.isArray(actual) ? listHasValue(actual, { values: lookedAt.values }) : actual !== undefined && actual !== null;

/** Returns the part of a text or a list that is looked at. */
const partOf = <T extends string | readonly unknown[]>(whole: T, most: number): T =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a slice is of the type of the whole
  whole.length > most ? (whole.slice(0, most) as T) : whole;

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
    Array.isArray(actual)
      ? partOf(actual, lookedAt.values).includes(wanted)
      : typeof actual === 'string' &&
        typeof wanted === 'string' &&
        partOf(actual, lookedAt.characters).includes(wanted),
  startsWith: textual((actual, wanted) => actual.startsWith(wanted)),
  endsWith: textual((actual, wanted) => actual.endsWith(wanted)),
  exists: (actual, wanted) => hasValue(actual) === (wanted !== false),
  matchesSemver: textual((version, range) => compileRange(range)(version)),
};

/** A map, so that an op such as `constructor` is not found on a prototype. */
const ops: ReadonlyMap<string, Compare> = new Map(Object.entries(comparisons));
export const conditionOps: readonly string[] = [...ops.keys()];
/** Returns the comparison of an op. An unknown op is never true. */
export const getComparison = (op: string): Compare => {
  const compare = ops.get(op) ?? (() => false);
  // A path that leads nowhere has the value null.
  return (actual, wanted) => compare(actual ?? null, wanted);
};

/** Characters of a text that `contains` looks for, which it compares at every place of the other text. */
export const partMax = 100;

/** Returns whether two values of a subject compare so: the wanted one is a list for `in` and `nin`, else a text, a number or a boolean. */
export const compareValues = (op: string, actual: unknown, wanted: unknown): boolean =>
  (op === 'in' || op === 'nin' ? Array.isArray(wanted) : ['string', 'number', 'boolean'].includes(typeof wanted)) &&
  !(op === 'contains' && typeof wanted === 'string' && wanted.length > partMax) &&
  getComparison(op)(actual, wanted);

/** Returns the test of an op and what it compares with, for compiled conditions (shared/flags/evaluate.ts): a range is read once. */
export const compileComparison = (op: string, wanted: unknown): ((actual: unknown) => boolean) => {
  if (op === 'matchesSemver' && typeof wanted === 'string') {
    const fits = compileRange(wanted);
    return (actual) => typeof actual === 'string' && fits(actual);
  }
  const compare = getComparison(op);
  return (actual) => compare(actual, wanted);
};

/** Returns the value at a dotted path. Only own members count, so `constructor` finds nothing. */
export const getPath = (subject: unknown, path: string): unknown => {
  let value = subject;
  for (const member of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the member
    value = (value as Readonly<Record<string, unknown>>)[member];
  }
  return value;
};

/** A member of the subject that is not known, and whether the comparisons that read it hold. */
interface Unknown {
  readonly member: string;
  readonly holds: boolean;
}

/**
 * Returns whether `condition` is true of `subject`. The condition has passed `conditionProblems` (conditionSchema.ts). `unknown`: a
 * member that the subject lacks; comparisons that read it hold, or not, and inside `not` the other way round.
 */
export const evaluateCondition = (condition: ConditionExpression, subject: unknown, unknown?: Unknown): boolean => {
  if ('all' in condition) return condition.all.every((inner) => evaluateCondition(inner, subject, unknown));
  if ('any' in condition) return condition.any.some((inner) => evaluateCondition(inner, subject, unknown));
  if ('not' in condition)
    return !evaluateCondition(condition.not, subject, unknown && { ...unknown, holds: !unknown.holds });
  const { field, op } = condition;
  const reads = (path: string): boolean => path.split('.', 1)[0] === unknown?.member;
  if (unknown !== undefined && (reads(field) || ('path' in condition && reads(condition.path)))) return unknown.holds;
  const actual = getPath(subject, field);
  return 'path' in condition
    ? compareValues(op, actual, getPath(subject, condition.path))
    : getComparison(op)(actual, condition.value);
};

/** Returns whether `condition` may hold of `subject`, whatever its member `unknown` is. */
export const mayHold = (condition: ConditionExpression, subject: unknown, unknown: string): boolean =>
  evaluateCondition(condition, subject, { member: unknown, holds: true });

const wholeTemplate = /^\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}$/;

/** Returns whether a template is one path and nothing else, such as `{{item.title}}`. */
export const isSinglePathTemplate = (template: unknown): boolean =>
  typeof template === 'string' && wholeTemplate.test(template);

/** Characters that are filled in at most: a template may name a long value often. */
export const filledMax = 65_536;

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
