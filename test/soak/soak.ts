/** A soak from its begin to its end: what it needs, what happens in it, and what has to hold afterwards. Used by main.ts. */
import { Customer } from '../chaos/support/customer.ts';
import { compareAudit, countChanges, judgeVersions } from '../chaos/support/judge.ts';
import { makeItems } from '../chaos/support/load.ts';
import { each, listItems } from '../chaos/support/oracle.ts';
import { pause } from '../chaos/support/pause.ts';
import { Run, type Invariant } from '../chaos/support/run.ts';
import { openSite, type Site } from '../chaos/support/site.ts';
import type { Stage } from '../chaos/support/stage.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { appRecords, judgeActions, playAbsences, playActions } from './app.ts';
import { Audience, teams, type AudienceResult } from './audience.ts';
import { judgeBulks, playBulks, type SoakBulk } from './bulks.ts';
import { GrowthRecorder, type Growth } from './growth.ts';
import { inspectable } from './inspector.ts';
import { archivePast, judgeChain, writePast, type ArchiveResult } from './past.ts';
import { spread, type SoakPlan } from './plan.ts';
import { declareFlags, playRamps } from './ramps.ts';
import { playRestarts, restartAll } from './restarts.ts';
import { startTraffic, type TrafficResult } from './traffic.ts';

export interface SoakScene {
  readonly plan: SoakPlan;
  readonly site: Site;
  readonly stages: { readonly items: Stage; readonly app: Stage; readonly flags: Stage };
  readonly customer: Customer;
  readonly audience: Audience;
  readonly ids: readonly string[];
  close(): Promise<void>;
}

export interface Played {
  readonly traffic: TrafficResult;
  readonly growth: Growth;
  readonly archive: ArchiveResult;
  readonly bulks: readonly SoakBulk[];
}

/** What a soak's problems are noted as; it has no number among the promises. */
const title = 'nothing is lost, doubled or left over in hours of everything at once';
const units = { apis: 2, workers: 2 };
const asInvariant: Invariant = {
  number: 0,
  title,
  site: { short: units, long: units },
  run: () => Promise.resolve(),
};

export const newRun = ({ seed, minutes }: SoakPlan, say: (line: string) => void): Run =>
  new Run(asInvariant, { seed, scale: minutes >= 60 ? 'long' : 'short', say });

/** Memory is looked at each minute, in a short soak this many times. */
const [sampleMs, samplesLeast] = [60_000, 20];
/** Load before the clock starts, so that the first part is not slow by what processes compile at first. */
const warmUpPart = 0.05;

/** Starts processes of a database with a past, an app and an audience, and makes the items. */
export const openScene = async (run: Run, plan: SoakPlan): Promise<SoakScene> => {
  const site = await openSite({ ...units, env: inspectable, prepare: writePast });
  const items = await run.stage(site, 'soak');
  const app = await run.stage(site, 'soakapp');
  const flags = await run.stage(site, 'soakflags');
  await items.declare({ ...testManifest, inboxes: [...testManifest.inboxes, ...teams.map((name) => ({ name }))] });
  for (const base of items.bases()) {
    const knows = async (): Promise<boolean> =>
      (await items.admin.once('GET', `${base}/inboxes`)).text.includes(`"${teams.at(-1) ?? ''}"`);
    await until('the API knows the inboxes', knows, 30_000);
  }
  await declareFlags({ run, site, stage: flags }, plan.ramps);
  const customer = await Customer.open(site, app, { records: appRecords });
  const audience = new Audience(items.admin, plan.sockets, run.random.fork('audience'));
  await audience.joined();
  const perTeam = Math.ceil((2 * plan.bulkItems) / teams.length);
  const ids: string[] = [];
  await each(teams, 2, async (team) => {
    ids.push(...(await makeItems(items.admin, perTeam, team)));
  });
  run.say(`${String(ids.length)} items and ${String(plan.sockets)} sockets are there`);
  const close = async (): Promise<void> => {
    await customer.close();
    await site.close();
  };
  return { plan, site, stages: { items, app, flags }, customer, audience, ids, close };
};

/** Says now and then how far it is, and looks at the memory, until it is stopped. */
const watch = (run: Run, growth: GrowthRecorder, ms: number): { stop(): Promise<void> } => {
  const [since, every] = [Date.now(), Math.min(sampleMs, ms / samplesLeast)];
  let going = true;
  const watching = (async () => {
    for (let next = 0; going; next += every) {
      await growth.sample();
      if (Math.floor(next / sampleMs) !== Math.floor((next - every) / sampleMs))
        run.say(`${String(Math.round((Date.now() - since) / 60_000))} of ${String(ms / 60_000)} minutes`);
      while (going && Date.now() - since < next + every) await pause(Math.min(200, every));
    }
  })();
  watching.catch(() => undefined);
  return {
    stop: async () => {
      going = false;
      await watching;
    },
  };
};

/** Waits for a part; what ends it early is a problem of the soak, which goes on without it. */
const part = (run: Run, name: string, happens: Promise<unknown>): Promise<unknown> =>
  happens.catch((error: unknown) => {
    run.problem(`the ${name} ended early: ${error instanceof Error ? error.message : String(error)}`);
  });

/** Lets everything happen, for as long as the plan says. */
export const play = async (run: Run, scene: SoakScene): Promise<Played> => {
  const { plan, site, stages, customer, audience, ids } = scene;
  const ms = plan.minutes * 60_000;
  const client = await stages.items.agent('admin', { strict: true });
  const load = {
    client,
    ids,
    changes: plan.changes,
    onProblem: (problem: string) => {
      run.problem(problem);
    },
  };
  const warming = startTraffic({ ...load, random: run.random.fork('warm-up'), ms });
  await pause(Math.min(60_000, ms * warmUpPart));
  await warming.stop();

  const [api, worker] = [site.apis.slice(0, 1), site.workers.slice(0, 1)];
  const restarted = [...site.apis.slice(1), ...site.workers.slice(1)];
  const growth = new GrowthRecorder(site, [...api, ...worker]);
  const watching = watch(run, growth, ms);
  const traffic = startTraffic({ ...load, random: run.random.fork('traffic'), ms });
  audience.begin();
  const parts = {
    bulks: playBulks(run, client, ids, spread(plan.bulks, ms)),
    archive: pause(ms / 2).then(() => archivePast(run, site)),
    others: Promise.all([
      pause(ms),
      part(run, 'restarts', playRestarts(run, restarted, spread(plan.restarts, ms))),
      part(run, 'actions', playActions({ run, stage: stages.app, customer }, spread(plan.actions, ms))),
      part(run, 'absences of the app', playAbsences({ run, stage: stages.app, customer }, ms)),
      part(run, 'ramps', playRamps({ run, site, stage: stages.flags }, spread(plan.ramps, ms))),
    ]),
  };
  try {
    const [bulks, archive] = await Promise.all([parts.bulks, parts.archive, parts.others]);
    await watching.stop();
    // Those that were kept out of the restarts have their turn now, still under load.
    await restartAll(run, [...api, ...worker]);
    audience.endChurn();
    return { traffic: await traffic.stop(), growth: growth.result(), archive, bulks };
  } finally {
    audience.endChurn();
    await watching.stop().catch(() => undefined);
  }
};

/** Returns how many accepted changes each item had; each bulk is one of all its items. */
const changesOf = ({ stages }: SoakScene, { bulks }: Played): Map<string, number> => {
  const changes = countChanges(stages.items.journal.writes.filter(({ promised }) => promised.item !== undefined));
  for (const { ids } of bulks) for (const id of ids) changes.set(id, (changes.get(id) ?? 0) + 1);
  return changes;
};

export interface Judged {
  readonly audience: AudienceResult;
  /** Runs by how they ended. */
  readonly actions: Readonly<Record<string, number>>;
}

/** Compares everything that was accepted with everything that there is; may be called again, as it changes nothing. */
export const judgeScene = async (run: Run, scene: SoakScene, played: Played): Promise<Judged> => {
  const { site, stages, audience, customer } = scene;
  await site.mend();
  await site.settled();
  const items = await listItems(stages.items.admin);
  judgeVersions(run, changesOf(scene, played), items);
  for (const problem of await audience.judge(items)) run.problem(problem);
  await judgeBulks(run, stages.items.admin, played.bulks);
  const actions = await judgeActions({ run, stage: stages.app, customer });
  await compareAudit(run, site, Object.values(stages));
  await judgeChain(run, site);
  for (const problem of [...site.crashes(), ...site.blockedLoops()]) run.problem(problem);
  // The processes' own log lines explain a request that was put off.
  if (run.problems > 0) for (const outage of site.outages()) run.say(outage);
  return { audience: audience.result(), actions };
};
