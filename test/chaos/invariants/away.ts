/** 4. Without Redis everything goes on, only queued work waits; without PostgreSQL every answer is a polite 503. */
import { until } from '../../support/until.ts';
import { bulkDone, tagAll } from '../support/bulks.ts';
import { postgresOutage, redisOutage } from '../support/faults.ts';
import { heardProblems } from '../support/fold.ts';
import { makeItems, startWriters } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant, Run } from '../support/run.ts';
import { NoAnswer } from '../support/send.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

const streamMs = 2_500;
const wellMs = 5_000;
const queuedMs = 15_000;

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly stage: Stage;
  readonly ids: readonly string[];
}

const redisAway = async ({ run, site, stage: { admin, journal }, ids }: Scene): Promise<void> => {
  let latest = 0;
  const onMessage = (message: { type: string; at: number }): void => {
    if (message.type === 'item') latest = Math.max(latest, Date.now() - message.at);
  };
  const recorders = [0, 1].map((turn) => new Recorder(admin, { turn, onMessage }));
  await Promise.all(recorders.map(({ joined }) => joined));
  const writers = startWriters(admin, ids, 6, run.random.fork('redis'), 20);
  const forMs = run.size('Redis outage ms', { short: 6_000, long: 20_000 });
  run.tell({ kind: 'restartRedis', forMs });
  let bulk = '';
  const asking = pause(forMs / 2).then(async () => {
    bulk = await tagAll(admin, ids, 'queued');
  });
  await redisOutage(site, forMs);
  const since = Date.now();
  await asking;
  await bulkDone(admin, bulk);
  run.measure('queued work done after Redis was back s', (Date.now() - since) / 1000);
  run.expectWithin(
    Date.now() - since,
    queuedMs,
    `queued work was done ${String(Date.now() - since)} ms after Redis was back`,
  );
  await writers.stop();
  run.measure('changes while Redis was away', writers.done());
  await site.settled();
  // The stream has no message about what nobody changed meanwhile.
  const list = (await listItems(admin)).filter(({ version }) => version > 1);
  for (const problem of await heardProblems(recorders.map((recorder) => ({ recorder, list })))) run.problem(problem);
  run.measure('latest message without Redis ms', latest);
  run.expectWithin(latest, streamMs, `a message came ${String(latest)} ms after its change`);
  run.expect(journal.retries.size === 0, `without Redis requests had to be repeated: ${journal.retriesText}`);
};

/** Polls both APIs until it is stopped; each response must be a success or a 503 with retry-after. */
const startProbes = (scene: Scene): { stop(): Promise<number> } => {
  const {
    run,
    stage: { admin, bases },
    ids,
  } = scene;
  let stopped = false;
  let refused = 0;
  const probe = async (base: string, path: string, body?: object): Promise<void> => {
    while (!stopped) {
      try {
        const { status, headers, text } = await admin.once(body === undefined ? 'GET' : 'POST', `${base}${path}`, body);
        const isPolite = status === 503 && headers['retry-after'] !== undefined && text.includes('"unavailable"');
        if (isPolite) refused += 1;
        else run.expect(status < 300, `${path} answered ${String(status)} ${text.slice(0, 300)}`);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        run.problem(error.message);
      }
      await pause(50);
    }
  };
  const item = ids[0] ?? '';
  const probing = Promise.all(
    bases().flatMap((base) => [
      probe(base, '/items'),
      probe(base, `/items/${item}`),
      // Changes nothing, as it is there: a probe without a journal must leave no trace in the audit log.
      probe(base, `/items/${item}/tags`, { add: ['probe'] }),
    ]),
  );
  probing.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      await probing;
      return refused;
    },
  };
};

const postgresAway = async (scene: Scene): Promise<void> => {
  const {
    run,
    site,
    stage: { admin, bases },
    ids,
  } = scene;
  await admin.post(`/items/${ids[0] ?? ''}/tags`, { add: ['probe'] });
  const recorder = new Recorder(admin);
  await recorder.joined;
  const probes = startProbes(scene);
  const forMs = run.size('PostgreSQL outage ms', { short: 3_000, long: 10_000 });
  run.tell({ kind: 'crashPostgres', forMs });
  await postgresOutage(site, forMs);
  const since = Date.now();
  for (const base of bases()) {
    await until(
      'the API reads and writes',
      async () =>
        (await admin.once('POST', `${base}/items/${ids[0] ?? ''}/tags`, { add: ['probe'] }).catch(() => null))
          ?.status === 200,
      30_000,
    );
  }
  run.measure('APIs well after PostgreSQL was back s', (Date.now() - since) / 1000);
  const { body } = await admin.post(`/items/${ids[1] ?? ''}/notes`, { text: 'after the outage' });
  await until('the stream tells of it', () => recorder.entries.has(body.entry.id as string), 30_000);
  const ms = Date.now() - since;
  run.measure('stream well after PostgreSQL was back s', ms / 1000);
  run.expectWithin(ms, wellMs, `all was well ${String(ms)} ms after PostgreSQL was back`);
  await bulkDone(admin, await tagAll(admin, ids, `back${String(forMs)}`));
  run.measure('a bulk done after PostgreSQL was back s', (Date.now() - since) / 1000);
  const refused = await probes.stop();
  run.measure('answers 503', refused);
  run.expect(refused > 0, 'nothing was refused while PostgreSQL was away');
  await recorder.stop();
  for (const problem of recorder.problems) run.problem(problem);
};

export const away: Invariant = {
  number: 4,
  title: 'without Redis all goes on, without PostgreSQL answers are polite',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'away');
    const ids = await makeItems(stage.admin, run.size('items', { short: 100, long: 500 }));
    const scene = { run, site, stage, ids };
    await redisAway(scene);
    await postgresAway(scene);
  },
};
