/**
 * Finds members in the text of a JSON value: one that an object names twice, for requestBody.ts and api/live; one that is cut
 * out, so that the rest keeps its bytes, for the fingerprints of requests.
 */
import { endOfString, pathMax } from '../../shared/platform/json/jsonLimits.ts';

const [quote, comma, colon, openObject, closeObject, openArray, closeArray] = [
  0x22, 0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
];

const skipSpace = (text: string, from: number): number => {
  let at = from;
  // In valid JSON a character up to the space is white space.
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
};

/** Returns the index of the comma or bracket that ends the value which begins at `from`. */
const endOfValue = (text: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfString(text, at);
    else if (depth === 0 && (sign === comma || sign === closeObject)) return at;
    else if (sign === openObject || sign === openArray) depth += 1;
    else if (sign === closeObject || sign === closeArray) depth -= 1;
  }
  return text.length;
};

/** Returns the text of a valid JSON object without a member, and without the comma before it, or behind it if it was the first. The object has no member twice. */
export const withoutMember = (text: string, name: string): string => {
  let at = skipSpace(text, text.indexOf('{') + 1);
  for (let separator = -1; text.charCodeAt(at) === quote;) {
    const keyEnd = endOfString(text, at) + 1;
    const end = endOfValue(text, skipSpace(text, keyEnd) + 1);
    const next = text.charCodeAt(end) === comma ? skipSpace(text, end + 1) : end;
    if (JSON.parse(text.slice(at, keyEnd)) === name)
      return separator === -1 ? text.slice(0, at) + text.slice(next) : text.slice(0, separator) + text.slice(end);
    separator = end;
    at = next;
  }
  return text;
};

/** An object or array around the present place of a text. */
interface Level {
  /** Of an object; null: an array. */
  readonly names: Set<string> | null;
  /** The present name or index. */
  at: string | number;
}

const pathOf = (levels: readonly Level[]): string =>
  levels
    .map(({ at }) => at)
    .join('.')
    .slice(0, pathMax)
    .toWellFormed();

/** Returns the path of the first member that an object of a valid JSON text names twice, or null. */
export const findRepeatedMember = (text: string): string | null => {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    const sign = text.charCodeAt(at);
    if (sign === openObject) levels.push({ names: new Set(), at: '' });
    else if (sign === openArray) levels.push({ names: null, at: 0 });
    else if (sign === closeObject || sign === closeArray) levels.pop();
    else if (sign === comma && typeof level?.at === 'number') level.at += 1;
    else if (sign === quote) {
      const end = endOfString(text, at);
      if (level?.names != null && text.charCodeAt(skipSpace(text, end + 1)) === colon) {
        const written = text.slice(at + 1, end);
        const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
        level.at = name;
        if (level.names.has(name)) return pathOf(levels);
        level.names.add(name);
      }
      at = end;
    }
  }
  return null;
};
