/** Describes what a run without a job waits for: the app's answer, or a decision. For api/routes/settings/jobs.ts. */
import type { Caller } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import { limits } from '../../catalogue/limits.ts';
import { isSettledRun, readRun, type Run } from '../../runs/model.ts';
import { canSeeRun } from '../../runs/queries.ts';

/** Returns ms in words: seconds, from two minutes on minutes, from two hours on hours. */
const inWords = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${String(seconds)} s`;
  return seconds < 7_200 ? `${String(Math.round(seconds / 60))} min` : `${String(Math.round(seconds / 3_600))} h`;
};

/** Returns what a run waits for at a time, in epoch ms. */
const describeRun = (run: Run, now: number): string => {
  const { status, approval, repeatable, handed_at: handedAt, lost_at: lostAt } = run;
  if (isSettledRun(run)) return `It has ended: ${status}.`;
  if (status === 'pending') return `A person has to decide ${approval ?? 'its approval'}.`;
  if (handedAt === null) return 'It is about to be given to a worker.';
  const otherwise = repeatable ? 'is handed over again, or ends unknown after its last attempt' : 'ends unknown';
  if (lostAt !== null)
    return `The app had it, and its connection is gone or its time is up. Without a late answer within ${inWords(lostAt + limits.lostAnswerMs - now)} it ${otherwise}.`;
  return `The app has had it for ${inWords(now - handedAt)}. Without an answer within ${inWords(handedAt + run.timeout_ms - now)} it ${otherwise}.`;
};

/** Returns what a run waits for, or null where there is none with this id that the caller sees. */
export const whyJobless = async ({ db, clock }: DomainDeps, caller: Caller, id: string): Promise<string | null> => {
  const run = await readRun(db, caller.env.id, id);
  return run === undefined || !canSeeRun(caller, run) ? null : describeRun(run, clock.now());
};
