/**
 * Starts a run that is due: of a background action, queued, to be retried, or not dispatched by the process that took it.
 * Reauthorizes it, chooses a connection of the app and signals its process to dispatch it, whose outcome deletes this job.
 */
import { requireRequester } from '../../shared/accounts/requester.ts';
import type { AppConnection } from '../../shared/app/link/link.ts';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { activeRunStatuses } from '../../shared/catalogue/states/runs.ts';
import type { Deps } from '../../shared/deps.ts';
import { hashRecord } from '../../shared/records/queries.ts';
import { reauthorizeAction, type AuthorizedAction } from '../../shared/runs/authorizeAction.ts';
import { isOfCancelledBulk, isFirstInRecordQueue } from '../../shared/runs/call/recordQueue.ts';
import { settleRun } from '../../shared/runs/call/settleRun.ts';
import {
  cancelledBulkResolution,
  expiredResolution,
  resolutionWithoutDispatch,
} from '../../shared/runs/call/undispatchedRun.ts';
import { readRunTogether, type Run } from '../../shared/runs/model.ts';
import { parkRun } from '../../shared/runs/parkRun.ts';
import { done, passOn, retryAt, waitForApp, type JobHandler, type JobOutcome } from '../handler.ts';

/** ms until the request to dispatch is repeated: it goes through Redis and may be lost. */
const retryDispatchMs = 2_000;
/** ms until a run behind others of its record checks its place itself, should the signal of the one before it be lost. */
const queuePositionCheckMs = 60_000;

/** Throws `changed_since_seen` for a first start whose record, which the app serves, is not as it was approved. */
const requireRecordAsApproved = ({ approved_by: approved, attempts }: Run, { record }: AuthorizedAction): void => {
  if (approved?.record === undefined || attempts > 0 || record === 'unverified') return;
  if (approved.record !== hashRecord(record))
    throw fault('changed_since_seen', 'The record has changed since this was approved; ask for it again.');
};

const checkNow = async (deps: Deps, run: Run): Promise<AuthorizedAction> => {
  const ready = await reauthorizeAction(deps, await requireRequester(deps, run), run);
  requireRecordAsApproved(run, ready);
  return ready;
};

/** Checks the run, and after a refusal once more with a reloaded directory, which may have been outdated. */
const checkWithFreshDirectory = async (deps: Deps, run: Run): Promise<AuthorizedAction> => {
  try {
    return await checkNow(deps, run);
  } catch (error) {
    if (!(error instanceof Fault) || (error.status !== 403 && error.status !== 404)) throw error;
    await deps.directory.refresh();
    return checkNow(deps, run);
  }
};

/** Faults of the check that pass: the app could not be called for the record. */
const transientCodes = new Set(['app_timeout', 'app_offline', 'app_error']);

const park = async (deps: Deps, run: Run): Promise<JobOutcome> => {
  const parked = await parkRun(deps, run);
  return parked === 'ended' ? done() : parked === 'queued' ? waitForApp() : retryAt(deps.clock.now());
};

export const actionRun: JobHandler<'actionRun'> = async ({ env: envId, payload, span, inTurn }, deps) => {
  const { db, clock, link } = deps;
  const run = await readRunTogether(db, envId, payload.run);
  if (run === undefined || !activeRunStatuses.includes(run.status) || run.handed_at !== null) return done();
  if (await isOfCancelledBulk(db, run)) {
    await settleRun(deps, run, cancelledBulkResolution(run));
    return done();
  }
  if (run.status === 'queued' && run.expires_at !== null && run.expires_at <= clock.now()) {
    await settleRun(deps, run, expiredResolution(run));
    return done();
  }
  if (!(await isFirstInRecordQueue(db, run))) return retryAt(clock.now() + queuePositionCheckMs);
  let connection: AppConnection | null;
  try {
    const { action, record } = await checkWithFreshDirectory(deps, run);
    // The app was offline, and may have connected since: the run is checked again.
    connection = record === 'unverified' ? null : await link.chooseConnection(envId, action.declaration);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (transientCodes.has(error.code))
      return (await link.online(envId, { kind: 'action', name: run.action }))
        ? retryAt(clock.now() + retryDispatchMs)
        : park(deps, run);
    const refused = { status: 'failed', error: error.message, code: error.code } as const;
    await settleRun(deps, run, resolutionWithoutDispatch(run, refused));
    return done();
  }
  if (connection === null) return park(deps, run);
  await inTurn();
  link.dispatchRun(connection, envId, { run: run.id, traceparent: span?.traceparent });
  return passOn(clock.now() + retryDispatchMs);
};
