/** Flags: evaluated in the SDK, beside closures written by hand and three others' clients; over HTTP, beside Unleash's server; and the steps of ramps, on time. */
import { newApiClient } from '../apiClient.ts';
import { inTurn, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { flagChange, key, subjects } from '../flagKinds.ts';
import { rate, times } from '../measured.ts';
import { median, shown } from '../numbers.ts';
import type { Evaluated } from '../programs/flags.ts';
import type { Lateness } from '../programs/ramps.ts';
import { atLeast, atMost, peer, type Figure } from '../report.ts';
import { post } from '../requests.ts';
import { startUnleash } from '../unleash.ts';

const ramps = 1_000;

const evaluation = async (bench: Parameters<Suite['run']>[0]): Promise<Figure[]> => {
  const { rounds, seconds } = bench.options;
  const ms = Math.min(seconds, 2) * 1000;
  const found: Record<string, number> = {};
  const programs = Object.fromEntries(
    await Promise.all(
      ['ours', 'limit', 'flagd', 'growthbook', 'unleash'].map(
        async (kind) => [kind, await bench.start('flags')] as const,
      ),
    ),
  );
  const measured = await inTurn(
    rounds,
    Object.fromEntries(
      Object.entries(programs).map(([kind, program]) => [
        kind,
        () => program.call<Evaluated>('evaluate', { kind, ms }),
      ]),
    ),
  );
  for (const [kind, results] of Object.entries(measured))
    found[kind] = median(results.map(({ perSecond }) => perSecond));
  const { ours = 0, limit = 0, flagd = 0, growthbook = 0, unleash = 0 } = found;
  return [
    {
      suite: 'flags',
      what: 'flag evaluation in the SDK',
      unit: '/s',
      ...atLeast(ours, limit, 1),
      peers: [
        { name: 'flagd', value: flagd },
        { name: 'GrowthBook', value: growthbook },
        { name: 'Unleash', value: unleash },
      ],
      met: ours >= limit && ours >= 4 * Math.max(flagd, growthbook, unleash),
      goal: '≥ 1 × limit, 4 × every peer',
      note: 'limit: closures by hand',
    },
  ];
};

/** A flag for each ramp, declared beside those of the demo. */
const declare = async ({ database }: Parameters<Suite['run']>[0]): Promise<void> => {
  const flags = Array.from({ length: ramps }, (_, i) => ({
    key: `bench_${String(i)}`,
    kind: 'boolean',
    default: false,
  }));
  await database.sql(`update definitions set manifest = jsonb_set(manifest, '{flags}', $2::jsonb) where env = $1`, [
    database.env,
    JSON.stringify(flags),
  ]);
  await database.sql('update revisions set n = n + 1');
};

const steps = async (bench: Parameters<Suite['run']>[0]): Promise<Figure[]> => {
  await declare(bench);
  const program = await bench.start('ramps');
  const lateness = (kind: string) => () => program.call<Lateness>(kind, { env: bench.database.env });
  const found = await inTurn(bench.options.rounds, {
    ours: lateness('ours'),
    bare: lateness('bare'),
    limit: lateness('limit'),
  });
  const of = (which: keyof Lateness, results: readonly Lateness[]): number =>
    median(results.map((each) => each[which]));
  return [
    {
      suite: 'flags',
      what: `${shown(ramps)} steps of ramps due in one second, from due to told, p99`,
      unit: 'ms',
      ...atMost(of('p99', found.ours), 250, 'ms'),
      limit: of('p99', found.limit),
      peers: [{ name: 'BullMQ delayed', value: of('p99', found.bare) }],
      note: `durable, with history and live message, in ${environment}; p50: ours ${shown(of('p50', found.ours))}, BullMQ ${shown(of('p50', found.bare))}`,
    },
  ];
};

/** The flag asked for over HTTP by one user after the other, at ours and at a server of Unleash, which evaluates the only flag that it has. */
const overHttp = async (bench: Parameters<Suite['run']>[0]): Promise<Figure[]> => {
  const { token } = await bench.database.token('admin');
  const api = await bench.api();
  const base = `/api/env/${environment}`;
  const call = newApiClient(`http://127.0.0.1:${String(api.port)}${base}`, token);
  await call(`/flags/${key}`, { change: { ...flagChange, ramp: null }, confirmed: true });
  const unleash = await startUnleash(bench);
  const asking = (port: number, texts: readonly string[]) => () =>
    bench.load({ port, connections: 16, requests: { kind: 'texts', texts } });
  const path = `${base}/ofrep/v1/evaluate/flags/${key}`;
  const found = await inTurn(bench.options.rounds, {
    ours: asking(
      api.port,
      subjects.map((context) => post(path, token, JSON.stringify({ context }))),
    ),
    unleash: unleash === null ? null : asking(unleash.port, subjects.map(unleash.request)),
  });
  await unleash?.stop();
  return [
    {
      suite: 'flags',
      what: 'a flag asked for over HTTP (OFREP), 16 connections',
      unit: '/s',
      ours: rate(found.ours),
      peers: peer('Unleash’s server', found.unleash, rate),
      note: `p50/p99 ms: ours ${times(found.ours)}${found.unleash.length === 0 ? '' : `, Unleash ${times(found.unleash)}`}`,
    },
  ];
};

export const flags: Suite = {
  name: 'flags',
  run: async (bench) => [...(await evaluation(bench)), ...(await overHttp(bench)), ...(await steps(bench))],
};
