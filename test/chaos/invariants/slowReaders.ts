/** 8. Sockets that don't read cost little and are cut off, others don't notice, and who reads slowly gets everything. */
import { until } from '../../support/until.ts';
import { bulkDone, tagAll } from '../support/bulks.ts';
import { heardProblems } from '../support/fold.ts';
import { makeItems } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';
import { openStalled } from '../support/stalled.ts';
import type { Unit } from '../support/unit.ts';

const growthMiB = 150;
const stallMs = 15_000;
/** Looked at once a second, a close frame's grace of 3 s, and how often this end tries. */
const noticeMs = 8_000;
/** Below it a difference is the machine's, not the service's. */
const calmMs = 250;

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? 0;
const p99 = (values: readonly number[]): number => quantile(values, 0.99);
const median = (values: readonly number[]): number => quantile(values, 0.5);

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly stage: Stage;
  readonly api: Unit;
  readonly ids: readonly string[];
  readonly tags: string[];
  /** Of the quick readers, since the flood began; in ms. */
  latencies: number[];
}

/** Changes all items until `messages` were emitted (each change is two); returns the p99 of the quick readers' latencies. */
const flood = async (scene: Scene, messages: number): Promise<number> => {
  const {
    site,
    stage: { admin },
    ids,
    tags,
  } = scene;
  scene.latencies = [];
  for (let told = 0; told < messages; told += 2 * ids.length) {
    const tag = `flood${String(tags.length)}`;
    tags.push(tag);
    await bulkDone(admin, await tagAll(admin, ids, tag));
  }
  await site.settled();
  return p99(scene.latencies);
};

/** Runs a flood while many don't read; returns the p99 of those who do. */
const floodStalled = async (scene: Scene, messages: number): Promise<number> => {
  const { run, site, stage, api } = scene;
  const count = run.size('stalled sockets', { short: 40, long: 100 });
  const sockets = await Promise.all(
    Array.from({ length: count }, () => openStalled(site.baseOf(api, stage.env), stage.admin.token)),
  );
  // What opening the sockets has allocated is collected by then.
  await pause(1_000);
  const memory = api.memory();
  let peak = memory;
  const watch = setInterval(() => {
    peak = Math.max(peak, api.memory());
  }, 250);
  const latency = await flood(scene, messages);
  const since = Date.now();
  const open = (): number => sockets.filter((socket) => socket.endedAt() === null).length;
  await until('the stalled sockets are cut off', () => open() === 0, stallMs + noticeMs).catch(() => undefined);
  clearInterval(watch);
  run.expect(
    open() === 0,
    `${String(open())} stalled sockets are open ${String(Date.now() - since)} ms after the flood`,
  );
  run.worst(
    'last cut off after the flood s',
    Math.max(...sockets.map((socket) => (socket.endedAt() ?? Date.now()) - since)) / 1000,
  );
  run.worst('memory growth MiB', peak - memory);
  run.expect(peak - memory < growthMiB, `memory grew by ${String(Math.round(peak - memory))} MiB`);
  for (const socket of sockets) socket.close();
  return latency;
};

/** Lets recorders read a little now and then; returns a function that lets them read freely again. */
const slowDown = (recorders: readonly Recorder[]): (() => void) => {
  const crawl = setInterval(() => {
    for (const { socket } of recorders) {
      socket?.resume();
      setImmediate(() => {
        socket?.pause();
      });
    }
  }, 20);
  return () => {
    clearInterval(crawl);
    setImmediate(() => {
      for (const { socket } of recorders) socket?.resume();
    });
  };
};

export const slowReaders: Invariant = {
  number: 8,
  title: 'slow readers cost little and disturb nobody',
  site: { short: { apis: 1, workers: 1 }, long: { apis: 1, workers: 2 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'slowReaders');
    const { admin } = stage;
    const [api] = site.apis;
    if (api === undefined) throw new Error('There is no API.');
    // More than the kernel takes for a socket that doesn't read (some 10 MB), also in the short form.
    const count = run.size('items', { short: 2_500, long: 5_000 });
    const ids: string[] = [];
    const scene: Scene = { run, site, stage, api, ids, tags: [], latencies: [] };
    const onMessage = (message: { type: string; at: number }): void => {
      if (message.type === 'item') scene.latencies.push(Date.now() - message.at);
    };
    // All at the API whose memory is looked at.
    const only = { ...admin, bases: () => [site.baseOf(api, stage.env)] };
    const quick = Array.from({ length: 3 }, () => new Recorder(only, { onMessage }));
    const slow = Array.from({ length: 2 }, () => new Recorder(only));
    await Promise.all([...quick, ...slow].map(({ joined }) => joined));
    ids.push(...(await makeItems(admin, count, 'mail', 1_500)));

    const messages = run.size('messages', { short: 20_000, long: 50_000 });
    const rounds = run.size('rounds', { short: 1, long: 3 });
    const before: number[] = [];
    const during: number[] = [];
    const quicken = slowDown(slow);
    for (let round = 0; round < rounds; round++) {
      before.push(await flood(scene, messages));
      during.push(await floodStalled(scene, messages));
    }
    quicken();
    run.measure('p99 of the others before ms', before.join(' '));
    run.measure('p99 of the others meanwhile ms', during.join(' '));
    run.expect(
      median(during) <= 2 * Math.max(median(before), calmMs),
      `the p99 of the others went from ${String(median(before))} to ${String(median(during))} ms`,
    );
    const list = await listItems(admin);
    for (const problem of await heardProblems(
      [...quick, ...slow].map((recorder) => ({ recorder, list })),
      60_000,
    ))
      run.problem(problem);
    for (const recorder of [...quick, ...slow])
      run.expect(recorder.connects === 1, 'a subscriber that reads was cut off');
  },
};
