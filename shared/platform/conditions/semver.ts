/**
 * Reads ranges of versions as npm’s `semver` does when it counts pre-releases (`includePrerelease`), for the op `matchesSemver` of
 * conditions.ts. Code of its own, as the SDK and the console evaluate conditions too.
 */

interface Version {
  readonly numbers: readonly number[];
  /** Identifiers of a pre-release; empty for a release. */
  readonly pre: readonly string[];
}

const pre = String.raw`(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?`;
const build = String.raw`(?:\+[0-9A-Za-z.-]+)?`;
const versionForm = new RegExp(String.raw`^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?${pre}${build}$`);
/** Characters of the longest version. */
const versionMax = 256;

const versionOf = (text: string): Version | null => {
  const match = text.length > versionMax ? null : versionForm.exec(text.trim());
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

/** A version of which the last parts may be missing: `1`, `1.2`, `1.x`, `*`. */
interface Partial {
  /** The parts before the first that is missing or `x`. */
  readonly known: readonly number[];
  readonly pre: readonly string[];
}

type Test = (version: Version) => boolean;

/** The lowest pre-release: versions from it on are those of a partial version. */
const lowest = ['0'];

const from =
  (bound: Version): Test =>
  (version) =>
    versionOrder(version, bound) >= 0;
const below =
  (bound: Version): Test =>
  (version) =>
    versionOrder(version, bound) < 0;

/** Returns the first version that a partial one stands for. */
const first = ({ known, pre: own }: Partial): Version => ({
  numbers: [0, 1, 2].map((i) => known[i] ?? 0),
  pre: known.length < 3 ? lowest : own,
});

/** Returns the first version after all those with the same parts up to `part`. */
const after = ({ known }: Partial, part: number): Version => ({
  numbers: [0, 1, 2].map((i) => (i > part ? 0 : (known[i] ?? 0) + Number(i === part))),
  pre: lowest,
});

const never: readonly Test[] = [() => false];

/** Returns the tests of a comparison with a partial version. */
const partialTests = (op: string, bound: Partial): readonly Test[] => {
  const last = bound.known.length - 1;
  if (last < 0) return op === '<' || op === '>' ? never : [];
  if (op === '~') return [from(first(bound)), below(after(bound, Math.min(last, 1)))];
  if (op === '^') {
    const zeros = bound.known.findIndex((number) => number > 0);
    return [from(first(bound)), below(after(bound, zeros === -1 ? last : Math.min(last, zeros)))];
  }
  if (op === '>=') return [from(first(bound))];
  if (op === '<') return [below(first(bound))];
  if (op === '>') return [from(after(bound, last))];
  return op === '<=' ? [below(after(bound, last))] : [from(first(bound)), below(after(bound, last))];
};

/** Returns the tests of a comparison with a whole version. */
const wholeTests = (op: string, bound: Version): readonly Test[] => {
  if (op === '>') return [(version) => versionOrder(version, bound) > 0];
  if (op === '<=') return [(version) => versionOrder(version, bound) <= 0];
  return [(version) => versionOrder(version, bound) === 0];
};

const part = String.raw`(\d{1,15}|[xX*])`;
const partial = String.raw`[v=]*${part}(?:\.${part}(?:\.${part}${pre}${build})?)?`;
const comparisonForm = new RegExp(String.raw`^(\^|~>?|[<>]?=?)${partial}$`);
const hyphenForm = new RegExp(String.raw`^${partial} - ${partial}$`);

const isMissing = (text: string | undefined): boolean => text === undefined || !digits.test(text);

const toPartial = ([major, minor, patch, own]: readonly (string | undefined)[]): Partial => {
  const parts = [major, minor, patch];
  const end = parts.findIndex(isMissing);
  const known = (end === -1 ? parts : parts.slice(0, end)).map(Number);
  return { known, pre: known.length < 3 ? [] : (own?.split('.') ?? []) };
};

/** Returns the tests of one comparison; null for a text that is none. */
const comparisonTests = (text: string): readonly Test[] | null => {
  const match = comparisonForm.exec(text);
  if (match === null) return null;
  const [op, ...parts] = [(match[1] ?? '').replace('~>', '~'), ...match.slice(2)];
  const bound = toPartial(parts);
  // A part after `x` means nothing.
  if (op !== '~' && op !== '^' && parts.slice(bound.known.length, 3).some((one) => !isMissing(one))) return null;
  return bound.known.length < 3 || ['~', '^', '>=', '<'].includes(op ?? '')
    ? partialTests(op ?? '', bound)
    : wholeTests(op ?? '', first(bound));
};

const hyphenTests = (lower: Partial, upper: Partial): readonly Test[] => {
  const isWhole = ({ known, pre: own }: Partial): boolean => known.length === 3 && own.length === 0;
  return [
    ...partialTests('>=', isWhole(lower) ? { ...lower, pre: lowest } : lower),
    ...(upper.pre.length > 0 ? wholeTests('<=', first(upper)) : partialTests('<=', upper)),
  ];
};

/** Returns the tests of one alternative, all of which are to be true; null for a text that is none. */
const alternativeTests = (text: string): readonly Test[] | null => {
  const plain = text.trim().replace(/\s+/g, ' ');
  const hyphen = hyphenForm.exec(plain);
  if (hyphen !== null) return hyphenTests(toPartial(hyphen.slice(1, 5)), toPartial(hyphen.slice(5)));
  const comparisons = plain.replace(/(\^|~>?|[<>]=?|=) /g, '$1').split(' ');
  const tests = plain === '' ? [] : comparisons.map(comparisonTests);
  return tests.includes(null) ? null : tests.flatMap((each) => each ?? []);
};

/** Returns the alternatives of a range, or null when the text is no range. */
const alternativesOf = (range: string): (readonly Test[])[] | null => {
  const found = range.trim() === '' ? [null] : range.split('||').map(alternativeTests);
  return found.includes(null) ? null : found.filter((tests) => tests !== null);
};

/** Returns whether a text is a range for `compileRange`. */
export const isRange = (range: string): boolean => alternativesOf(range) !== null;

/**
 * Returns the test of whether a version fits a range: comparisons separated by spaces, all of which are true (`>=1.2.0 <2`,
 * `^1.4`, `~2.1`, `3.x`, `1.2 - 2.3`), or alternatives of them, separated by `||`.
 */
export const compileRange = (range: string): ((version: string) => boolean) => {
  const alternatives = alternativesOf(range) ?? [];
  return (text) => {
    const version = versionOf(text);
    return version !== null && alternatives.some((tests) => tests.every((test) => test(version)));
  };
};
