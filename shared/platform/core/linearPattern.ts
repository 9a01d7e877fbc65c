/** RE2 in place of JavaScript's engine for patterns of others: it runs every pattern that it takes in linear time, and takes no other. */
import { RE2JS } from 're2js';

interface LinearMatcher {
  test(text: string): boolean;
  /** Ajv takes patterns of equal text for the same one. */
  toString(): string;
}

const limits = {
  characters: 500,
  /** Sum of the numbers in `{n,m}`: what is repeated is compiled as often. */
  repeats: 1_000,
  /** Instructions of the compiled pattern; a text is run through all of them. */
  instructions: 5_000,
} as const;

/** Throws for what RE2 doesn't take, such as looking ahead and references back. */
const compilePattern = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(pattern));

/** For Ajv's `code.regExp`; `code` is what it would write into a file, which nobody does. */
export const linearPattern = Object.assign(
  (pattern: string): LinearMatcher => {
    const matcher = compilePattern(pattern);
    return { test: (text) => matcher.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearPattern' },
);

const repeats = (pattern: string): number =>
  [...pattern.matchAll(/\{(\d{0,9}),?(\d{0,9})\}/g)].reduce(
    (sum, [, from, to]) => sum + Math.max(Number(from), Number(to)),
    0,
  );

/** Why a pattern is refused, or null. */
export const patternProblem = (pattern: string): string | null => {
  if (pattern.length > limits.characters) return `is longer than ${String(limits.characters)} characters`;
  if (repeats(pattern) > limits.repeats) return `repeats more than ${String(limits.repeats)} times`;
  try {
    return compilePattern(pattern).programSize() > limits.instructions ? 'is too complex' : null;
  } catch (error) {
    return `can't be run in linear time or isn't a pattern: ${error instanceof Error ? error.message.slice(0, 200) : ''}`;
  }
};
