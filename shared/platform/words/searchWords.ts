/** Cuts texts and queries into words, by one set of rules, for all that is searched: search/terms.ts, search/itemWords.ts, records/terms.ts, names of people, tags. */

/** Returns three characters for a name (FNV-1a). Two names may share them, so lists also compare the name itself. */
export const nameCode = (name: string): string => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193) >>> 0;
  return (hash % 46_656).toString(36).padStart(3, '0');
};

/** Returns a text as it stands inside the quotes of a tsquery's lexeme, where no character is an operator. */
export const escapeLexeme = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "''");

const unspacedScripts = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai', 'Lao', 'Khmer', 'Myanmar'];

/** How a folded text is cut. */
interface Cut {
  /** A letter or digit. */
  readonly letter: RegExp;
  /** A run of letters and digits, of scripts without spaces or of others. */
  readonly run: RegExp;
  /** A letter or digit of a script that is written without spaces, with its marks. */
  readonly unspaced: RegExp;
  readonly characters: RegExp;
  /** Quotes and brackets behind a word of a text, and signs that end a sentence. */
  readonly closing: RegExp;
  /** What does not count before and behind a word of a query that has a letter or digit. */
  readonly around: readonly [RegExp, RegExp];
}

const closingSigns = `["'“”’«»‹›)\\]}?!.,;:…]+$`;

/** Quotes and brackets before a word. */
const opening = /^["'“”„‘’«»‹›([{¿¡]+/;

/** Of a query these don't count: brackets and quotes of all kinds, signs that emphasize, and those that end a sentence. */
const signs = `\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}"'<>*~\`|`;
const around: Cut['around'] = [new RegExp(`^[${signs}¿¡]+`, 'u'), new RegExp(`[${signs}?!.,;:…。、]+$`, 'u')];

const cutFor = (scripts: readonly string[], own: Cut['around'] | null = around): Cut => {
  const unspaced = `(?:[[${scripts.map((script) => `\\p{scx=${script}}`).join('')}]&&[\\p{L}\\p{N}]]\\p{M}*)`;
  const closing = new RegExp(`(?<=[\\p{L}\\p{N}\\p{M}])${closingSigns}`, 'u');
  return {
    letter: /[\p{L}\p{N}]/u,
    run: new RegExp(`${unspaced}+|(?!\\p{M})(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, 'gv'),
    unspaced: new RegExp(unspaced, 'v'),
    characters: new RegExp(unspaced, 'gv'),
    closing,
    around: own ?? [opening, closing],
  };
};

/** Korean is written with spaces, but its compounds match inside. */
const usualCut = cutFor([...unspacedScripts, 'Hangul']);
/** The release before cuts so, and its words are in rows that are not indexed anew yet. */
const formerCut = cutFor(unspacedScripts, null);
/** Finds the same as `usualCut` in texts of nothing but ASCII characters, in a tenth of the time. */
const asciiCut: Cut = {
  letter: /[a-z0-9]/,
  run: /[a-z0-9]+/g,
  unspaced: /(?!)/,
  characters: /(?!)/g,
  closing: new RegExp(`(?<=[a-z0-9])${closingSigns}`),
  around,
};

/** Characters of a term of an unspaced script: enough to distinguish most words, few enough to store. */
const ngramLength = 4;

/** PostgreSQL refuses lexemes over 2,046 bytes; this leaves room for the prefix that search/terms.ts adds. */
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

const ascii = /^[\u0000-\u007f]*$/;

/**
 * Returns a text composed (NFC) and in lower case, for keys and ids. The final sigma becomes the common one:
 * JavaScript chooses by what follows, so the beginning of a word would not be the beginning of its lower case.
 */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');

const plainQuotes = (text: string): string => text.replace(/[´ˋʹʻʼ‘’‚‛′‹›]/gu, "'").replace(/[“”„‟″«»]/gu, '"');

/**
 * Returns a text as it is compared: compatible characters, cases, quotes and hyphens are one, signs that nobody sees are gone, accents stay.
 * Lower case of upper case is the full folding of cases, but for the ẞ. Some quotes become others, or spaces, when characters are made compatible.
 */
export const foldText = (text: string): string =>
  ascii.test(text)
    ? text.toLowerCase()
    : plainQuotes(plainQuotes(text).normalize('NFKC'))
        .replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
        .replace(/[\p{Pd}\u2212]/gu, '-')
        .toLowerCase()
        .toUpperCase()
        .toLowerCase()
        .replaceAll('ς', 'σ')
        .normalize('NFC');

/** Accents of letters, and the points of Hebrew and Arabic; no vowels of scripts that write these as marks. */
const accentBlocks = ['0300 036f', '0591 05c7', '064b 065f', '0670 0670', '1ab0 1aff', '1dc0 1dff', '20d0 20ff'].map(
  (block) => `\\u${block.replace(' ', '-\\u')}`,
);
const accents = new RegExp(`[[${accentBlocks.join('')}]&&\\p{M}]+`, 'gv');
const strokes: ReadonlyMap<string, string> = new Map(
  Object.entries({ ø: 'o', đ: 'd', ħ: 'h', ł: 'l', ŧ: 't', æ: 'ae', œ: 'oe' }),
);

const withoutAccents = (folded: string): string =>
  folded
    .normalize('NFD')
    .replace(accents, '')
    .normalize('NFC')
    .replace(/[øđħłŧæœ]/gu, (letter) => strokes.get(letter) ?? letter);

const writtenWords = (text: string): string[] => text.split(/\s+/u).filter((word) => word !== '');

/** Adds the beginnings of a written word: all of it, without brackets, from its first letter or digit, and from the sign before that. */
const addBeginnings = (words: Set<string>, written: string, { letter, closing, around: [before] }: Cut): void => {
  const word = written.replace(closing, '');
  const first = word.search(letter);
  words.add(clipWord(word));
  if (first <= 0) return;
  words.add(clipWord(word.replace(opening, '')));
  words.add(clipWord(word.replace(before, '')));
  words.add(clipWord(word.slice(first)));
  words.add(clipWord((/.$/u.exec(word.slice(0, first))?.[0] ?? '') + word.slice(first)));
};

/** Adds the words of a folded text. A query never holds a word of an unspaced script as written, so only what stands before it is kept so. */
const addWords = (words: Set<string>, folded: string, cut: Cut): void => {
  for (const written of writtenWords(folded)) {
    const at = written.search(cut.unspaced);
    if (at !== 0) addBeginnings(words, at === -1 ? written : written.slice(0, at), cut);
    for (const run of written.match(cut.run) ?? []) {
      const line = at === -1 ? null : run.match(cut.characters);
      if (line === null) words.add(clipWord(run));
      else for (let i = 0; i < line.length; i++) words.add(clipWord(line.slice(i, i + ngramLength).join('')));
    }
  }
};

/**
 * Returns the words that a text is found by: each word between white space as written and without the signs before it, and each
 * run of letters or digits in it; those with accents also without. In scripts without spaces a word begins at each character and has
 * `ngramLength` characters, so that a query of several characters is found where they stand together. Words as the release before
 * cuts them are among them: it looks these up, and so are runs that compatible characters hide (`№42`).
 */
export const titleWords = (title: string): string[] => {
  const words = new Set<string>();
  if (ascii.test(title)) addWords(words, title.toLowerCase(), asciiCut);
  else {
    const [folded, former] = [foldText(title), foldCase(title)];
    for (const form of new Set([folded, withoutAccents(folded)])) addWords(words, form, usualCut);
    for (const form of new Set([former, withoutAccents(former)])) addWords(words, form, formerCut);
  }
  return [...words];
};

/** Returns pieces of `ngramLength` characters that cover a run, side by side; the last one begins earlier, to end with the run. */
const ngrams = (line: readonly string[]): string[] => {
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

/** Returns the parts of a word of a query: the word without the signs around it that don't count, or its runs where one is of an unspaced script. */
const partsOf = (folded: string, cut: Cut): string[] =>
  writtenWords(folded).flatMap((written) => {
    const [before, behind] = cut.around;
    const inner = cut.letter.test(written) ? written.replace(before, '').replace(behind, '') : written;
    const word = inner.replace(cut.closing, '');
    if (!cut.unspaced.test(word)) return [clipWord(word)];
    return (word.match(cut.run) ?? []).flatMap((run) => {
      const line = run.match(cut.characters);
      return (line === null ? [run] : ngrams(line)).map(clipWord);
    });
  });

/** Returns the words of a part of a query, any of which will do: first the one that texts are found by, then as the release before cuts it. */
export const alternativesOf = (part: string): readonly [string, ...string[]] => {
  const [word = '', ...former] = part.split(' ');
  return [word, ...former];
};

/**
 * Returns the parts of a query, each of which has to be the beginning of a word of the text. A word as written stands for its runs too.
 * A word with characters of unspaced scripts is split into its runs, which may stand anywhere in the text. Until all rows are indexed
 * anew, the parts that the release before makes of the word will do: a space is between the two, which no word has.
 */
export const queryWords = (query: string): string[] => {
  const parts = new Set<string>();
  // Of white space, one sign is not seen, and no end of a word.
  for (const word of query.split(/(?:(?!\ufeff)\s)+/u)) {
    const asked = partsOf(foldText(word), ascii.test(word) ? asciiCut : usualCut);
    const former = partsOf(foldCase(word), formerCut);
    const others = former.filter((part) => !asked.includes(part));
    // Finds what all of `asked` or all of `former` find: a part that only `asked` has is nothing more where `former` has no other.
    for (const part of asked)
      if (former.includes(part)) parts.add(part);
      else for (const other of others) parts.add(`${part} ${other}`);
  }
  const all = [...parts];
  return all.filter((part) => !all.some((other) => other !== part && other.startsWith(part)));
};

/** Returns whether a short text, a name or a tag, is found by a query as items are. */
export const textFinder = (query: string): ((text: string) => boolean) => {
  const asked = queryWords(query).map(alternativesOf);
  return (text) => {
    const words = titleWords(text);
    return asked.every((parts) => parts.some((part) => words.some((word) => word.startsWith(part))));
  };
};
