/**
 * The statements that group items while they read them, and the groups that several of them add up to. Used by summary.ts.
 * A statement groups what it read of a source, so that no id goes back and forth; each row of its answer is a group.
 */
import { type NamedStatement, type TextRow, namedStatement } from '../../platform/db/sql.ts';
import { hiddenFromPlanner } from '../../platform/listing/scanSql.ts';
import { scannedColumns } from '../model.ts';
import { allConditions, conditionsOfFound, mayHaveAllSql, wholeColumn } from './filters.ts';
import type { ItemCountRequest } from './request.ts';
import type { CandidateSource } from './sources.ts';
import { fortnightRowsSql, itemByIdSql } from './statements.ts';
import { itemStreams, type ItemStream } from './streams.ts';
import { coveredRangeSql, itemRangeName, itemRangeSql, type RangeShape } from './streamSql.ts';

interface Grouping {
  /** What items are grouped by while they are read: columns of the alias `i`. */
  readonly read: readonly string[];
  /** The key of such groups `g`, whose columns are `k1` and on. Null is the group of the items that have none. */
  readonly key: string;
  /** Makes several groups of one. `n` of `t` is 1 in the first of them. */
  readonly split?: string;
  /** Whether the index of activity holds the columns. */
  readonly covered?: true;
}

/** Days are counted from so long before 1970 that none is negative, as a division cuts towards zero. */
const daysBefore = 10_000_000;
const dayMs = 86_400_000;

/**
 * Reading is most of the time, so a key is made of what was grouped: tags of the groups of equal lists, values of the groups of equal
 * JSON texts.
 */
const groupings = {
  inbox: { read: ['i.inbox'], key: 'g.k1', covered: true },
  state: { read: ['i.state'], key: 'g.k1', covered: true },
  tag: {
    read: ['i.tags'],
    key: 't.tag',
    split: 'left join lateral unnest(g.k1) with ordinality t(tag, n) on true',
  },
  assignee: { read: ['i.assignee'], key: 'g.k1', covered: true },
  record: {
    read: ['i.record_resource', 'i.record_id'],
    key: `case when g.k1 = any ($resources::text[]) then g.k1 || ':' || g.k2 end`,
    covered: true,
  },
  day: {
    read: [`(i.first_seen + ${String(daysBefore * dayMs)}) / ${String(dayMs)}`],
    key: `to_char(date '1970-01-01' + (g.k1 - ${String(daysBefore)})::int, 'YYYY-MM-DD')`,
    covered: true,
  },
} as const satisfies Record<string, Grouping>;
const byField: Grouping = {
  read: ['(i.fields -> $field::text)::text'],
  key: `case when left(g.k1, 1) not in ('{', '[', 'n') then g.k1::json #>> '{}' end`,
};

type MemberKey = keyof typeof groupings;
type PlainKey = MemberKey | 'field';
/** What items are grouped by; with `+day` by that and by day. */
export type SummaryKey = PlainKey | `${PlainKey}+day`;

const groupingOf = (by: SummaryKey): Grouping => {
  const [name, day] = by.split('+');
  const known = Object.entries<Grouping>(groupings).find(([key]) => key === name)?.[1] ?? byField;
  if (day === undefined) return known;
  const at = `g.k${String(known.read.length + 1)}`;
  return {
    ...known,
    read: [...known.read, ...groupings.day.read],
    key: `json_build_array(${known.key}, ${groupings.day.key.replace('g.k1', at)})::text`,
  };
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
export const summaryKeys = Object.keys(groupings) as MemberKey[];

/** Groups those of the rows of a source that fit. */
const groupSql = (by: SummaryKey, rows: string, fits: string): string => {
  const { read, key, split } = groupingOf(by);
  const columns = read.map((_column, n) => `k${String(n + 1)}`);
  return `
  select ${key}, sum(g.n), sum(g.n)${split === undefined ? '' : ' filter (where coalesce(t.n, 1) = 1)'}, sum(g.occurrences), sum(g.unassigned), sum(g.overdue), min(g.oldest), max(g.newest), max(g.example)
  from (
    select ${read.map((column, n) => `${column} as k${String(n + 1)}`).join(', ')}, count(*) as n, sum(i.occurrences) as occurrences, count(*) filter (where i.assignee is null) as unassigned,
      count(*) filter (where i.due_at < $now::bigint and not i.closed) as overdue, min(i.first_seen) as oldest, max(i.last_seen) as newest, max(i.id) as example
    from (${rows}) i where ${fits} group by ${columns.join(', ')}) g ${split ?? ''}
  group by 1`;
};

/** Returns whether the index of a stream holds what is grouped. */
export const isCovered = (by: SummaryKey, stream: ItemStream): boolean =>
  stream === itemStreams.seen && groupingOf(by).covered === true;

/** Groups the rows of a stream between the cursor and a place (itemRangeSql). `open`: whether they may fail a filter. */
export const rangeGroupsStatement = (by: SummaryKey, shape: RangeShape, open: boolean): NamedStatement =>
  !open && isCovered(by, shape.stream)
    ? namedStatement(`items.groups.${by}.covered`, () => groupSql(by, coveredRangeSql(shape.stream), 'true'))
    : namedStatement(`items.groups.${by}.${open ? 'open.' : ''}${itemRangeName(shape)}`, () =>
        groupSql(by, itemRangeSql(shape), open ? allConditions : 'true'),
      );

/** Groups up to `$most` items that the terms in `$pieces` find in the fortnights from `$from` back to `$to`. */
export const termGroupsStatement = (by: SummaryKey): NamedStatement =>
  namedStatement(`items.groups.${by}.terms`, () => groupSql(by, `${fortnightRowsSql} limit $most`, allConditions));

const visibleSql = hiddenFromPlanner('i.inbox = any ($inboxes::text[])');

/** Pages of the table that tell of the rest; comparing contents takes longer. */
const [samplePages, contentPages] = [300, 50];

/** Returns `$pages` of `sampledItemsSql`. */
export const samplePagesOf = ({ contents }: ItemCountRequest): number =>
  contents === null ? samplePages : contentPages;

/** The items on about `$pages` pages of the table, taken at random. */
export const sampledItemsSql =
  "items i tablesample system (least(100, 819200.0 * $pages::int / greatest(pg_relation_size('items'), 1)))";

/** Groups those that fit among the items on some pages of the table. */
export const sampleGroupsStatement = (by: SummaryKey): NamedStatement =>
  namedStatement(`items.groups.${by}.sample`, () =>
    groupSql(
      by,
      `select ${scannedColumns} from ${sampledItemsSql} where i.env = $env`,
      `(${visibleSql} and ${allConditions})`,
    ),
  );

/** Groups what a source of candidates has. */
export const candidateGroupsStatement = (by: SummaryKey, { name, rows }: CandidateSource): NamedStatement =>
  namedStatement(`items.groups.${by}.candidates.${name}`, () =>
    groupSql(by, `select * from (${rows(scannedColumns)} offset 0) i`, `(${visibleSql} and ${allConditions})`),
  );

/** Groups what the first `$most` rows of item_words hold that are found by their contents (`$looked`). */
export const contentGroupsStatement = (by: SummaryKey): NamedStatement =>
  namedStatement(`items.groups.${by}.contents`, () =>
    groupSql(
      by,
      `with f as materialized (select w.item, ${wholeColumn} from item_words w where w.words @@ any ($looked::tsquery[]) limit $most)
       select i.* from (${mayHaveAllSql('f')}) as d cross join lateral (${itemByIdSql}) i where ${conditionsOfFound}`,
      'true',
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
  /** Epoch milliseconds. */
  newest: number;
  /** The id of the item that was made last. */
  example: string;
}

/** Groups of all that statements have answered so far. */
export class GroupTotals {
  /** Items in the groups. */
  items = 0;
  readonly #groups = new Map<string | null, CountedGroup>();

  /** Adds the answer of a statement. */
  add(answer: readonly TextRow[]): void {
    for (const [key = null, ...values] of answer) {
      const [count = 0, items = 0, occurrences = 0, unassigned = 0, overdue = 0, oldest = 0, newest = 0] =
        values.map(Number);
      this.items += items;
      this.#merge({ key, count, occurrences, unassigned, overdue, oldest, newest, example: values.at(-1) ?? '' });
    }
  }

  /** Number of groups. */
  get size(): number {
    return this.#groups.size;
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
    known.newest = Math.max(known.newest, part.newest);
    if (part.example > known.example) known.example = part.example;
  }
}
