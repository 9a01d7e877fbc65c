/** Flags: evaluated in the SDK, beside closures written by hand and three others' clients; and the steps of ramps, on time. */
import { inTurn, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { median, shown } from '../numbers.ts';
import type { Evaluated } from '../programs/flags.ts';
import type { Lateness } from '../programs/ramps.ts';
import { atLeast, atMost, type Figure } from '../report.ts';

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

export const flags: Suite = {
  name: 'flags',
  run: async (bench) => [...(await evaluation(bench)), ...(await steps(bench))],
};
