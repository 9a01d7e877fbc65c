/** The end of a run, whatever brought it about: the row, the timeline, the audit log, subscribers, the saved answer, the next in its lane. */
import type { ErrorCode } from '../catalogue/errors.ts';
import type { RunStatus } from '../catalogue/states.ts';
import type { Block } from '../applink/protocol.ts';
import type { ActionDeps } from './deps.ts';
import { channels } from '../platform/redis/bus.ts';
import { releaseLane } from './lanes.ts';
import type { Run } from './model.ts';
import { resultText } from './present.ts';
import { tellMove } from './waiters.ts';
import { lockRun, move, type Step } from './write.ts';

export interface Verdict {
  readonly status: Exclude<RunStatus, 'pending' | 'queued' | 'running'>;
  readonly message?: string | null;
  readonly blocks?: readonly Block[];
  readonly error?: string;
  readonly code?: ErrorCode;
}

/** The run as the verdict leaves it. */
export const settledRun = (run: Run, { status, message = null, blocks = [], error, code }: Verdict, at: number): Run => ({
  ...run,
  status,
  message,
  blocks: status === 'succeeded' ? blocks : null,
  error: error ?? null,
  code: code ?? null,
  progress: status === 'succeeded' ? 1 : run.progress,
  finished_at: at,
  expires_at: null,
  waiting_until: null,
});

/**
 * What the idempotency key of a call that waited for the result answers from now on: the result, or the app's refusal.
 * Of an unknown end it goes on answering that the run exists; what was never handed over may be asked for anew.
 */
const answerOf = async (deps: ActionDeps, run: Run, after: Run): Promise<Step['answer']> => {
  if (run.once_key === null || run.waiting_until === null) return undefined;
  if (after.status === 'succeeded') return { status: 200, body: await resultText(deps, after) };
  if (after.code === 'action_failed') return { status: 422, body: JSON.stringify({ error: after.error, code: after.code, run: run.id }) };
  return run.attempts === 0 ? 'free' : undefined;
};

const verbs: Readonly<Record<Verdict['status'], string>> = {
  succeeded: 'action.succeed', failed: 'action.fail', unknown: 'action.lose', rejected: 'action.reject', expired: 'action.expire', cancelled: 'action.cancel',
};

/** The run as it is then; null when it has moved meanwhile, and nothing was written. */
export const settle = async (deps: ActionDeps, run: Run, verdict: Verdict, more: Pick<Step, 'by' | 'saved'> = {}): Promise<Run | null> => {
  const { db, bus, clock } = deps;
  const at = clock.now();
  const after = settledRun(run, verdict, at);
  const answer = await answerOf(deps, run, after);
  const step: Step = {
    ...more,
    verb: verbs[verdict.status],
    outcome: verdict.status === 'succeeded' || verdict.status === 'cancelled' || verdict.status === 'rejected' ? 'ok' : 'failed',
    told: true,
    due: null,
    ...(answer === undefined ? {} : { answer }),
  };
  // Items may just be joining a run of a bulk: locked first, so that the statement sees all that have.
  const moved = run.bulk === null ? await move(db, run, after, at, step) : await db.transaction(async (tx) => {
    await lockRun(tx, run.id);
    return move(tx, run, after, at, step);
  });
  if (!moved) return null;
  bus.publish(channels.nudge, 'outbox');
  if (run.waiting_until !== null) tellMove(bus, run.id);
  if (run.lane !== null) await releaseLane(deps, run.env, run.lane);
  await deps.afterRun(deps, run);
  return after;
};
