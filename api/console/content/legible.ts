/** Texts of others with what can't be seen in them made visible, where a person relies on what they read. Used by values and reasons. */

/** Signs that change the order of others, controls but for tabs and line breaks, and characters that are not seen. */
const unseen = /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0000}-\u{e007f}]|(?![\t\n\r])\p{Cc}/gu;

/** Returns a text with each such character as its number in Unicode, like `[U+202E]`. */
export const legible = (text: string): string =>
  text.replace(unseen, (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);
