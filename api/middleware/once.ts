/** Calls the endpoint once for each idempotency key, and replays the saved response as far as the caller may see it today. The last step of api/app.ts and api/mcp/serveEndpoint.ts. */
import { isDeepStrictEqual } from 'node:util';
import { fullAccess, type Access } from '../../shared/accounts/access/access.ts';
import { type Caller, findVisibleInbox } from '../../shared/accounts/access/principal.ts';
import type { Approval } from '../../shared/approvals/model.ts';
import { readVisibleApproval } from '../../shared/approvals/queries.ts';
import { redactBulk } from '../../shared/bulk/present.ts';
import { readVisibleBulk } from '../../shared/bulk/queries.ts';
import type { BulkOperationBody } from '../../shared/bulk/schema.ts';
import { resourceOfBulk } from '../../shared/bulk/scope.ts';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { type DecisionResult, presentDecisions } from '../../shared/decisions/decideSeveral.ts';
import { redactFlag } from '../../shared/flags/model.ts';
import { readItems } from '../../shared/items/model.ts';
import { isDuplicateIdempotencyKey } from '../../shared/items/perform/perform.ts';
import { fillTexts } from '../../shared/items/search/savedTexts.ts';
import { redactEntry } from '../../shared/items/timeline.ts';
import {
  readSavedResponse,
  type IdempotencyKey,
  type StoredResponse,
} from '../../shared/platform/journal/idempotency.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { requireMayRun } from '../../shared/runs/authorizeAction.ts';
import { readRun } from '../../shared/runs/model.ts';
import { redactRunFor } from '../../shared/runs/present.ts';
import { readVisibleRun } from '../../shared/runs/queries.ts';
import { endedApprovalJson } from '../../shared/views/approvals/present.ts';
import type { Endpoint, EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { noteChange } from './call.ts';
import type { EndpointContext, EndpointState } from './state.ts';

type Handle = () => Promise<ApiResponse>;

/** Returns the saved response of a key as the caller may see it; null: there is none. Throws as `replayResponse` does. */
const findReplay = async ({ call, mounted, body }: EndpointState, key: IdempotencyKey): Promise<ApiResponse | null> => {
  const { deps } = call;
  const found = await readSavedResponse(deps.db, key, deps.clock.now());
  return found === null ? null : replayResponse(call, mounted.endpoint.path, found, body?.value);
};

/**
 * Calls the endpoint first and looks for a saved response when that fails: the effect and its response are written in one
 * statement or not at all, and looking first would cost every call a round trip for the few that are retries.
 */
const handleOrReplay = async (state: EndpointState, key: IdempotencyKey, handle: Handle): Promise<ApiResponse> => {
  for (let tries = 1; ; tries++) {
    try {
      return await handle();
    } catch (error) {
      const isRepeated = isDuplicateIdempotencyKey(error);
      // A call that is refused now may have been done before; `action_failed` is a response that was just saved.
      if (!isRepeated && !(error instanceof Fault && error.code !== 'action_failed')) throw error;
      const replay = await findReplay(state, key);
      if (replay !== null) return replay;
      if (!isRepeated) throw error;
      // The saved response had expired and is removed: the call can be done now, unless another one is doing it.
      if (tries > 1) throw fault('in_progress');
    }
  }
};

/** Looks for a saved response first: the endpoint saves its response before it is known, and then waits for it. */
const handleAwaited = async (
  state: EndpointState,
  requireNotInProgress: NonNullable<Endpoint['requireNotInProgress']>,
  key: IdempotencyKey,
  handle: Handle,
): Promise<ApiResponse> => {
  for (let tries = 1; ; tries++) {
    const replay = await findReplay(state, key);
    if (replay !== null) {
      await requireNotInProgress(state.call, key.key);
      // It may have settled since it was read.
      return (await findReplay(state, key)) ?? replay;
    }
    try {
      return await handle();
    } catch (error) {
      if (!isDuplicateIdempotencyKey(error)) throw error;
      if (tries > 1) throw fault('in_progress');
    }
  }
};

/** Lets calls of this process with the same key wait for each other. */
const handleInTurn = async (state: EndpointState, key: IdempotencyKey, handle: Handle): Promise<ApiResponse> => {
  const { running } = state.call;
  const id = `${key.principal}\n${key.key}`;
  for (let other = running.get(id); other !== undefined; other = running.get(id)) {
    await other;
    const replay = await findReplay(state, key);
    if (replay !== null) return replay;
  }
  const answered = handleOrReplay(state, key, handle);
  const settled = answered.then(
    () => undefined,
    () => undefined,
  );
  running.set(id, settled);
  void settled.then(() => running.delete(id));
  return answered;
};

/**
 * Sets the response to that of `handle`, which may be called twice, or to the saved one of a call with the same
 * idempotency key. Throws `409 in_progress` while that call is still under way elsewhere.
 */
export const idempotency =
  (handle: (state: EndpointState) => Promise<ApiResponse>) =>
  async ({ state }: EndpointContext): Promise<void> => {
    const { idempotencyKey: key } = state;
    const { requireNotInProgress } = state.mounted.endpoint;
    try {
      if (key === null) state.response = await handle(state);
      else if (requireNotInProgress === null)
        state.response = await handleInTurn(state, key, async () => handle(state));
      else state.response = await handleAwaited(state, requireNotInProgress, key, async () => handle(state));
    } finally {
      noteChange(state);
    }
  };

type Members = Readonly<Record<string, unknown>>;

const seesInbox = (caller: Caller, { inbox }: Members): boolean =>
  findVisibleInbox(caller, String(inbox)) !== undefined;

const seesResource = ({ principal }: Caller, record: unknown): boolean =>
  !isObject(record) || principal.access.sees('resource', String(record['resource']));

/** Returns an item without its record if the caller doesn't see that any more. */
const redactItem = (caller: Caller, item: Members): Members =>
  seesResource(caller, item['record']) ? item : { ...item, record: null };

/** Returns the items that the caller sees, each without a record that they don't see any more. */
const seenItems = (caller: Caller, items: readonly unknown[]): Members[] =>
  items.filter(isObject).flatMap((item) => (seesInbox(caller, item) ? [redactItem(caller, item)] : []));

/** Returns the blocks without items, records and actions that the caller doesn't see any more. */
const redactBlocks = (caller: Caller, blocks: readonly unknown[]): unknown[] =>
  blocks.flatMap((block) => {
    if (!isObject(block)) return [block];
    const { items, actions, record } = block;
    if (!seesResource(caller, record)) return [];
    return [
      {
        ...block,
        ...(Array.isArray(items) ? { items: seenItems(caller, items) } : {}),
        ...(Array.isArray(actions)
          ? {
              actions: actions.filter(
                (each) => isObject(each) && caller.principal.access.can('action', String(each['action']), 'run'),
              ),
            }
          : {}),
      },
    ];
  });

/** Throws as a call would today that names the action, if it is declared. */
const requireMayRunNamed = (caller: Caller, name: unknown): void => {
  const action = typeof name === 'string' ? caller.env.definition.actions.get(name) : undefined;
  if (action !== undefined) requireMayRun(caller, action);
};

/** Throws as the call would today where the caller may not run the run's action any more, or doesn't see its item. */
const requireMayRunAgain = async ({ deps, caller }: EndpointCall, id: string): Promise<void> => {
  const run = await readRun(deps.db, caller.env.id, id);
  if (run === undefined || (run.inbox !== null && !seesInbox(caller, { inbox: run.inbox }))) throw fault('not_found');
  requireMayRun(caller, { name: run.action, resource: run.resource });
};

/** Returns a saved answer about a run as the caller sees it. Throws as the call would today when they may not see or run it. */
const presentRunBody = async (call: EndpointCall, body: Members): Promise<Members> => {
  const { caller, deps } = call;
  const { run, action } = body;
  if (typeof run === 'string') await requireMayRunAgain(call, run);
  if (body['dryRun'] === true) {
    requireMayRunNamed(caller, action);
    // The action is saved for this check alone.
    const { action: _, ...shown } = body;
    return shown;
  }
  if (!isObject(run)) return body;
  const row = await readVisibleRun(deps.db, caller, String(run['id']));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service wrote the run
  return { ...body, run: redactRunFor(caller, row, run as Parameters<typeof redactRunFor>[2]) };
};

/** Returns a saved answer about a bulk as the caller sees it. Throws as the call would today when they may not see or ask for it. */
const presentBulkBody = async (
  { deps, caller, params, body: given }: EndpointCall,
  body: Members,
): Promise<Members> => {
  const { bulk } = body;
  const { id } = params;
  const asked = isObject(bulk) ? bulk['operation'] : isObject(given) ? given['operation'] : undefined;
  if (id !== undefined) await readVisibleBulk(deps, caller, id);
  else if (isObject(asked) && asked['type'] === 'action') requireMayRunNamed(caller, asked['action']);
  if (!isObject(bulk) || !isObject(asked)) return body;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service wrote the operation
  const resource = resourceOfBulk(caller.env.definition, asked as BulkOperationBody);
  return { ...body, bulk: redactBulk(caller.principal.access, bulk, resource) };
};

/** Returns the approval of a saved body as the role sees it: as it was saved, unless something is hidden from the role by now. */
const seenApproval = ({ env, principal }: Caller, ended: Approval, saved: unknown): unknown => {
  const seen = endedApprovalJson(env.definition, ended, principal.access);
  return isDeepStrictEqual(seen, endedApprovalJson(env.definition, ended, fullAccess)) ? saved : seen;
};

/** Returns the entry of a saved body as the role sees it, or null. */
const seenEntry = (access: Access, entry: unknown): unknown =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service wrote the entry
  isObject(entry) ? redactEntry(access, entry as Parameters<typeof redactEntry>[1]) : entry;

/** Returns the members of a saved body as the caller sees them. Throws `not_found` when it shows an item, a flag or an approval that they don't see. */
const presentMembers = async ({ deps, caller }: EndpointCall, body: Members): Promise<Members> => {
  const { item, items, flag, approval, blocks, entries } = body;
  if (isObject(item) && !seesInbox(caller, item)) throw fault('not_found');
  if (isObject(flag) && !caller.principal.access.sees('flag', String(flag['flag']))) throw fault('not_found');
  if (typeof approval === 'string') await readVisibleApproval(deps.db, caller, approval);
  const { access } = caller.principal;
  const ended = isObject(approval) ? await readVisibleApproval(deps.db, caller, String(approval['id'])) : null;
  return {
    ...body,
    ...(isObject(item) ? { item: redactItem(caller, item) } : {}),
    ...(Array.isArray(items) ? { items: seenItems(caller, items) } : {}),
    ...(isObject(flag) ? { flag: redactFlag(flag, access) } : {}),
    ...(ended === null ? {} : { approval: seenApproval(caller, ended, approval) }),
    ...(Array.isArray(entries) ? { entries: entries.flatMap((entry) => seenEntry(access, entry) ?? []) } : {}),
    ...(Array.isArray(blocks) ? { blocks: redactBlocks(caller, blocks) } : {}),
  };
};

/** Returns the members of a saved body of an endpoint as the caller sees them. Throws when they don't see what it is about. */
const presentBody = async (call: EndpointCall, path: string, body: Members): Promise<Members> => {
  const seen = await presentMembers(call, body);
  if (path === '/approvals/decide')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service wrote the results, without their approvals
    return { results: await presentDecisions(call.deps, call.caller, body['results'] as readonly DecisionResult[]) };
  if (path === '/actions' || path.startsWith('/runs/')) return presentRunBody(call, seen);
  return path === '/bulk' || path.startsWith('/bulk/') ? presentBulkBody(call, seen) : seen;
};

/** Throws `not_found` for a refusal that was saved for an item that the caller doesn't see any more; its body doesn't show the item. */
const requireVisibleTarget = async ({ deps, caller, params }: EndpointCall): Promise<void> => {
  const id = params['id'] ?? '';
  if (!id.startsWith('itm_')) return;
  const item = (await readItems(deps.db, caller.env.id, [id])).get(id);
  if (item === undefined || findVisibleInbox(caller, item.inbox) === undefined) throw fault('not_found');
};

/**
 * Returns the saved response for a request that has `sent` this body, without records that the caller doesn't see any more.
 * Throws `not_found` when it is about something that they don't see.
 */
const replayResponse = async (
  call: EndpointCall,
  path: string,
  stored: StoredResponse,
  sent: unknown,
): Promise<ApiResponse> => {
  const { status, etag } = stored;
  if (status >= 400) await requireVisibleTarget(call);
  const headers = { 'idempotent-replayed': 'true', ...(etag === null ? {} : { etag }) };
  const body = await fillTexts(call.deps.db, call.caller.env.id, stored, sent);
  const saved: unknown = body === '' ? undefined : JSON.parse(body);
  if (!isObject(saved)) return { status, body: body === '' ? undefined : body, headers };
  const seen = JSON.stringify(await presentBody(call, path, saved));
  // The same bytes for all who see all of it.
  return { status, body: seen === JSON.stringify(saved) ? body : seen, headers };
};
