/**
 * The statements that group items while they read them, and the groups that several of them add up to. Used by summary.ts.
 * A statement groups what it read of a source, so that no id goes back and forth; each row of its answer is a group.
 */
import { namedStatement, type NamedStatement } from '../../platform/db/namedStatement.ts';
import type { TextRow } from '../../platform/db/sql.ts';
import { hiddenFromPlanner } from '../../platform/listing/scanSql.ts';
import { allConditions } from './filters.ts';
import type { CursorKeys } from './request.ts';
import type { CandidateSource } from './sources.ts';
import { fortnightRowsSql, itemByIdSql } from './statements.ts';
import { itemShapeName, itemStreamSql, type ItemStreamShape } from './streamSql.ts';

/** Alias of the items: `i`, of each of their tags: `t`. Null is the group of the items that have none. */
const keySql = {
  inbox: 'i.inbox',
  state: 'i.state',
  tag: 't.tag',
  assignee: 'i.assignee',
  record: `case when i.record_resource = any ($resources::text[]) then i.record_resource || ':' || i.record_id end`,
  day: `to_char(to_timestamp(i.first_seen / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')`,
} as const;
const fieldSql = `case when json_typeof(i.fields -> $field::text) in ('string', 'number', 'boolean') then i.fields ->> $field::text end`;

type MemberKey = keyof typeof keySql;
export type SummaryKey = MemberKey | 'field';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const summaryKeys = Object.keys(keySql) as MemberKey[];

/**
 * The place of an item in a stream by activity, as a text in the same order: its last activity, then its id. A constant is added
 * to the time so that it always has as many digits; padding each takes a third of the whole statement.
 */
const timeBase = 1_000_000_000_000_000;
const timeDigits = String(timeBase).length;
const placeSql = `((i.last_seen + ${String(timeBase)})::text || i.id) collate "C"`;

/** Groups the rows of a source; those that don't fit are a group of their own, which only says how many were read and how far. */
const groupSql = (by: SummaryKey, rows: string, fits: string): string => `
  select fits, group_key, count(*) as n, count(*) filter (where head) as items, sum(occurrences) as occurrences, count(*) filter (where assignee is null) as unassigned,
    count(*) filter (where due_at < $now::bigint and not closed) as overdue, min(first_seen) as oldest, min(place) as last, max(place) as first
  from (
    select i.*, case when fits then ${by === 'field' ? fieldSql : keySql[by]} end as group_key, ${by === 'tag' ? 'coalesce(t.n, 1) = 1' : 'true'} as head, ${placeSql} as place
    from (select i.*, ${fits} as fits from (${rows}) i) i ${by === 'tag' ? 'left join lateral unnest(case when i.fits then i.tags end) with ordinality t(tag, n) on true' : ''}) i
  group by fits, group_key`;

/** Groups the next rows of a stream behind the cursor. `open`: whether they may fail a filter. */
export const streamGroupsStatement = (by: SummaryKey, shape: ItemStreamShape, open: boolean): NamedStatement =>
  namedStatement(`items.groups.${by}.${open ? 'open.' : ''}${itemShapeName(shape)}`, () =>
    groupSql(by, itemStreamSql(shape), open ? allConditions : 'true'),
  );

/** Groups up to `$most` items that the terms in `$pieces` find in the fortnights from `$from` back to `$to`. */
export const termGroupsStatement = (by: SummaryKey): NamedStatement =>
  namedStatement(`items.groups.${by}.terms`, () => groupSql(by, `${fortnightRowsSql} limit $most`, allConditions));

const visibleSql = hiddenFromPlanner('i.inbox = any ($inboxes::text[])');

/** Groups what a source of candidates has. */
export const candidateGroupsStatement = (by: SummaryKey, { name, rows }: CandidateSource): NamedStatement =>
  namedStatement(`items.groups.${by}.candidates.${name}`, () =>
    groupSql(by, `select * from (${rows('i.*')} offset 0) i`, `(${visibleSql} and ${allConditions})`),
  );

/** Groups what the first `$most` rows of item_words hold that are found by their contents (`$looked`). */
export const contentGroupsStatement = (by: SummaryKey): NamedStatement =>
  namedStatement(`items.groups.${by}.contents`, () =>
    groupSql(
      by,
      `with w as materialized (select w.item from item_words w where w.words @@ any ($looked::tsquery[]) limit $most)
       select i.* from (select distinct item from w) as d cross join lateral (${itemByIdSql}) i`,
      allConditions,
    ),
  );

export interface CountedGroup {
  readonly key: string | null;
  count: number;
  occurrences: number;
  unassigned: number;
  overdue: number;
  /** Epoch milliseconds. */
  oldest: number;
  /** The place of the item with the newest activity. */
  first: string;
}

const timeOf = (place: string): number => Number(place.slice(0, timeDigits)) - timeBase;

/** Returns when the newest of a group was active, and which it is. */
export const newestOf = ({ first }: CountedGroup): { readonly at: number; readonly id: string } => ({
  at: timeOf(first),
  id: first.slice(timeDigits),
});

/** Groups of all that statements have answered so far. */
export class GroupTotals {
  /** Rows that were read, and items among them that fit. */
  rows = 0;
  items = 0;
  readonly #groups = new Map<string | null, CountedGroup>();

  /** Adds the answer of a statement. Returns how many rows it read, and the place of the last one in order of activity. */
  add(answer: readonly TextRow[]): { readonly rows: number; readonly place: CursorKeys | null } {
    let rows = 0;
    let place: string | null = null;
    for (const [fits, key = null, ...values] of answer) {
      const [n, items, occurrences, unassigned, overdue, oldest] = values.slice(0, 6).map(Number);
      const [last, first] = values.slice(6).map(String);
      rows += items ?? 0;
      if (last !== undefined && (place === null || last < place)) place = last;
      if (fits !== 't') continue;
      this.items += items ?? 0;
      this.#merge({
        key,
        count: n ?? 0,
        occurrences: occurrences ?? 0,
        unassigned: unassigned ?? 0,
        overdue: overdue ?? 0,
        oldest: oldest ?? 0,
        first: first ?? '',
      });
    }
    this.rows += rows;
    return { rows, place: place === null ? null : [timeOf(place), place.slice(timeDigits)] };
  }

  /** Returns the largest groups. */
  largest(limit: number): CountedGroup[] {
    const byKey = (a: string | null, b: string | null): number =>
      a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -1 : 1;
    return [...this.#groups.values()].sort((a, b) => b.count - a.count || byKey(a.key, b.key)).slice(0, limit);
  }

  #merge(part: CountedGroup): void {
    const known = this.#groups.get(part.key);
    if (known === undefined) {
      this.#groups.set(part.key, part);
      return;
    }
    known.count += part.count;
    known.occurrences += part.occurrences;
    known.unassigned += part.unassigned;
    known.overdue += part.overdue;
    known.oldest = Math.min(known.oldest, part.oldest);
    if (part.first > known.first) known.first = part.first;
  }
}
