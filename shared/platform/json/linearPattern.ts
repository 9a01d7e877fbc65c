/** Regular expressions of customers' schemas, run by RE2, which takes linear time for every pattern that it accepts. Used by appSchemas.ts and jsonSchemaProblems.ts. */
import { RE2JS } from 're2js';
import { createWeighedCache } from '../caches.ts';

interface LinearMatcher {
  test(text: string): boolean;
  /** Returns the pattern: Ajv identifies patterns by their text. */
  toString(): string;
  /** Its memory, in instructions (`sizeOf`). */
  readonly size: number;
}

type Numbers = { readonly length: number } | null | undefined;
interface Program {
  readonly inst: readonly { readonly runes?: Numbers; readonly next?: Numbers }[];
}

const limits = {
  characters: 500,
  /** Sum of the largest numbers in `{n,m}`: RE2 compiles what is repeated as often. */
  repeats: 1_000,
  /** Instructions of the compiled pattern: each character may visit all of them. */
  instructions: 5_000,
  /** Characters and classes of a pattern whose repetitions are written out: compiling more takes longer than 0.1 s. */
  writtenOut: 50_000,
} as const;

/** Bytes of memory that a pattern takes for each instruction of its size. */
export const instructionBytes = 170;
/** The least that a pattern takes: 5 KB. */
const leastSize = 30;
/** Numbers in the lists of classes that take the memory of an instruction, and those of the program for one pass, the time. */
const numbersOf = { memory: 20, time: 200 } as const;
/** The size of a class of thousands of characters while it is read: `\p{L}`, and any class that ignores case. */
const largeClassSize = 100;

/** Returns how many classes in a pattern may be large. */
const countLargeClasses = (pattern: string): number =>
  [...pattern.matchAll(/\(\?[a-zA-Z]*i/.test(pattern) ? /\\[pP]|\[/g : /\\[pP]/g)].length;

/** Returns how many numbers the lists of a program have; classes that are repeated share theirs. */
const countNumbers = (program: Program | null): number =>
  [...new Set((program?.inst ?? []).flatMap(({ runes, next }) => [runes, next]))].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    0,
  );

/** Returns what a compiled pattern takes, in instructions. */
const sizeOf = (compiled: RE2JS, pattern: string): number => {
  const programs: { readonly prog: Program; readonly onepass: Program | null } = compiled.re2();
  return (
    Math.max(compiled.programSize(), leastSize) +
    Math.floor(countNumbers(programs.prog) / numbersOf.memory + countNumbers(programs.onepass) / numbersOf.time) +
    countLargeClasses(pattern) * largeClassSize
  );
};

/** Throws for what RE2 does not support, such as look-ahead and backreferences. */
const compilePattern = (pattern: string): { readonly compiled: RE2JS; readonly size: number } => {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  const size = sizeOf(compiled, pattern);
  // It has a copy of each class for each repetition, which may be 10 MB, and is only faster than the others.
  const re2: { onepass: unknown } = compiled.re2();
  re2.onepass = null;
  return { compiled, size };
};

/** The patterns that were used last, as each is checked and then compiled with its schema: 34 MB at most. */
const recent = createWeighedCache<LinearMatcher>(200_000);

const toMatcher = (pattern: string): LinearMatcher & { readonly instructions: number } => {
  const { compiled, size } = compilePattern(pattern);
  const matcher = {
    test: (text: string) => compiled.matcher(text).find(),
    toString: () => pattern,
    size,
    instructions: compiled.programSize(),
  };
  if (matcher.instructions <= limits.instructions) recent.set(pattern, matcher, size);
  return matcher;
};

/** Returns the matcher of a pattern. Throws for what RE2 does not support. */
export const linearPattern = (pattern: string): LinearMatcher => recent.get(pattern) ?? toMatcher(pattern);

const repeats = (pattern: string): number =>
  [...pattern.matchAll(/\{(\d{0,9}),?(\d{0,9})\}/g)].reduce(
    (sum, [, from, to]) => sum + Math.max(Number(from), Number(to)),
    0,
  );

/** One part of a pattern each: a class, an escape, the begin of a group, a repetition, a character. */
const partsOfPattern =
  /\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|\\Q.*?(?:\\E|$)|\\[pPx]\{[^}]*\}|\\.|\(\?(?:P?<\w+>|[a-zA-Z-]*:?)|\{(\d{1,4}),?(\d{0,4})\}|./gsu;

/** Returns about how many characters and classes a pattern has when its repetitions are written out. */
const writtenOut = (pattern: string): number => {
  const outer: number[] = [];
  let [sum, last] = [0, 0];
  for (const [part, from, to] of pattern.matchAll(partsOfPattern)) {
    if (from !== undefined) {
      sum += last * (Math.max(Number(from), Number(to), 1) - 1);
      last *= Math.max(Number(from), Number(to), 1);
    } else if (part.startsWith('(')) {
      outer.push(sum);
      [sum, last] = [0, 0];
    } else if (part === ')') {
      last = sum;
      sum += outer.pop() ?? 0;
    } else {
      last = part.startsWith('\\Q') ? part.length : 1;
      sum += last;
    }
  }
  return outer.reduce((all, one) => all + one, sum);
};

/** Returns why a pattern is refused, or null, and what it takes, in instructions. */
export const checkPattern = (pattern: string): { readonly problem: string | null; readonly size: number } => {
  const refused = (problem: string): { problem: string; size: number } => ({ problem, size: 0 });
  if (pattern.length > limits.characters) return refused(`is longer than ${String(limits.characters)} characters`);
  if (repeats(pattern) > limits.repeats) return refused(`repeats more than ${String(limits.repeats)} times`);
  if (writtenOut(pattern) > limits.writtenOut) return refused('is too complex');
  try {
    const known = recent.get(pattern);
    if (known !== undefined) return { problem: null, size: known.size };
    const { instructions, size } = toMatcher(pattern);
    return { problem: instructions > limits.instructions ? 'is too complex' : null, size };
  } catch (error) {
    return refused(
      `can't be run in linear time or isn't a pattern: ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
    );
  }
};
