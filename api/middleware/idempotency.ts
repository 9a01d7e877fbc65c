/** Calls the endpoint, once for each idempotency key. The last step of api/app.ts and api/mcp/serveEndpoint.ts. */
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import { isDuplicateIdempotencyKey } from '../../shared/items/perform/perform.ts';
import { readSavedResponse, type IdempotencyKey } from '../../shared/platform/journal/idempotency.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { splitReason } from '../http/reason.ts';
import { replayResponse } from './replay.ts';
import { answerByStandby, noteChange, ownerOf } from './standbyRead.ts';
import type { EndpointContext, EndpointState } from './state.ts';
import { withNarrowing } from './tooBroad.ts';

type Handle = () => Promise<ApiResponse>;

/** Returns the saved response of a key as the caller may see it; null: there is none. Throws as `replayResponse` does. */
const findReplay = async ({ call, mounted }: EndpointState, key: IdempotencyKey): Promise<ApiResponse | null> => {
  const { deps } = call;
  const found = await readSavedResponse(deps.db, key, deps.clock.now());
  return found === null ? null : replayResponse(call, mounted.endpoint.path, found);
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

/** Calls a handler that reads: its statements are bounded in time and share the connections with those of other principals. */
const callRead = async (state: EndpointState): Promise<ApiResponse> => {
  const {
    mounted: { endpoint },
    call,
  } = state;
  const { deps, caller } = call;
  const response = await answerByStandby(state);
  if (response !== null) return response;
  call.deps = { ...deps, db: deps.reads.of(ownerOf(call), caller.span) };
  try {
    return await endpoint.handle(call);
  } catch (error) {
    throw withNarrowing(error, endpoint, call);
  }
};

/** Calls the handler of the endpoint's row, after checking the body of a change. */
export const callEndpoint = (state: EndpointState): Promise<ApiResponse> => {
  const {
    mounted: { endpoint },
    call,
    body,
  } = state;
  if (!endpoint.write) return callRead(state);
  if (body !== null) {
    const { reason, rest } = endpoint.takesReason ? splitReason(body.value) : { reason: null, rest: body.value };
    if (reason !== null) call.caller = { ...call.caller, reason };
    call.body = endpoint.checkBody(endpoint.ownsReason ? body.value : rest, call.deps.clock.now());
  }
  return endpoint.handle(call);
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
