/**
 * 23. Runs of every kind go on under whatever happens to the service, its servers and the app: each is done once or
 * honestly unknown, and without Redis what needs no job goes on as if nothing were.
 */
import type { Random } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { newClient } from '../support/client.ts';
import { Customer } from '../support/customer.ts';
import type { RunInput } from '../support/customersApp.ts';
import { flushRedis, planFaults, playFaults, redisOutage } from '../support/faults.ts';
import { makeItems } from '../support/load.ts';
import { each, type Json } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant, Run } from '../support/run.ts';
import {
  effectsOf,
  endedRuns,
  HeardRuns,
  isRepeatable,
  judgeAudit,
  judgeKept,
  judgeOnce,
  judgeTimeline,
} from '../support/runs.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

const amounts = {
  short: {
    killWorker: 2,
    freezeWorker: [10_000],
    killApi: 2,
    freezeApi: [3_000],
    restartRedis: [3_000],
    flushRedis: 1,
    crashPostgres: [1_000],
    cutPubSub: 1,
  },
  long: {
    killWorker: 10,
    freezeWorker: [25_000, 25_000],
    killApi: 6,
    freezeApi: [20_000, 5_000],
    restartRedis: [20_000, 1_000],
    flushRedis: 3,
    crashPostgres: [0, 2_000, 5_000],
    cutPubSub: 3,
  },
};
const records = 40;
const askers = 8;
/** A lost answer is waited for a minute, and a repeatable run is dispatched again then. */
const endedMs = { short: 120_000, long: 240_000 };
const queuedMs = 15_000;
const emptiedMs = 30_000;

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly stage: Stage;
  readonly customer: Customer;
  readonly item: string;
}

/** Without Redis: direct actions at the API that holds the socket answer at once, background ones wait for it. */
const withoutRedis = async ({ run, site, stage: { admin, env, journal } }: Scene): Promise<void> => {
  const [holder] = site.apis;
  if (holder === undefined) return;
  const client = newClient(journal, () => [site.baseOf(holder, env)], admin, { strict: true });
  const forMs = run.size('Redis outage ms', { short: 4_000, long: 20_000 });
  run.tell({ kind: 'restartRedis', forMs });
  let direct = 0;
  const jobs: string[] = [];
  const asking = async (): Promise<void> => {
    for (const end = Date.now() + forMs; Date.now() < end; direct++) {
      const since = Date.now();
      const { status, text } = await client.post('/actions', { action: 'act' });
      run.expect(status === 200, `without Redis an action answered ${String(status)} ${text}`);
      run.worst('slowest action without Redis ms', Date.now() - since);
      if (direct % 10 === 0) jobs.push((await client.post('/actions', { action: 'job' })).body.run as string);
      await pause(50);
    }
  };
  await redisOutage(site, asking);
  const since = Date.now();
  const done = async (id: string): Promise<boolean> =>
    (await client.get(`/runs/${id}`)).body.run.status === 'succeeded';
  for (const id of jobs) await until('a job that waited for Redis is done', () => done(id), 60_000);
  run.measure('actions done without Redis', direct);
  run.measure('jobs done after Redis was back s', (Date.now() - since) / 1000);
  run.expectWithin(
    Date.now() - since,
    queuedMs,
    `jobs were done ${String(Date.now() - since)} ms after Redis was back`,
  );
};

/** Redis is emptied while many jobs are due, most of which wait there for a worker. */
const emptied = async ({ run, site, stage: { admin } }: Scene): Promise<void> => {
  const jobs = run.size('jobs due when Redis is emptied', { short: 100, long: 500 });
  run.tell({ kind: 'flushRedis', forMs: 0 });
  const asking = each(Array.from({ length: jobs }), 32, async () => {
    const { status, text } = await admin.post('/actions', { action: 'job' });
    run.expect(status === 202, `a background action answered ${String(status)} ${text}`);
  });
  await until(
    'some jobs are in Redis',
    async () =>
      (await site.sql('select from staged_jobs where enqueued_at is not null and lease_until is null limit 10'))
        .length === 10,
    20_000,
  ).catch(() => undefined);
  await flushRedis(site);
  await asking;
  await flushRedis(site);
  const since = Date.now();
  await endedRuns(admin, 60_000);
  run.measure('all due jobs done after Redis was emptied s', (Date.now() - since) / 1000);
  run.expectWithin(
    Date.now() - since,
    emptiedMs,
    `due jobs were done ${String(Date.now() - since)} ms after Redis was emptied`,
  );
};

const kinds = ['act', 'actAgain', 'job', 'jobAgain', 'ship', 'haul'] as const;

const inputOf = (random: Random, mark: string, deadly: boolean): RunInput => ({
  mark,
  ms: random.int(0, 200),
  ...(random.next() < 0.1 ? { busy: random.int(1, 2) } : {}),
  ...(deadly && random.next() < 0.01 ? { die: random.pick(['before', 'after'] as const) } : {}),
});

/** Calls actions until it is stopped; each response must be the run of its call. */
const startAskers = ({ run, stage: { admin }, item }: Scene): { stop(): Promise<void> } => {
  let stopped = false;
  const ask = async (n: number): Promise<void> => {
    const random = run.random.fork(`asker ${String(n)}`);
    for (let turn = 0; !stopped; turn++) {
      const action = random.pick(kinds);
      const record =
        action === 'ship' || action === 'haul' ? { record: `t${String(random.int(0, records - 1))}` } : { item };
      const { status, text } = await admin.post('/actions', {
        action,
        ...record,
        input: inputOf(random, `${String(n)}:${String(turn)}`, run.scale === 'long'),
      });
      run.expect(status === 200 || status === 202, `an action answered ${String(status)} ${text}`);
      await pause(random.int(100, 400));
    }
  };
  const asking = Promise.all(Array.from({ length: askers }, (_, n) => ask(n)));
  asking.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      await asking;
    },
  };
};

/** Cuts the app's connection now and then, and starts the app again when it has killed itself. */
const startTrouble = (
  { run, customer: { unit, wire } }: Scene,
  cuts: number,
  overMs: number,
): { stop(): Promise<void> } => {
  let stopped = false;
  const random = run.random.fork('cuts');
  const nursing = (async () => {
    while (!stopped) {
      if (!unit.isUp) {
        run.tell({ kind: 'killApp', forMs: 0 });
        await unit.start();
      }
      await pause(100);
    }
  })();
  const cutting = (async () => {
    for (let n = 0; n < cuts && !stopped; n++) {
      await pause(random.int(0, (2 * overMs) / (cuts + 1)));
      run.tell({ kind: 'cutApp', forMs: 0 });
      wire.cut();
    }
  })();
  for (const work of [nursing, cutting]) work.catch(() => undefined);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all([nursing, cutting]);
    },
  };
};

/** A run may be unknown only if the living app knows nothing of it: it reports the outcome of each dispatch that reached it. */
const judgeUnknown = (run: Run, { customer }: Scene, runs: ReadonlyMap<string, Json>): void => {
  const reached = new Set(
    customer
      .lines()
      .filter(({ pid }) => pid === customer.unit.pid)
      .map((line) => `${line.run} ${String(line.attempt)}`),
  );
  for (const [id, found] of runs) {
    if (found.status !== 'unknown') continue;
    const given = customer
      .lines()
      .filter((line) => line.run === id)
      .map(({ kind, at, attempt }) => `${kind} ${String(attempt)} at ${String(at)}`);
    run.say(`unknown: ${JSON.stringify(found)}; the app: ${given.join(', ') || 'nothing'}`);
    run.expect(
      !reached.has(`${id} ${String(found.attempts)}`),
      `the app that runs could have said what became of ${id}`,
    );
  }
};

const judgeAll = async (scene: Scene, heard: HeardRuns): Promise<void> => {
  const {
    run,
    stage: { admin, journal },
    customer,
    item,
  } = scene;
  const runs = await endedRuns(admin, endedMs[run.scale]);
  const effects = effectsOf(customer.lines());
  judgeOnce(run, runs, effects);
  judgeKept(
    run,
    runs,
    new Set(journal.writes.filter(({ path }) => path === '/actions').map(({ promised }) => promised.run as string)),
  );
  judgeUnknown(run, scene, runs);
  await judgeTimeline(run, admin, item, runs);
  await judgeAudit(run, admin, runs);
  await heard.judge(run, runs);
  const counts = new Map<string, number>();
  for (const [id, found] of runs) {
    const outcome = `${isRepeatable(found) ? 'repeatable' : 'once'} ${String(found.status)}/${String(effects.get(id) ?? 0)}`;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    const startedAt = found.startedAt as number | null;
    if (startedAt !== null)
      run.worst('longest wait for the first hand-over s', (startedAt - (found.requestedAt as number)) / 1000);
  }
  for (const [outcome, count] of counts) run.measure(outcome, count);
};

export const runsUnderFaults: Invariant = {
  number: 23,
  title: 'runs of every kind go on under faults of every kind',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 3 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'runsUnderFaults');
    const customer = await Customer.open(site, stage, { records });
    const [item = ''] = await makeItems(stage.admin, 1);
    const scene: Scene = { run, site, stage, customer, item };
    const heard = new HeardRuns();
    const recorder = new Recorder(stage.admin, { onMessage: heard.hear });
    await recorder.joined;
    try {
      await withoutRedis(scene);
      await emptied(scene);
      const overMs = run.size('fault plan ms', { short: 15_000, long: 100_000 });
      const plan = planFaults(run.random.fork('plan'), amounts[run.scale], overMs);
      const loads = [startTrouble(scene, run.size('cuts', { short: 2, long: 6 }), overMs), startAskers(scene)];
      await playFaults(site, run.random.fork('victims'), plan, run.tell);
      for (const load of loads.reverse()) await load.stop();
      if (!customer.unit.isUp) await customer.unit.start();
      await judgeAll(scene, heard);
      for (const problem of recorder.problems) run.problem(problem);
    } finally {
      await Promise.all([customer.close(), recorder.stop()]);
    }
  },
};
