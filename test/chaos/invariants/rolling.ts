/** 20. Rolling restarts under load: out in time, no request dropped, no job waiting, no message lost. */
import { patience } from '../../support/patience.ts';
import { until } from '../../support/until.ts';
import { bulkDone } from '../support/bulks.ts';
import { heardProblems } from '../support/fold.ts';
import { makeItems, startWriters } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant } from '../support/run.ts';

const outMs = 10_000;
const jobMs = 15_000;
/** An item has room for so many tags. */
const tagsMax = 40;

export const rolling: Invariant = {
  number: 20,
  title: 'rolling restarts drop nothing',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'rolling');
    const { admin } = stage;
    const client = await stage.agent('admin', { strict: true });
    const recorders = [0, 1, 2, 3].map((turn) => new Recorder(admin, { turn }));
    await Promise.all(recorders.map(({ joined }) => joined));
    const ids = await makeItems(admin, run.size('items', { short: 100, long: 200 }));
    const bulked = await makeItems(admin, run.size('items of the bulks', { short: 500, long: 1_000 }), 'bugs');

    let going = true;
    const writers = startWriters(client, ids, run.size('writers', { short: 6, long: 12 }), run.random.fork('writers'));
    let reads = 0;
    const readers = Promise.all(
      Array.from({ length: 4 }, async () => {
        for (; going; reads++) {
          const { status, text } = await client.get('/items?limit=20');
          run.expect(status === 200, `a list answered ${String(status)} ${text}`);
        }
      }),
    );
    let bulks = 0;
    const bulking = (async () => {
      for (; going; bulks++) {
        const since = Date.now();
        const tag = `rolling${String(bulks % tagsMax)}`;
        const operation = { type: 'tags', ...(bulks % (2 * tagsMax) < tagsMax ? { add: [tag] } : { remove: [tag] }) };
        const { body } = await client.post('/bulk', { ids: bulked, operation });
        await bulkDone(client, body.bulk.id as string);
        run.worst('longest bulk s', (Date.now() - since) / 1000);
        run.expectWithin(Date.now() - since, jobMs, `a bulk took ${String(Date.now() - since)} ms`);
      }
    })();
    for (const work of [readers, bulking]) work.catch(() => undefined);

    const restarts = run.size('rolling restarts', { short: 2, long: 20 });
    for (let n = 0; n < restarts; n++) {
      const units = [site.apis[n % site.apis.length], site.workers[n % site.workers.length]].filter(
        (unit) => unit !== undefined,
      );
      await Promise.all(
        units.map(async (unit) => {
          run.tell({ kind: 'terminate', forMs: 0 });
          const { ms, code, signal } = await unit.terminate();
          run.worst(`${unit.kind} out after ms`, ms);
          run.expect(
            code === 0 && ms <= outMs * patience,
            `${unit.name} ended with ${signal ?? String(code)} after ${String(Math.round(ms))} ms`,
          );
          await unit.start();
        }),
      );
      const before = writers.done();
      await until('requests are served', () => writers.done() > before + 50, 30_000);
    }
    going = false;
    await Promise.all([readers, bulking, writers.stop()]);
    await site.settled();
    const list = await listItems(admin);
    for (const problem of await heardProblems(recorders.map((recorder) => ({ recorder, list })))) run.problem(problem);
    const codes = new Set(recorders.flatMap(({ closes }) => closes.slice(0, -1)));
    run.expect(
      [...codes].every((code) => code === 1012),
      `streams were closed with ${[...codes].join(', ')}`,
    );
    run.measure('writes', writers.done());
    run.measure('reads', reads);
    run.measure('bulks', bulks);
  },
};
