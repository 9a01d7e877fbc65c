/**
 * Starts a run that waits for its turn: a background action, one that was queued, one that is tried again. Checks it anew,
 * finds an instance of the app and asks the process that holds its socket to hand it over; the hand-over takes this job away.
 */
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { queuedRun } from '../../shared/actions/accept.ts';
import { passAgain } from '../../shared/actions/check.ts';
import { isFirst } from '../../shared/actions/lanes.ts';
import { isSettled, readRun, type Run } from '../../shared/actions/model.ts';
import { settle } from '../../shared/actions/settle.ts';
import { tellMove } from '../../shared/actions/waiters.ts';
import { move } from '../../shared/actions/write.ts';
import type { Caller } from '../../shared/access/principal.ts';
import { requesterNow } from '../../shared/settings/requester.ts';
import type { Deps } from '../../shared/deps.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { again, done, waitForApp, type Handler, type Outcome } from '../handler.ts';

/** The request to hand over goes through Redis and may be lost: asked again after this many ms. */
const askAgainMs = 2_000;
/** A run that is not the first of its lane is given its turn; if nobody does, it looks for itself after this many ms. */
const turnMs = 60_000;

const callerOf = async (deps: Deps, run: Run): Promise<Caller> => {
  const caller = await requesterNow(deps, run);
  if (caller === null) throw fault('forbidden', 'Whoever asked for this may not act here any more.');
  return caller;
};

/** What an agent asked for before it became supervised was decided on by nobody. */
const requireDecided = ({ principal }: Caller, { approval, bulk }: Run): void => {
  if (principal.mode === 'supervised' && approval === null && bulk === null) throw fault('forbidden', 'This agent is supervised now, and no person has approved this.');
};

const checkNow = async (deps: Deps, run: Run): Promise<void> => {
  const caller = await callerOf(deps, run);
  await passAgain(deps, caller, run);
  requireDecided(caller, run);
};

/** A no is believed only after a fresh look: rights and definitions may be newer than what this process has read. */
const check = async (deps: Deps, run: Run): Promise<void> => {
  try {
    await checkNow(deps, run);
  } catch (error) {
    if (!(error instanceof Fault) || (error.status !== 403 && error.status !== 404)) throw error;
    await deps.directory.refresh();
    await checkNow(deps, run);
  }
};

/** Not now: what the app could not answer in time is asked again. */
const passing = new Set(['app_timeout', 'app_offline', 'app_error']);

/** The app has gone since it was accepted: it waits like any other that was asked for meanwhile. */
const park = async (deps: Deps, run: Run): Promise<Outcome> => {
  const action = deps.directory.environmentById(run.env)?.definition.actions.get(run.action);
  if (action?.offline === 'refuse') {
    await settle(deps, run, { status: 'failed', error: 'The app went offline before it was begun.', code: 'app_offline' });
    return done();
  }
  if (run.status !== 'queued' && action !== undefined) {
    const at = deps.clock.now();
    const queued: Run = { ...queuedRun(run, action, at), fence: run.fence + 1 };
    if (!(await move(deps.db, run, queued, at, { verb: null, outcome: 'ok', told: true }))) return again(at);
    deps.bus.publish(channels.nudge, 'outbox');
    if (run.waiting_until !== null) tellMove(deps.bus, run.id);
  }
  return waitForApp();
};

export const actionRun: Handler<'actionRun'> = async ({ env, payload }, deps) => {
  const { db, clock, link } = deps;
  const run = await readRun(db, env, payload.run);
  if (run === undefined || isSettled(run) || run.status === 'pending' || run.handed_at !== null) return done();
  if (run.status === 'queued' && run.expires_at !== null && run.expires_at <= clock.now()) {
    await settle(deps, run, { status: 'expired', error: 'The app did not come back in time.' });
    return done();
  }
  if (!(await isFirst(db, run))) return again(clock.now() + turnMs);
  const connection = await link.choose(env, { kind: 'action', name: run.action });
  try {
    await check(deps, run);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (passing.has(error.code)) return connection === null ? park(deps, run) : again(clock.now() + askAgainMs);
    await settle(deps, run, { status: 'failed', error: error.message, code: error.code });
    return done();
  }
  if (connection === null) return park(deps, run);
  link.handOver(connection, env, run.id);
  return again(clock.now() + askAgainMs);
};
