/** What suites report of several rounds of one measurement. */
import type { Costed } from './bench.ts';
import type { Cost } from './cost.ts';
import { median } from './numbers.ts';
import type { Measured } from './plan.ts';

export const rate = (rounds: readonly Measured[]): number => median(rounds.map(({ perSecond }) => perSecond));
export const p99 = (rounds: readonly Measured[]): number => median(rounds.map((round) => round.p99));

/** p50 and p99 in ms. */
export const times = (rounds: readonly Measured[]): string =>
  `${median(rounds.map(({ p50 }) => p50)).toFixed(1)}/${p99(rounds).toFixed(0)}`;

/** Processor time of a request, in the process and in PostgreSQL. */
export const costs = (rounds: readonly Costed[]): string => {
  const of = (which: keyof Cost): number => Math.round(median(rounds.map(({ cost }) => cost[which])));
  return of('postgres') < 5 ? `${String(of('process'))} µs` : `${String(of('process'))} + ${String(of('postgres'))} µs`;
};
