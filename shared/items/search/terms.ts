/**
 * The lexemes that lists search by: all filters of an item in one tsvector. Environment, fortnight of `last_seen` and
 * inbox prefix each lexeme, so that a search reads visible inboxes only, the newest fortnight first, and never more rows
 * of a common word than one fortnight has. Written by perform/write.ts with each change; queried by items/list.
 */
import { escapeLexeme, nameCode, alternativesOf, titleWords } from '../../platform/words/searchWords.ts';

/** The members of an item that become terms. */
export interface ItemTermSource {
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  readonly closed: boolean;
  readonly tags: readonly string[];
  readonly assignee: string | null;
  readonly lastSeen: number;
  readonly dueAt: number | null;
  readonly snoozedUntil: number | null;
  readonly triaged: boolean;
}

/** The part of a list's filters that terms answer; null: no filter. */
export interface TermFilter {
  readonly states: readonly string[] | null;
  readonly tags: readonly string[] | null;
  /** People's ids, any of them; `none`: nobody. */
  readonly assignees: readonly string[] | null;
  /** Parts of `queryWords`. */
  readonly words: readonly string[] | null;
  /** Items with a deadline that are not closed, whether it has passed or not. */
  readonly due: boolean;
  /** Items with a snooze, whether it has passed or not. */
  readonly snoozed: boolean;
  readonly triaged: boolean;
}

/** The filter that every item passes. */
export const emptyTermFilter: TermFilter = {
  states: null,
  tags: null,
  assignees: null,
  words: null,
  due: false,
  snoozed: false,
  triaged: false,
};

/**
 * Fortnights are counted from 2010-01-04 and have four digits; earlier and later times belong to the first and the last.
 * Shorter spans make rare words slower, with a look-up in each span, and longer ones frequent words (docs/performance.md).
 */
const fortnightMs = 14 * 86_400_000;
const firstFortnightAt = 1_262_563_200_000;
const lastFortnight = 1999;

/** Returns the number of the fortnight of a time in epoch milliseconds. */
const fortnightOf = (at: number): number =>
  Math.min(Math.max(Math.floor((at - firstFortnightAt) / fortnightMs), 0), lastFortnight);

/** Returns the SQL expression of `fortnightOf`; `at` is an expression of type bigint. */
export const fortnightSql = (at: string): string =>
  `least(greatest((${at} - ${String(firstFortnightAt)}) / ${String(fortnightMs)}, 0), ${String(lastFortnight)})::int`;

/** Returns fortnight and inbox as they stand in a lexeme, between the environment and the kind of the value. */
const bucketText = (fortnight: number, code: string): string => String(fortnight).padStart(4, '0') + code;
export const bucketSql = (fortnight: string, code: string): string => `lpad((${fortnight})::text, 4, '0') || ${code}`;

/** The letter between bucket and value is the kind of the value, so that no word matches a tag. */
const kind = { word: 'w', tag: 't', state: 's', assignee: 'a', due: 'd', snoozed: 'z', triaged: 'x' } as const;

/** Returns the lexemes of an item, for `array_to_tsvector`. */
export const itemTerms = (envId: number, item: ItemTermSource): string[] => {
  const before = `${String(envId)}.${bucketText(fortnightOf(item.lastSeen), nameCode(item.inbox))}`;
  const terms: string[] = [kind.state + item.state, kind.assignee + (item.assignee ?? '')];
  for (const word of titleWords(item.title)) terms.push(kind.word + word);
  for (const tag of item.tags) terms.push(kind.tag + tag);
  if (item.dueAt !== null && !item.closed) terms.push(kind.due);
  if (item.snoozedUntil !== null) terms.push(kind.snoozed);
  if (item.triaged) terms.push(kind.triaged);
  return terms.map((term) => before + term);
};

/**
 * Returns the tsquery of a filter in pieces, cut where the bucket belongs: joined by the text of a bucket (in SQL by
 * `array_to_string`) they are the query of that bucket. Lexemes are quoted, so that no character of a word is an operator.
 */
export const termPieces = (envId: number, filter: TermFilter): string[] => {
  const one = (which: string, value = '', prefix = ''): string[] => [
    `'${String(envId)}.`,
    `${which}${escapeLexeme(value)}'${prefix}`,
  ];
  const any = (which: string, values: readonly string[], prefix = ''): string[] =>
    joinPieces(
      ' | ',
      values.map((value) => one(which, value, prefix)),
      '(',
      ')',
    );
  const parts = [
    ...(filter.words ?? []).map((part) => any(kind.word, alternativesOf(part), ':*')),
    ...(filter.tags ?? []).map((tag) => one(kind.tag, tag)),
    ...(filter.assignees === null
      ? []
      : [
          any(
            kind.assignee,
            filter.assignees.map((who) => (who === 'none' ? '' : who)),
          ),
        ]),
    ...(filter.due ? [one(kind.due)] : []),
    ...(filter.snoozed ? [one(kind.snoozed)] : []),
    ...(filter.triaged ? [one(kind.triaged)] : []),
    ...(filter.states === null ? [] : [any(kind.state, filter.states)]),
  ];
  return joinPieces(' & ', parts, '', '');
};

/** Returns lists of pieces as one list, with `between` them, `before` the first and `after` the last. */
const joinPieces = (
  between: string,
  lists: readonly (readonly string[])[],
  before: string,
  after: string,
): string[] => {
  const pieces: string[] = [];
  lists.forEach((list, n) => {
    list.forEach((piece, i) => {
      if (i === 0 && n > 0) pieces.push((pieces.pop() ?? '') + between + piece);
      else pieces.push(piece);
    });
  });
  pieces[0] = before + (pieces[0] ?? '');
  pieces.push((pieces.pop() ?? '') + after);
  return pieces;
};
