/** Keeps answers short: long texts, long lists and wide objects are cut, and what was cut says so. Used by present.ts. */
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';

export interface Limits {
  /** Characters of a text. */
  readonly text: number;
  /** Elements of a list below the first level. */
  readonly list: number;
  /** Members of an object. */
  readonly members: number;
}

/** How the rest is read; it stands in each text that was cut. */
const rest = 'detail: "full" has all';

const shortenText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  // Not through the middle of a character.
  const head = text
    .slice(0, most)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  return `${head}… (${String(text.length - head.length)} more characters; ${rest})`;
};

/** Members that are given back as they are. */
const asGiven = /^id$|[cC]ursor$/;

const shortenObject = (value: Readonly<Record<string, unknown>>, limits: Limits, depth: number): unknown => {
  const entries = Object.entries(value);
  const kept = entries
    .slice(0, depth === 0 ? entries.length : limits.members)
    .map(([name, member]): [string, unknown] => [
      name,
      typeof member === 'string' && asGiven.test(name) ? member : shorten(member, limits, depth + 1),
    ]);
  const cut = entries.length - kept.length;
  return Object.fromEntries(cut === 0 ? kept : [...kept, ['…', `${String(cut)} more members; ${rest}`]]);
};

/** Returns the value with its texts, nested lists and objects within the limits. Lists of the first level stay whole. */
export const shorten = (value: unknown, limits: Limits, depth = 0): unknown => {
  if (typeof value === 'string') return shortenText(value, limits.text);
  if (Array.isArray(value)) {
    const most = depth <= 1 ? value.length : limits.list;
    const kept = value.slice(0, most).map((element: unknown) => shorten(element, limits, depth + 1));
    const cut = value.length - kept.length;
    return cut === 0 ? kept : [...kept, `… ${String(cut)} more; ${rest}`];
  }
  return isObject(value) ? shortenObject(value, limits, depth) : value;
};
