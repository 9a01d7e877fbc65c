/**
 * 6. Actions that were requested while the app was offline run once each when it comes, in order per record, and none that
 * was cancelled meanwhile or whose requester may not any more.
 */
import type { Random } from '../../support/random.ts';
import type { Client } from '../support/client.ts';
import { Customer, type AppLine } from '../support/customer.ts';
import { killUnit } from '../support/faults.ts';
import { each, type Json } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import type { Invariant, Run } from '../support/run.ts';
import { effectsOf, endedRuns, judgeAudit, judgeKept, judgeOnce } from '../support/runs.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

const perRecord = 10;
const askersAtOnce = 16;
/** A change of rights acts everywhere within a second. */
const rightsMs = 1_500;
const grants = [
  { on: 'inbox:mail', can: ['see'] },
  { on: 'resource:thing', can: ['see'] },
  { on: 'action:ship', can: ['run'] },
  { on: 'action:haul', can: ['run'] },
] as const;

interface Asked {
  readonly run: string;
  readonly record: string;
  readonly by: string;
  cancelled: boolean;
}

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly stage: Stage;
  /** Those who go on being allowed to, in most of the calls, and those who don't. */
  readonly staying: Client;
  readonly leaving: readonly Client[];
}

/** Makes one call after the other for a record, so that their order is known; returns them in that order. */
const askFor = async (
  { run, staying, leaving }: Scene,
  record: string,
  random: Random,
  done: () => void,
): Promise<Asked[]> => {
  const asked: Asked[] = [];
  for (let n = 0; n < perRecord; n++) {
    const client = random.next() < 0.8 ? staying : random.pick(leaving);
    const { status, body, text } = await client.post('/actions', {
      action: random.pick(['ship', 'haul']),
      record,
      input: { mark: `${record}:${String(n)}` },
    });
    if (status !== 202 || body.queued !== true) throw new Error(`An action was not queued: ${String(status)} ${text}`);
    const one = { run: body.run as string, record, by: client.id, cancelled: random.next() < 0.1 };
    asked.push(one);
    done();
    if (!one.cancelled) continue;
    const answer = await client.post(`/runs/${one.run}/cancel`, {});
    run.expect(answer.status === 200, `a queued run could not be cancelled: ${answer.text}`);
  }
  return asked;
};

/** Every so many calls an API is killed under them. */
const askForAll = async (scene: Scene, records: readonly string[], kills: number): Promise<Asked[]> => {
  const { run, site } = scene;
  const every = Math.floor((records.length * perRecord) / (kills + 1));
  const asked: Asked[] = [];
  const killing: Promise<void>[] = [];
  let count = 0;
  const done = (): void => {
    count += 1;
    const api = site.apis[killing.length % site.apis.length];
    if (count % every !== 0 || killing.length === kills || api === undefined) return;
    run.tell({ kind: 'killApi', forMs: 0 });
    killing.push(killUnit(api));
  };
  const random = run.random.fork('asked');
  await each(records, askersAtOnce, async (record) => {
    asked.push(...(await askFor(scene, record, random.fork(record), done)));
  });
  await Promise.all(killing);
  run.expect(killing.length === kills, `only ${String(killing.length)} kills happened`);
  return asked;
};

const judgeOrder = (run: Run, asked: readonly Asked[], lines: readonly AppLine[]): void => {
  const order = new Map<string, string[]>();
  for (const { kind, record, run: id } of lines)
    if (kind === 'effect' && record !== null) order.set(record, [...(order.get(record) ?? []), id]);
  for (const [record, done] of order) {
    const wanted = asked.filter((one) => one.record === record && done.includes(one.run)).map((one) => one.run);
    run.expect(
      done.join() === wanted.join(),
      `${record}: done in the order ${done.join(', ')}, asked for as ${wanted.join(', ')}`,
    );
  }
};

const judgeEach = (
  run: Run,
  { staying }: Scene,
  asked: readonly Asked[],
  runs: ReadonlyMap<string, Json>,
  lines: readonly AppLine[],
): void => {
  const given = new Set(lines.map((line) => line.run));
  const effects = effectsOf(lines);
  const counts = { succeeded: 0, cancelled: 0, refused: 0 };
  for (const { run: id, by, cancelled } of asked) {
    const outcome = cancelled ? 'cancelled' : by === staying.id ? 'succeeded' : 'refused';
    counts[outcome] += 1;
    const { status, code } = runs.get(id) ?? {};
    const expected = outcome === 'refused' ? 'failed/forbidden' : outcome;
    const found = outcome === 'refused' ? `${String(status)}/${String(code)}` : String(status);
    run.expect(found === expected, `${id} is ${found}, not ${expected}`);
    run.expect(
      (effects.get(id) ?? 0) === (outcome === 'succeeded' ? 1 : 0),
      `${id}, which is ${found}, acted ${String(effects.get(id) ?? 0)} times`,
    );
    run.expect(outcome === 'succeeded' || !given.has(id), `${id}, which is ${found}, was given to the app`);
  }
  for (const [outcome, count] of Object.entries(counts)) run.measure(outcome, count);
};

export const offlineActions: Invariant = {
  number: 6,
  title: 'actions that wait for the app run once each when it comes, in order, as far as they still may',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'offlineActions');
    const count = run.size('records', { short: 20, long: 200 });
    const customer = await Customer.open(site, stage, { records: count });
    try {
      const records = Array.from({ length: count }, (_, n) => `t${String(n)}`);
      const narrowed = await stage.role('narrowed', grants);
      const leaving = [await stage.agent('narrowed'), await stage.agent('operator')];
      const scene: Scene = { run, site, stage, staying: stage.admin, leaving };
      await customer.offline();
      const asked = await askForAll(scene, records, run.size('API kills', { short: 2, long: 10 }));
      await stage.narrow(narrowed, [{ on: 'resource:thing', can: ['see'] }]);
      await stage.revoke(leaving[1]?.id ?? '');
      await pause(rightsMs);

      const since = Date.now();
      await customer.online();
      const onlineAt = Date.now();
      const runs = await endedRuns(stage.admin, 120_000);
      const lines = customer.lines();
      judgeOnce(run, runs, effectsOf(lines));
      judgeKept(run, runs, new Set(asked.map((one) => one.run)));
      judgeEach(run, scene, asked, runs, lines);
      judgeOrder(run, asked, lines);
      await judgeAudit(run, stage.admin, runs);
      const effects = lines.filter(({ kind }) => kind === 'effect').map(({ at }) => at);
      const [first, last] = [Math.min(...effects), Math.max(...effects)];
      run.measure('app online after ms', onlineAt - since);
      run.measure('first effect after the app was online ms', first - onlineAt);
      run.measure('drained per s', effects.length / ((last - first) / 1000));
      run.measure(
        'ended after the app was online s',
        (Math.max(...[...runs.values()].map(({ finishedAt }) => finishedAt as number)) - onlineAt) / 1000,
      );
    } finally {
      await customer.close();
    }
  },
};
