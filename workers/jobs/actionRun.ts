/**
 * Starts a run that waits for its turn: a background action, one that was queued, one that is tried again. Checks it anew,
 * finds an instance of the app and asks the process that holds its socket to hand it over; the hand-over takes this job away.
 */
import { activeRunStatuses } from '../../shared/catalogue/states/runs.ts';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { toQueuedRun } from '../../shared/actions/acceptAction.ts';
import { reauthorizeAction } from '../../shared/actions/authorizeAction.ts';
import { isFirstInRecordQueue } from '../../shared/actions/recordQueue.ts';
import { readRun, type Run } from '../../shared/actions/model.ts';
import { settleRun } from '../../shared/actions/settleRun.ts';
import { notifyRunChanged } from '../../shared/actions/runChanges.ts';
import { transitionRun } from '../../shared/actions/runStatements.ts';
import type { Caller } from '../../shared/access/principal.ts';
import { readRequester } from '../../shared/settings/requester.ts';
import type { Deps } from '../../shared/deps.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { retryAt, done, waitForApp, type JobHandler, type JobOutcome } from '../handler.ts';

/** The request to hand over goes through Redis and may be lost: asked again after this many ms. */
const retryDispatchMs = 2_000;
/** A run that is not the first of its lane is given its turn; if nobody does, it looks for itself after this many ms. */
const queuePositionCheckMs = 60_000;

const requireRequester = async (deps: Deps, run: Run): Promise<Caller> => {
  const caller = await readRequester(deps, run);
  if (caller === null) throw fault('forbidden', 'Whoever asked for this may not act here any more.');
  return caller;
};

/** What an agent asked for before it became supervised was decided on by nobody. */
const requireApprovedIfSupervised = ({ principal }: Caller, { approval, bulk }: Run): void => {
  if (principal.mode === 'supervised' && approval === null && bulk === null)
    throw fault('forbidden', 'This agent is supervised now, and no person has approved this.');
};

const checkNow = async (deps: Deps, run: Run): Promise<void> => {
  const caller = await requireRequester(deps, run);
  await reauthorizeAction(deps, caller, run);
  requireApprovedIfSupervised(caller, run);
};

/** A no is believed only after a fresh look: rights and definitions may be newer than what this process has read. */
const checkWithFreshDirectory = async (deps: Deps, run: Run): Promise<void> => {
  try {
    await checkNow(deps, run);
  } catch (error) {
    if (!(error instanceof Fault) || (error.status !== 403 && error.status !== 404)) throw error;
    await deps.directory.refresh();
    await checkNow(deps, run);
  }
};

/** Not now: what the app could not answer in time is asked again. */
const transientCodes = new Set(['app_timeout', 'app_offline', 'app_error']);

/** The app has gone since it was accepted: it waits like any other that was asked for meanwhile. */
const parkRun = async (deps: Deps, run: Run): Promise<JobOutcome> => {
  const action = deps.directory.environmentById(run.env)?.definition.actions.get(run.action);
  if (action?.offline === 'refuse') {
    await settleRun(deps, run, {
      status: 'failed',
      error: 'The app went offline before it was begun.',
      code: 'app_offline',
    });
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

export const actionRun: JobHandler<'actionRun'> = async ({ env, payload }, deps) => {
  const { db, clock, link } = deps;
  const run = await readRun(db, env, payload.run);
  if (run === undefined || !activeRunStatuses.includes(run.status) || run.handed_at !== null) return done();
  if (run.status === 'queued' && run.expires_at !== null && run.expires_at <= clock.now()) {
    await settleRun(deps, run, { status: 'expired', error: 'The app did not come back in time.' });
    return done();
  }
  if (!(await isFirstInRecordQueue(db, run))) return retryAt(clock.now() + queuePositionCheckMs);
  const connection = await link.chooseConnection(env, { kind: 'action', name: run.action });
  try {
    await checkWithFreshDirectory(deps, run);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (transientCodes.has(error.code))
      return connection === null ? parkRun(deps, run) : retryAt(clock.now() + retryDispatchMs);
    await settleRun(deps, run, { status: 'failed', error: error.message, code: error.code });
    return done();
  }
  if (connection === null) return parkRun(deps, run);
  link.dispatchRun(connection, env, run.id);
  return retryAt(clock.now() + retryDispatchMs);
};
