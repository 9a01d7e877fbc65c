/**
 * 30. PostgreSQL fails over to its standby under load: with a synchronous one nothing that was accepted is lost or done twice,
 * streams have no hole, and the service is well within 30 s; where commits are lost, streams say so.
 */
import { bulkDone } from '../support/bulks.ts';
import { Customer } from '../support/customer.ts';
import { Cluster } from '../support/failover/cluster.ts';
import { loseCommits } from '../support/failover/loss.ts';
import { startMarkedWork, type MarkedWork } from '../support/failover/marks.ts';
import type { DatabaseNode } from '../support/failover/node.ts';
import { Probe } from '../support/failover/probe.ts';
import { heardProblems } from '../support/fold.ts';
import { makeItems } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant, Run } from '../support/run.ts';
import { effectsOf, endedRuns, judgeKept, judgeOnce } from '../support/runs.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

const wellMs = 30_000;
const beforeMs = 3_000;
const itemsPerFault = 20;

const faults = {
  killPrimary: (node: DatabaseNode) => node.kill(),
  freezePrimary: (node: DatabaseNode) => {
    node.freeze();
  },
  cutOffPrimary: (node: DatabaseNode) => {
    node.cutOff();
  },
} as const;

type FaultName = keyof typeof faults;

interface Scene {
  readonly run: Run;
  readonly stage: Stage;
  readonly cluster: Cluster;
  readonly probe: Probe;
}

/** Breaks the primary, measures, and mends it; resolves once it is a synchronous standby. */
const breakPrimary = async ({ run, cluster, probe }: Scene, kind: FaultName): Promise<void> => {
  const primary = await cluster.primary();
  run.tell({ kind, forMs: 0 });
  const at = Date.now();
  try {
    await faults[kind](primary);
    const ms = await probe.wellAfter(at);
    run.worst(`${kind}: well again after s`, ms / 1000);
    run.expectWithin(ms, wellMs, `after ${kind} the service was well again only after ${String(ms)} ms`);
    run.expect((await cluster.primary()) !== primary, `after ${kind} the same node was the primary`);
  } finally {
    await primary.mend();
  }
  await cluster.ready();
  run.expect((await cluster.primary()) !== primary, `once mended after ${kind} the node took over again`);
  run.worst(`${kind}: a standby again after s`, (Date.now() - at) / 1000);
};

/** One fault under load; resolves with the work. */
const failOver = async (scene: Scene, kind: FaultName, round: number): Promise<MarkedWork> => {
  const { run, stage, cluster } = scene;
  await cluster.ready();
  const name = `${kind}${String(round)}`;
  const work = startMarkedWork({
    client: stage.admin,
    name,
    items: await makeItems(stage.admin, itemsPerFault),
    random: run.random.fork(name),
    writers: run.size('writers', { short: 4, long: 8 }),
    hasApp: true,
  });
  try {
    await pause(beforeMs);
    await breakPrimary(scene, kind);
    await pause(beforeMs);
  } finally {
    await work.stop();
  }
  return work;
};

const judgeWork = async (run: Run, { admin }: Stage, kind: FaultName, works: readonly MarkedWork[]): Promise<void> => {
  const sum = { accepted: 0, lost: 0, doubled: 0 };
  for (const work of works) {
    for (const bulk of work.bulks) await bulkDone(admin, bulk);
    const { accepted, lost, doubled } = await work.count();
    sum.accepted += accepted;
    sum.lost += lost;
    sum.doubled += doubled;
  }
  for (const [name, n] of Object.entries(sum)) run.measure(`${kind}: ${name}`, n);
  run.expect(sum.lost === 0, `after ${kind} ${String(sum.lost)} accepted changes are gone`);
  run.expect(sum.doubled === 0, `after ${kind} ${String(sum.doubled)} changes were done twice`);
};

const withSynchronousStandby = async (run: Run, site: Site, cluster: Cluster): Promise<void> => {
  const stage = await run.stage(site, 'failover');
  const { admin } = stage;
  const customer = await Customer.open(site, stage);
  const listeners = Array.from({ length: 4 }, (_, turn) => new Recorder(admin, { turn }));
  await Promise.all(listeners.map(({ joined }) => joined));
  const [probed = ''] = await makeItems(admin, 1);
  const probe = new Probe(admin, probed);
  const scene = { run, stage, cluster, probe };
  const rounds = run.size('rounds', { short: 1, long: 3 });
  const kinds = ['killPrimary', 'freezePrimary', 'cutOffPrimary'] as const;
  const works = new Map<FaultName, MarkedWork[]>(kinds.map((kind) => [kind, []]));
  for (let round = 1; round <= rounds; round++)
    for (const kind of kinds) works.get(kind)?.push(await failOver(scene, kind, round));
  await probe.stop();
  for (const violation of probe.violations) run.problem(violation);

  const runs = await endedRuns(admin, 180_000);
  await site.settled();
  for (const [kind, own] of works) await judgeWork(run, stage, kind, own);
  judgeOnce(run, runs, effectsOf(customer.lines()));
  judgeKept(run, runs, new Set([...works.values()].flat().flatMap((work) => work.runs)));
  run.measure('runs', runs.size);
  const list = await listItems(admin);
  for (const problem of await heardProblems(
    listeners.map((recorder) => ({ recorder, list })),
    60_000,
  ))
    run.problem(problem);
  run.measure(
    'messages',
    listeners.reduce((sum, { messages }) => sum + messages, 0),
  );
  await customer.close();
};

export const failover: Invariant = {
  number: 30,
  name: 'failover',
  title: 'a failover of PostgreSQL loses nothing, or says so',
  site: {
    short: { apis: 2, workers: 2, postgres: (dir) => Cluster.open(dir) },
    long: { apis: 2, workers: 4, postgres: (dir) => Cluster.open(dir) },
  },
  run: async (run, site) => {
    const cluster = site.postgres;
    if (!(cluster instanceof Cluster)) throw new Error('This site has no PostgreSQL that fails over.');
    await withSynchronousStandby(run, site, cluster);
    await loseCommits(run, site, cluster);
  },
};
