/** Settles runs: the row, timeline, audit log, live message and saved response, then the next run of the record and the bulk. */
import type { Block } from '../../app/link/protocol.ts';
import type { ErrorCode } from '../../catalogue/errors.ts';
import type { RunStatus } from '../../catalogue/states/runs.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { type ActionDeps, type Run, runCounter } from '../model.ts';
import { type RunTransition, transitionRun } from '../moveRun.ts';
import { runResultBody } from '../present.ts';
import { notifyRunChanged } from '../runSignals.ts';
import { releaseNextRun } from './recordQueue.ts';

export interface RunResolution {
  readonly status: Exclude<RunStatus, 'pending' | 'queued' | 'running'>;
  readonly message?: string | null;
  readonly blocks?: readonly Block[];
  readonly error?: string;
  readonly code?: ErrorCode;
}

/** Returns the run with its final status. */
const toSettledRun = (
  run: Run,
  { status, message = null, blocks = [], error, code }: RunResolution,
  at: number,
): Run => ({
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
 * Returns the saved response for the idempotency key of a call that waited: the result, or the app's refusal. After an
 * unknown end the key still answers that the run exists; the key of a run that was never dispatched is free again.
 */
const idempotentResponse = async (deps: ActionDeps, run: Run, after: Run): Promise<RunTransition['response']> => {
  if (run.once_key === null || run.waiting_until === null) return undefined;
  if (after.status === 'succeeded') return { status: 200, body: await runResultBody(deps, after) };
  if (after.code === 'action_failed')
    return { status: 422, body: JSON.stringify({ error: after.error, code: after.code, run: run.id }) };
  return run.attempts === 0 ? 'free' : undefined;
};

const auditVerbs: Readonly<Record<RunResolution['status'], string>> = {
  succeeded: 'action.succeed',
  failed: 'action.fail',
  unknown: 'action.lose',
  rejected: 'action.reject',
  expired: 'action.expire',
  cancelled: 'action.cancel',
};

const lockRunSql = statement('runs.lock', 'select id from runs where id = $1 for update');

interface SettlingCall extends Pick<RunTransition, 'by' | 'reason'> {
  /** Returns the saved response of the call that settles the run, made of the settled run. */
  readonly save?: (after: Run) => RunTransition['saved'];
}

/** Settles the run and returns it; returns null, and writes nothing, when it has moved meanwhile. */
export const settleRun = async (
  deps: ActionDeps,
  run: Run,
  verdict: RunResolution,
  { save, ...more }: SettlingCall = {},
): Promise<Run | null> => {
  const { db, bus, clock } = deps;
  const at = clock.now();
  const after = toSettledRun(run, verdict, at);
  const answer = await idempotentResponse(deps, run, after);
  const step: RunTransition = {
    ...more,
    saved: save?.(after) ?? null,
    verb: auditVerbs[verdict.status],
    outcome:
      verdict.status === 'succeeded' || verdict.status === 'cancelled' || verdict.status === 'rejected'
        ? 'ok'
        : 'failed',
    emit: true,
    due: null,
    count: runCounter(deps, run),
    ...(answer === undefined ? {} : { response: answer }),
  };
  // Items may be joining a run of a bulk: the lock makes the statement see all that have.
  const moved =
    run.bulk === null
      ? await transitionRun(db, run, after, at, step)
      : await db.transaction(async (tx) => {
          await queryRow(tx, lockRunSql, [run.id]);
          return transitionRun(tx, run, after, at, step);
        });
  if (!moved) return null;
  bus.publish(channels.workAvailable, outboxOf(run.env));
  if (run.waiting_until !== null) notifyRunChanged(bus, run.id);
  if (run.lane !== null) await releaseNextRun(deps, run.env, run.lane);
  await deps.afterRun(deps, run);
  return after;
};
