/** How titles and queries are cut into words: the same cut on both sides is what makes search literal. */

/** Letters and digits of scripts that are written without spaces, each with its marks. */
const unspaced = `(?:[[${['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map((script) => `\\p{scx=${script}}`).join('')}]&&[\\p{L}\\p{N}]]\\p{M}*)`;
const runPattern = new RegExp(`${unspaced}+|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, 'gv');
const characters = new RegExp(unspaced, 'gv');
const anyUnspaced = new RegExp(unspaced, 'v');

/** Characters of an unspaced run that are looked at together: enough to tell most words apart, few enough to store. */
const ngramLength = 4;

/** PostgreSQL refuses lexemes over 2,046 bytes; this leaves room for the prefix that items/terms.ts adds. */
const wordBytes = 2000;

/** The longest beginning of whole characters that has at most `wordBytes` bytes. */
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
 * Composed and lower-cased, as both sides of a comparison see it. The final sigma becomes the common one: JavaScript
 * writes it by what follows, so the beginning of a word would not be the beginning of its lower case.
 */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

const writtenWords = (text: string): string[] =>
  foldCase(text)
    .split(/\s+/u)
    .filter((word) => word !== '');

/**
 * The words that a title is found by: each whitespace-separated word as written, and in it each run of letters or
 * digits. In scripts written without spaces a word begins at each character; the next three are kept with it, so that
 * a query of several characters is found where they stand together.
 */
export const titleWords = (title: string): string[] => {
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

/** Stretches that cover a run: side by side, the last one moved back to end where the run ends. */
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

/**
 * What of a query has to begin a word of the title. A word as written stands for its runs too: a title's word that
 * begins with it has them. With characters of unspaced scripts it is its runs, wherever they stand in the title.
 */
export const queryWords = (query: string): string[] => {
  const parts = new Set<string>();
  for (const written of writtenWords(query)) {
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
