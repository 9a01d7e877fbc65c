/** Quotes values for the sentence of an approval, so that no value can pose as another part of it. Used by sentence.ts and flagSentence.ts. */

import { canonicalJson } from '../../platform/json/jsonLimits.ts';

/** UTF-16 units of a value in a sentence, without its quotation marks. */
const quotedMax = 80;
/** Of a longer value only its beginning is looked at. */
const readMax = 4_096;

/** Line breaks, controls and other white space. */
const spaces = /[\s\p{Cc}\p{Z}]+/gu;
/** Characters that are not seen, or change the direction of others; private and unpaired ones. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}]/gu;
const unseen = new RegExp(`${invisible.source}|\\p{Cc}`, 'gu');
const marks = /["“”„‟«»‹›❝❞〝〞〟＂]/gu;

/** Returns a text on one line, without what can't be seen and without quotation marks, of at most 80 characters. */
export const plainText = (text: string): string => {
  const begun = text.length > readMax ? text.slice(0, readMax) : text;
  const line = begun.replace(invisible, '').replace(spaces, ' ').replace(marks, "'").trim();
  if (line.length <= quotedMax && begun === text) return line;
  const cut = line.slice(0, quotedMax - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
};

/** Returns a value in quotation marks; of an object or a list its JSON, with its members in the order of their names. */
export const quote = (value: unknown): string =>
  `"${plainText(typeof value === 'string' ? value : canonicalJson(value ?? null))}"`;

/** Returns the name of a member: as it is where it is a plain name, else quoted, as those who ask may make names up. */
export const quoteName = (name: string): string => (/^[A-Za-z][\w.-]{0,79}$/.test(name) ? name : quote(name));

/** Returns an id in quotation marks, in which what is not seen stands as its number in Unicode: without it, it would be another id. */
export const quoteId = (id: string): string =>
  quote(
    id
      .slice(0, readMax)
      .replace(unseen, (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`),
  );

/** Values in one sentence; of more the number is said. */
export const valuesMax = 20;

/** Returns the first texts as a list, and how many more there are. */
export const listed = (texts: readonly string[], most = valuesMax): string => {
  const rest = texts.length - most;
  return `${texts.slice(0, most).join(', ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
};

/** Returns the members in the order of their names, which the requester doesn't choose. */
export const sortedEntries = (values: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Returns milliseconds in the largest unit that they are a multiple of. */
export const quoteDuration = (value: unknown): string => {
  const ms = Number(value);
  const [size, unit] = units.find(([one]) => ms % one === 0) ?? [1, 'ms'];
  return quote(`${String(ms / size)} ${unit}`);
};

export const quoteTime = (value: unknown): string => {
  const at = new Date(Number(value));
  return Number.isNaN(at.getTime()) ? quote(value) : quote(at.toISOString());
};
