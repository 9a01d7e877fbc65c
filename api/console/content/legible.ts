/** Texts of others with what can't be seen in them made visible, where a person relies on what they read. Used by values, names and reasons. */

/** What a joiner or a choice of form may follow: a letter of a script that joins its letters, a mark, or a part of an emoji. */
const joined =
  '[^\\P{L}\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}]|[\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}#*0-9]';
/**
 * Controls but for tabs and line breaks, signs that change the order of others, and characters that are not seen or look like a
 * space. Joiners and the choice of an emoji's form are left where they belong.
 */
const unseen = new RegExp(
  `(?<!${joined})[\\u200c\\u200d\\ufe0e\\ufe0f]|(?![\\u200c\\u200d\\ufe0e\\ufe0f])[\\p{Cf}\\p{Default_Ignorable_Code_Point}\\p{Co}\\p{Cs}\\p{Cn}\\p{Zl}\\p{Zp}\\u2800]|(?![\\t\\n\\r])\\p{Cc}`,
  'gu',
);

/** Returns a text with each such character as its number in Unicode, like `[U+202E]`. */
export const legible = (text: string): string =>
  text.replace(unseen, (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);
