/** The goals of a soak, each with what was reached. Used by report.ts. */
import type { Growth } from './growth.ts';
import type { Latency } from './latency.ts';
import { judgeSlope, type Slope, type Verdict } from './slope.ts';
import { bloated, type Storage } from './storage.ts';
import type { TrafficResult } from './traffic.ts';

export interface Goal {
  readonly name: string;
  readonly goal: string;
  readonly reached: string;
  readonly verdict: Verdict;
}

const [mbPerHourMost, ratioMost, bloatMost, rateLeast] = [1, 1.2, 1.5, 0.95];
/** Below that the slowest of hundred requests are some few, and their time is chance. */
const countLeast = 500;

const slopeGoal = (name: string, slope: Slope): Goal => ({
  name,
  goal: `grows by at most ${String(mbPerHourMost)} MB an hour`,
  reached: `${String(slope.mbPerHour)} ± ${String(slope.plusMinus)} MB/h (${String(slope.firstMb)} → ${String(slope.lastMb)} MB in ${String(slope.hours)} h)`,
  verdict: judgeSlope(slope, mbPerHourMost),
});

const latencyGoal = (name: string, part: 'p50' | 'p99', { first, last, ...ratios }: Latency): Goal => {
  const ratio = ratios[`${part}Ratio`];
  const isShort = Math.min(first.count, last.count) < countLeast;
  return {
    name: `${part} of ${name}`,
    goal: `the last part takes at most ${String(ratioMost)} × the first`,
    reached: `${String(ratio)} × (${String(first[`${part}Ms`])} → ${String(last[`${part}Ms`])} ms)`,
    verdict: isShort ? 'too short to tell' : ratio <= ratioMost ? 'met' : 'not met',
  };
};

export const growthGoals = ({ processes, servers }: Growth): Goal[] => [
  ...processes
    .filter(({ wholeTime }) => wholeTime)
    .flatMap(({ process, rss, heap }) => [
      slopeGoal(`heap of ${process}`, heap),
      slopeGoal(`resident memory of ${process}`, rss),
    ]),
  ...(servers.largestBackend === null
    ? []
    : [slopeGoal(`the largest of ${String(servers.backends)} backends of PostgreSQL`, servers.largestBackend)]),
  ...(servers.redisUsed === null ? [] : [slopeGoal('Redis', servers.redisUsed)]),
];

const storageGoal = (storage: Storage): Goal => {
  const names = bloated(storage, bloatMost);
  return {
    name: 'tables and indexes',
    goal: `at most ${String(bloatMost)} × what their rows take when written anew`,
    reached: names.length > 0 ? names.join(', ') : `${String(storage.ratio)} × in all`,
    verdict: names.length > 0 ? 'not met' : 'met',
  };
};

const rateGoal = ({ changesAsked, changesReached }: TrafficResult): Goal => ({
  name: 'rate',
  goal: `at least ${String(rateLeast)} of ${String(changesAsked)} changes/s`,
  reached: `${String(changesReached)}/s`,
  verdict: changesReached >= rateLeast * changesAsked ? 'met' : 'not met',
});

/** Returns all goals; `problems` are what did not hold of what was accepted. */
export const goalsOf = (
  { traffic, growth }: { readonly traffic: TrafficResult; readonly growth: Growth },
  storage: Storage,
  problems: readonly string[],
): Goal[] => [
  {
    name: 'invariants',
    goal: 'nothing accepted is lost or done twice, streams are complete, the audit log is one to one',
    reached: problems.length === 0 ? 'they hold' : problems.join('\n'),
    verdict: problems.length === 0 ? 'met' : 'not met',
  },
  rateGoal(traffic),
  ...growthGoals(growth),
  storageGoal(storage),
  ...(['p50', 'p99'] as const).flatMap((part) => [
    latencyGoal('changes', part, traffic.changes),
    latencyGoal('reads', part, traffic.reads),
  ]),
];
