/** Limits of every JSON value, whatever its schema: beyond them PostgreSQL or JavaScript would refuse or change it. Used for requests, frames and answers of apps. */
import { createHash } from 'node:crypto';
import type { FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';

/** Returns whether a value is an object of JSON: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns why a text can't be stored unchanged, or null. */
export const textProblem = (value: string): string | null => {
  if (value.includes('\u0000')) return 'must not hold NUL characters';
  if (!value.isWellFormed()) return 'must not hold lone surrogates';
  return null;
};

const numberProblem = (value: number): string | null => {
  if (!Number.isFinite(value)) return 'is a number too large to be kept';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'is an integer beyond ±(2^53−1)';
  return null;
};

/** An object or array inside the value, with the way to it: a path is built only when there is a problem. */
interface Level {
  readonly value: object;
  readonly key: string | number;
  readonly above: Level | null;
  readonly depth: number;
}

/** Longer paths don't help to find the place. */
export const pathMax = 300;

const pathTo = (level: Level | null, key: string | number): string => {
  const keys = [String(key)];
  for (let at = level; at !== null && at.above !== null; at = at.above) keys.unshift(String(at.key));
  return keys.join('.').slice(0, pathMax).toWellFormed();
};

const scalarProblem = (value: unknown): string | null =>
  typeof value === 'string' ? textProblem(value) : typeof value === 'number' ? numberProblem(value) : null;

const keyProblem = (key: string): string | null =>
  key === '__proto__' ? 'is not a name that can be kept' : textProblem(key);

interface Inspected {
  /** The first problem, or null. */
  readonly problem: FaultDetail | null;
  /** How many members all objects have; of a value with a problem, those that were looked at. */
  readonly names: number;
}

/**
 * Returns what one look through a parsed JSON value finds. Works without recursion, so that nesting can't exhaust the stack.
 * `membersMax`: members of one object.
 */
export const inspectJson = (root: unknown, membersMax = Number.POSITIVE_INFINITY): Inspected => {
  let names = 0;
  const stack: Level[] = [];
  const look = (value: unknown, key: string | number, above: Level | null): FaultDetail | null => {
    if (typeof value === 'object' && value !== null) {
      const depth = above === null ? 0 : above.depth + 1;
      if (depth >= limits.jsonDepth)
        return { path: pathTo(above, key), message: `is nested deeper than ${String(limits.jsonDepth)} levels` };
      stack.push({ value, key, above, depth });
      return null;
    }
    const message = scalarProblem(value);
    return message === null ? null : { path: above === null ? '' : pathTo(above, key), message };
  };
  let problem = look(root, '', null);
  for (let level = stack.pop(); level !== undefined && problem === null; level = stack.pop()) {
    if (Array.isArray(level.value)) problem = elementProblem(level, level.value, look);
    else {
      const keys = Object.keys(level.value);
      names += keys.length;
      problem =
        keys.length > membersMax
          ? { path: pathTo(level.above, level.key), message: `has more than ${String(membersMax)} members` }
          : memberProblem(level, keys, look);
    }
  }
  return { problem, names };
};

/** Returns the first problem of a parsed JSON value, or null. */
export const jsonProblem = (root: unknown, membersMax?: number): FaultDetail | null =>
  inspectJson(root, membersMax).problem;

type Look = (value: unknown, key: string | number, above: Level) => FaultDetail | null;

const elementProblem = (level: Level, elements: readonly unknown[], look: Look): FaultDetail | null => {
  for (let i = 0; i < elements.length; i++) {
    const problem = look(elements[i], i, level);
    if (problem !== null) return problem;
  }
  return null;
};

const memberProblem = (level: Level, keys: readonly string[], look: Look): FaultDetail | null => {
  const { value } = level;
  // Pairs of tens of thousands of members take twice as long to make as to look up.
  for (const key of keys) {
    const message = keyProblem(key);
    const inner: unknown = Reflect.get(value, key);
    const problem = message === null ? look(inner, key, level) : { path: pathTo(level, key), message };
    if (problem !== null) return problem;
  }
  return null;
};

/** Characters below which a text is too short to be slow. */
const jsonTextFreeLength = 32 * 1024;
/** Members and elements of a request, unless its endpoint takes more: parsing and checking them would block the process. */
const jsonPartsMax = 50_000;
/** Depth up to which `jsonProblem` finds the path of what is nested too deeply. */
const nestedMax = 10_000;

/**
 * Returns what one look through a JSON text finds before it is parsed. Its problem is more than `partsMax` parts, or extreme
 * nesting; its names, each followed by a colon, are as many as the members of the value, unless an object has one twice.
 */
export const inspectJsonText = (json: string, partsMax = jsonPartsMax): Inspected => {
  const isLong = json.length >= jsonTextFreeLength;
  let names = 0;
  let depth = 0;
  let parts = 0;
  /** Where the name of the present member of the outermost object begins. */
  let named = 0;
  const found = (message: string): Inspected => ({
    problem: { path: depth < 2 ? '' : (plainName.exec(json.slice(named, named + 101))?.[1] ?? ''), message },
    names,
  });
  for (let i = 0; i < json.length; i++) {
    const sign = json.charCodeAt(i);
    if (sign === 0x22) {
      if (depth === 1) named = i + 1;
      i = endOfString(json, i);
    } else if (sign === 0x3a) names += 1;
    else if (sign === 0x2c) parts += 1;
    else if (sign === 0x7b || sign === 0x5b) depth += 1;
    else if (sign === 0x7d || sign === 0x5d) depth -= 1;
    if (isLong && depth > nestedMax) return found(`is nested deeper than ${String(limits.jsonDepth)} levels`);
    if (isLong && parts > partsMax) return found(`has more than ${String(partsMax)} members and elements`);
  }
  return { problem: null, names };
};

const plainName = /^([A-Za-z]\w*)"/;

/** Returns the index of the closing quote of the string that begins at `from`, or the text's length. */
export const endOfString = (json: string, from: number): number => {
  for (let end = json.indexOf('"', from + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
};

/** Characters that cost as much work as one more member. */
const partCharacters = 16;

/** Returns whether a value has more than `most` members and elements on all levels together; long texts count for several. */
export const exceedsPartCount = (root: unknown, most: number): boolean => {
  let count = 0;
  const stack: unknown[] = [root];
  for (let value = stack.pop(); value !== undefined && count <= most; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    count += Array.isArray(value) ? value.length : Object.keys(value).length;
    if (count > most) return true;
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
    for (let i = 0; i < inner.length && count <= most; i++) {
      const part = inner[i];
      if (typeof part === 'string') count += part.length / partCharacters;
      else if (typeof part === 'object' && part !== null) stack.push(part);
    }
  }
  return count > most;
};

/** Returns how many keys all objects inside a value have; stops counting above `most`. */
export const countKeys = (root: unknown, most: number): number => {
  let count = 0;
  const stack: unknown[] = [root];
  for (let value = stack.pop(); value !== undefined && count <= most; value = stack.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) count += Object.keys(value).length;
    if (count > most) return count;
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) stack.push(inner);
  }
  return count;
};

/** Returns JSON with the members of every object sorted by name. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );

/** Returns a hash that equal values have in common. */
export const hashJson = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('base64url');
