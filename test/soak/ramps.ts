/** The ramps of a soak: every second one has a guard that trips and goes back, the others end exactly. Used by soak.ts. */
import { checkHistory, shownFlag, type RampScene } from '../chaos/invariants/ramps.ts';
import { ask } from '../chaos/support/people.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { atTimes } from './times.ts';

const [steps, everyMs] = [8, 1_000];
const above = 3;

const flagOf = (n: number): string => `ramp${String(n)}`;

export const declareFlags = async ({ stage }: RampScene, count: number): Promise<void> => {
  const flags = Array.from({ length: count }, (_, n) => ({ key: flagOf(n), kind: 'boolean', default: false }));
  await stage.declare({ ...testManifest, flags });
  for (const base of stage.bases()) {
    const last = `${base}/flags/${flagOf(count - 1)}`;
    await until('the API knows the flags', async () => (await stage.admin.once('GET', last)).status === 200);
  }
};

const endsAs = (scene: RampScene, flag: string, status: string): Promise<unknown> =>
  until(`${flag} is ${status}`, async () => (await shownFlag(scene, flag)).ramp?.status === status, 60_000);

/** Changes a flag; what is put off is sent again under its key. */
const change = async ({ stage: { admin } }: RampScene, flag: string, wanted: object): Promise<void> => {
  const body = { change: wanted };
  const asked = { method: 'POST', path: `/flags/${flag}`, body };
  const { status, text } = await ask(admin, () => admin.bases()[0] ?? '', asked);
  if (status !== 200) throw new Error(`A change of ${flag} answered ${String(status)}: ${text}`);
};

/** Goes up over a minute, and back once too much occurs. */
const trip = async (scene: RampScene, flag: string): Promise<void> => {
  const { run, stage } = scene;
  const guard = { inbox: 'bugs', above, within: 60_000, tag: flag, then: 'rollback' };
  await change(scene, flag, { rollout: 5, ramp: { to: 100, over: 60_000, every: everyMs, at: null, guard } });
  for (let n = 0; n <= above; n++)
    await stage.admin.post('/items', { inbox: 'bugs', title: 'It broke', key: flag, tags: [flag] });
  await endsAs(scene, flag, 'rolled_back');
  const { rollout } = await shownFlag(scene, flag);
  run.expect(rollout === 5, `${flag} went back to ${String(rollout)}`);
};

const climb = async (scene: RampScene, flag: string): Promise<void> => {
  const guard = { inbox: 'bugs', above: 1_000, within: 60_000, tag: flag, then: 'stop' };
  await change(scene, flag, { ramp: { to: 100, over: steps * everyMs, every: everyMs, at: null, guard } });
  await endsAs(scene, flag, 'done');
  await checkHistory(scene, flag, steps);
};

/** Starts a ramp at each of `times`, and waits for its end. */
export const playRamps = (scene: RampScene, times: readonly number[]): Promise<void> =>
  atTimes(times, (n) => (n % 2 === 0 ? trip : climb)(scene, flagOf(n)));
