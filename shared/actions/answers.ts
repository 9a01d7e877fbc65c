/** What becomes of a run by the app's answer, and by its silence. Used by whoever holds the socket, and by the sweep. */
import { limits } from '../catalogue/limits.ts';
import { checkedBlocks } from '../blocks/check.ts';
import type { CallOutcome } from '../applink/link.ts';
import { rpcCodes, type AppNotifications, type Block, type RunAnswer, type ServiceCalls } from '../applink/protocol.ts';
import { isObject, jsonProblem } from '../platform/core/guard.ts';
import type { ActionDeps } from './deps.ts';
import { channels } from '../platform/redis/bus.ts';
import { readRun, readRuns, type Run } from './model.ts';
import { settle, type Verdict } from './settle.ts';
import { move, type Step } from './write.ts';
import { tellProgress } from './progress.ts';

type Outcome = CallOutcome<ServiceCalls['action.run']['result']>;

/** Longer messages are cut: they are read by people. */
const messageMax = 10_000;

const unknown = (error: string): Verdict => ({ status: 'unknown', error, code: 'app_error' });
const garbledMessage = 'The app gave an answer that is not valid, so it is not known what it did.';

/** Reads the app's result; what isn't one leaves the end unknown, as the app may have acted. */
const verdictOfResult = (result: unknown): Verdict => {
  if (result === null || result === undefined) return { status: 'succeeded', message: null, blocks: [] };
  if (!isObject(result) || jsonProblem(result) !== null) return unknown(garbledMessage);
  const message = result['message'] ?? null;
  const blocks = result['blocks'] ?? [];
  if ((message !== null && typeof message !== 'string') || !Array.isArray(blocks)) return unknown(garbledMessage);
  return { status: 'succeeded', message: message?.slice(0, messageMax).toWellFormed() ?? null, blocks: checkedBlocks(blocks) as Block[] };
};

const cleaned = (message: string): string => message.replaceAll('\0', '').slice(0, messageMax).toWellFormed();

/** null: the app says that it may be tried again, and it may. */
const verdictOfError = (run: Run, { code, message, retryable }: { code: number; message: string; retryable: boolean }): Verdict | null => {
  if (code === rpcCodes.actionFailed) {
    // Of one that ended unknown it comes too late to be tried again.
    if (retryable && run.status === 'running' && run.failures < limits.retryableTries) return null;
    return { status: 'failed', error: cleaned(message), code: 'action_failed' };
  }
  const known = code === rpcCodes.methodNotFound ? 'The app does not know this action.' : 'Something went wrong inside the app.';
  return { status: 'failed', error: known, code: 'app_error' };
};

/** First after 1 s, then doubling. */
const retryAfter = (failures: number): number => 1000 * 2 ** failures;

const waitNoMore = { handed_at: null, lost_at: null, instance: null, connection: null } as const;

const moved = async (deps: ActionDeps, run: Run, after: Run, step: Step): Promise<Run | null> => ((await move(deps.db, run, after, deps.clock.now(), step)) ? after : null);

const tryAgain = async (deps: ActionDeps, run: Run, message: string): Promise<Run | null> => {
  const after: Run = { ...run, ...waitNoMore, failures: run.failures + 1, fence: run.fence + 1, error: null, message: cleaned(message) };
  const again = await moved(deps, run, after, { verb: null, outcome: 'ok', told: true, due: deps.clock.now() + retryAfter(run.failures) });
  deps.bus.publish(channels.nudge, 'outbox');
  return again;
};

/** Nothing was sent: it may be handed over freely. */
const takeBack = async (deps: ActionDeps, run: Run): Promise<Run | null> => {
  const after: Run = { ...run, ...waitNoMore, attempts: run.attempts - 1, fence: run.fence + 1 };
  const back = await moved(deps, run, after, { verb: null, outcome: 'ok', told: false, due: deps.clock.now() });
  deps.bus.publish(channels.nudge, 'jobs');
  return back;
};

/** It was handed over and no answer will come on this way: from now on it waits for the instance to come back with it. */
export const lose = (deps: ActionDeps, run: Run): Promise<Run | null> =>
  moved(deps, run, { ...run, lost_at: deps.clock.now() }, { verb: null, outcome: 'ok', told: false });

/**
 * Writes what became of a run that was handed over as `run` says, and answers the run as it is then; null when it has
 * moved meanwhile: another hand-over or a later answer counts. Throws when PostgreSQL is away.
 */
export const conclude = async (deps: ActionDeps, run: Run, outcome: Outcome): Promise<Run | null> => {
  switch (outcome.kind) {
    case 'answer':
      return settle(deps, run, verdictOfResult(outcome.result));
    case 'garbled':
      return settle(deps, run, unknown(garbledMessage));
    case 'error': {
      const verdict = verdictOfError(run, outcome);
      return verdict === null ? tryAgain(deps, run, outcome.message) : settle(deps, run, verdict);
    }
    case 'offline':
      return takeBack(deps, run);
    case 'timeout':
    case 'lost':
      return lose(deps, run);
  }
};

/** The end of a run whose answer didn't come within a minute of being lost: again, if that is harmless, else unknown. */
export const giveUpWaiting = async (deps: ActionDeps, run: Run): Promise<void> => {
  const action = deps.directory.environmentById(run.env)?.definition.actions.get(run.action);
  if (run.repeatable && action !== undefined && run.failures < limits.retryableTries) {
    const at = deps.clock.now();
    const after: Run = { ...run, ...waitNoMore, failures: run.failures + 1, fence: run.fence + 1 };
    await move(deps.db, run, after, at, { verb: null, outcome: 'ok', told: false, due: at });
    deps.bus.publish(channels.nudge, 'jobs');
    return;
  }
  await settle(deps, run, { status: 'unknown', error: 'It was handed to the app and no answer came: it is not known whether it was done.', code: 'app_timeout' });
};

/** Of a run that ended unknown the app's own answer is still worth more; a bulk has counted it already. */
const takesAnswer = (run: Run, instance: string): boolean =>
  run.instance === instance && ((run.status === 'running' && run.handed_at !== null) || (run.status === 'unknown' && run.bulk === null));

const outcomeOf = ({ result, error }: RunAnswer): Outcome =>
  error === undefined
    ? { kind: 'answer', result: result ?? null }
    : { kind: 'error', code: error.code, message: error.message, retryable: error.data?.retryable === true };

/**
 * The answers that an instance still holds, sent after it came back. Answers the runs that it may forget: those whose
 * answer is durable now, and those for which it is of no use any more.
 */
export const takeAnswers = async (deps: ActionDeps, env: number, instance: string, answers: readonly RunAnswer[]): Promise<string[]> => {
  const runs = new Map((await readRuns(deps.db, env, answers.map(({ run }) => run))).map((run) => [run.id, run]));
  const settled: string[] = [];
  for (const answer of answers) {
    // Moved meanwhile, it is looked at again: it may just have been marked as lost, or answered by the other way.
    for (let run = runs.get(answer.run); run !== undefined && takesAnswer(run, instance); run = await readRun(deps.db, env, run.id)) {
      if ((await conclude(deps, run, outcomeOf(answer))) !== null) break;
    }
    settled.push(answer.run);
  }
  return settled;
};

/** Keeps and tells how far a run is. Ignored unless this instance runs it. */
export const noteProgress = (deps: ActionDeps, env: number, instance: string, { run, progress, message }: AppNotifications['run.progress']): void => {
  tellProgress(deps, { env, instance, run, progress: progress === null ? null : Math.min(Math.max(progress, 0), 1), message: message === undefined || message === null ? null : cleaned(message) });
};
