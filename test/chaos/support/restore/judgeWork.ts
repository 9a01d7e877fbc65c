/** Judges work after a restore to a point in time: what was answered before it is there, what was sent after it is not. */
import type { AppLine } from '../customer.ts';
import type { Json } from '../oracle.ts';
import type { Run } from '../run.ts';
import { effectsOf, isRepeatable } from '../runs.ts';
import { runOf, type Part } from './timedWork.ts';

/** In epoch ms. */
export interface Moments {
  /** The time to which PostgreSQL is restored. */
  readonly target: number;
  /** PostgreSQL was gone. */
  readonly gone: number;
  /** Processes began to start. */
  readonly restarted: number;
}

type Fate = 'kept' | 'lost' | 'either' | 'since';

/** Returns what has to have become of a part. Both ends of a request are on the same clock as PostgreSQL's commit between them. */
export const fateOf = ({ sentAt, answeredAt }: Part, { target, gone, restarted }: Moments): Fate => {
  if (answeredAt < target) return 'kept';
  if (answeredAt >= restarted) return 'since';
  return sentAt > target && answeredAt < gone ? 'lost' : 'either';
};

const count = <T>(list: readonly T[], keyOf: (value: T) => string): string => {
  const sums = new Map<string, number>();
  for (const value of list) sums.set(keyOf(value), (sums.get(keyOf(value)) ?? 0) + 1);
  return [...sums].map(([key, n]) => `${key} ${String(n)}`).join(', ') || 'none';
};

export const judgeParts = (
  run: Run,
  parts: readonly Part[],
  seen: ReadonlyMap<string, number>,
  moments: Moments,
): void => {
  const changes = parts.filter(({ kind }) => kind !== 'run');
  for (const part of changes) {
    const fate = fateOf(part, moments);
    const times = part.items.map((item) => seen.get(`${part.mark} ${item}`) ?? 0);
    const said = `${part.kind} ${part.mark} (sent ${String(part.sentAt - moments.target)} ms and answered ${String(part.answeredAt - moments.target)} ms after the target)`;
    run.expect(Math.max(...times) <= 1, `${said} was done twice`);
    if (fate === 'kept' || fate === 'since') run.expect(Math.min(...times) === 1, `${said} is ${fate} and not there`);
    if (fate === 'lost') run.expect(Math.max(...times) === 0, `${said} is lost and there`);
    if (fate === 'either') run.expect(Math.max(...times) === Math.min(...times), `${said} is there in part`);
  }
  run.measure(
    'changes',
    count(changes, (part) => fateOf(part, moments)),
  );
};

interface JudgedRuns {
  readonly parts: readonly Part[];
  readonly runs: ReadonlyMap<string, Json>;
  readonly lines: readonly AppLine[];
}

/** Runs act once, those of which the service knows nothing more act no more, and each that is known has ended honestly. */
export const judgeRuns = (run: Run, { parts, runs, lines }: JudgedRuns, moments: Moments): void => {
  const effects = effectsOf(lines);
  const accepted = parts.filter(({ kind }) => kind === 'run');
  for (const part of accepted) {
    const id = runOf(part);
    const fate = fateOf(part, moments);
    const found = runs.get(id);
    if (fate === 'kept' || fate === 'since') run.expect(found !== undefined, `the run ${id} is ${fate} and not listed`);
    if (fate === 'lost') run.expect(found === undefined, `the run ${id} is lost and listed`);
  }
  for (const [id, found] of runs) {
    const times = effects.get(id) ?? 0;
    const said = `${String(found.action)} ${id} is ${String(found.status)} (${String(found.error)}) and acted ${String(times)} times`;
    run.expect(isRepeatable(found) || times <= 1, said);
    run.expect(found.status !== 'succeeded' || times >= 1, said);
    run.expect(found.status === 'succeeded' || found.status === 'unknown', said);
  }
  for (const { run: id, kind, at } of lines)
    if (kind !== 'answered' && at >= moments.restarted)
      run.expect(runs.has(id), `the app was given ${id} (${kind}) after the restore, and nobody knows it`);
  const fateById = new Map(accepted.map((part) => [runOf(part), fateOf(part, moments)]));
  run.measure(
    'runs',
    count(accepted, (part) => fateOf(part, moments)),
  );
  const actedOf = new Map(lines.filter(({ kind }) => kind === 'effect').map((line) => [line.run, line.at]));
  // Open in the data that were restored, done by the app in the time that was lost.
  const doneMeanwhile = [...fateById].filter(([id, fate]) => {
    const at = actedOf.get(id) ?? 0;
    return fate === 'kept' && at >= moments.target && at < moments.restarted;
  });
  run.measure(
    'runs done in the lost time',
    count(doneMeanwhile, ([id]) => String(runs.get(id)?.status)),
  );
  run.expect(doneMeanwhile.length > 0, 'no run was under way at the target, so that nothing was shown');
};
