/** Accepts an authorized action: decides whether its run is approved first, queued, dispatched or left to a job, and inserts it; or says which of these it would be. */
import { fullAccess } from '../../accounts/access/access.ts';
import type { Caller } from '../../accounts/access/principal.ts';
import type { AppConnection } from '../../app/link/link.ts';
import { type LocalConnection, getLocalSockets } from '../../app/link/localConnections.ts';
import type { ActionDefinition } from '../../app/manifest/actions.ts';
import { type Fault, fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { itemJson } from '../../items/present.ts';
import { knewOf } from '../../items/seen.ts';
import { isDbUnavailable } from '../../platform/db/errors.ts';
import { contendedFault, retryOnConflict } from '../../platform/db/retryOnConflict.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import type { FullRecord } from '../../records/read.ts';
import { type AuthorizedAction, readRunItem } from '../authorizeAction.ts';
import { buildRunParams, callAppForRun, toDispatchedRun, confirmWritten } from '../call/dispatchRun.ts';
import { isFirstInRecordQueue } from '../call/recordQueue.ts';
import { type InsertRunOptions, insertRun } from '../insertRun.ts';
import { type ActionDeps, type Run, runRecordKey } from '../model.ts';
import { type AcceptedRun, type AwaitedRun, type SaveResponse, acceptedRunBody } from '../present.ts';
import type { JobDue } from '../runStatementParts.ts';
import { requestRunApproval } from './runApproval.ts';

/** ms that a call waits to learn whether its run was inserted: a restart of PostgreSQL takes a second or two. */
const confirmTimeoutMs = 3_000;

const confirmTimeout = (): Promise<false> =>
  new Promise((resolve) => void setTimeout(resolve, confirmTimeoutMs, false));

/** Returns the fault of a call whose run may exist: who repeats the call without looking may ask for the same thing twice. */
const unsureFault = ({ id }: Run): Fault =>
  fault(
    'unavailable',
    `The service is not available right now, and this may have been accepted: look for the run ${id} (GET /runs/${id}) before you ask for it again.`,
    { body: { run: id } },
  );

/**
 * Inserts as `insertRun` does. Throws `unavailable` with the run's id when the run is not found in time; calls `late` if
 * the run turns out to exist later.
 */
const insertRunReliably = async (
  deps: ActionDeps,
  run: Run,
  beginning: InsertRunOptions,
  late: () => void = () => undefined,
): Promise<boolean> => {
  try {
    return await insertRun(deps.db, run, beginning);
  } catch (error) {
    if (!isDbUnavailable(error)) throw error;
    const writing = confirmWritten(deps, run);
    if (await Promise.race([writing, confirmTimeout()])) return true;
    // A statement whose connection broke may still insert the run.
    void writing.then((found) => {
      if (found) late();
    });
    deps.log.warn({ err: error, run: run.id, requestId: run.request_id }, 'whether a run was inserted is not known');
    throw unsureFault(run);
  }
};

export const buildRun = (
  caller: Caller,
  { action, item, input }: AuthorizedAction,
  record: string | null,
  at: number,
): Run => {
  const { principal, env, requestId, address } = caller;
  if (principal.id === null) throw fault('forbidden');
  const id = newId('run');
  return {
    id,
    env: env.id,
    action: action.name,
    label: action.label,
    resource: record === null ? null : action.resource,
    record,
    item: item?.id ?? null,
    inbox: item?.inbox ?? null,
    entry: item === null && record === null ? null : newId('ent'),
    input,
    status: 'running',
    background: action.background,
    repeatable: action.repeatable,
    timeout_ms: action.timeout,
    lane: null,
    attempts: 0,
    attempt: 1,
    failures: 0,
    progress: null,
    message: null,
    blocks: null,
    error: null,
    code: null,
    actor_type: principal.type,
    actor: principal.id,
    actor_name: principal.name,
    role: principal.role?.name ?? null,
    approval: null,
    approved_by: null,
    bulk: null,
    requested_at: at,
    expires_at: null,
    started_at: null,
    finished_at: null,
    handed_at: null,
    lost_at: null,
    instance: null,
    connection: null,
    fence: 0,
    waiting_until: null,
    once_principal: null,
    once_key: null,
    request_id: requestId,
    address,
    reason: caller.reason ?? null,
  };
};

/**
 * Returns the run as one that waits for the app, or for earlier runs of its record. One that has waited before keeps its first
 * deadline: an app that comes and goes never runs it later.
 */
export const toQueuedRun = (run: Run, action: ActionDefinition, at: number): Run => ({
  ...run,
  status: 'queued',
  lane: runRecordKey(run),
  expires_at: run.expires_at ?? at + action.offlineExpiry,
  waiting_until: null,
});

/** Returns whether a person has to approve the action for this caller. */
export const requiresApproval = ({ principal }: Caller, action: ActionDefinition): boolean =>
  action.approval || principal.mode === 'supervised';

/** Returns the run with the idempotency key of `saved`, so that the end of the run replaces that response. */
export const withIdempotencyKey = (run: Run, saved: SavedResponse | null): Run =>
  saved === null ? run : { ...run, once_principal: saved.principal, once_key: saved.key };

const buildSavedResponse = (accepted: AcceptedRun, save: SaveResponse): SavedResponse | null =>
  save(202, JSON.stringify(acceptedRunBody(accepted)));

interface PreparedRun {
  readonly caller: Caller;
  readonly ready: AuthorizedAction;
  readonly run: Run;
}

/** A run that the app may have at once. */
interface CheckedRun extends PreparedRun {
  readonly record: FullRecord | null;
}

const queuedRunsSql = statement(
  'runs.queuedOfActor',
  `select count(*)::int as n from runs where env = $1 and actor = $2 and status = 'queued' and bulk is null`,
);

/** Throws `rate_limited` when the requester has `limits.queuedRuns` waiting already. */
export const requireQueueRoom = async ({ db }: ActionDeps, { env, actor }: Run): Promise<void> => {
  const waiting = (await queryRow<{ n: number }>(db, queuedRunsSql, [env, actor]))?.n ?? 0;
  if (waiting >= limits.queuedRuns)
    throw fault('rate_limited', `${String(waiting)} of your runs are queued already; wait for some of them.`, {
      headers: { 'retry-after': '10' },
    });
};

/** Returns the options by which a run's item has to be as it was read, and what its author knew of it. */
const ofItem = ({ item, isGuarded, known }: AuthorizedAction): Pick<InsertRunOptions, 'itemAsRead' | 'knew'> => ({
  itemAsRead: isGuarded ? item : null,
  knew: knewOf(known),
});

/** Returns null where the run's item has changed since it was read. */
const insertQueuedRun = async (
  deps: ActionDeps,
  { run, caller: { span }, ready }: PreparedRun,
  connection: AppConnection | null,
  save: SaveResponse,
): Promise<AcceptedRun | null> => {
  const { action } = ready;
  await requireQueueRoom(deps, run);
  const accepted: AcceptedRun = { kind: 'queued', run: run.id };
  const saved = buildSavedResponse(accepted, save);
  // Online it waits for the earlier runs of its record; the per-record queue makes it due.
  const due: JobDue = connection === null ? 'app' : run.requested_at;
  const inserted = await insertRunReliably(
    deps,
    withIdempotencyKey(toQueuedRun(run, action, run.requested_at), saved),
    {
      due,
      saved,
      unlessQueued: false,
      ...ofItem(ready),
      span,
    },
  );
  if (!inserted) return null;
  deps.bus.publish(channels.workAvailable, outboxOf(run.env));
  if (connection !== null) deps.bus.publish(channels.workAvailable, 'jobs');
  return accepted;
};

/**
 * Runs that this process has under way over one connection, above which a background run is left to a job: the workers start jobs
 * at their own pace.
 */
const localRunsMax = 256;

/** ms until the job of an awaited run is due: it only works when the process with the connection has not dispatched the run. */
const dispatchGraceMs = 3_000;

/** Dispatches the run over a connection of this process. The run is inserted as dispatched, without a job. */
const dispatchLocally = async (
  deps: ActionDeps,
  { run, caller, ready, record }: CheckedRun,
  saved: SavedResponse | null,
  local: LocalConnection,
): Promise<AwaitedRun | null> => {
  const { span } = caller;
  const { item } = ready;
  const handed = toDispatchedRun(run, local.connection, run.requested_at);
  const known = { record, item: item === null ? null : itemJson(item, fullAccess) };
  const params = await buildRunParams(deps, caller.env, handed, known);
  const call = (): Promise<Run | undefined> =>
    callAppForRun(deps, handed, local, { ...params, traceparent: span?.traceparent });
  const inserted = { due: null, saved, unlessQueued: true, ...ofItem(ready), span };
  const begun = await insertRunReliably(deps, handed, inserted, () => void call());
  return begun ? { kind: 'direct', run: handed, completion: call(), remote: null } : null;
};

const dispatchRemotely = (
  deps: ActionDeps,
  connection: AppConnection,
  run: Run,
  { span }: Caller,
): AwaitedRun['remote'] => {
  let end = (): void => undefined;
  const gone = new Promise<string | null>((resolve) => {
    const hint = { run: run.id, traceparent: span?.traceparent };
    end = deps.link.dispatchRun(connection, run.env, hint, (isTold) => {
      resolve(isTold ? connection.id : null);
    });
  });
  return { gone, end };
};

const insertAwaitedRun = async (
  deps: ActionDeps,
  wanted: CheckedRun,
  connection: AppConnection,
  save: SaveResponse,
): Promise<AwaitedRun | null> => {
  const saved = buildSavedResponse({ kind: 'running', run: wanted.run.id }, save);
  const run: Run = {
    ...withIdempotencyKey(wanted.run, saved),
    waiting_until: wanted.run.requested_at + limits.actionWaitMs,
  };
  const local = getLocalSockets(deps.link).get(connection.id);
  const { span } = wanted.caller;
  const inserted = {
    due: run.requested_at + dispatchGraceMs,
    saved,
    unlessQueued: true,
    ...ofItem(wanted.ready),
    span,
  };
  let direct: AwaitedRun | null = null;
  if (local !== undefined) direct = await dispatchLocally(deps, { ...wanted, run }, saved, local);
  else if (await insertRunReliably(deps, run, inserted)) {
    direct = {
      kind: 'direct',
      run,
      completion: null,
      remote: dispatchRemotely(deps, connection, run, wanted.caller),
    };
  }
  if (direct !== null) deps.bus.publish(channels.workAvailable, outboxOf(run.env));
  return direct;
};

/** A background run goes to a connection of this process at once, as an awaited one does; over another, or a busy one, a job dispatches it. */
const insertBackgroundRun = async (
  deps: ActionDeps,
  wanted: CheckedRun,
  connection: AppConnection,
  save: SaveResponse,
): Promise<AcceptedRun | null> => {
  const accepted: AcceptedRun = { kind: 'running', run: wanted.run.id };
  const saved = buildSavedResponse(accepted, save);
  const run = withIdempotencyKey(wanted.run, saved);
  const local = getLocalSockets(deps.link).getForWork(connection.id);
  if (local !== undefined && local.busy < localRunsMax) {
    if ((await dispatchLocally(deps, { ...wanted, run }, saved, local)) === null) return null;
  } else {
    const { span } = wanted.caller;
    const inserted = { due: run.requested_at, saved, unlessQueued: true, ...ofItem(wanted.ready), span };
    if (!(await insertRunReliably(deps, run, inserted))) return null;
    deps.bus.publish(channels.workAvailable, 'jobs');
  }
  deps.bus.publish(channels.workAvailable, outboxOf(run.env));
  return accepted;
};

type ReadyAction = AuthorizedAction & { readonly recordId: string | null };

/** Accepts an action, and returns null where its item has changed since it was read. */
const tryToAccept = async (
  deps: ActionDeps,
  caller: Caller,
  ready: ReadyAction,
  save: SaveResponse,
): Promise<AcceptedRun | AwaitedRun | null> => {
  const { action, record, recordId } = ready;
  const run = buildRun(caller, ready, recordId, deps.clock.now());
  if (requiresApproval(caller, action))
    return requestRunApproval(deps, caller, { run }, ready, (accepted) => buildSavedResponse(accepted, save));
  const connection =
    record === 'unverified' ? null : await deps.link.chooseConnection(caller.env.id, action.declaration);
  const decided: PreparedRun = { caller, ready, run };
  // The record could not be read: even if the app has connected since, a job reads it before the run goes out.
  if (connection === null || record === 'unverified') {
    if (action.offline === 'refuse')
      throw fault('app_offline', `The app is offline, and ${action.label} is not queued.`);
    return insertQueuedRun(deps, decided, null, save);
  }
  const begun = action.background
    ? await insertBackgroundRun(deps, { ...decided, record }, connection, save)
    : await insertAwaitedRun(deps, { ...decided, record }, connection, save);
  // Runs of this record are queued: the new one is queued behind them.
  return begun ?? insertQueuedRun(deps, decided, connection, save);
};

/** Rounds before an action gives up on an item that changes all the time. */
const roundsMax = 20;

/**
 * Accepts an authorized action and returns its run. Throws `app_offline` for an action that is not queued while the app is offline,
 * and what an agent is refused whose claim has ended, or whose item has changed, since it was authorized.
 */
export const acceptAction = (
  deps: ActionDeps,
  caller: Caller,
  authorized: ReadyAction,
  save: SaveResponse,
): Promise<AcceptedRun | AwaitedRun> => {
  let ready = authorized;
  return retryOnConflict<AcceptedRun | AwaitedRun>(
    async () => {
      const accepted = await tryToAccept(deps, caller, ready, save);
      if (accepted === null)
        ready = { ...ready, ...(await readRunItem(deps, caller, ready.item?.id ?? null, ready.seen)) };
      return accepted;
    },
    { limit: roundsMax, isConflict: () => false, exhausted: () => contendedFault('item') },
  );
};

const waitingRunSql = statement(
  'runs.waiting',
  `
  select 1 from runs where once_principal = $1 and once_key = $2 and waiting_until > $3 and status = 'running' and lost_at is null limit 1`,
);

/** Throws `in_progress` while the first call with this key waits. */
export const requireNotInProgress = async ({ db, clock }: ActionDeps, caller: Caller, key: string): Promise<void> => {
  if ((await queryRow(db, waitingRunSql, [caller.principal.id, key, clock.now()])) !== undefined)
    throw fault('in_progress');
};

/** `run`: its result would be waited for; `start`: it would run in the background. */
type ActionDryRun = 'run' | 'start' | 'queue' | 'pend';

/** Returns what `acceptAction` would do with an authorized action. Throws `app_offline` for one that is not queued while the app is offline. */
export const dryRunAuthorized = async (
  deps: ActionDeps,
  caller: Caller,
  { action, record, recordId }: ReadyAction,
): Promise<ActionDryRun> => {
  if (requiresApproval(caller, action)) return 'pend';
  if (record === 'unverified' || !(await deps.link.online(caller.env.id, action.declaration))) {
    if (action.offline === 'refuse')
      throw fault('app_offline', `The app is offline, and ${action.label} is not queued.`);
    return 'queue';
  }
  const lane = runRecordKey({ resource: action.resource, record: recordId });
  if (!(await isFirstInRecordQueue(deps.db, { env: caller.env.id, lane, id: newId('run') }))) return 'queue';
  return action.background ? 'start' : 'run';
};
