/** Quotes values for the sentence of an approval, so that no value can pose as another part of it. Used by sentence.ts. */

import { canonicalJson } from '../../platform/core/canonicalJson.ts';

/** UTF-16 units of a value in a sentence, without its quotation marks. */
const quotedMax = 80;
/** Of a longer value only its beginning is looked at. */
const readMax = 4_096;

/** Line breaks, controls and other white space. */
const spaces = /[\s\p{Cc}\p{Z}]+/gu;
/** Characters that are not seen, or change the direction of others; private and unpaired ones. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}]/gu;
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
