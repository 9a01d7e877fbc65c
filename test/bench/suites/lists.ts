/** What every kind of list costs in PostgreSQL alone (lists.ts), first pages and deep ones: none may be slow. */
import { openDb } from '../../../shared/platform/db/knex.ts';
import type { Suite } from '../bench.ts';
import { newestActivity } from '../database.ts';
import { run, type ListCost } from '../lists.ts';
import { median } from '../numbers.ts';
import { atMost } from '../report.ts';

/** The quality goal for every filter, sort, word search and deep page, in ms. */
const most = 5;

const named = ({ query, p50, cpu }: ListCost): string =>
  `${query} ${p50.toFixed(1)}${cpu === null ? '' : ` (${cpu.toFixed(1)} CPU)`}`;

export const lists: Suite = {
  name: 'lists',
  run: async ({ database, options }) => {
    const now = await newestActivity(database);
    const db = openDb({ url: database.url, poolSize: 1, applicationName: 'console-bench-lists' });
    const costs = await run(db, { env: database.env, now, runs: options.quick ? 10 : 40 });
    await db.destroy();
    const pages = costs.filter(({ query }) => !query.endsWith(', count'));
    const counts = costs.filter(({ query }) => query.endsWith(', count'));
    const slowest = (of: readonly ListCost[]): readonly ListCost[] => [...of].sort((a, b) => b.p50 - a.p50);
    const worst = (of: readonly ListCost[]): number => slowest(of)[0]?.p50 ?? Number.NaN;
    const note = (of: readonly ListCost[]): string =>
      `median of all ${median(of.map(({ p50 }) => p50)).toFixed(1)}; slowest: ${slowest(of).slice(0, 3).map(named).join(', ')}`;
    return [
      {
        suite: 'lists',
        what: `${String(pages.length)} kinds of pages in SQL, slowest p50`,
        unit: 'ms',
        ...atMost(worst(pages), most, 'ms'),
        note: note(pages),
      },
      {
        suite: 'lists',
        what: `${String(counts.length)} kinds of counts in SQL, slowest p50`,
        unit: 'ms',
        ours: worst(counts),
        note: note(counts),
      },
    ];
  },
};
