/** Actions, with everything on over HTTP and an app built with the SDK: done at once, in the background, and queued while the app was away. */
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { appEnvironment, prepareApp } from '../appEnvironment.ts';
import { inTurn, type Api, type Bench, type Suite } from '../bench.ts';
import { costOf } from '../cost.ts';
import type { Program } from '../ipc.ts';
import { p99, rate, times } from '../measured.ts';
import { median } from '../numbers.ts';
import type { Measured, Requests } from '../plan.ts';
import { atLeast, type Figure } from '../report.ts';

const callers = 16;

const asking = (token: string, action: string): Requests => {
  const body = JSON.stringify({ action });
  const head = `POST /api/env/${appEnvironment}/actions HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
  return { kind: 'texts', texts: [`${head}content-length: ${String(body.length)}\r\n\r\n${body}`] };
};

const open = `select count(*)::int as n from runs where status in ('queued', 'running')`;

const settled = async ({ database }: Bench): Promise<void> => {
  while ((await database.sql<{ n: number }>(open))[0]?.n !== 0)
    await new Promise((resolve) => void setTimeout(resolve, 20));
};

interface Parts {
  readonly bench: Bench;
  readonly api: Api;
  readonly workers: Program;
  readonly app: Program;
  readonly url: string;
  readonly key: string;
  readonly token: string;
}

/** Runs a second, from the first call to the last that is settled, and µs of processor time of each in the API, the worker and PostgreSQL. */
const background = async ({ bench, api, workers, token }: Parts): Promise<{ perSecond: number; cost: number }> => {
  const began = performance.now();
  const { result: count, cost } = await costOf(bench.database, [api.pid, workers.pid], async () => {
    const done = await bench.load({
      port: api.port,
      connections: 64,
      warmupMs: 0,
      ms: bench.options.seconds * 1000,
      requests: asking(token, 'later'),
    });
    await settled(bench);
    return done.count;
  });
  return {
    perSecond: count / ((performance.now() - began) / 1000),
    cost: (cost.process + cost.postgres) / count,
  };
};

/** Runs a second, from the app's return on. */
const drained = async ({ bench, api, app, url, key, token }: Parts): Promise<number> => {
  await app.call('leave');
  while ((await bench.database.sql('select from app_connections')).length > 0)
    await new Promise((resolve) => void setTimeout(resolve, 20));
  const { count } = await bench.load({
    port: api.port,
    connections: callers,
    warmupMs: 0,
    ms: 2_000,
    requests: asking(token, 'now'),
  });
  const began = performance.now();
  await app.call('start', { url, key });
  await settled(bench);
  return count / ((performance.now() - began) / 1000);
};

const measureLimits = async (bench: Bench, agent: string) => {
  const [holder, other, caller, least, port] = await Promise.all([
    bench.start('roundTrip'),
    bench.start('roundTrip'),
    bench.start('roundTrip'),
    bench.start('backgroundLimit'),
    freePort(),
  ]);
  await holder.call('hold', port);
  await other.call('dial', port);
  const ms = bench.options.seconds * 1000;
  return {
    trip: (count: number) => () =>
      caller.call<Measured>('run', { callers: count, ms, warmupMs: ms / 4, environment: appEnvironment, agent }),
    background: () =>
      least.call<number>('run', { environment: appEnvironment, agent, count: bench.options.quick ? 2_000 : 5_000 }),
  };
};

export const actions: Suite = {
  name: 'actions',
  run: async (bench) => {
    const { key, agent } = await prepareApp(bench);
    const [api, far, app] = await Promise.all([bench.api(), bench.api(), bench.start('customerApp')]);
    const workers = await bench.start('workers');
    const url = `http://127.0.0.1:${String(api.port)}/api/env/${appEnvironment}`;
    await app.call('start', { url, key });
    const parts: Parts = { bench, api, workers, app, url, key, token: agent.token };
    const limit = await measureLimits(bench, agent.id);
    const direct = (from: Api, connections: number) => () =>
      bench.load({ port: from.port, connections, requests: asking(agent.token, 'now') });
    const found = await inTurn(bench.options.rounds, {
      ours1: direct(api, 1),
      limit1: limit.trip(1),
      ours: direct(api, callers),
      far: direct(far, callers),
      limit: limit.trip(callers),
    });
    const { rounds } = bench.options;
    const slow = await inTurn(rounds, {
      ours: () => background(parts),
      limit: async () => ({ perSecond: await limit.background(), cost: Number.NaN }),
    });
    const queued = await inTurn(1, { ours: () => drained(parts) });
    const perSecond = (results: readonly { perSecond: number }[]): number =>
      median(results.map((each) => each.perSecond));
    const p50 = (results: readonly Measured[]): number => median(results.map((each) => each.p50));
    const atOnce = (what: string, own: readonly Measured[], least: readonly Measured[]): Figure => ({
      suite: 'actions',
      what,
      unit: 'ms',
      ours: p50(own),
      limit: p50(least),
      goal: '≤ 1.5 × limit',
      met: p50(own) <= 1.5 * p50(least),
      note: `p50/p99 ms: ours ${times(own)}, limit ${times(least)}; ours ${rate(own).toFixed(0)}/s, limit ${rate(least).toFixed(0)}/s`,
    });
    return [
      atOnce('action done at once, one caller, p50', found.ours1, found.limit1),
      atOnce(`the same, ${String(callers)} callers`, found.ours, found.limit),
      {
        suite: 'actions',
        what: `the same, the app’s socket at another API process`,
        unit: 'ms',
        ours: p50(found.far),
        limit: p50(found.limit),
        note: `p99 ms: ${p99(found.far).toFixed(0)}`,
      },
      {
        suite: 'actions',
        what: 'background action, accepted to settled',
        unit: '/s',
        ...atLeast(perSecond(slow.ours), perSecond(slow.limit), 0.9),
        note: `CPU of API, worker and PostgreSQL: ${median(slow.ours.map(({ cost }) => cost)).toFixed(0)} µs; limit: the same rows by hand and bare BullMQ`,
      },
      { suite: 'actions', what: 'queued actions, once the app is back', unit: '/s', ours: median(queued.ours) },
    ];
  },
};
