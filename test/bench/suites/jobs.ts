/** A background job that does nothing: our worker around BullMQ against BullMQ alone, and a durable job, as all of ours are, beside two libraries. */
import { inTurn, type Suite } from '../bench.ts';
import { median } from '../numbers.ts';
import type { Latency, Rates } from '../programs/jobs.ts';
import { atLeast, atMost, peer } from '../report.ts';

export const jobs: Suite = {
  name: 'jobs',
  run: async (bench) => {
    const { quick, rounds } = bench.options;
    const count = quick ? 5_000 : 20_000;
    const program = await bench.start('jobs');
    const rates = (kind: string) => () => program.call<Rates>('rates', { kind, count });
    const latency = (kind: string) => () => program.call<Latency>('latency', { kind, count: quick ? 200 : 400 });
    const found = await inTurn(rounds, { ours: rates('ours'), bare: rates('bare') });
    const late = await inTurn(rounds, { ours: latency('ours'), bare: latency('bare') });
    const peers = { graphileWorker: await bench.peer('graphile-worker'), pgBoss: await bench.peer('pg-boss') };
    const kept = count / 5;
    const peerOf = (name: keyof typeof peers) => {
      const folder = peers[name];
      return folder === null ? null : () => program.call<Rates & Latency>('peer', { name, folder, count: kept });
    };
    const durable = await inTurn(rounds, {
      ours: () => program.call<Rates & Latency>('durable', kept),
      graphileWorker: peerOf('graphileWorker'),
      pgBoss: peerOf('pgBoss'),
    });
    const p99 = (results: readonly Latency[]): number => median(results.map((each) => each.p99));
    const p50 = (results: readonly Latency[]): string => median(results.map((each) => each.p50)).toFixed(1);
    const of = (which: keyof Rates, results: readonly Rates[]): number => median(results.map((each) => each[which]));
    return [
      {
        suite: 'jobs',
        what: 'background job, no-op, processed',
        unit: '/s',
        ...atLeast(of('process', found.ours), of('process', found.bare), 1),
        note: 'limit: bare BullMQ',
      },
      {
        suite: 'jobs',
        what: 'background job, no-op, added (64 callers)',
        unit: '/s',
        ...atLeast(of('add', found.ours), of('add', found.bare), 0.8),
        note: 'limit: bare BullMQ',
      },
      {
        suite: 'jobs',
        what: 'background job, add to start, p99',
        unit: 'ms',
        ...atMost(p99(late.ours), 5, 'ms'),
        limit: p99(late.bare),
        note: `p50: ours ${p50(late.ours)}, bare ${p50(late.bare)}`,
      },
      {
        suite: 'jobs',
        what: 'durable job: row, claim, done',
        unit: '/s',
        ours: of('process', durable.ours),
        peers: [
          ...peer('graphile-worker', durable.graphileWorker, (results) => of('process', results)),
          ...peer('pg-boss', durable.pgBoss, (results) => of('process', results)),
        ],
      },
      {
        suite: 'jobs',
        what: 'durable job, commit to start, p99',
        unit: 'ms',
        ours: p99(durable.ours),
        peers: [...peer('graphile-worker', durable.graphileWorker, p99), ...peer('pg-boss', durable.pgBoss, p99)],
        note: `p50: ours ${p50(durable.ours)}; pg-boss asks twice a second`,
      },
    ];
  },
};
