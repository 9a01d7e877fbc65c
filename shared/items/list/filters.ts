/**
 * The filters of an item list as SQL conditions on rows that an index has found already: one text for all requests, in
 * which a filter that a request lacks is a null parameter. PostgreSQL never chooses an index for them. Used by items/list/.
 */
import { nameCode } from '../../platform/core/lexemes.ts';
import { foldCase } from '../../platform/core/searchWords.ts';
import type { SqlValue } from '../../platform/db/sql.ts';
import { bucketSql, emptyTermFilter, fortnightSql, termPieces } from '../terms.ts';
import type { ItemCountRequest, ItemFilterName } from './request.ts';

const bucketExpression = bucketSql(
  fortnightSql('i.last_seen'),
  '($codes::text[])[array_position($inboxes::text[], i.inbox)]',
);

/** Alias of the rows: `i`. `strpos` is a hint: it spares most rows the tsquery, which takes 30 times as long. */
export const filterConditions: Readonly<Record<ItemFilterName, string>> = {
  states: '($states::text[] is null or i.state = any($states::text[]))',
  assignee: "($assignee::text is null or coalesce(i.assignee, 'none') = $assignee::text)",
  overdue:
    '($overdue::bool is null or (i.due_at is not null and not i.closed and i.due_at < $now::bigint) = $overdue::bool)',
  snoozed:
    '($snoozed::bool is null or (i.snoozed_until is not null and i.snoozed_until > $now::bigint) = $snoozed::bool)',
  triaged: '($triaged::bool is null or i.triaged = $triaged::bool)',
  tags: '($tags::text[] is null or i.tags @> $tags::text[])',
  words: `($words::text[] is null or (strpos(i.title_key, $hint::text) > 0 and i.terms @@ array_to_string($words::text[], ${bucketExpression})::tsquery))`,
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of filterConditions has exactly these keys.
export const filterNames = Object.keys(filterConditions) as ItemFilterName[];

export const allConditions = Object.values(filterConditions).join('\n and ');

/** Returns the filters that a request sets. */
export const requestedFilters = (request: ItemCountRequest): ItemFilterName[] =>
  filterNames.filter((filter) => request[filter] !== null);

const longer = (a: string, b: string): number => b.length - a.length;

/**
 * Returns the longest run of ASCII letters and digits of a word: a lower-cased title without it doesn't hold the word
 * either. Other letters may be composed differently in the title.
 */
const wordHint = (word: string): string => (foldCase(word).match(/[a-z0-9]+/g) ?? []).sort(longer)[0] ?? '';

/** At most so many words are looked up in the index; further words are only compared with the rows. */
const lookupWordsMax = 4;

/** Returns the words that may be looked up, the longest hint first. */
export const lookupWords = ({ words }: ItemCountRequest): { word: string; hint: string }[] =>
  (words ?? [])
    .map((word) => ({ word, hint: wordHint(word) }))
    .sort((a, b) => longer(a.hint, b.hint))
    .slice(0, lookupWordsMax);

export const hintConditions: readonly string[] = Array.from(
  { length: lookupWordsMax },
  (_, n) => `strpos(i.title_key, ($hints::text[])[${String(n + 1)}]) > 0`,
);

/** Returns the parameters of the conditions. */
export const filterValues = (request: ItemCountRequest): Record<string, SqlValue> => {
  const { words } = request;
  const hints = lookupWords(request).map(({ hint }) => hint);
  return {
    env: request.env,
    inboxes: request.inboxes.map((inbox) => inbox.name),
    codes: request.inboxes.map((inbox) => nameCode(inbox.name)),
    now: request.now,
    states: request.states,
    tags: request.tags,
    assignee: request.assignee,
    overdue: request.overdue,
    snoozed: request.snoozed,
    triaged: request.triaged,
    words: words === null ? null : termPieces(request.env, { ...emptyTermFilter, words }),
    hint: hints[0] ?? '',
    hints,
  };
};
