/** Texts that people write, as they are stored and counted: titles, tags, keys, and the subjects of answers. */

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

/** Returns whether a text has more than `most` characters, without counting those of one that is far too long. */
export const isLongerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);

/** What mail programs of common languages put before the subject of an answer. */
const words =
  're|aw|antw|antwort|sv|vs|vá|res|rép|rif|r|odp|ynt|yanıt|atb|bls|tl|răsp|отв|ответ|απ|σχετ|השב|رد|回复|回覆|答复|答覆|返信|회신|답장';
/** Such a word, a number such as that of `Re[2]:`, and a colon; before it at most the name of a list or a ticket. */
const prefix = new RegExp(`^(?:\\[[^\\]]{0,100}\\]\\s*)?(?:${words})\\s?(?:[[(^]?\\d{1,3}[\\])]?)?\\s?[:：]`, 'iu');

/** Returns the subject of an answer to a title: one line of at most so many characters, with one prefix. */
export const replySubject = (title: string, charactersMax: number): string => {
  const line = title
    .replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .normalize('NFC');
  return (prefix.test(line) ? line : `Re: ${line}`).slice(0, charactersMax).toWellFormed();
};
