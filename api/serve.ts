/** Serves one endpoint for one request, of HTTP or of a tool: body, idempotency key, validation, handler, and the audit of what is refused. */
import { Fault, fault } from '../shared/catalogue/errors.ts';
import { limits } from '../shared/catalogue/limits.ts';
import { recordRefusal, refusalOf } from '../shared/access/denials.ts';
import type { Session } from '../shared/settings/directory.ts';
import type { Caller } from '../shared/access/principal.ts';
import { textProblem } from '../shared/platform/core/guard.ts';
import type { Deps } from '../shared/deps.ts';
import { fingerprintOf, savedAnswer, type OnceKey, type Replay } from '../shared/platform/journal/answers.ts';
import { isSavedAlready } from '../shared/items/perform/perform.ts';
import type { Call, Endpoint, Source } from './endpoint.ts';
import type { Answer } from './answer.ts';
import type { Live } from './live/index.ts';
import type { ReadBody } from './middleware/body.ts';
import { headerValues } from './middleware/headers.ts';
import { queryReader } from './query.ts';

export interface Request {
  readonly deps: Deps;
  readonly live: Live;
  readonly from: Source;
  readonly caller: Caller;
  readonly session: Session;
  /** The query string, or the parameters as they are where no text had to carry them. */
  readonly search: string | Readonly<Record<string, unknown>>;
  readonly running: Call['running'];
  /** Made when asked for: few endpoints wait. */
  readonly signal: () => AbortSignal;
}

type Params = Call['params'];

const keyForm = /^[\x20-\x7e]{1,255}$/;
const matchForm = /^"(\d{1,15})"$/;

const single = (from: Source, name: string): string | undefined => {
  const given = headerValues(from, name);
  if (given.length > 1) throw fault('invalid', `${name} is given more than once.`, { details: [{ path: name, message: 'is given more than once' }] });
  return given[0];
};

/** A fingerprint is quick to make of a guess: a password doesn't go into what is kept. */
const withoutPassword = (raw: string, value: unknown): string =>
  typeof value === 'object' && value !== null && 'password' in value ? Buffer.from(JSON.stringify({ ...value, password: null })).toString('latin1') : raw;

const onceKey = ({ from, caller, session }: Request, endpoint: Endpoint, { raw, value }: ReadBody): OnceKey | null => {
  const key = single(from, 'idempotency-key');
  if (key === undefined) return null;
  const refuse = (message: string): Fault => fault('invalid', `idempotency-key ${message}.`, { details: [{ path: 'idempotency-key', message }] });
  if (!endpoint.once) throw refuse('is not taken here');
  if (!keyForm.test(key) || key.trim() === '') throw refuse(`must be 1 to ${String(limits.idempotencyKeyMax)} printable characters`);
  return { principal: caller.principal.id ?? session.credential, key, fingerprint: fingerprintOf(from.method, from.url, withoutPassword(raw, value)) };
};

const ifMatchOf = (from: Source, endpoint: Endpoint): number | undefined => {
  const given = single(from, 'if-match');
  if (given === undefined || given === '*') return undefined;
  const version = matchForm.exec(given)?.[1];
  if (version === undefined || !endpoint.conditional) {
    const message = endpoint.conditional ? 'must be "<version>" in quotes, or *' : 'is not taken here';
    throw fault('invalid', `if-match ${message}.`, { details: [{ path: 'if-match', message }] });
  }
  return Number(version);
};

const replayed = ({ status, body, etag }: Replay): Answer => ({ status, body: body === '' ? undefined : body, headers: { 'idempotent-replayed': 'true', ...(etag === null ? {} : { etag }) } });

const saved = ({ deps }: Request, once: OnceKey): Promise<Replay | null> => savedAnswer(deps.db, once, deps.clock.now());

/**
 * Whether a call was made before is found out by making it: its effect and its answer are written together or not at
 * all, and looking first would cost all calls a round trip for the few that are repeated.
 */
const attempt = async (request: Request, once: OnceKey, handle: () => Promise<Answer>): Promise<Answer> => {
  for (let tries = 1; ; tries++) {
    try {
      return await handle();
    } catch (error) {
      const isRepeated = isSavedAlready(error);
      // What is refused now may have been done before; `action_failed` is an answer that was just saved.
      if (!isRepeated && !(error instanceof Fault && error.code !== 'action_failed')) throw error;
      const found = await saved(request, once);
      if (found !== null) return replayed(found);
      if (!isRepeated) throw error;
      // What was saved was too old and has been removed: now it can be done, unless somebody else does it.
      if (tries > 1) throw fault('in_progress');
    }
  }
};

/** An endpoint that saves its answer before it has one, and waits: whether it was called before is looked up first. */
const handleWaiting = async (request: Request, waits: NonNullable<Endpoint['waits']>, once: OnceKey, handle: () => Promise<Answer>): Promise<Answer> => {
  for (let tries = 1; ; tries++) {
    const found = await saved(request, once);
    if (found !== null) {
      await waits(request, once.key);
      // It may have settled between the two looks.
      return replayed((await saved(request, once)) ?? found);
    }
    try {
      return await handle();
    } catch (error) {
      if (!isSavedAlready(error)) throw error;
      if (tries > 1) throw fault('in_progress');
    }
  }
};

const handleOnce = async (request: Request, once: OnceKey, handle: () => Promise<Answer>): Promise<Answer> => {
  const { running } = request;
  const id = `${once.principal}\n${once.key}`;
  for (let other = running.get(id); other !== undefined; other = running.get(id)) {
    await other;
    const found = await saved(request, once);
    if (found !== null) return replayed(found);
  }
  const call = attempt(request, once, handle);
  const settled = call.then(() => undefined, () => undefined);
  running.set(id, settled);
  void settled.then(() => running.delete(id));
  return call;
};

const audited = async ({ deps, caller }: Request, params: Params, endpoint: Endpoint, { body, failure }: { body: unknown; failure: Fault }): Promise<void> => {
  const outcome = refusalOf(failure);
  if (endpoint.audit === null || outcome === null) return;
  const { verb } = endpoint.audit;
  await recordRefusal(deps.db, caller, { verb, target: endpoint.audit.target({ params, body }), outcome, code: failure.code }, deps.clock.now());
};

const readNoQuery = queryReader({ type: 'object', properties: {}, additionalProperties: false } as never);
const saveNothing = (): null => null;

/** Makes the function that serves `endpoint`. */
export const server = (endpoint: Endpoint): ((request: Request, params: Params) => Promise<Answer>) => {
  const readQuery = endpoint.query === null ? readNoQuery : queryReader(endpoint.query);
  const reject = ({ caller }: Request, params: Params): void => {
    if (caller.principal.type === 'app' && !endpoint.app) throw fault('forbidden', 'An app key may not call this.');
    // No name or id holds what PostgreSQL would refuse to compare.
    for (const name in params) if (textProblem(params[name] ?? '') !== null) throw fault('not_found');
  };
  if (!endpoint.write) {
    return async (request, params) => {
      reject(request, params);
      const { deps, live, from, caller, session, running, signal } = request;
      return endpoint.handle({ deps, live, from, caller, session, running, params, signal, query: readQuery(request.search), body: undefined, ifMatch: undefined, save: saveNothing });
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
      const once = onceKey(request, endpoint, given);
      const ifMatch = ifMatchOf(from, endpoint);
      const save: Call['save'] = once === null ? saveNothing : (status, text, etag) => ({ ...once, status, body: text, etag: etag ?? null });
      const handle = (): Promise<Answer> => {
        const checked = endpoint.checkBody(value, deps.clock.now());
        return endpoint.handle({ deps, live, from, caller, session, running, params, signal, query: undefined, body: checked, ifMatch, save });
      };
      return await (once === null ? handle() : endpoint.waits === null ? handleOnce(request, once, handle) : handleWaiting(request, endpoint.waits, once, handle));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      await audited(request, params, endpoint, { body, failure: error });
      throw endpoint.failed?.(error, params) ?? error;
    }
  };
};
