/**
 * The lexemes of the table item_words, by which items are found by their contents (`q`, `fields.<name>`): a row for an item's
 * title and fields, and one for each further text (occurrence, note, reply), so that nothing is rewritten when a text is
 * added. Own rows are written by perform/write.ts with the change, others by indexTexts.ts; queried by items/list.
 */
import { createHash } from 'node:crypto';
import { limits } from '../../catalogue/limits.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { escapeLexeme, nameCode, alternativesOf, titleWords } from '../../platform/words/searchWords.ts';

/** A row of item_words; `source`: the occurrence or timeline entry, empty for the item itself. */
export interface WordsRow {
  readonly item: string;
  readonly source: string;
  /** Lexemes, separated by `\n`, which no lexeme has. */
  readonly words: string;
}

/** What an item has to contain: parts of `queryWords`, each the beginning of a word in any of its texts, and values of its fields. */
export interface ContentFilter {
  readonly words: readonly string[];
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** The letter between inbox and value: words of the item itself, words of further texts, values of fields. */
const kind = { own: 'w', further: 'x', value: 'f' } as const;

const lexemePrefix = (envId: number, code: string): string => `${String(envId)}.${code}`;

/** Returns the beginning of a text that counts, cut between characters. */
const clipText = (text: string): string => {
  if (text.length * 3 <= limits.wordsTextBytes || Buffer.byteLength(text) <= limits.wordsTextBytes) return text;
  const bytes = Buffer.from(text);
  let end = limits.wordsTextBytes;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
};

/** Adds every text in a JSON value to `texts`. */
const collectTexts = (value: unknown, texts: string[]): string[] => {
  if (typeof value === 'string') texts.push(value);
  else if (Array.isArray(value)) for (const member of value) collectTexts(member, texts);
  else if (isObject(value)) for (const member of Object.values(value)) collectTexts(member, texts);
  return texts;
};

/** Returns every text in a JSON value. */
export const textsIn = (value: unknown): string[] => collectTexts(value, []);

const wordsOf = (texts: readonly string[]): Set<string> => {
  const words = new Set<string>();
  for (const text of texts) for (const word of titleWords(clipText(text))) words.add(word);
  return words;
};

/** Characters of a name and value that stand in a lexeme as they are; longer ones and those with a line break are hashed. */
const plainValueMax = 200;

/** Returns the lexeme of a field's value without its prefix. */
const valueLexeme = (name: string, value: string): string => {
  const text = `${String(name.length)}.${name}${value}`;
  return text.length <= plainValueMax && !text.includes('\n')
    ? kind.value + text
    : `${kind.value}#${createHash('sha256')
        .update(JSON.stringify([name, value]))
        .digest('base64url')}`;
};

/** Returns the text that a filter is compared with, or null for a value that no filter matches. */
const valueText = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;

/** Returns the lexemes of an item's title and fields; `fields` is JSON text. */
export const itemLexemes = (envId: number, inbox: string, title: string, fields: string): string => {
  const prefix = lexemePrefix(envId, nameCode(inbox));
  const content: unknown = JSON.parse(fields);
  const lexemes: string[] = [];
  for (const word of wordsOf(collectTexts(content, [title]))) lexemes.push(prefix + kind.own + word);
  for (const [name, value] of isObject(content) ? Object.entries(content) : []) {
    const text = valueText(value);
    if (text !== null) lexemes.push(prefix + valueLexeme(name, text));
  }
  return lexemes.join('\n');
};

/** Returns the lexemes of further texts of an item. */
export const furtherLexemes = (envId: number, inbox: string, texts: readonly string[]): string => {
  const prefix = lexemePrefix(envId, nameCode(inbox)) + kind.further;
  return [...wordsOf(texts)].map((word) => prefix + word).join('\n');
};

/** Returns the texts of an occurrence; `data` is JSON text. */
export const occurrenceTexts = ({ title, data }: { readonly title: string; readonly data: string | null }): string[] =>
  collectTexts(data === null ? null : JSON.parse(data), [title]);

/** The texts of entries that are found by what was written. */
export const entryTexts = (type: string, { subject, text }: Readonly<Record<string, unknown>>): string[] =>
  type === 'note' || type === 'reply' ? [subject, text].filter((one) => typeof one === 'string') : [];

/** The columns of an occurrence or an entry that has texts; `data` is JSON text. */
export interface StoredText {
  /** Of an occurrence; null: it is an entry. */
  readonly title: string | null;
  readonly data: string | null;
  /** Of an entry. */
  readonly type: string | null;
}

/** Returns the texts of a stored occurrence or entry. */
export const storedTexts = ({ title, data, type }: StoredText): string[] => {
  if (title !== null) return occurrenceTexts({ title, data });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the data of an entry is an object
  return type === null ? [] : entryTexts(type, JSON.parse(data ?? '{}') as Readonly<Record<string, unknown>>);
};

/** tsqueries for the inboxes of a list, in their order. Lexemes are quoted, so that no character of a value is an operator. */
export interface ContentQueries {
  readonly partCount: number;
  /**
   * Returns for each inbox a query of a row that has it all (`same`), and `partCount` queries, each of which some row of a matching item
   * matches. The rarest parts come first, as far as that is known: without an order the longest words.
   */
  readonly compared: (order?: readonly number[]) => { readonly same: string[]; readonly parts: string[] };
  /**
   * Returns queries by which items that have some of the parts are looked up: each has a row of its own texts with all of these
   * parts, or a further text with one of them.
   */
  readonly lookup: (parts: readonly number[]) => string[];
}

/** A part in one inbox: a query of an item's own texts, and one of its further texts, where it may stand there too. */
interface ContentPart {
  readonly own: string;
  readonly further: string | null;
}

const anywhere = ({ own, further }: ContentPart): string => (further === null ? own : `(${own} | ${further})`);

/** Returns the tsqueries of a filter, whose words are parts of `queryWords`. */
export const contentQueries = (
  envId: number,
  inboxes: readonly string[],
  { words, fields }: ContentFilter,
): ContentQueries => {
  const one = (prefix: string, lexeme: string, more = ''): string => `'${escapeLexeme(prefix + lexeme)}'${more}`;
  const begins = (prefix: string, part: string): string => {
    const all = alternativesOf(part).map((word) => one(prefix, word, ':*'));
    return all.length === 1 ? all.join('') : `(${all.join(' | ')})`;
  };
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  const perInbox = inboxes.map((inbox): ContentPart[] => {
    const prefix = lexemePrefix(envId, nameCode(inbox));
    const values = fields.map(([name, value]) => one(prefix, valueLexeme(name, value))).join(' & ');
    return [
      ...(values === '' ? [] : [{ own: values, further: null }]),
      ...longestFirst.map((word) => ({
        own: begins(prefix + kind.own, word),
        further: begins(prefix + kind.further, word),
      })),
    ];
  });
  return {
    partCount: longestFirst.length + (fields.length === 0 ? 0 : 1),
    compared: (order) => {
      const ordered = perInbox.map((parts) => (order?.flatMap((n) => parts[n] ?? []) ?? parts).map(anywhere));
      return { same: ordered.map((parts) => parts.join(' & ')), parts: ordered.flat() };
    },
    lookup: (chosen) =>
      perInbox.flatMap((all) => {
        const parts = all.filter((_, n) => chosen.includes(n));
        return [parts.map(({ own }) => own).join(' & '), ...parts.flatMap(({ further }) => further ?? [])];
      }),
  };
};
