/**
 * Starts a run that is due: of a background action, queued, or to be retried. Reauthorizes it, chooses a connection of the
 * app and signals the process with that connection to dispatch it; the outcome of the dispatch deletes this job.
 */
import type { Caller } from '../../shared/access/principal.ts';
import { toQueuedRun } from '../../shared/actions/acceptAction.ts';
import { reauthorizeAction } from '../../shared/actions/authorizeAction.ts';
import { readRun, type Run } from '../../shared/actions/model.ts';
import { isFirstInRecordQueue } from '../../shared/actions/recordQueue.ts';
import { notifyRunChanged } from '../../shared/actions/runChanges.ts';
import { transitionRun } from '../../shared/actions/runStatements.ts';
import { settleRun } from '../../shared/actions/settleRun.ts';
import {
  expiredResolution,
  offlineResolution,
  resolutionWithoutDispatch,
} from '../../shared/actions/undispatchedRun.ts';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { activeRunStatuses } from '../../shared/catalogue/states/runs.ts';
import type { Deps } from '../../shared/deps.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { readRequester } from '../../shared/settings/requester.ts';
import { done, retryAt, waitForApp, type JobHandler, type JobOutcome } from '../handler.ts';

/** ms until the request to dispatch is repeated: it goes through Redis and may be lost. */
const retryDispatchMs = 2_000;
/** ms until a run behind others of its record checks its place itself, should the signal of the one before it be lost. */
const queuePositionCheckMs = 60_000;

const requireRequester = async (deps: Deps, run: Run): Promise<Caller> => {
  const caller = await readRequester(deps, run);
  if (caller === null) throw fault('forbidden', 'Whoever asked for this may not act here any more.');
  return caller;
};

/** Throws for a run that its agent requested before the agent became supervised: nobody has approved it. */
const requireApprovedIfSupervised = ({ principal }: Caller, { approval, bulk }: Run): void => {
  if (principal.mode === 'supervised' && approval === null && bulk === null)
    throw fault('forbidden', 'This agent is supervised now, and no person has approved this.');
};

const checkNow = async (deps: Deps, run: Run): Promise<void> => {
  const caller = await requireRequester(deps, run);
  await reauthorizeAction(deps, caller, run);
  requireApprovedIfSupervised(caller, run);
};

/** Checks the run, and after a refusal once more with a reloaded directory, which may have been outdated. */
const checkWithFreshDirectory = async (deps: Deps, run: Run): Promise<void> => {
  try {
    await checkNow(deps, run);
  } catch (error) {
    if (!(error instanceof Fault) || (error.status !== 403 && error.status !== 404)) throw error;
    await deps.directory.refresh();
    await checkNow(deps, run);
  }
};

/** Faults of the check that pass: the app could not be called for the record. */
const transientCodes = new Set(['app_timeout', 'app_offline', 'app_error']);

/** Parks a run whose app has gone offline since the run was accepted, or fails it when its action is not queued. */
const parkRun = async (deps: Deps, run: Run): Promise<JobOutcome> => {
  const action = deps.directory.environmentById(run.env)?.definition.actions.get(run.action);
  if (action?.offline === 'refuse') {
    await settleRun(deps, run, offlineResolution(run));
    return done();
  }
  if (run.status !== 'queued' && action !== undefined) {
    const at = deps.clock.now();
    const queued: Run = { ...toQueuedRun(run, action, at), fence: run.fence + 1 };
    if (!(await transitionRun(deps.db, run, queued, at, { verb: null, outcome: 'ok', emit: true }))) return retryAt(at);
    deps.bus.publish(channels.workAvailable, 'outbox');
    if (run.waiting_until !== null) notifyRunChanged(deps.bus, run.id);
  }
  return waitForApp();
};

export const actionRun: JobHandler<'actionRun'> = async ({ env: envId, payload }, deps) => {
  const { db, clock, link } = deps;
  const run = await readRun(db, envId, payload.run);
  if (run === undefined || !activeRunStatuses.includes(run.status) || run.handed_at !== null) return done();
  if (run.status === 'queued' && run.expires_at !== null && run.expires_at <= clock.now()) {
    await settleRun(deps, run, expiredResolution(run));
    return done();
  }
  if (!(await isFirstInRecordQueue(db, run))) return retryAt(clock.now() + queuePositionCheckMs);
  const connection = await link.chooseConnection(envId, { kind: 'action', name: run.action });
  try {
    await checkWithFreshDirectory(deps, run);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (transientCodes.has(error.code))
      return connection === null ? parkRun(deps, run) : retryAt(clock.now() + retryDispatchMs);
    const refused = { status: 'failed', error: error.message, code: error.code } as const;
    await settleRun(deps, run, resolutionWithoutDispatch(run, refused));
    return done();
  }
  if (connection === null) return parkRun(deps, run);
  link.dispatchRun(connection, envId, run.id);
  return retryAt(clock.now() + retryDispatchMs);
};
