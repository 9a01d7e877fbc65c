/** Settles runs by answers that come late or apart from their call, and decides which the app may forget. Used by dispatchRun.ts and the app link. */
import type { RunAnswer } from '../../app/link/protocol.ts';
import { openRunStatuses, retryableRunStatuses } from '../../catalogue/states/runs.ts';
import { type ActionDeps, type Run, isErasedRun, readRun, readRuns } from '../model.ts';
import { settleOutcome, type ActionCallOutcome } from './runOutcome.ts';

/** Returns whether the app has the run, and its answer is awaited. */
export const isDispatched = ({ status, handed_at: at }: Run): boolean => status === 'running' && at !== null;

/**
 * Returns whether an answer may come from this instance. Without `attempt`: from the instance that had the run last. With `attempt`:
 * from any, a failure of the last dispatch alone, a success of any dispatch, as the run is done for good.
 */
const mayComeFrom = (
  run: Run,
  instance: string | null,
  kind: ActionCallOutcome['kind'],
  attempt: number | undefined,
): boolean => {
  if (attempt === undefined) return run.instance === instance;
  return kind === 'answer' ? attempt > 0 && attempt <= run.attempts : attempt === run.attempts;
};

/**
 * Returns whether an answer of an instance still counts: it corrects an unknown end, except of a run that was erased, which it
 * would fill again. A run that is to be dispatched once more has been done by a success, and goes on after a failure.
 */
export const acceptsAnswer = (
  run: Run,
  instance: string | null,
  kind: ActionCallOutcome['kind'],
  attempt?: number,
): boolean => {
  if (!mayComeFrom(run, instance, kind, attempt)) return false;
  if (run.status === 'unknown') return !isErasedRun(run);
  return isDispatched(run) || (kind === 'answer' && (run.status === 'queued' || run.status === 'running'));
};

/** The statuses of runs that may be dispatched, now or after a retry. */
const dispatchableStatuses = new Set([...openRunStatuses, ...retryableRunStatuses]);

/**
 * Returns whether the app may forget an answer that the run, as it is now, was not settled by. A success is kept while the run may be
 * dispatched, as the app would do it again.
 */
export const mayForget = (run: Run | undefined, kind: ActionCallOutcome['kind']): boolean =>
  kind !== 'answer' || run === undefined || isErasedRun(run) || !dispatchableStatuses.has(run.status);

const outcomeOfAnswer = ({ result, error }: RunAnswer): ActionCallOutcome =>
  error === undefined
    ? { kind: 'answer', result: result ?? null }
    : { kind: 'error', code: error.code, message: error.message, retryable: error.data?.retryable === true };

/**
 * Settles runs by the answers that an instance has kept, or found in a store that it shares. Returns the runs whose answers it may
 * forget: they are committed now, or nothing is done again without them.
 */
export const settleRunAnswers = async (
  deps: ActionDeps,
  envId: number,
  instance: string,
  answers: readonly RunAnswer[],
): Promise<string[]> => {
  const runs = new Map(
    (
      await readRuns(
        deps.db,
        envId,
        answers.map(({ run }) => run),
      )
    ).map((run) => [run.id, run]),
  );
  const settled: string[] = [];
  for (const answer of answers) {
    const outcome = outcomeOfAnswer(answer);
    let run = runs.get(answer.run);
    let isSettled = false;
    while (!isSettled && run !== undefined && acceptsAnswer(run, instance, outcome.kind, answer.attempt)) {
      isSettled = (await settleOutcome(deps, run, outcome)) !== null;
      // A run that has moved meanwhile is read again: it may have been marked as lost, or answered over its connection.
      if (!isSettled) run = await readRun(deps.db, envId, run.id);
    }
    if (isSettled || mayForget(run, outcome.kind)) settled.push(answer.run);
  }
  return settled;
};
