/** Regular expressions of customers' schemas, run by RE2, which takes linear time for every pattern that it accepts. Used by appSchemas.ts and jsonSchemaProblems.ts. */
import { RE2JS } from 're2js';

interface LinearMatcher {
  test(text: string): boolean;
  /** Returns the pattern: Ajv identifies patterns by their text. */
  toString(): string;
}

const limits = {
  characters: 500,
  /** Sum of the largest numbers in `{n,m}`: RE2 compiles what is repeated as often. */
  repeats: 1_000,
  /** Instructions of the compiled pattern: each character may visit all of them. */
  instructions: 5_000,
} as const;

/** Instructions of all patterns that were checked, and of those that were compiled to be kept, since the process began. */
export const patternWork = { checked: 0, kept: 0 };

/** Throws for what RE2 does not support, such as look-ahead and backreferences. */
const compilePattern = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(pattern));

/** Ajv's option `code.regExp`. Its member `code` is for standalone code, which the service does not generate. */
export const linearPattern = Object.assign(
  (pattern: string): LinearMatcher => {
    const matcher = compilePattern(pattern);
    patternWork.kept += matcher.programSize();
    return { test: (text) => matcher.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearPattern' },
);

const repeats = (pattern: string): number =>
  [...pattern.matchAll(/\{(\d{0,9}),?(\d{0,9})\}/g)].reduce(
    (sum, [, from, to]) => sum + Math.max(Number(from), Number(to)),
    0,
  );

/** Returns why a pattern is refused, or null. */
export const patternProblem = (pattern: string): string | null => {
  if (pattern.length > limits.characters) return `is longer than ${String(limits.characters)} characters`;
  if (repeats(pattern) > limits.repeats) return `repeats more than ${String(limits.repeats)} times`;
  try {
    const size = compilePattern(pattern).programSize();
    patternWork.checked += size;
    return size > limits.instructions ? 'is too complex' : null;
  } catch (error) {
    return `can't be run in linear time or isn't a pattern: ${error instanceof Error ? error.message.slice(0, 200) : ''}`;
  }
};
