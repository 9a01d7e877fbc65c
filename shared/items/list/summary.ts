/** Groups the items that fit a request, with an example of each group. Used by `GET /items/summary`. */
import type { Db } from '../../platform/db/knex.ts';
import { namedStatement, queryNamedRows, queryRows, statement } from '../../platform/db/sql.ts';
import { hiddenFromPlanner } from '../../platform/listing/scanSql.ts';
import { readPresentCounts } from '../counts.ts';
import { allConditions, filterValues, requestedFilters } from './filters.ts';
import { sampledItemsSql, samplePagesOf, type CountedGroup, type SummaryKey } from './groups.ts';
import { readGroups } from './readGroups.ts';
import { normalizeRequest, type ItemCountRequest } from './request.ts';

export interface ItemGroup {
  readonly key: string | null;
  /** The day (UTC) of those of items that are grouped by day too, else absent. */
  readonly day?: string;
  /** Title of the record that the group is of; null where items are grouped by something else, as the role may not see the record of one. */
  readonly recordTitle: string | null;
  readonly count: number;
  readonly occurrences: number;
  readonly unassigned: number;
  readonly overdue: number;
  /** The first activity of any of them; epoch milliseconds. */
  readonly oldest: number;
  /** The last activity of any of them; epoch milliseconds. */
  readonly newest: number;
  /** The item that was made last. */
  readonly exampleId: string;
  readonly exampleTitle: string;
}

interface ItemSummary {
  readonly groups: readonly ItemGroup[];
  /** Number of the groups that were found besides. */
  readonly more: number;
  readonly total: number;
  /** Whether the counts are scaled up from the items that were read. */
  readonly sampled: boolean;
  /** Number of items that were read. */
  readonly of: number;
}

interface SummaryRequest {
  readonly by: SummaryKey;
  /** Name of the field to group by; null: grouped by something else. */
  readonly field: string | null;
  /** Names of the resources that the role sees. */
  readonly resources: readonly string[];
  readonly limit: number;
  /** Milliseconds that reading may take. */
  readonly readMs?: number;
}

/** Of 300 ms: what reading may take, and after it an estimate and the titles of the examples. */
const usualReadMs = 240;

/** Counts the items on about `$pages` pages of the table, taken at random, and those of them that fit. */
const sampleStatement = namedStatement(
  'items.fittingSample',
  () => `
  select count(*)::int as rows, (count(*) filter (where ${allConditions}))::int as fitting
  from ${sampledItemsSql}
  where i.env = $env and ${hiddenFromPlanner('i.inbox = any ($inboxes::text[])')}`,
);

const readTitles = statement(
  'items.exampleTitles',
  'select id, title, record_title from items where env = $1 and id = any ($2::text[])',
);

/** Returns about how many items fit: the items of the inboxes, times the share that fits of those on some pages of the table. */
export const estimateItemCount = async (db: Db, given: ItemCountRequest): Promise<number> => {
  const request = normalizeRequest(given);
  const { inboxes } = await readPresentCounts(db, request.env, request.now);
  const all = request.inboxes.reduce((sum, { name }) => sum + (inboxes.get(name)?.['total'] ?? 0), 0);
  if (requestedFilters(request).length === 0) return all;
  const [found] = await queryNamedRows<{ rows: number; fitting: number }>(db, sampleStatement, {
    ...filterValues(request),
    pages: samplePagesOf(request),
  });
  const { rows = 0, fitting = 0 } = found ?? {};
  return rows === 0 ? 0 : Math.round((all * fitting) / rows);
};

/** Returns the groups as they are answered, scaled by `factor`, each with an example. */
const present = async (
  db: Db,
  env: number,
  {
    by,
    groups,
    factor,
  }: { readonly by: SummaryKey; readonly groups: readonly CountedGroup[]; readonly factor: number },
): Promise<ItemGroup[]> => {
  const found = await queryRows<{ id: string; title: string; record_title: string | null }>(db, readTitles, [
    env,
    groups.map(({ example }) => example),
  ]);
  const items = new Map(found.map((item) => [item.id, item]));
  const times = (n: number): number => Math.round(n * factor);
  return groups.map(({ key, count, occurrences, unassigned, overdue, oldest, newest, example }) => {
    const item = items.get(example);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- groups.ts makes such keys of two values
    const [first, day] = by.endsWith('+day') ? (JSON.parse(key ?? '[]') as [string | null, string]) : [key];
    return {
      key: first,
      ...(day === undefined ? {} : { day }),
      recordTitle: by.startsWith('record') && first !== null ? (item?.record_title ?? null) : null,
      count: times(count),
      occurrences: times(occurrences),
      unassigned: times(unassigned),
      overdue: times(overdue),
      oldest,
      newest,
      exampleId: example,
      exampleTitle: item?.title ?? '',
    };
  });
};

/**
 * Returns the largest groups of the items that fit, exactly up to `limits.summaryItems` of them; of more, or when reading them
 * takes too long, from some, mostly those with the newest activity.
 */
export const summarizeItems = async (
  db: Db,
  given: ItemCountRequest,
  { by, field, resources, limit, readMs = usualReadMs }: SummaryRequest,
): Promise<ItemSummary> => {
  const request = normalizeRequest(given);
  const { totals, complete } = await readGroups(db, request, { by, values: { resources, field }, readMs });
  const { items } = totals;
  const total = complete ? items : Math.max(items, await estimateItemCount(db, request));
  const groups = await present(db, request.env, {
    by,
    groups: totals.largest(limit),
    factor: total / Math.max(1, items),
  });
  return { groups, more: totals.size - groups.length, total, sampled: !complete, of: items };
};
