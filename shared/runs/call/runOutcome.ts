/** Writes what follows from the app's answer to a run, or from its silence. Used by dispatchRun.ts, runAnswers.ts, the app link and a sweep. */
import { brokenAppMessage } from '../../app/blocks/appAnswers.ts';
import { validateBlocks } from '../../app/blocks/validateBlocks.ts';
import type { AppConnection, CallOutcome } from '../../app/link/link.ts';
import { rpcCodes, type AppNotifications, type ServiceCalls } from '../../app/link/protocol.ts';
import { limits } from '../../catalogue/limits.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { backoffMs } from '../../platform/time/clock.ts';
import type { ActionDeps, Run } from '../model.ts';
import { type RunTransition, transitionRun } from '../moveRun.ts';
import { queueProgress } from './progress.ts';
import { settleRun, type RunResolution } from './settleRun.ts';
import { invalidAnswerCode, missingAnswerCode, noAnswerMessage } from './undispatchedRun.ts';

export type ActionCallOutcome = CallOutcome<ServiceCalls['action.run']['result']>;

/** Characters of a message; longer ones are cut, since people read them. */
const messageMax = 10_000;

const unknownResolution = (error: string): RunResolution => ({ status: 'unknown', error, code: invalidAnswerCode });
const invalidAnswerMessage = 'The app gave an answer that is not valid, so it is not known what it did.';

/** Returns the resolution by the app's result. An invalid result leaves the end unknown, as the app may have acted. */
const resolutionOfResult = (result: unknown): RunResolution => {
  if (result === null || result === undefined) return { status: 'succeeded', message: null, blocks: [] };
  if (!isObject(result)) return unknownResolution(invalidAnswerMessage);
  const message = result['message'] ?? null;
  const blocks = result['blocks'] ?? [];
  if ((message !== null && typeof message !== 'string') || !Array.isArray(blocks))
    return unknownResolution(invalidAnswerMessage);
  return {
    status: 'succeeded',
    message: message?.slice(0, messageMax).toWellFormed() ?? null,
    blocks: validateBlocks(blocks),
  };
};

const cleanMessage = (message: string): string => message.replaceAll('\0', '').slice(0, messageMax).toWellFormed();

/** Returns the resolution by the app's error; null when the app allows a retry and the run has retries left. */
const resolutionOfError = (
  run: Run,
  { code, message, retryable }: { code: number; message: string; retryable: boolean },
): RunResolution | null => {
  if (code === rpcCodes.actionFailed) {
    // For a run that ended unknown the answer comes too late for a retry.
    if (retryable && run.status === 'running' && run.failures < limits.retryableTries) return null;
    return { status: 'failed', error: cleanMessage(message), code: 'action_failed' };
  }
  const known = code === rpcCodes.methodNotFound ? 'The app does not know this action.' : brokenAppMessage;
  return { status: 'failed', error: known, code: 'app_error' };
};

/** Returns the ms before a retry: 1 s after the first failure, then doubling. */
const retryDelayMs = (failures: number): number => backoffMs(failures + 1, 1000);

const clearedDispatch = { handed_at: null, lost_at: null, connection: null } as const;

const transitionedRun = async (deps: ActionDeps, run: Run, after: Run, step: RunTransition): Promise<Run | null> =>
  (await transitionRun(deps.db, run, after, deps.clock.now(), step)) ? after : null;

const scheduleRetry = async (deps: ActionDeps, run: Run, message: string): Promise<Run | null> => {
  const after: Run = {
    ...run,
    ...clearedDispatch,
    failures: run.failures + 1,
    fence: run.fence + 1,
    error: null,
    message: cleanMessage(message),
  };
  const again = await transitionedRun(deps, run, after, {
    verb: null,
    outcome: 'ok',
    emit: true,
    due: deps.clock.now() + retryDelayMs(run.failures),
  });
  deps.bus.publish(channels.workAvailable, outboxOf(run.env));
  return again;
};

/**
 * Undoes a dispatch of which nothing was sent: the run is dispatched again by its job. One with a deadline is queued once more,
 * as it has still not begun.
 */
const undoDispatch = async (deps: ActionDeps, run: Run): Promise<Run | null> => {
  const status = run.expires_at === null ? run.status : 'queued';
  const after: Run = { ...run, ...clearedDispatch, status, attempts: run.attempts - 1, fence: run.fence + 1 };
  const emit = status !== run.status;
  const back = await transitionedRun(deps, run, after, { verb: null, outcome: 'ok', emit, due: deps.clock.now() });
  deps.bus.publish(channels.workAvailable, 'jobs');
  if (emit) deps.bus.publish(channels.workAvailable, outboxOf(run.env));
  return back;
};

/** Marks a dispatched run as lost: no answer can come over its connection; it waits for the instance to reconnect with one. */
export const markRunLost = (deps: ActionDeps, run: Run): Promise<Run | null> =>
  transitionedRun(deps, run, { ...run, lost_at: deps.clock.now() }, { verb: null, outcome: 'ok', emit: false });

/**
 * Writes the outcome of the dispatch that `run` describes and returns the run; null when the run has moved meanwhile, since
 * another dispatch or a later answer counts. Throws when PostgreSQL is unavailable.
 */
export const settleOutcome = async (deps: ActionDeps, run: Run, outcome: ActionCallOutcome): Promise<Run | null> => {
  switch (outcome.kind) {
    case 'answer':
      return settleRun(deps, run, resolutionOfResult(outcome.result));
    case 'garbled':
      return settleRun(deps, run, unknownResolution(invalidAnswerMessage));
    case 'error': {
      const verdict = resolutionOfError(run, outcome);
      return verdict === null ? scheduleRetry(deps, run, outcome.message) : settleRun(deps, run, verdict);
    }
    case 'offline':
      return undoDispatch(deps, run);
    case 'timeout':
    case 'lost':
      return markRunLost(deps, run);
  }
};

/**
 * Dispatches a run again `limits.lostAnswerMs` after it was lost, if it is repeatable and has attempts left; else it ends
 * unknown. Dispatches that the app answered with a retryable failure count as attempts too.
 */
export const settleOverdueRun = async (deps: ActionDeps, run: Run): Promise<void> => {
  const action = deps.directory.environmentById(run.env)?.definition.actions.get(run.action);
  if (run.repeatable && action !== undefined && run.failures + 1 < action.attempts) {
    const at = deps.clock.now();
    const after: Run = {
      ...run,
      ...clearedDispatch,
      failures: run.failures + 1,
      fence: run.fence + 1,
      code: missingAnswerCode,
    };
    await transitionRun(deps.db, run, after, at, { verb: null, outcome: 'ok', emit: false, due: at });
    deps.bus.publish(channels.workAvailable, 'jobs');
    return;
  }
  await settleRun(deps, run, { status: 'unknown', error: noAnswerMessage(run), code: missingAnswerCode });
};

/** Stores and emits the progress of a run. Ignored unless the instance of this connection runs it. */
export const recordProgress = (
  deps: ActionDeps,
  envId: number,
  from: AppConnection,
  { run, progress, message }: AppNotifications['run.progress'],
): void => {
  queueProgress(deps, {
    envId,
    from,
    run,
    progress: progress === null ? null : Math.min(Math.max(progress, 0), 1),
    message: message === undefined || message === null ? null : cleanMessage(message),
  });
};
