/** The one condition language (contract section 5): used for suggestions now, for `when`, triage and flag rules alike. */

export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly field: string; readonly op: string; readonly value?: unknown };

export const conditionLimits = { depth: 8, nodes: 100 } as const;

type Compare = (actual: unknown, wanted: unknown) => boolean;

const ordered = (test: (order: number) => boolean): Compare => (actual, wanted) => {
  if (typeof actual === 'number' && typeof wanted === 'number') return test(actual - wanted);
  if (typeof actual === 'string' && typeof wanted === 'string') return test(actual < wanted ? -1 : actual > wanted ? 1 : 0);
  return false;
};
const textual = (test: (actual: string, wanted: string) => boolean): Compare => (actual, wanted) =>
  typeof actual === 'string' && typeof wanted === 'string' && test(actual, wanted);
const oneOf: Compare = (actual, wanted) => Array.isArray(wanted) && wanted.includes(actual);

interface Version {
  readonly numbers: readonly number[];
  readonly pre: string;
}
const versionForm = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/;
const versionOf = (text: string): Version | null => {
  const match = versionForm.exec(text);
  return match === null ? null : { numbers: [match[1], match[2], match[3]].map((part) => Number(part ?? 0)), pre: match[4] ?? '' };
};
const versionOrder = (a: Version, b: Version): number => {
  for (let i = 0; i < 3; i++) {
    const order = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (order !== 0) return order;
  }
  if (a.pre === b.pre) return 0;
  if (a.pre === '') return 1;
  if (b.pre === '') return -1;
  return a.pre < b.pre ? -1 : 1;
};
const rangeForm = /^(>=|<=|>|<|=|\^|~)?\s*(\S+)$/;

/** Ranges are space-separated comparisons, all of which hold: `>=1.2.0 <2`, `^1.4`, `~2.1`, `3.0.1`. */
const matchesSemver = textual((actual, wanted) => {
  const version = versionOf(actual);
  if (version === null) return false;
  return wanted.trim().split(/\s+/).every((part) => {
    const match = rangeForm.exec(part);
    const bound = versionOf(match?.[2] ?? '');
    if (match === null || bound === null) return false;
    const order = versionOrder(version, bound);
    switch (match[1]) {
      case '>=':
        return order >= 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '<':
        return order < 0;
      case '^': {
        const fixed = bound.numbers.findIndex((number) => number > 0);
        return order >= 0 && bound.numbers.slice(0, (fixed === -1 ? 2 : fixed) + 1).every((number, i) => version.numbers[i] === number);
      }
      case '~':
        return order >= 0 && version.numbers[0] === bound.numbers[0] && version.numbers[1] === bound.numbers[1];
      default:
        return order === 0;
    }
  });
});

const ops: Readonly<Record<string, Compare>> = {
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
  exists: (actual, wanted) => (actual !== undefined && actual !== null) === (wanted !== false),
  matchesSemver,
};

export const conditionOps: readonly string[] = Object.keys(ops);

/** The value at a dotted path; only own members count, so `constructor` finds nothing. */
export const valueAt = (subject: unknown, path: string): unknown => {
  let value = subject;
  for (const member of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    value = (value as Record<string, unknown>)[member];
  }
  return value;
};

/** Whether `condition` holds for `subject`. The condition has passed `conditionProblem`. */
export const holds = (condition: Condition, subject: unknown): boolean => {
  if ('all' in condition) return condition.all.every((inner) => holds(inner, subject));
  if ('any' in condition) return condition.any.some((inner) => holds(inner, subject));
  if ('not' in condition) return !holds(condition.not, subject);
  return ops[condition.op]?.(valueAt(subject, condition.field), condition.value) ?? false;
};

/** Why a declared condition is refused, or null: its size; its form is the schema's. */
export const conditionProblem = (root: Condition): string | null => {
  let nodes = 0;
  const stack: { condition: Condition; depth: number }[] = [{ condition: root, depth: 1 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { condition, depth } = next;
    nodes += 1;
    if (depth > conditionLimits.depth) return `is nested deeper than ${String(conditionLimits.depth)} levels`;
    if (nodes > conditionLimits.nodes) return `has more than ${String(conditionLimits.nodes)} conditions`;
    const inner = 'all' in condition ? condition.all : 'any' in condition ? condition.any : 'not' in condition ? [condition.not] : [];
    for (const child of inner) stack.push({ condition: child, depth: depth + 1 });
  }
  return null;
};

/** Fills `{{path}}` in a template; a template that is one path keeps the value's type. */
export const fillTemplate = (template: unknown, subject: unknown): unknown => {
  if (typeof template === 'string') {
    const whole = /^\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}$/.exec(template);
    if (whole?.[1] !== undefined) return valueAt(subject, whole[1]) ?? null;
    return template.replace(/\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g, (_, path: string) => {
      const value = valueAt(subject, path);
      return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
    });
  }
  if (Array.isArray(template)) return template.map((inner) => fillTemplate(inner, subject));
  if (typeof template === 'object' && template !== null) {
    return Object.fromEntries(Object.entries(template).map(([key, inner]) => [key, fillTemplate(inner, subject)]));
  }
  return template;
};
