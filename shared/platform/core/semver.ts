/** Compares versions by precedence (https://semver.org, section 11), for the op `matchesSemver` of conditions.ts. */

interface Version {
  readonly numbers: readonly number[];
  /** Identifiers of a pre-release; empty for a release. */
  readonly pre: readonly string[];
}

const versionForm =
  /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/;

const versionOf = (text: string): Version | null => {
  const match = versionForm.exec(text);
  return match === null
    ? null
    : { numbers: [match[1], match[2], match[3]].map((part) => Number(part ?? 0)), pre: match[4]?.split('.') ?? [] };
};

const digits = /^\d+$/;
const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Orders identifiers of a pre-release: numbers before words. */
const identifierOrder = (a: string, b: string): number => {
  const [first, second] = [digits.test(a), digits.test(b)];
  if (first !== second) return first ? -1 : 1;
  return first ? Number(a) - Number(b) : textOrder(a, b);
};

const preOrder = (a: readonly string[], b: readonly string[]): number => {
  if (a.length === 0 || b.length === 0) return Number(a.length === 0) - Number(b.length === 0);
  for (const [i, identifier] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    const order = identifierOrder(identifier, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
};

const versionOrder = (a: Version, b: Version): number => {
  for (const [i, number] of a.numbers.entries()) {
    const order = number - (b.numbers[i] ?? 0);
    if (order !== 0) return order;
  }
  return preOrder(a.pre, b.pre);
};

type Test = (version: Version, bound: Version) => boolean;

const same = (version: Version, bound: Version, parts: number): boolean =>
  bound.numbers.slice(0, parts).every((number, i) => version.numbers[i] === number);

/** `^` keeps all parts up to the first that is not zero, `~` the first two. */
const comparisons: Readonly<Record<string, Test>> = {
  '>=': (version, bound) => versionOrder(version, bound) >= 0,
  '<=': (version, bound) => versionOrder(version, bound) <= 0,
  '>': (version, bound) => versionOrder(version, bound) > 0,
  '<': (version, bound) => versionOrder(version, bound) < 0,
  '=': (version, bound) => versionOrder(version, bound) === 0,
  '^': (version, bound) => {
    const first = bound.numbers.findIndex((number) => number > 0);
    return versionOrder(version, bound) >= 0 && same(version, bound, (first === -1 ? 2 : first) + 1);
  },
  '~': (version, bound) => versionOrder(version, bound) >= 0 && same(version, bound, 2),
};

const partForm = /^(>=|<=|>|<|=|\^|~)?(\S+)$/;

/** Returns the comparisons of a range, or null when the text is no range. */
const partsOf = (range: string): { test: Test; bound: Version }[] | null => {
  const parts = range
    .trim()
    .split(/\s+/)
    .map((part) => {
      const match = partForm.exec(part);
      const bound = versionOf(match?.[2] ?? '');
      const test = comparisons[match?.[1] ?? '='];
      return bound === null || test === undefined ? null : { test, bound };
    });
  return parts.some((part) => part === null) ? null : parts.filter((part) => part !== null);
};

/** Returns whether a text is a range for `compileRange`. */
export const isRange = (range: string): boolean => partsOf(range) !== null;

/**
 * Returns the test of whether a version fits a range: comparisons separated by spaces, all of which are true (`>=1.2.0 <2`,
 * `^1.4`, `~2.1`, `3.0.1`).
 */
export const compileRange = (range: string): ((version: string) => boolean) => {
  const parts = partsOf(range);
  return (text) => {
    const version = versionOf(text);
    return version !== null && (parts?.every(({ test, bound }) => test(version, bound)) ?? false);
  };
};
