/**
 * The filters of an item list as SQL conditions on rows that an index has found already: one text for all requests, in
 * which a filter that a request lacks is a null parameter. PostgreSQL never chooses an index for them. Used by items/list/.
 */
import { columnsOf, editedNames, eachEdited, type EditedName } from '../../app/items/members.ts';
import type { SqlValue } from '../../platform/db/sql.ts';
import { hiddenFromPlanner } from '../../platform/listing/scanSql.ts';
import { nameCode, alternativesOf } from '../../platform/words/searchWords.ts';
import { claimEnd, claimHolder } from '../model.ts';
import { contentQueries, type ContentQueries } from '../search/itemWords.ts';
import { bucketSql, emptyTermFilter, fortnightSql, termPieces } from '../search/terms.ts';
import type { ItemCountRequest, ItemFilterName, TimeRange } from './request.ts';

const bucketExpression = bucketSql(
  fortnightSql('i.last_seen'),
  '($codes::text[])[array_position($inboxes::text[], i.inbox)]',
);

/** Returns the SQL of whether a row of item_words of the item matches a tsquery. A scalar query, which PostgreSQL can't turn into a join. */
const hasRow = (query: string): string =>
  `coalesce((select true from item_words w where w.env = $env and w.item = i.id and w.words @@ ${query} limit 1), false)`;

const inboxPlace = 'array_position($inboxes::text[], i.inbox)';

/** So many parts are compared in one pass; a query of scripts without spaces may have more. */
const passParts = 12;

const part = (n: string): string => `($parts::tsquery[])[(${inboxPlace} - 1) * $partCount::int + ${n}]`;

const passPlaces = Array.from({ length: passParts }, (_, n) => n + 1);

/** Returns the SQL of whether one of the rows `w` of an item matches a part; there may be fewer parts. */
const anyRowHas = (n: number): string => `bool_or($partCount::int >= ${String(n)} and w.words @@ ${part(String(n))})`;

/** Columns `p1` and on of the rows `w` of an item: whether one of them matches the part. */
export const partColumns = passPlaces.map((n) => `${anyRowHas(n)} as p${String(n)}`).join(', ');
/** Which of the columns of `partColumns` are parts, and whether all of these are true. */
export const partConditions = passPlaces.map((n) => `p.p${String(n)}`);
export const allPartsFit = passPlaces.map((n) => `($partCount::int < ${String(n)} or p.p${String(n)})`).join(' and ');

/** The number of items of the visible inboxes, without what is not published yet. */
export const publishedTotal =
  "(select coalesce(sum(c.n), 0)::bigint from counts c where c.env = $env and c.inbox = any ($inboxes::text[]) and c.measure = 'total')";

/** Whether an item has occurrences, notes or replies among its texts. */
const hasFurtherTexts =
  "coalesce((select true from item_words w where w.env = $env and w.item = i.id and w.source > '' limit 1), false)";

/**
 * Returns the SQL of whether each part is matched by some row of the item. Most items don't have the first part, the rarest that is
 * known, and most of the others have one row, which has all parts or not.
 */
const hasAllParts = (): string =>
  `(${hasRow(part('1'))} and (${hasRow(`($same::tsquery[])[${inboxPlace}]`)} or ${hasFurtherTexts} and case when $partCount::int <= ${String(passParts)}
    then (select coalesce(${passPlaces.map((n) => `($partCount::int < ${String(n)} or ${anyRowHas(n)})`).join(' and ')}, false) from item_words w where w.env = $env and w.item = i.id)
    else not exists (select from generate_series(2, $partCount::int) as n where not ${hasRow(part('n'))}) end))`;

/** Id of the holder of the item’s claim. null: the item has no claim, or the claim is over. */
const liveHolder = `case when ${claimEnd('i')} > $now::bigint then ${claimHolder('i')} end`;

/** Returns the condition of the member's column, any of several values. */
const anyOfSql = (edited: EditedName): string =>
  columnsOf(edited)
    .map(({ name, type }) => `($any_${name}::${type}[] is null or i.${name} = any($any_${name}::${type}[]))`)
    .join(' and ');

/** Alias of the rows: `i`. `strpos` is a hint: it spares most rows the tsquery, which takes 30 times as long. */
export const filterConditions: Readonly<Record<ItemFilterName, string>> = {
  states: '($states::text[] is null or i.state = any($states::text[]))',
  assignees: "($assignees::text[] is null or coalesce(i.assignee, 'none') = any($assignees::text[]))",
  claimed: `($claimed::text[] is null or coalesce(${liveHolder}, 'none') = any($claimed::text[]) or 'any' = any($claimed::text[]) and ${liveHolder} is not null)`,
  delegates: "($delegates::text[] is null or coalesce(i.delegate, 'none') = any($delegates::text[]))",
  overdue:
    '($overdue::bool is null or (i.due_at is not null and not i.closed and i.due_at < $now::bigint) = $overdue::bool)',
  snoozed:
    '($snoozed::bool is null or (i.snoozed_until is not null and i.snoozed_until > $now::bigint) = $snoozed::bool)',
  triaged: '($triaged::bool is null or i.triaged = $triaged::bool)',
  tags: '($tags::text[] is null or i.tags @> $tags::text[])',
  words: `($words::text[] is null or ((strpos(i.title_key, $hint::text) > 0 or octet_length(i.title_key) > char_length(i.title_key)) and i.terms @@ array_to_string($words::text[], ${bucketExpression})::tsquery))`,
  record:
    '($recordId::text is null or (i.record_id = $recordId::text and i.record_resource = $recordResource::text) is true or i.links @> $recordLink::jsonb)',
  created: hiddenFromPlanner('i.created_at >= $createdFrom::bigint and i.created_at < $createdTo::bigint'),
  seen: hiddenFromPlanner('i.last_seen >= $seenFrom::bigint and i.last_seen < $seenTo::bigint'),
  ...eachEdited(anyOfSql),
  contents: `($same::tsquery[] is null or case when $partCount::int = 1 then ${hasRow(`($same::tsquery[])[${inboxPlace}]`)} else ${hasAllParts()} end)`,
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of filterConditions has exactly these keys.
export const filterNames = Object.keys(filterConditions) as ItemFilterName[];

const conditionsOf = (conditions: Partial<typeof filterConditions>): string =>
  Object.values(conditions).join('\n and ');

export const allConditions = conditionsOf(filterConditions);

const { contents: contentsCondition, ...otherConditions } = filterConditions;

/** The same for an item of which `d.whole` says whether one of its rows, found before, has all contents. */
export const conditionsOfFound = conditionsOf({
  ...otherConditions,
  contents: `(d.whole is true or ${contentsCondition})`,
});

/** Selects from rows `w` that were found by some of the contents the items that may have all: by that row, or by several. */
export const mayHaveAllSql = (rows: string): string => `
  select w.item, bool_or(w.whole) as whole from ${rows} w group by w.item
  having $same::tsquery[] is null or bool_or(w.whole)
    or exists (select from item_words f where f.env = $env and f.item = w.item and f.source > '')`;

/** Whether a row of item_words has all contents; null where one part is asked for, which every row that is found has. */
export const wholeColumn = 'w.words @@ any ($same::tsquery[]) as whole';

/** Returns the filters that a request sets. */
export const requestedFilters = (request: ItemCountRequest): ItemFilterName[] =>
  filterNames.filter((filter) => request[filter] !== null);

const longer = (a: string, b: string): number => b.length - a.length;

/**
 * Returns the longest run of ASCII letters and digits of a word: a lower-cased title of nothing but ASCII characters without it
 * doesn't hold the word either.
 */
const wordHint = (word: string): string => (alternativesOf(word)[0].match(/[a-z0-9]+/g) ?? []).sort(longer)[0] ?? '';

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

/** Every time is in this range. */
export const anyTime: TimeRange = { from: -Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

const inboxNames = ({ inboxes }: ItemCountRequest): string[] => inboxes.map(({ name }) => name);

/** Returns the queries of the contents that a request asks for; null: it asks for none. */
export const requestedContents = (request: ItemCountRequest): ContentQueries | null =>
  request.contents === null ? null : contentQueries(request.env, inboxNames(request), request.contents);

/** Returns the parameters of the conditions. */
export const filterValues = (request: ItemCountRequest): Record<string, SqlValue> => {
  const { words, record, created, seen } = request;
  const inboxes = inboxNames(request);
  const queries = requestedContents(request);
  const compared = queries?.compared();
  const hints = lookupWords(request).map(({ hint }) => hint);
  return {
    env: request.env,
    inboxes,
    codes: request.inboxes.map((inbox) => nameCode(inbox.name)),
    now: request.now,
    ...Object.fromEntries(
      editedNames.flatMap((member) => columnsOf(member).map(({ name }) => [`any_${name}`, request[member]])),
    ),
    states: request.states,
    tags: request.tags,
    assignees: request.assignees,
    claimed: request.claimed,
    delegates: request.delegates,
    overdue: request.overdue,
    snoozed: request.snoozed,
    triaged: request.triaged,
    words: words === null ? null : termPieces(request.env, { ...emptyTermFilter, words }),
    same: compared?.same ?? null,
    parts: compared?.parts ?? null,
    partCount: queries?.partCount ?? null,
    looked: queries?.lookup([0]) ?? null,
    hint: hints[0] ?? '',
    hints,
    recordResource: record?.resource ?? null,
    recordId: record?.id ?? null,
    recordLink: record === null ? null : JSON.stringify([{ resource: record.resource, id: record.id }]),
    createdFrom: (created ?? anyTime).from,
    createdTo: (created ?? anyTime).to,
    seenFrom: (seen ?? anyTime).from,
    seenTo: (seen ?? anyTime).to,
  };
};
