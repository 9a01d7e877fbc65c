/** Texts that name something as they are stored: titles, tags and keys. Used by items, their filters, records and guards of ramps. */

/** Letters and marks of scripts that joiners shape, and emoji. */
const joined =
  '[[\\p{L}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]--[\\p{scx=Latin}\\p{scx=Greek}\\p{scx=Cyrillic}\\p{scx=Han}\\p{scx=Hangul}]]';

/** Signs that nobody sees. Those that join or choose the signs beside them stay, as in emoji and in Persian and Indic words. */
const invisible = [
  '[\\p{Default_Ignorable_Code_Point}--[\\u200c\\u200d\\ufe0e\\ufe0f\\u{e0020}-\\u{e007f}]]',
  '[\\p{Cc}--\\s]',
  '[\\ufff9-\\ufffb]',
  `(?<!${joined})[\\u200c\\u200d]`,
  `[\\u200c\\u200d](?!${joined})`,
  '(?<!\\p{Extended_Pictographic})[\\ufe0e\\ufe0f](?!\\u20e3)',
  '(?<![\\u{1f3f4}\\u{e0020}-\\u{e007e}])[\\u{e0020}-\\u{e007f}]',
];

const removed = new RegExp(invisible.join('|'), 'gv');

const isPlain = /^[\u0020-\u007e]*$/;

/**
 * Returns a title, tag or key composed (NFC), without white space around it, without control characters, and without signs that
 * nobody sees, those that turn the direction of writing among them; empty: nothing of it is seen.
 */
export const cleanText = (text: string): string =>
  (isPlain.test(text) ? text : text.replace(removed, '').normalize('NFC')).replace(/^[\s\u2800]+|[\s\u2800]+$/gu, '');
