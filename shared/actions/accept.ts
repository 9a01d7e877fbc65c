/** Accepts an action that has passed its steps: says what becomes of it, and writes the run with all that follows from it. */
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Caller } from '../access/principal.ts';
import { fullAccess } from '../access/access.ts';
import { heldSockets, type HeldConnection } from '../applink/held.ts';
import type { Connection } from '../applink/link.ts';
import { newId } from '../platform/core/ids.ts';
import type { ActionDeps } from './deps.ts';
import type { Action } from '../environments/actions.ts';
import { itemJson } from '../items/present.ts';
import type { SavedAnswer } from '../platform/journal/answers.ts';
import { channels } from '../platform/redis/bus.ts';
import { acceptedBody, type Accepted, type Direct, type Save } from './accepted.ts';
import { askForRun } from './approval.ts';
import { beginSurely } from './begin.ts';
import type { Ready } from './check.ts';
import { bareRecord, callApp, handedRun, paramsOf } from './handOver.ts';
import { aboutOf, type Run } from './model.ts';
import type { JobDue } from './write.ts';

export const newRun = (caller: Caller, { action, item, input }: Ready, record: string | null, at: number): Run => {
  const { principal, env, requestId, address } = caller;
  if (principal.id === null) throw fault('forbidden');
  const id = newId('run');
  return {
    id, env: env.id, action: action.name, label: action.label, resource: record === null ? null : action.resource, record,
    item: item?.id ?? null, inbox: item?.inbox ?? null, entry: item === null && record === null ? null : newId('ent'), input,
    status: 'running', background: action.background, repeatable: action.repeatable, timeout_ms: action.timeout, lane: null,
    attempts: 0, attempt: 1, failures: 0, progress: null, message: null, blocks: null, error: null, code: null,
    actor_type: principal.type, actor: principal.id, actor_name: principal.name, role: principal.role?.name ?? null, approval: null, approved_by: null, bulk: null,
    requested_at: at, expires_at: null, started_at: null, finished_at: null, handed_at: null, lost_at: null,
    instance: null, connection: null, fence: 0, waiting_until: null, once_principal: null, once_key: null, request_id: requestId, address,
  };
};

/** The same run, waiting for the app or for the one before it. */
export const queuedRun = (run: Run, action: Action, at: number): Run => ({
  ...run, status: 'queued', lane: aboutOf(run), expires_at: at + action.offlineExpiry, waiting_until: null,
});

/** Whether a person has to approve what this caller asks for. */
export const needsApproval = ({ principal }: Caller, action: Action): boolean => action.approval || principal.mode === 'supervised';

/** The run as the one that `saved` is the answer of: its end replaces that. */
export const once = (run: Run, saved: SavedAnswer | null): Run =>
  saved === null ? run : { ...run, once_principal: saved.principal, once_key: saved.key };

const savedFor = (accepted: Accepted, save: Save): SavedAnswer | null => save(202, JSON.stringify(acceptedBody(accepted)));

interface Wanted {
  readonly caller: Caller;
  readonly ready: Ready;
  readonly run: Run;
}

const writeQueued = async (deps: ActionDeps, { run, ready: { action } }: Wanted, connection: Connection | null, save: Save): Promise<Accepted> => {
  const accepted: Accepted = { kind: 'queued', run: run.id };
  const saved = savedFor(accepted, save);
  // Online it waits for those before it; its lane gives it its turn.
  const due: JobDue = connection === null ? 'app' : run.requested_at;
  await beginSurely(deps, once(queuedRun(run, action, run.requested_at), saved), { due, saved, unlessQueued: false });
  deps.bus.publish(channels.nudge, 'outbox');
  if (connection !== null) deps.bus.publish(channels.nudge, 'jobs');
  return accepted;
};

const writeBackground = async (deps: ActionDeps, { run }: Wanted, save: Save): Promise<Accepted | null> => {
  const accepted: Accepted = { kind: 'running', run: run.id };
  const saved = savedFor(accepted, save);
  const made = await beginSurely(deps, once(run, saved), { due: run.requested_at, saved, unlessQueued: true });
  if (!made) return null;
  deps.bus.publish(channels.nudge, 'jobs');
  deps.bus.publish(channels.nudge, 'outbox');
  return accepted;
};

/** Its job is due only if nobody hands it over meanwhile: the process that accepted it does so at once. */
const watchMs = 3_000;

/** Hands it over from here: it is written as handed over, and nobody else has to look at it. */
const callHere = async (deps: ActionDeps, { run, caller, ready }: Wanted, saved: SavedAnswer | null, held: HeldConnection): Promise<Direct | null> => {
  const { record, item } = ready;
  const handed = handedRun(run, held.connection, run.requested_at);
  const known = { record: record === 'unverified' ? bareRecord(run) : record, item: item === null ? null : itemJson(item, fullAccess) };
  const params = await paramsOf(deps, caller.env, handed, known);
  const call = (): Promise<Run | undefined> => callApp(deps, handed, held, params);
  const begun = await beginSurely(deps, handed, { due: null, saved, unlessQueued: true }, () => void call());
  return begun ? { kind: 'direct', run: handed, called: call() } : null;
};

const writeDirect = async (deps: ActionDeps, wanted: Wanted, connection: Connection, save: Save): Promise<Direct | null> => {
  const saved = savedFor({ kind: 'running', run: wanted.run.id }, save);
  const run: Run = { ...once(wanted.run, saved), waiting_until: wanted.run.requested_at + limits.actionWaitMs };
  const held = heldSockets(deps.link).get(connection.id);
  let direct: Direct | null = null;
  if (held !== undefined) direct = await callHere(deps, { ...wanted, run }, saved, held);
  else if (await beginSurely(deps, run, { due: run.requested_at + watchMs, saved, unlessQueued: true })) {
    direct = { kind: 'direct', run, called: null };
    deps.link.handOver(connection, run.env, run.id);
  }
  if (direct !== null) deps.bus.publish(channels.nudge, 'outbox');
  return direct;
};

/** Throws `503 app_offline` for an action that isn't queued. */
export const acceptAction = async (deps: ActionDeps, caller: Caller, ready: Ready & { readonly recordId: string | null }, save: Save): Promise<Accepted | Direct> => {
  const { action, recordId } = ready;
  const run = newRun(caller, ready, recordId, deps.clock.now());
  if (needsApproval(caller, action)) return askForRun(deps, caller, { run }, ready, (accepted) => savedFor(accepted, save));
  const connection = await deps.link.choose(caller.env.id, { kind: 'action', name: action.name });
  const decided: Wanted = { caller, ready, run };
  if (connection === null) {
    if (action.offline === 'refuse') throw fault('app_offline', `The app is offline, and ${action.label} is not queued.`);
    return writeQueued(deps, decided, null, save);
  }
  const begun = action.background ? await writeBackground(deps, decided, save) : await writeDirect(deps, decided, connection, save);
  // Runs of this record are waiting for their turn: it goes behind them.
  return begun ?? writeQueued(deps, decided, connection, save);
};
