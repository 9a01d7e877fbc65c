/**
 * Dispatches runs to the app: the only code that calls the app for an action. It works in the process with the app's
 * connection: marks the run as dispatched, calls, and writes the outcome into the row, where the requester reads it.
 */
import { fullAccess } from '../../accounts/access/access.ts';
import type { CallOutcome, RunHint } from '../../app/link/link.ts';
import type { LocalConnection } from '../../app/link/localConnections.ts';
import { observeCall } from '../../app/link/metrics.ts';
import type { LinkRecord, ServiceCalls } from '../../app/link/protocol.ts';
import { orderInput } from '../../app/manifest/declaredOrder.ts';
import type { Environment } from '../../app/manifest/definition.ts';
import { limits } from '../../catalogue/limits.ts';
import { activeRunStatuses } from '../../catalogue/states/runs.ts';
import { readItems } from '../../items/model.ts';
import { itemJson } from '../../items/present.ts';
import { isDbUnavailable } from '../../platform/db/errors.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { sleep } from '../../platform/time/clock.ts';
import { continueTrace } from '../../platform/tracing/span.ts';
import { getRecord } from '../../records/read.ts';
import { misfitFault, tryInput } from '../authorizeAction.ts';
import { type ActionDeps, type Run, isSettledRun, readRun, readRunTogether, runActor, runApprover } from '../model.ts';
import { transitionRun } from '../moveRun.ts';
import { notifyRunChanged } from '../runSignals.ts';
import { isOfCancelledBulk } from './recordQueue.ts';
import { acceptsAnswer, isDispatched, mayForget } from './runAnswers.ts';
import { settleOutcome } from './runOutcome.ts';

type ActionRunParams = ServiceCalls['action.run']['params'];
type RunOutcome = CallOutcome<ServiceCalls['action.run']['result']>;

/** ms between two tries to write or read a run while PostgreSQL is unavailable. */
const retryPauseMs = 500;

/** Returns the record of a run with its id alone, for a record that can't be read. */
const placeholderRunRecord = ({ resource, record }: Run): LinkRecord | null =>
  resource === null || record === null
    ? null
    : { resource, id: record, title: record, subtitle: null, fields: {}, updatedAt: null };

/** Returns the parameters of `action.run`, with the record as it is now, or with its id alone when it can't be read. */
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
    input: orderInput(env.definition, run.action, run.input),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the JSON that itemJson made
    item: item === null ? null : (JSON.parse(item) as ActionRunParams['item']),
    actor: runActor(run),
    // Counts dispatches: after a failure the app acts again only for a higher number.
    attempt: run.attempts,
    background: run.background,
    reason: run.reason,
    approvedBy: runApprover(run),
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

/** Returns the run as dispatched to this connection. It keeps its deadline, which counts again if it has to wait for the app once more. */
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
});

/**
 * Returns whether a run, or its dispatch, was committed by a statement that failed because PostgreSQL became unavailable.
 * Reads until PostgreSQL answers: no other process would call the app for a run that is dispatched here, also where a sweep has
 * marked it as lost meanwhile, as it does not end while this process has the connection.
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
        run.connection === wanted.connection
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

/** Marks the run as dispatched and returns it; null when it has moved meanwhile or may not start any more. */
const markDispatched = async (deps: ActionDeps, run: Run, local: LocalConnection): Promise<Run | null> => {
  const at = deps.clock.now();
  if (
    !activeRunStatuses.includes(run.status) ||
    run.handed_at !== null ||
    (run.status === 'queued' && run.expires_at !== null && run.expires_at <= at)
  )
    return null;
  const handed = toDispatchedRun(run, local.connection, at);
  const emit = run.status !== 'running';
  const moved = await transitionRun(deps.db, run, handed, at, {
    verb: null,
    outcome: 'ok',
    emit,
    due: null,
  }).catch(orConfirmWritten(deps, handed));
  if (moved && emit) deps.bus.publish(channels.workAvailable, outboxOf(run.env));
  return moved ? handed : null;
};

/** Returns whether the outcome of a dispatch still counts for the run as it is now. */
const acceptsOutcome = (run: Run, { fence, instance }: Run, { kind }: RunOutcome): boolean => {
  // Retried meanwhile, it has the answer of its next dispatch; until that, it has been done by a success.
  if (run.fence !== fence) return kind === 'answer' && !isDispatched(run) && acceptsAnswer(run, instance, kind);
  // The connection may have counted as gone while the app was at it: then the run is lost, or has ended unknown.
  if (kind === 'answer' || kind === 'error') return acceptsAnswer(run, instance, kind);
  return isDispatched(run) && !(kind === 'timeout' && run.lost_at !== null);
};

/** Writes the outcome of this dispatch, and retries while PostgreSQL is unavailable, or after a sweep has moved the run. */
const settleReliably = async (deps: ActionDeps, handed: Run, outcome: RunOutcome): Promise<Run | undefined> => {
  for (let run: Run | undefined = handed; ;) {
    try {
      const settled = await settleOutcome(deps, run, outcome);
      if (settled !== null) return settled;
      run = await readRun(deps.db, handed.env, handed.id);
      if (run === undefined || !acceptsOutcome(run, handed, outcome)) return run;
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
 * Calls the app for a run that is dispatched to `local`, writes the outcome and returns the run. An answer counts for
 * `limits.lostAnswerMs` after the time-out, for which the sweep waits too. Of a run that is traced `params` have the
 * traceparent of what it follows from; the app gets that of the call.
 */
export const callAppForRun = async (
  deps: ActionDeps,
  handed: Run,
  local: LocalConnection,
  params: ActionRunParams,
): Promise<Run | undefined> => {
  const { traceparent, ...untraced } = params;
  const span = continueTrace(deps.tracer, traceparent, 'action.run', {
    kind: 'client',
    attributes: {
      'rpc.system': 'jsonrpc',
      'rpc.method': 'action.run',
      'console.run': handed.id,
      'console.attempt': handed.attempts,
    },
  });
  const sent = span === null ? untraced : { ...untraced, traceparent: span.traceparent };
  const began = performance.now();
  const outcome = await local.call('action.run', sent, handed.timeout_ms + limits.lostAnswerMs);
  // Not one of the link's own calls, which it counts itself: a run has one connection, and is not called again on another one.
  observeCall('action.run', outcome.kind, performance.now() - began);
  span?.end(outcome.kind === 'answer' ? undefined : outcome.kind);
  const run = await settleReliably(deps, handed, outcome);
  const isKept = run !== undefined && isSettledRun(run) && (run.fence === handed.fence || mayForget(run, outcome.kind));
  if (isKept) local.notify('run.settled', { run: run.id });
  else if (handed.waiting_until !== null) notifyRunChanged(deps.bus, handed.id);
  return run;
};

/**
 * Returns the input with the defaults of the action as it is declared now, which a run that waited for the app may lack. What a person
 * has approved goes as it was shown.
 */
const presentInput = (
  { definition }: Environment,
  { action: name, input, approved_by: approvedBy }: Run,
): Run['input'] => {
  const action = definition.actions.get(name);
  if (action === undefined || approvedBy !== null) return input;
  const { filled, problems } = tryInput(action, input);
  return problems.length === 0 ? filled : input;
};

/** Returns whether the run does not fit its action as it is declared now, which the process of its job may not know yet: that ends it. */
const isMisfit = ({ definition }: Environment, run: Run): boolean => {
  const action = definition.actions.get(run.action);
  return action !== undefined && misfitFault(action, run) !== null;
};

/** Dispatches a run over `local`. Called by the app link in that process; does nothing for a run that is dispatched or settled, or does not fit its action, or whose bulk was cancelled. */
export const dispatchRun = async (
  deps: ActionDeps,
  env: Environment,
  { run: id, traceparent }: RunHint,
  local: LocalConnection,
): Promise<void> => {
  const place = local.runs.enter();
  let called: Promise<unknown> | null = null;
  try {
    const found = await readRunTogether(deps.db, env.id, id);
    if (found === undefined || isSettledRun(found) || found.handed_at !== null) return;
    if (isMisfit(env, found) || (await isOfCancelledBulk(deps.db, found))) return;
    const run: Run = { ...found, input: presentInput(env, found) };
    const params = await buildRunParams(deps, env, toDispatchedRun(run, local.connection, deps.clock.now()));
    const handed = await markDispatched(deps, run, local);
    if (handed === null) return;
    await place.reached();
    called = callAppForRun(deps, handed, local, { ...params, traceparent });
  } finally {
    place.pass();
  }
  await called;
};
