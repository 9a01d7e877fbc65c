/** Measures summaries of as many items as are counted exactly, by each member that items are grouped by. */
import { limits } from '../../../shared/catalogue/limits.ts';
import { summaryKeys, type SummaryKey } from '../../../shared/items/list/groups.ts';
import { unfiltered, type ItemCountRequest } from '../../../shared/items/list/request.ts';
import { summarizeItems } from '../../../shared/items/list/summary.ts';
import { openDb } from '../../../shared/platform/db/knex.ts';
import type { Suite } from '../bench.ts';
import { visible } from '../lists.ts';
import { median } from '../numbers.ts';
import { atMost } from '../report.ts';

/** The goal, in ms. */
const most = 50;

export const summaries: Suite = {
  name: 'summaries',
  run: async ({ database, options }) => {
    const [bounds] = await database.sql<{ now: string; since: string }>(
      `select max(last_seen) + 1 as now, min(last_seen) as since from (
         select last_seen from items where env = $1 and inbox = any ($2) order by last_seen desc, id desc limit $3) i`,
      [database.env, visible.map(({ name }) => name), limits.summaryItems],
    );
    const seen = { from: Number(bounds?.since), to: Number(bounds?.now) };
    const request: ItemCountRequest = { ...unfiltered, env: database.env, inboxes: visible, now: seen.to, seen };
    const db = openDb({ url: database.url, poolSize: 2, applicationName: 'console-bench-summaries' });
    const runs = options.quick ? 10 : 40;
    const groupings: readonly (readonly [SummaryKey, string | null])[] = [
      ...summaryKeys.map((by) => [by, null] as const),
      ['field', 'plan'],
    ];
    const figures = [];
    for (const [by, field] of groupings) {
      const read = () => summarizeItems(db, request, { by, field, resources: ['customer', 'order'], limit: 50 });
      let { of, sampled } = await read();
      const times: number[] = [];
      for (let n = 0; n < runs; n++) {
        const started = performance.now();
        ({ of, sampled } = await read());
        times.push(performance.now() - started);
      }
      figures.push({
        suite: 'summaries',
        what: `summary by ${by}, p50`,
        unit: 'ms',
        ...atMost(median(times), most, 'ms'),
        note: `${String(of)} items${sampled ? ', sampled' : ''}`,
      });
    }
    await db.destroy();
    return figures;
  },
};
