/** Serves one endpoint for one request, of HTTP or of a tool: body, idempotency key, validation, handler, and the audit of what is refused. */
import { Fault, fault } from '../shared/catalogue/errors.ts';
import { limits } from '../shared/catalogue/limits.ts';
import { insertRefusal, auditOutcomeOf } from '../shared/access/refusals.ts';
import type { AuthSession } from '../shared/settings/directory.ts';
import type { Caller } from '../shared/access/principal.ts';
import { textProblem } from '../shared/platform/core/jsonLimits.ts';
import type { Deps } from '../shared/deps.ts';
import {
  requestFingerprint,
  readSavedResponse,
  type IdempotencyKey,
  type StoredResponse,
} from '../shared/platform/journal/idempotency.ts';
import { isDuplicateIdempotencyKey } from '../shared/items/perform/perform.ts';
import type { EndpointCall, Endpoint, RequestSource } from './endpoint.ts';
import type { ApiResponse } from './answer.ts';
import type { Live } from './live/index.ts';
import type { RequestBody } from './middleware/body.ts';
import { headerValues } from './middleware/headers.ts';
import { createQueryParser } from './queryParser.ts';

export interface EndpointRequest {
  readonly deps: Deps;
  readonly live: Live;
  readonly from: RequestSource;
  readonly caller: Caller;
  readonly session: AuthSession;
  /** The query string, or the parameters as they are where no text had to carry them. */
  readonly search: string | Readonly<Record<string, unknown>>;
  readonly running: EndpointCall['running'];
  /** Made when asked for: few endpoints wait. */
  readonly signal: () => AbortSignal;
}

type Params = EndpointCall['params'];

const keyForm = /^[\x20-\x7e]{1,255}$/;
const matchForm = /^"(\d{1,15})"$/;

const singleHeader = (from: RequestSource, name: string): string | undefined => {
  const given = headerValues(from, name);
  if (given.length > 1)
    throw fault('invalid', `${name} is given more than once.`, {
      details: [{ path: name, message: 'is given more than once' }],
    });
  return given[0];
};

/** A fingerprint is quick to make of a guess: a password doesn't go into what is kept. */
const withoutPassword = (raw: string, value: unknown): string =>
  typeof value === 'object' && value !== null && 'password' in value
    ? Buffer.from(JSON.stringify({ ...value, password: null })).toString('latin1')
    : raw;

const parseIdempotencyKey = (
  { from, caller, session }: EndpointRequest,
  endpoint: Endpoint,
  { raw, value }: RequestBody,
): IdempotencyKey | null => {
  const key = singleHeader(from, 'idempotency-key');
  if (key === undefined) return null;
  const refuse = (message: string): Fault =>
    fault('invalid', `idempotency-key ${message}.`, { details: [{ path: 'idempotency-key', message }] });
  if (!endpoint.acceptsIdempotencyKey) throw refuse('is not taken here');
  if (!keyForm.test(key) || key.trim() === '')
    throw refuse(`must be 1 to ${String(limits.idempotencyKeyMax)} printable characters`);
  return {
    principal: caller.principal.id ?? session.credential,
    key,
    fingerprint: requestFingerprint(from.method, from.url, withoutPassword(raw, value)),
  };
};

const parseIfMatch = (from: RequestSource, endpoint: Endpoint): number | undefined => {
  const given = singleHeader(from, 'if-match');
  if (given === undefined || given === '*') return undefined;
  const version = matchForm.exec(given)?.[1];
  if (version === undefined || !endpoint.conditional) {
    const message = endpoint.conditional ? 'must be "<version>" in quotes, or *' : 'is not taken here';
    throw fault('invalid', `if-match ${message}.`, { details: [{ path: 'if-match', message }] });
  }
  return Number(version);
};

const toReplayedResponse = ({ status, body, etag }: StoredResponse): ApiResponse => ({
  status,
  body: body === '' ? undefined : body,
  headers: { 'idempotent-replayed': 'true', ...(etag === null ? {} : { etag }) },
});

const findSavedResponse = ({ deps }: EndpointRequest, once: IdempotencyKey): Promise<StoredResponse | null> =>
  readSavedResponse(deps.db, once, deps.clock.now());

/**
 * Whether a call was made before is found out by making it: its effect and its answer are written together or not at
 * all, and looking first would cost all calls a round trip for the few that are repeated.
 */
const handleOrReplay = async (
  request: EndpointRequest,
  once: IdempotencyKey,
  handle: () => Promise<ApiResponse>,
): Promise<ApiResponse> => {
  for (let tries = 1; ; tries++) {
    try {
      return await handle();
    } catch (error) {
      const isRepeated = isDuplicateIdempotencyKey(error);
      // What is refused now may have been done before; `action_failed` is an answer that was just saved.
      if (!isRepeated && !(error instanceof Fault && error.code !== 'action_failed')) throw error;
      const found = await findSavedResponse(request, once);
      if (found !== null) return toReplayedResponse(found);
      if (!isRepeated) throw error;
      // What was saved was too old and has been removed: now it can be done, unless somebody else does it.
      if (tries > 1) throw fault('in_progress');
    }
  }
};

/** An endpoint that saves its answer before it has one, and waits: whether it was called before is looked up first. */
const handleAwaited = async (
  request: EndpointRequest,
  waits: NonNullable<Endpoint['requireNotInProgress']>,
  once: IdempotencyKey,
  handle: () => Promise<ApiResponse>,
): Promise<ApiResponse> => {
  for (let tries = 1; ; tries++) {
    const found = await findSavedResponse(request, once);
    if (found !== null) {
      await waits(request, once.key);
      // It may have settled between the two looks.
      return toReplayedResponse((await findSavedResponse(request, once)) ?? found);
    }
    try {
      return await handle();
    } catch (error) {
      if (!isDuplicateIdempotencyKey(error)) throw error;
      if (tries > 1) throw fault('in_progress');
    }
  }
};

const handleIdempotent = async (
  request: EndpointRequest,
  once: IdempotencyKey,
  handle: () => Promise<ApiResponse>,
): Promise<ApiResponse> => {
  const { running } = request;
  const id = `${once.principal}\n${once.key}`;
  for (let other = running.get(id); other !== undefined; other = running.get(id)) {
    await other;
    const found = await findSavedResponse(request, once);
    if (found !== null) return toReplayedResponse(found);
  }
  const call = handleOrReplay(request, once, handle);
  const settled = call.then(
    () => undefined,
    () => undefined,
  );
  running.set(id, settled);
  void settled.then(() => running.delete(id));
  return call;
};

const auditRefusal = async (
  { deps, caller }: EndpointRequest,
  params: Params,
  endpoint: Endpoint,
  { body, failure }: { body: unknown; failure: Fault },
): Promise<void> => {
  const outcome = auditOutcomeOf(failure);
  if (endpoint.audit === null || outcome === null) return;
  const { verb } = endpoint.audit;
  await insertRefusal(
    deps.db,
    caller,
    { verb, target: endpoint.audit.target({ params, body }), outcome, code: failure.code },
    deps.clock.now(),
  );
};

const readNoQuery = createQueryParser({ type: 'object', properties: {}, additionalProperties: false } as never);
const saveNothing = (): null => null;

/** Makes the function that serves `endpoint`. */
export const createEndpointServer = (
  endpoint: Endpoint,
): ((request: EndpointRequest, params: Params) => Promise<ApiResponse>) => {
  const readQuery = endpoint.query === null ? readNoQuery : createQueryParser(endpoint.query);
  const reject = ({ caller }: EndpointRequest, params: Params): void => {
    if (caller.principal.type === 'app' && !endpoint.allowsApp)
      throw fault('forbidden', 'An app key may not call this.');
    // No name or id holds what PostgreSQL would refuse to compare.
    for (const name in params) if (textProblem(params[name] ?? '') !== null) throw fault('not_found');
  };
  if (!endpoint.write) {
    return async (request, params) => {
      reject(request, params);
      const { deps, live, from, caller, session, running, signal } = request;
      return endpoint.handle({
        deps,
        live,
        from,
        caller,
        session,
        running,
        params,
        signal,
        query: readQuery(request.search),
        body: undefined,
        ifMatch: undefined,
        save: saveNothing,
      });
    };
  }
  return async (request, params) => {
    const { deps, live, from, caller, session, running, signal } = request;
    let body: unknown;
    try {
      reject(request, params);
      readQuery(request.search);
      const given = await from.body(endpoint.bodyOptional);
      const { value } = given;
      body = value;
      const once = parseIdempotencyKey(request, endpoint, given);
      const ifMatch = parseIfMatch(from, endpoint);
      const save: EndpointCall['save'] =
        once === null ? saveNothing : (status, text, etag) => ({ ...once, status, body: text, etag: etag ?? null });
      const handle = (): Promise<ApiResponse> => {
        const checked = endpoint.checkBody(value, deps.clock.now());
        return endpoint.handle({
          deps,
          live,
          from,
          caller,
          session,
          running,
          params,
          signal,
          query: undefined,
          body: checked,
          ifMatch,
          save,
        });
      };
      return await (once === null
        ? handle()
        : endpoint.requireNotInProgress === null
          ? handleIdempotent(request, once, handle)
          : handleAwaited(request, endpoint.requireNotInProgress, once, handle));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await auditRefusal(request, params, endpoint, { body, failure: error });
      throw endpoint.mapFault?.(error, params) ?? error;
    }
  };
};
