/** Splits titles, texts and queries into words, for items/terms.ts, items/itemWords.ts and records/terms.ts. The same rules on both sides make search literal. */

/** A letter or digit of a script that is written without spaces, with its marks. */
const unspaced = `(?:[[${['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map((script) => `\\p{scx=${script}}`).join('')}]&&[\\p{L}\\p{N}]]\\p{M}*)`;
const runPattern = new RegExp(`${unspaced}+|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, 'gv');
const characters = new RegExp(unspaced, 'gv');
const anyUnspaced = new RegExp(unspaced, 'v');

/** Characters of a term of an unspaced script: enough to distinguish most words, few enough to store. */
const ngramLength = 4;

/** PostgreSQL refuses lexemes over 2,046 bytes; this leaves room for the prefix that items/terms.ts adds. */
const wordBytes = 2000;

/** Returns the longest beginning of whole characters that has at most `wordBytes` bytes. */
const clipWord = (word: string): string => {
  if (word.length * 3 <= wordBytes || Buffer.byteLength(word) <= wordBytes) return word;
  let bytes = 0;
  let length = 0;
  for (const character of word) {
    bytes += Buffer.byteLength(character);
    if (bytes > wordBytes) break;
    length += character.length;
  }
  return word.slice(0, length);
};

/**
 * Returns a text composed (NFC) and in lower case, for both sides of a comparison. The final sigma becomes the common one:
 * JavaScript chooses by what follows, so the beginning of a word would not be the beginning of its lower case.
 */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

const writtenWords = (text: string): string[] =>
  foldCase(text)
    .split(/\s+/u)
    .filter((word) => word !== '');

const ascii = /^[\u0000-\u007f]*$/;

/** Returns the words of a text of nothing but ASCII characters: as `titleWords`, in a tenth of the time. */
const asciiWords = (text: string): string[] => {
  const words = new Set<string>();
  for (const written of text.toLowerCase().match(/\S+/g) ?? []) {
    words.add(clipWord(written));
    for (const run of written.match(/[a-z0-9]+/g) ?? []) words.add(clipWord(run));
  }
  return [...words];
};

/**
 * Returns the words that a title is found by: each word between white space as written, and each run of letters or digits in
 * it. In scripts without spaces a word begins at each character and has `ngramLength` characters, so that a query of several
 * characters is found where they stand together.
 */
export const titleWords = (title: string): string[] => {
  if (ascii.test(title)) return asciiWords(title);
  const words = new Set<string>();
  for (const written of writtenWords(title)) {
    words.add(clipWord(written));
    for (const run of written.match(runPattern) ?? []) {
      if (!anyUnspaced.test(run)) {
        words.add(clipWord(run));
        continue;
      }
      const line = run.match(characters) ?? [];
      for (let i = 0; i < line.length; i++) words.add(clipWord(line.slice(i, i + ngramLength).join('')));
    }
  }
  return [...words];
};

/** Returns pieces of `ngramLength` characters that cover a run, side by side; the last one begins earlier, to end with the run. */
const ngrams = (run: string): string[] => {
  const line = run.match(characters) ?? [];
  const parts: string[] = [];
  for (let i = 0; i < line.length; i += ngramLength)
    parts.push(
      line
        .slice(Math.max(0, Math.min(i, line.length - ngramLength)))
        .slice(0, ngramLength)
        .join(''),
    );
  return parts;
};

/** Quotes and brackets around a word of a query, and signs that end a sentence: a question is asked in words. */
const around = /^["'“”„‘’«»‹›([{¿¡]+(?=.*[\p{L}\p{N}])|(?<=[\p{L}\p{N}\p{M}])["'“”’«»‹›)\]}?!.,;:…]+$/gu;

/**
 * Returns the parts of a query, each of which has to be the beginning of a word of the title. A word as written stands for
 * its runs too. A word with characters of unspaced scripts is split into its runs, which may stand anywhere in the title.
 */
export const queryWords = (query: string): string[] => {
  const parts = new Set<string>();
  for (const word of writtenWords(query)) {
    const written = word.replace(around, '');
    if (!anyUnspaced.test(written)) {
      parts.add(clipWord(written));
      continue;
    }
    for (const run of written.match(runPattern) ?? []) {
      for (const part of anyUnspaced.test(run) ? ngrams(run) : [run]) parts.add(clipWord(part));
    }
  }
  const all = [...parts];
  return all.filter((part) => !all.some((other) => other !== part && other.startsWith(part)));
};
