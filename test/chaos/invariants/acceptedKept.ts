/** 2. What was answered 2xx is there after everything of ours was killed at once and Redis was emptied. */
import { flushRedis, postgresOutage, redisOutage } from '../support/faults.ts';
import { countChanges, judgeVersions } from '../support/judge.ts';
import { makeItems, startWriters } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import type { Invariant } from '../support/run.ts';
import type { Site } from '../support/site.ts';

const everythingAtOnce = async (site: Site): Promise<void> => {
  await flushRedis(site);
  await Promise.all([
    ...[...site.apis, ...site.workers].map((unit) => unit.kill()),
    postgresOutage(site, 0),
    redisOutage(site, 0),
  ]);
  await site.mend();
};

export const acceptedKept: Invariant = {
  number: 2,
  title: 'what was accepted is kept',
  site: { short: { apis: 1, workers: 1 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const { admin, journal } = await run.stage(site, 'acceptedKept');
    const ids = await makeItems(admin, run.size('items', { short: 50, long: 200 }));
    const rounds = run.size('rounds', { short: 1, long: 5 });
    for (let round = 0; round < rounds; round++) {
      const writers = startWriters(
        admin,
        ids,
        run.size('writers', { short: 8, long: 16 }),
        run.random.fork(`round ${String(round)}`),
      );
      // Writes are under way wherever the kill comes.
      await pause(run.random.int(1_000, 3_000));
      run.tell({ kind: 'killEverything', forMs: 0 });
      await everythingAtOnce(site);
      await writers.stop();
    }
    run.measure('writes', journal.writes.length);
    judgeVersions(run, countChanges(journal.writes), await listItems(admin));
  },
};
