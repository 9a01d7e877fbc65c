/**
 * A list's filters as SQL conditions on rows that an index has found already: one text for all requests, in which a
 * filter that is not asked for is a null parameter. They are never a reason for PostgreSQL to use an index.
 */
import { fold } from '../../core/text.ts';
import type { Value } from '../../db/sql.ts';
import { bucketSql, inboxCode, termPieces, weekSql, type TermFilter } from '../terms.ts';
import type { CountRequest } from './request.ts';
import type { Group } from './streams.ts';

const bucket = bucketSql(weekSql('i.last_seen'), '($codes::text[])[array_position($inboxes::text[], i.inbox)]');

/** Alias of the rows: `i`. `strpos` is a hint: it spares most rows the tsquery, which takes 30 times as long. */
export const conditions: Readonly<Record<Group, string>> = {
  states: '($states::text[] is null or i.state = any($states::text[]))',
  assignee: "($assignee::text is null or coalesce(i.assignee, 'none') = $assignee::text)",
  overdue: '($overdue::bool is null or (i.due_at is not null and not i.closed and i.due_at < $now::bigint) = $overdue::bool)',
  snoozed: '($snoozed::bool is null or (i.snoozed_until is not null and i.snoozed_until > $now::bigint) = $snoozed::bool)',
  triaged: '($triaged::bool is null or i.triaged = $triaged::bool)',
  tags: '($tags::text[] is null or i.tags @> $tags::text[])',
  words: `($words::text[] is null or (strpos(i.title_key, $hint::text) > 0 and i.terms @@ array_to_string($words::text[], ${bucket})::tsquery))`,
};

export const groups = Object.keys(conditions) as Group[];

export const allConditions = Object.values(conditions).join('\n and ');

/** The filters that a request asks for. */
export const askedOf = (request: CountRequest): Group[] => groups.filter((group) => request[group] !== null);

/**
 * The longest run of ASCII letters and digits of the words: where it doesn't occur in the lower-cased title, the words
 * don't either. Other letters may be composed differently there.
 */
const hintOf = (words: readonly string[]): string =>
  words.flatMap((word) => fold(word).match(/[a-z0-9]+/g) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '');

const nothing: TermFilter = { states: null, tags: null, assignee: null, words: null, due: false, snoozed: false, triaged: false };

/** The pieces of a tsquery that asks for some of the filters; empty: terms can't ask for any of them. */
export const piecesOf = (request: CountRequest, which: readonly Group[]): string[] => {
  const has = (group: Group): boolean => which.includes(group);
  const pieces = termPieces(request.env, {
    states: has('states') ? request.states : null,
    tags: has('tags') ? request.tags : null,
    assignee: has('assignee') ? request.assignee : null,
    words: has('words') ? request.words : null,
    due: has('overdue') && request.overdue === true,
    snoozed: has('snoozed') && request.snoozed === true,
    triaged: has('triaged') && request.triaged === true,
  });
  return pieces;
};

/** Whether terms can ask for a filter: they say what an item is, not what it isn't. */
export const isTerm = (request: CountRequest, group: Group): boolean => {
  if (group === 'overdue' || group === 'snoozed' || group === 'triaged') return request[group] === true;
  return request[group] !== null;
};

/** Parameters of the conditions. */
export const filterValues = (request: CountRequest): Record<string, Value> => {
  const { words } = request;
  return {
    env: request.env,
    inboxes: request.inboxes.map((inbox) => inbox.name),
    codes: request.inboxes.map((inbox) => inboxCode(inbox.name)),
    now: request.now,
    states: request.states,
    tags: request.tags,
    assignee: request.assignee,
    overdue: request.overdue,
    snoozed: request.snoozed,
    triaged: request.triaged,
    words: words === null ? null : termPieces(request.env, { ...nothing, words }),
    hint: words === null ? null : hintOf(words),
  };
};
