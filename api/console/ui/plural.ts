/** Numbers, forms of words by a number, lists of words, and distances in time, as the language of the texts has them. Used by files of texts, and by what shows numbers. */

/** The language in which the files of texts are written; index.html names the same. */
const language = 'en';

interface Forms {
  readonly one: string;
  readonly other: string;
  /** Forms that English lacks. */
  readonly zero?: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
}

// Made when they are needed: the first one of a page takes a while.
let numbers: Intl.NumberFormat | undefined;
let rules: Intl.PluralRules | undefined;
let lists: Intl.ListFormat | undefined;
let rows: Intl.ListFormat | undefined;
let distances: Intl.RelativeTimeFormat | undefined;

/** Returns a number as people read it, in the language of their browser. */
export const count = (n: number): string => (numbers ??= new Intl.NumberFormat()).format(n);

/** Returns the form that goes with a number. */
export const plural = (n: number, forms: Forms): string =>
  forms[(rules ??= new Intl.PluralRules(language)).select(n)] ?? forms.other;

/** Returns a number and the word that goes with it: "1 run", "2 runs". */
export const counted = (n: number, one: string, other: string): string => `${count(n)} ${plural(n, { one, other })}`;

/** Returns words as a list within a sentence: "a, b, and c". */
export const listed = (words: readonly string[]): string =>
  (lists ??= new Intl.ListFormat(language, { type: 'conjunction' })).format(words);

/** Returns words as a list without an "and": "a, b, c". */
export const inRow = (words: readonly string[]): string =>
  (rows ??= new Intl.ListFormat(language, { type: 'unit' })).format(words);

/** Returns how long ago something was within a sentence: "8 minutes ago". */
export const past = (n: number, unit: 'minute' | 'hour' | 'day'): string =>
  (distances ??= new Intl.RelativeTimeFormat(language)).format(-n, unit);

/** Returns words within a sentence: their first letter is small, but for abbreviations. */
export const inSentence = (words: string): string =>
  words.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
