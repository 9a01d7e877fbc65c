/** 5. A worker that was frozen past its lease and wakes up writes nothing: no second entry, no older value over a newer. */
import { until } from '../../support/until.ts';
import { bulkDone, tagAll, tallyTags } from '../support/bulks.ts';
import { makeItems } from '../support/load.ts';
import { each, listItems } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import type { Invariant } from '../support/run.ts';

/** A quick bulk may be over before anybody is frozen: then it is tried again, so often. */
const bulksMax = 5;

export const frozenWorker: Invariant = {
  number: 5,
  title: 'a frozen worker that wakes up writes nothing',
  site: { short: { apis: 1, workers: 3 }, long: { apis: 1, workers: 11 } },
  run: async (run, site) => {
    const { admin } = await run.stage(site, 'frozenWorker');
    const ids = await makeItems(admin, run.size('items', { short: 1_500, long: 10_000 }));
    const freezes = run.size('freezes', { short: 1, long: 50 });
    const forMs = run.size('freeze ms', { short: 13_000, long: 30_000 });
    const samples = run.size('items changed meanwhile', { short: 50, long: 300 });
    const tags: string[] = [];
    let held = 0;
    for (let frozen = 0; frozen < freezes || (held === 0 && tags.length < bulksMax);) {
      const tag = `frozen${String(tags.length)}`;
      tags.push(tag);
      const bulk = await tagAll(admin, ids, tag);
      await until(
        'jobs are claimed',
        async () => (await site.sql('select from staged_jobs where lease_until is not null limit 2')).length === 2,
      );
      const victims = run.random
        .shuffled(site.workers)
        .slice(1)
        .slice(0, Math.max(1, freezes - frozen));
      for (const unit of victims) {
        unit.freeze();
        frozen += 1;
        run.tell({ kind: 'freezeWorker', forMs });
      }
      const thawAt = Date.now() + forMs;
      // The others extend what they hold every 3 s: what wasn't extended for 4 s is in frozen hands.
      await pause(5_000);
      const [found] = await site.sql<{ n: number }>(
        'select count(*)::int as n from staged_jobs where lease_until < (extract(epoch from clock_timestamp()) * 1000)::bigint + 6000',
      );
      held += found?.n ?? 0;
      await bulkDone(admin, bulk);
      // Newer values, which the sleepers must leave alone.
      await each(run.random.shuffled(ids).slice(0, samples), 8, async (id) => {
        await admin.post(`/items/${id}/tags`, { remove: [tag] });
      });
      await pause(thawAt - Date.now());
      for (const unit of victims) unit.thaw();
    }
    // A worker that is stopped finishes its jobs first: then no sleeper has anything left to write.
    await Promise.all(site.workers.map((unit) => unit.terminate()));
    await site.mend();
    await site.settled();
    run.measure('bulks', tags.length);
    run.measure('jobs in frozen hands', held);
    run.expect(held > 0, 'no frozen worker held a job: nothing was shown');
    const { lost, doubled } = await tallyTags(admin, ids, tags);
    run.expect(lost.length === 0, `${String(lost.length)} items lack an entry`);
    run.expect(doubled.length === 0, `${String(doubled.length)} items have an entry twice, e.g. ${String(doubled[0])}`);
    const all = await listItems(admin);
    const total = all.reduce((sum, item) => sum + (item.tags as string[]).length, 0);
    const removed = samples * tags.length;
    run.expect(
      total === ids.length * tags.length - removed,
      `${String(ids.length * tags.length - removed - total)} tags are missing (less than 0: are back)`,
    );
  },
};
