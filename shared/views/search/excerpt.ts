/** Excerpts of texts around the words that a search found, and how well these fit. Used by shared/views/search. */
import { limits } from '../../catalogue/limits.ts';
import { alternativesOf, foldText, titleWords } from '../../platform/words/searchWords.ts';

const { excerptMax } = limits;
/** Characters of an excerpt before the first word that was found. */
const leadMax = 60;

const ellipsis = '…';

/** Returns a text on one line, without control characters and signs that turn the direction of writing. */
const plain = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    .toWellFormed();

/** Cuts a text to `most` characters, never through a pair of surrogates. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - ellipsis.length).replace(/[\ud800-\udbff]$/, '')}${ellipsis}`;

const beginsOne = (written: string, words: readonly string[]): boolean => {
  const parts = titleWords(written);
  return words.some((word) => parts.some((part) => part.startsWith(word)));
};

/** Returns at most 200 characters of a text, around the first of the words that stands in it. */
const excerpt = (text: string, words: readonly string[]): string => {
  const line = plain(text);
  if (line.length <= excerptMax) return line;
  let at = 0;
  for (const written of line.matchAll(/\S+/gu)) {
    if (!beginsOne(written[0], words)) continue;
    at = written.index;
    break;
  }
  if (at <= leadMax) return cut(line, excerptMax);
  const from = line.indexOf(' ', at - leadMax);
  const start = from === -1 || from >= at ? at : from + 1;
  return cut(`${ellipsis}${line.slice(start)}`, excerptMax);
};

/** A text of what was found; hits in heavier texts come first. */
export interface FoundText {
  readonly text: string;
  readonly weight: number;
}

/** How much more a whole word counts than the beginning of one. */
const wholeWord = 1.5;

/** Returns what a word adds in a text: nothing, the weight of the text for the beginning of a word, more for a whole one. */
const wordScore = (parts: ReadonlySet<string>, weight: number, word: string): number => {
  if (parts.has(word)) return weight * wholeWord;
  for (const part of parts) if (part.startsWith(word)) return weight;
  return 0;
};

interface Rated {
  /** The sum over the words of the best place of each; twice as much for a text that is the query. */
  readonly score: number;
  readonly matched: string;
}

/** Rates texts for the parts of a query, and returns an excerpt of the text that has most of them. */
export const rateTexts = (texts: readonly FoundText[], asked: readonly string[], query: string): Rated => {
  const words = asked.map((part) => alternativesOf(part)[0]);
  const whole = foldText(query);
  const best = new Map<string, number>();
  let shown = { text: texts[0]?.text ?? '', score: 0 };
  let exact = false;
  for (const { text, weight } of texts) {
    const parts = new Set(titleWords(text));
    let own = 0;
    for (const word of words) {
      const score = wordScore(parts, weight, word);
      own += score;
      best.set(word, Math.max(best.get(word) ?? 0, score));
    }
    if (own > shown.score) shown = { text, score: own };
    exact ||= own > 0 && foldText(text).trim() === whole;
  }
  const score = [...best.values()].reduce((sum, each) => sum + each, 0);
  return { score: exact ? score * 2 : score, matched: excerpt(shown.text, words) };
};
