/** 15. Ramps: each step once, never backwards, exactly `to` at the end, one catch-up step after an outage; a stop or a change by hand wins every race. */
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { pause } from '../support/pause.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Answer } from '../support/send.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

const everyMs = 1_000;

export interface RampScene {
  readonly run: Run;
  readonly site: Site;
  readonly stage: Stage;
}

const changeFlag = async ({ stage: { admin } }: RampScene, flag: string, wanted: object): Promise<Answer> => {
  const answer = await admin.once('POST', `${admin.bases()[0] ?? ''}/flags/${flag}`, { change: wanted });
  if (answer.status !== 200) throw new Error(`A change of ${flag} answered ${String(answer.status)}: ${answer.text}`);
  return answer;
};

export const shownFlag = async ({ stage: { admin } }: RampScene, flag: string): Promise<Answer['body']> =>
  (await admin.get(`/flags/${flag}`)).body.flag;

/** Kills workers while the ramps go up, then takes all of them away for a while. */
const trouble = async ({ run, site }: RampScene): Promise<number> => {
  const kills = run.size('workers killed', { short: 2, long: 12 });
  for (let n = 0; n < kills; n++) {
    await pause(run.random.int(300, 1_200));
    const unit = run.random.pick(site.workers);
    await unit.kill();
    await unit.start();
    run.tell({ kind: 'killWorker', forMs: 0 });
  }
  const awayMs = run.size('all workers away ms', { short: 3_000, long: 10_000 });
  await Promise.all(site.workers.map((unit) => unit.kill()));
  await pause(awayMs);
  await Promise.all(site.workers.map((unit) => unit.start()));
  return awayMs;
};

export const checkHistory = async (
  { run, stage: { admin } }: RampScene,
  flag: string,
  steps: number,
): Promise<number> => {
  const { entries } = (await admin.get(`/flags/${flag}/history?limit=200`)).body;
  const taken = (entries as { type: string; after: { rollout: number } }[])
    .filter(({ type }) => type === 'step')
    .map(({ after }) => after.rollout)
    .reverse();
  const places = taken.map((rollout) => (rollout * steps) / 100);
  run.expect(
    places.every((place) => Math.abs(place - Math.round(place)) < 0.01),
    `${flag} took a step that is none: ${taken.join(', ')}`,
  );
  run.expect(
    taken.every((rollout, i) => i === 0 || rollout > (taken[i - 1] ?? 0)),
    `${flag} took a step twice or went back: ${taken.join(', ')}`,
  );
  run.expect(taken.at(-1) === 100, `${flag} ended at ${String(taken.at(-1))}`);
  return steps - taken.length;
};

const climb = async (scene: RampScene): Promise<void> => {
  const { run } = scene;
  const count = run.size('ramps', { short: 10, long: 40 });
  const steps = run.size('steps', { short: 12, long: 50 });
  const flags = Array.from({ length: count }, (_, n) => `up${String(n)}`);
  for (const flag of flags)
    await changeFlag(scene, flag, { ramp: { to: 100, over: steps * everyMs, every: everyMs, at: null } });
  const awayMs = await trouble(scene);
  const doneBy = Date.now() + steps * everyMs;
  await until(
    'all ramps are done',
    async () =>
      (await Promise.all(flags.map((flag) => shownFlag(scene, flag)))).every(({ ramp }) => ramp?.status === 'done'),
    Math.max(30_000, doneBy - Date.now()),
  );
  let skipped = 0;
  for (const flag of flags) skipped += await checkHistory(scene, flag, steps);
  run.measure('steps left out in the outage, a ramp', (skipped / count).toFixed(1));
  run.expect(
    skipped / count >= Math.floor(awayMs / everyMs) - 2,
    'after the outage steps were replayed one by one instead of caught up with',
  );
};

/** Sends a request just when a step is due; its response must stay true. */
const race = async (scene: RampScene, flag: string, byHand: boolean): Promise<boolean> => {
  const { run } = scene;
  const at = Date.now() + 400 - everyMs;
  await changeFlag(scene, flag, { rollout: 0, ramp: { to: 100, over: 60 * everyMs, every: everyMs, at } });
  await pause(Math.max(0, at + everyMs - Date.now() + run.random.int(-25, 40)));
  const { body } = await changeFlag(scene, flag, byHand ? { rollout: 42 } : { ramp: null });
  await pause(600);
  const now = await shownFlag(scene, flag);
  run.expect(
    now.ramp === null && now.rollout === body.flag.rollout && now.version === body.flag.version,
    `${flag} went on after it was stopped: ${JSON.stringify(body.flag)} → ${JSON.stringify(now)}`,
  );
  return body.flag.rollout !== 0 && !byHand;
};

const racing = async (scene: RampScene): Promise<void> => {
  const { run } = scene;
  const rounds = run.size('races', { short: 40, long: 500 });
  const together = 20;
  let lateStops = 0;
  for (let done = 0; done < rounds; done += together) {
    const raced = await Promise.all(
      Array.from({ length: together }, (_, n) => race(scene, `race${String(n)}`, n % 2 === 0)),
    );
    lateStops += raced.filter(Boolean).length;
  }
  run.measure('stops that came after the step', lateStops);
};

export const ramps: Invariant = {
  number: 15,
  title: 'ramps take each step once and end exactly; a stop or a change by hand wins',
  site: { short: { apis: 1, workers: 2 }, long: { apis: 2, workers: 4 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'ramps');
    const names = [
      ...Array.from({ length: 40 }, (_, n) => `up${String(n)}`),
      ...Array.from({ length: 20 }, (_, n) => `race${String(n)}`),
    ];
    await stage.declare({ ...testManifest, flags: names.map((key) => ({ key, kind: 'boolean', default: false })) });
    for (const base of stage.bases())
      await until(
        'the API knows the flags',
        async () => (await stage.admin.once('GET', `${base}/flags/race19`)).status === 200,
      );
    const scene = { run, site, stage };
    await climb(scene);
    await racing(scene);
  },
};
