/** 1. Each item of a bulk is changed exactly once, whatever is killed, frozen, emptied or restarted meanwhile. */
import { bulkDone, tagAll, tallyTags } from '../support/bulks.ts';
import { planFaults, playFaults } from '../support/faults.ts';
import { makeItems } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import type { Invariant } from '../support/run.ts';

const amounts = {
  short: { killWorker: 3, freezeWorker: [], restartRedis: [1_000], flushRedis: 1, crashPostgres: [0] },
  long: {
    killWorker: 20,
    freezeWorker: [25_000, 25_000, 25_000, 25_000, 25_000],
    restartRedis: [20_000, 1_000, 1_000, 1_000, 1_000],
    flushRedis: 1,
    crashPostgres: [0, 0],
  },
};
/** An undisturbed bulk is over before the second fault, so bulks follow one another until the plan is through. */
const bulksMax = 40;
const afterLastFaultMs = 60_000;

export const bulkOnce: Invariant = {
  number: 1,
  title: 'a bulk changes each item exactly once',
  site: { short: { apis: 1, workers: 2 }, long: { apis: 1, workers: 4 } },
  run: async (run, site) => {
    const { admin } = await run.stage(site, 'bulkOnce');
    const ids = await makeItems(admin, run.size('items', { short: 500, long: 10_000 }));
    run.say(`${String(ids.length)} items are there`);
    const overMs = run.size('fault plan ms', { short: 8_000, long: 120_000 });
    const plan = planFaults(run.random.fork('plan'), amounts[run.scale], overMs);
    let playing = true;
    let endedAt = 0;
    const faults = playFaults(site, run.random.fork('victims'), plan, run.tell).finally(() => {
      playing = false;
      endedAt = Date.now();
    });
    const tags: string[] = [];
    while (playing && tags.length < bulksMax) {
      const tag = `bulk${String(tags.length)}`;
      tags.push(tag);
      const since = Date.now();
      const bulk = await bulkDone(admin, await tagAll(admin, ids, tag), 300_000);
      run.worst('longest bulk s', (Date.now() - since) / 1000);
      run.expect(
        bulk.changed === ids.length,
        `${tag} says changed ${String(bulk.changed)}, unchanged ${String(bulk.unchanged)}, failed ${String(bulk.failed)} of ${String(ids.length)}`,
      );
    }
    const doneAt = Date.now();
    await faults;
    run.measure('bulks', tags.length);
    run.measure('done after the last fault s', Math.max(0, doneAt - endedAt) / 1000);
    run.expectWithin(
      doneAt - endedAt,
      afterLastFaultMs,
      `the last bulk was done ${String(doneAt - endedAt)} ms after the last fault`,
    );
    await site.settled();
    const { lost, doubled } = await tallyTags(admin, ids, tags);
    run.measure('lost', lost.length);
    run.measure('doubled', doubled.length);
    run.expect(lost.length === 0, `${String(lost.length)} items lack an entry, e.g. ${String(lost[0])}`);
    run.expect(doubled.length === 0, `${String(doubled.length)} items have an entry twice, e.g. ${String(doubled[0])}`);
    const bad = (await listItems(admin)).filter(
      (item) => item.tags.length !== tags.length || item.version !== tags.length + 1,
    );
    run.expect(
      bad.length === 0,
      `${String(bad.length)} items are not as the bulks left them, e.g. ${JSON.stringify(bad[0])}`,
    );
  },
};
