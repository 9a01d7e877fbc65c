/** Lists by a thousand random combinations of parameters (combinations.ts): none may take longer than a page may. */
import { listItems } from '../../../shared/items/list/page.ts';
import { openDb } from '../../../shared/platform/db/knex.ts';
import { newRandom } from '../../support/random.ts';
import type { Suite } from '../bench.ts';
import { drawCombination } from '../combinations.ts';
import { newestActivity } from '../database.ts';
import { cpuOf } from '../lists.ts';
import { quantile } from '../numbers.ts';
import { atMost } from '../report.ts';

const seed = 20_261_125;
/** Goals in ms: of 99 in 100 combinations, and of the time after which a page is cut short. */
const [mostOf99, budget] = [50, 250];

export const combinations: Suite = {
  name: 'combinations',
  run: async ({ database, options, say }) => {
    const now = await newestActivity(database);
    const db = openDb({ url: database.url, poolSize: 1, applicationName: 'console-bench-combinations' });
    const cpu = await cpuOf(db);
    const random = newRandom(seed);
    const costs: { name: string; ms: number; cpu: number; isShort: boolean }[] = [];
    for (let n = 0; n < (options.quick ? 200 : 1_000); n++) {
      const { name, request } = drawCombination(random, database.env, now);
      // The first time its statements may be planned, which happens once on each connection.
      await listItems(db, request);
      const [before, startedAt] = [await cpu(), performance.now()];
      const { rows, next } = await listItems(db, request);
      const ms = performance.now() - startedAt;
      const after = await cpu();
      const isShort = next !== null && rows.length < request.limit;
      costs.push({ name, ms, cpu: (after ?? Number.NaN) - (before ?? Number.NaN), isShort });
    }
    await db.destroy();
    const slowest = costs.toSorted((a, b) => b.ms - a.ms);
    for (const each of slowest.slice(0, 20))
      say(`${each.ms.toFixed(0)} ms, ${each.cpu.toFixed(0)} CPU${each.isShort ? ', short' : ''}: ${each.name}`);
    const times = costs.map(({ ms }) => ms);
    const processor = costs.map((each) => each.cpu);
    const over = times.filter((ms) => ms > mostOf99).length;
    const figure = { suite: 'combinations', unit: 'ms' } as const;
    return [
      {
        ...figure,
        what: `${String(costs.length)} random lists in SQL, p99`,
        ...atMost(quantile(times, 0.99), mostOf99, 'ms'),
        note: `p50 ${quantile(times, 0.5).toFixed(1)}, p90 ${quantile(times, 0.9).toFixed(1)}; ${String(over)} over ${String(mostOf99)} ms; processor time p50 ${quantile(processor, 0.5).toFixed(1)}, p99 ${quantile(processor, 0.99).toFixed(0)}; ${String(costs.filter(({ isShort }) => isShort).length)} short pages`,
      },
      { ...figure, what: 'the slowest of them', ...atMost(slowest[0]?.ms ?? Number.NaN, budget, 'ms') },
    ];
  },
};
