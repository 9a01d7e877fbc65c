/**
 * Hands a run to the app: the only code that calls the app for an action. Runs in the process that holds the socket:
 * marks the run as handed over, calls, and writes what became of it. Whoever asked for it learns by the row.
 */
import { activeRunStatuses } from '../catalogue/states/runs.ts';
import type { CallOutcome } from '../applink/link.ts';
import type { LocalConnection } from '../applink/localConnections.ts';
import type { LinkRecord, ServiceCalls } from '../applink/protocol.ts';
import { limits } from '../catalogue/limits.ts';
import { fullAccess } from '../access/access.ts';
import { sleep } from '../platform/core/wait.ts';
import { isDbUnavailable } from '../platform/db/errors.ts';
import type { ActionDeps } from './deps.ts';
import type { Environment } from '../environments/definition.ts';
import { readItems } from '../items/model.ts';
import { itemJson } from '../items/present.ts';
import { getRecord } from '../records/read.ts';
import { channels } from '../platform/redis/bus.ts';
import { settleOutcome } from './runOutcome.ts';
import { isSettledRun, readRun, runActor, type Run } from './model.ts';
import { notifyRunChanged } from './runChanges.ts';
import { transitionRun } from './runStatements.ts';

type ActionRunParams = ServiceCalls['action.run']['params'];

/** How long the end of a run is tried to be written while PostgreSQL is away: the app keeps its answer meanwhile. */
const retryPauseMs = 500;

/** The record of a run by its reference alone. */
export const placeholderRunRecord = ({ resource, record }: Run): LinkRecord | null =>
  resource === null || record === null
    ? null
    : { resource, id: record, title: record, subtitle: null, fields: {}, updatedAt: null };

/** What the app is told of a run; the record as it is now, or by its reference alone when it can't be read. */
export const buildRunParams = async (
  deps: ActionDeps,
  env: Environment,
  run: Run,
  known?: { record: LinkRecord | null; item: string | null },
): Promise<ActionRunParams> => {
  const [record, item] =
    known === undefined
      ? await Promise.all([readRunRecord(deps, env, run), readRunItemJson(deps, env, run)])
      : [known.record, known.item];
  return {
    run: run.id,
    action: run.action,
    record,
    input: run.input,
    item: item === null ? null : (JSON.parse(item) as ActionRunParams['item']),
    actor: runActor(run),
    // Counts hand-overs: the app acts again after a failure only for a higher one.
    attempt: run.attempts,
    background: run.background,
  };
};

const readRunRecord = async (deps: ActionDeps, env: Environment, run: Run): Promise<LinkRecord | null> => {
  const { resource, record } = run;
  if (resource === null || record === null) return null;
  try {
    return (await getRecord(deps, env, resource, record)) ?? placeholderRunRecord(run);
  } catch {
    return placeholderRunRecord(run);
  }
};

const readRunItemJson = async ({ db }: ActionDeps, env: Environment, { item }: Run): Promise<string | null> => {
  const found = item === null ? undefined : (await readItems(db, env.id, [item])).get(item);
  return found === undefined ? null : itemJson(found, fullAccess);
};

/** The run as it is once this connection has it. */
export const toDispatchedRun = (run: Run, { id, instance }: LocalConnection['connection'], at: number): Run => ({
  ...run,
  status: 'running',
  handed_at: at,
  lost_at: null,
  instance,
  connection: id,
  started_at: run.started_at ?? at,
  attempts: run.attempts + 1,
  fence: run.fence + 1,
  expires_at: null,
});

/**
 * Whether a run or its hand-over was written of whose writing nothing was heard, as PostgreSQL went away meanwhile: asked
 * until it answers. For a hand-over nobody else would call the app, and nobody would know for as long as it may take.
 */
export const confirmWritten = async (deps: ActionDeps, wanted: Run): Promise<boolean> => {
  for (;;) {
    try {
      const run = await readRun(deps.db, wanted.env, wanted.id);
      if (run === undefined || wanted.handed_at === null) return run !== undefined;
      return (
        !isSettledRun(run) &&
        run.fence === wanted.fence &&
        run.handed_at === wanted.handed_at &&
        run.connection === wanted.connection &&
        run.lost_at === null
      );
    } catch {
      await sleep(retryPauseMs);
    }
  }
};

const orConfirmWritten =
  (deps: ActionDeps, handed: Run) =>
  (error: unknown): Promise<boolean> => {
    if (isDbUnavailable(error)) return confirmWritten(deps, handed);
    throw error;
  };

/** Marks it as handed over; null when it has moved meanwhile or may not start any more. */
const markDispatched = async (deps: ActionDeps, run: Run, held: LocalConnection): Promise<Run | null> => {
  const at = deps.clock.now();
  if (
    !activeRunStatuses.includes(run.status) ||
    run.handed_at !== null ||
    (run.status === 'queued' && run.expires_at !== null && run.expires_at <= at)
  )
    return null;
  const handed = toDispatchedRun(run, held.connection, at);
  const told = run.status !== 'running';
  const moved = await transitionRun(deps.db, run, handed, at, {
    verb: null,
    outcome: 'ok',
    emit: told,
    due: null,
  }).catch(orConfirmWritten(deps, handed));
  if (moved && told) deps.bus.publish(channels.workAvailable, 'outbox');
  return moved ? handed : null;
};

/** Writes what became of this hand-over, also when PostgreSQL is away for a while or the sweep has marked it as lost. */
const settleReliably = async (
  deps: ActionDeps,
  handed: Run,
  outcome: CallOutcome<ServiceCalls['action.run']['result']>,
): Promise<Run | undefined> => {
  for (let run: Run | undefined = handed; ;) {
    try {
      const concluded = await settleOutcome(deps, run, outcome);
      if (concluded !== null) return concluded;
      run = await readRun(deps.db, handed.env, handed.id);
      if (run === undefined || isSettledRun(run) || run.handed_at === null || run.fence !== handed.fence) return run;
      if ((outcome.kind === 'lost' || outcome.kind === 'timeout') && run.lost_at !== null) return run;
    } catch (error) {
      deps.log.warn(
        { err: error, run: handed.id, requestId: handed.request_id },
        'what became of a run could not be written yet',
      );
      run ??= handed;
      await sleep(retryPauseMs);
    }
  }
};

/**
 * Calls the app for a run that is marked as handed over to `held`. Its answer counts for a minute after the time-out, in
 * which the sweep waits for it too.
 */
export const callAppForRun = async (
  deps: ActionDeps,
  handed: Run,
  held: LocalConnection,
  params: ActionRunParams,
): Promise<Run | undefined> => {
  const outcome = await held.call('action.run', params, handed.timeout_ms + limits.lostAnswerMs);
  const run = await settleReliably(deps, handed, outcome);
  if (run !== undefined && isSettledRun(run)) held.notify('run.settled', { run: run.id });
  else if (handed.waiting_until !== null) notifyRunChanged(deps.bus, handed.id);
  return run;
};

/** Called by the link in the process that holds `held`; may be called twice for one run, and for one that is settled. */
export const dispatchRun = async (
  deps: ActionDeps,
  env: Environment,
  id: string,
  held: LocalConnection,
): Promise<void> => {
  const run = await readRun(deps.db, env.id, id);
  if (run === undefined || isSettledRun(run) || run.handed_at !== null) return;
  const params = await buildRunParams(deps, env, toDispatchedRun(run, held.connection, deps.clock.now()));
  const handed = await markDispatched(deps, run, held);
  if (handed !== null) await callAppForRun(deps, handed, held, params);
};
