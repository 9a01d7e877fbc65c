/** 3. Work goes on by itself: soon after a worker was killed, after Redis was emptied, and after Redis was away. */
import { until } from '../../support/until.ts';
import { bulkDone, tagAll, tallyTags } from '../support/bulks.ts';
import type { Client } from '../support/client.ts';
import { flushRedis, redisOutage } from '../support/faults.ts';
import { makeItems } from '../support/load.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Site } from '../support/site.ts';

const killedMs = 15_000;
const flushedMs = 30_000;
const backMs = 15_000;

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly client: Client;
  readonly ids: readonly string[];
  readonly tags: string[];
}

const nextTag = ({ tags }: Scene): string => {
  const tag = `resume${String(tags.length)}`;
  tags.push(tag);
  return tag;
};

const claimed = async (site: Site): Promise<Map<string, number>> =>
  new Map(
    (
      await site.sql<{ id: string; fence: number }>('select id, fence from staged_jobs where lease_until is not null')
    ).map(({ id, fence }) => [id, fence]),
  );

/** Kills all workers but one in the middle of a bulk, and waits until whatever was claimed then is claimed again or done. */
const killWorkers = async (scene: Scene): Promise<void> => {
  const { run, site, client, ids } = scene;
  const bulk = await tagAll(client, ids, nextTag(scene));
  const before = await until('jobs are claimed', async () => {
    const now = await claimed(site);
    return now.size >= 2 && now;
  });
  const victims = run.random.shuffled(site.workers).slice(1);
  for (const _ of victims) run.tell({ kind: 'killWorker', forMs: 0 });
  await Promise.all(victims.map((unit) => unit.kill()));
  const since = Date.now();
  await until(
    'what was claimed goes on',
    async () => [...(await claimed(site))].every(([id, fence]) => before.get(id) !== fence),
    60_000,
  );
  const ms = Date.now() - since;
  run.worst('resumed after a kill s', ms / 1000);
  run.expectWithin(ms, killedMs, `work resumed ${String(ms)} ms after workers were killed`);
  await bulkDone(client, bulk);
  await site.mend();
};

const flush = async (scene: Scene): Promise<void> => {
  const { run, site, client, ids } = scene;
  const bulk = await tagAll(client, ids, nextTag(scene));
  await until('jobs are claimed', async () => (await claimed(site)).size > 0);
  run.tell({ kind: 'flushRedis', forMs: 0 });
  await flushRedis(site);
  const since = Date.now();
  await bulkDone(client, bulk);
  const ms = Date.now() - since;
  run.worst('all done after FLUSHALL s', ms / 1000);
  run.expectWithin(ms, flushedMs, `a bulk was done ${String(ms)} ms after FLUSHALL`);
};

const redisAway = async (scene: Scene): Promise<void> => {
  const { run, site, client, ids } = scene;
  const before = [...site.apis, ...site.workers].map(({ pid }) => pid);
  const forMs = run.size('Redis outage ms', { short: 5_000, long: 20_000 });
  run.tell({ kind: 'restartRedis', forMs });
  await redisOutage(site, forMs);
  const since = Date.now();
  await bulkDone(client, await tagAll(client, ids, nextTag(scene)));
  const ms = Date.now() - since;
  run.worst('a bulk after Redis was away s', ms / 1000);
  run.expectWithin(ms, backMs, `a bulk took ${String(ms)} ms right after Redis was back`);
  run.expect(
    JSON.stringify([...site.apis, ...site.workers].map(({ pid }) => pid)) === JSON.stringify(before),
    'a process was restarted',
  );
};

export const resume: Invariant = {
  number: 3,
  title: 'work resumes by itself',
  site: { short: { apis: 1, workers: 3 }, long: { apis: 1, workers: 3 } },
  run: async (run, site) => {
    const { admin } = await run.stage(site, 'resume');
    const ids = await makeItems(admin, run.size('items', { short: 2_000, long: 5_000 }));
    const scene: Scene = { run, site, client: admin, ids, tags: [] };
    const rounds = run.size('rounds', { short: 1, long: 6 });
    for (let round = 0; round < rounds; round++) {
      await killWorkers(scene);
      await flush(scene);
    }
    await redisAway(scene);
    const { lost, doubled } = await tallyTags(admin, ids, scene.tags);
    run.expect(
      lost.length + doubled.length === 0,
      `${String(lost.length)} entries are lost, ${String(doubled.length)} doubled`,
    );
  },
};
