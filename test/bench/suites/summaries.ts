/**
 * Measures summaries of as many items as are counted exactly, by each member that items are grouped by, in turn with one statement
 * written by hand that groups the same items.
 */
import { limits } from '../../../shared/catalogue/limits.ts';
import { summaryKeys, type SummaryKey } from '../../../shared/items/list/groups.ts';
import { unfiltered, type ItemCountRequest } from '../../../shared/items/list/request.ts';
import { summarizeItems } from '../../../shared/items/list/summary.ts';
import { openDb } from '../../../shared/platform/db/knex.ts';
import type { Suite } from '../bench.ts';
import { costOf } from '../cost.ts';
import { visible } from '../lists.ts';
import { median } from '../numbers.ts';
import { atMost } from '../report.ts';

/** The goal, in ms. */
const most = 15;

/** What the statement by hand groups by. */
const keySql: Readonly<Record<Exclude<SummaryKey, `${string}+day`>, string>> = {
  inbox: 'inbox',
  state: 'state',
  tag: 'tag',
  assignee: 'assignee',
  record: `record_resource || ':' || record_id`,
  day: `to_char(to_timestamp(first_seen / 1000) at time zone 'UTC', 'YYYY-MM-DD')`,
  field: `fields ->> 'plan'`,
};

const byHand = (by: keyof typeof keySql): string => `
  select ${keySql[by]}, count(*), sum(occurrences), count(*) filter (where assignee is null), count(*) filter (where due_at < $4 and not closed),
    min(first_seen), max(last_seen), max(id)
  from items ${by === 'tag' ? 'left join lateral unnest(tags) tag on true' : ''}
  where env = $1 and inbox = any ($2) and last_seen >= $3 and last_seen < $4 group by 1 order by 2 desc limit 50`;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

export const summaries: Suite = {
  name: 'summaries',
  run: async ({ database, options }) => {
    const inboxes = visible.map(({ name }) => name);
    const [bounds] = await database.sql<{ now: string; since: string }>(
      `select max(last_seen) + 1 as now, min(last_seen) as since from (
         select last_seen from items where env = $1 and inbox = any ($2) order by last_seen desc, id desc limit $3) i`,
      [database.env, inboxes, limits.summaryItems],
    );
    const seen = { from: Number(bounds?.since), to: Number(bounds?.now) };
    const request: ItemCountRequest = { ...unfiltered, env: database.env, inboxes: visible, now: seen.to, seen };
    const db = openDb({ url: database.url, poolSize: 2, applicationName: 'console-bench-summaries' });
    const runs = options.quick ? 10 : 40;
    const groupings: readonly (readonly [keyof typeof keySql, string | null])[] = [
      ...summaryKeys.map((by) => [by, null] as const),
      ['field', 'plan'],
    ];
    const figures = [];
    for (const [by, field] of groupings) {
      const read = () => summarizeItems(db, request, { by, field, resources: ['customer', 'order'], limit: 50 });
      const { of, sampled } = await read();
      const ours: number[] = [];
      const limit: number[] = [];
      for (let n = 0; n < runs; n++) {
        ours.push(await timed(read));
        limit.push(await timed(() => database.sql(byHand(by), [database.env, inboxes, seen.from, seen.to])));
      }
      const { cost } = await costOf(database, [process.pid], async () => {
        for (let n = 0; n < runs; n++) await read();
      });
      figures.push({
        suite: 'summaries',
        what: `summary by ${by}, p50`,
        unit: 'ms',
        ...atMost(median(ours), most, 'ms'),
        limit: median(limit),
        note: `${String(of)} items${sampled ? ', sampled' : ''}, ${(cost.postgres / runs / 1_000).toFixed(0)} ms of PostgreSQL’s processor`,
      });
    }
    await db.destroy();
    return figures;
  },
};
