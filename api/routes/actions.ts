/** The endpoints of actions: the list, those that apply to records now, and running one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { readPresentCaller } from '../../shared/accounts/requester.ts';
import { errors, Fault, fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { insertSavedResponse } from '../../shared/platform/journal/changeWriter.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
  type Warning,
} from '../../shared/platform/json/schema.ts';
import { dryRunAuthorized, requireNotInProgress, acceptAction } from '../../shared/runs/accept/acceptAction.ts';
import { authorizeAction } from '../../shared/runs/authorizeAction.ts';
import { isSettledRun, readRun, type Run } from '../../shared/runs/model.ts';
import { parkRun } from '../../shared/runs/parkRun.ts';
import { type AcceptedRun, type AwaitedRun, acceptedRunBody, presentRunBlocks } from '../../shared/runs/present.ts';
import { waitForRunChange } from '../../shared/runs/runSignals.ts';
import {
  acceptedRunResponse,
  actionDryRunResponse,
  actionInput,
  actionSchema,
  availableInput,
  availableResponse,
  checkActionInput,
  checkAvailableInput,
  runResultResponse,
  type ActionInput,
} from '../../shared/runs/schema.ts';
import { readAvailableActions } from '../../shared/views/available.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { paginateByName } from './discovery.ts';

const list = readEndpoint({
  path: '/actions',
  name: 'action.list',
  summary: 'The actions that you may run',
  tag: 'Actions',
  query: strictObject({ cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) }),
  responses: { 200: responseObject({ actions: Type.Array(actionSchema), cursor: nextCursorSchema }) },
  example: {},
  handle: async ({ caller, query }) => {
    const { access } = caller.principal;
    const allowed = [...caller.env.definition.actions.values()].filter(
      ({ name, resource }) =>
        access.can('action', name, 'run') && (resource === null || access.sees('resource', resource)),
    );
    const { page, cursor: next } = paginateByName(caller, 'actions', allowed, query);
    const actions = page.map(
      ({
        name,
        label,
        description,
        resource,
        input,
        danger,
        approval,
        freshSignIn,
        reasonRequired,
        reversible,
        background,
        repeatable,
        attempts,
        offline,
        offlineExpiry,
        timeout,
      }) => ({
        name,
        label,
        description,
        resource,
        input,
        danger,
        approval,
        freshSignIn,
        reasonRequired,
        reversible,
        background,
        repeatable,
        attempts,
        offline,
        offlineExpiry,
        timeout,
      }),
    );
    return { status: 200, body: { actions, cursor: next } };
  },
});

const available = writeEndpoint({
  path: '/available',
  about: 'records',
  name: 'action.available',
  summary: 'Which actions apply to records right now, with their defaults',
  tag: 'Actions',
  idempotencyKey: 'ignored',
  body: availableInput,
  responses: { 200: availableResponse },
  example: { body: { refs: [{ resource: 'order', id: 'ord_1001' }] } },
  audit: null,
  check: checkAvailableInput,
  handle: async ({ deps, caller, body }) => ({
    status: 200,
    body: { available: await readAvailableActions(deps, caller, body.refs) },
  }),
});

const runningResponse = (run: string): ApiResponse => ({ status: 202, body: { running: true, run } });

/**
 * Returns whether a run continues as a job, because its connection broke or the app requested a retry. `begun` is the run
 * that the call waits for: a dispatch and its withdrawal each raise the fence.
 */
const isJobNow = (run: Run, begun: Run): boolean =>
  run.lost_at !== null || run.failures > 0 || (run.handed_at === null && run.fence > begun.fence);

/** ms after which a role that has changed counts everywhere. */
const rightsMs = 1_000;

/** Returns who reads the result of a run: the caller, who after a longer wait may have other rights. Throws `unauthorized` for one who has none. */
const readReader = async ({ deps, caller }: EndpointCall<unknown, unknown>, run: Run): Promise<Caller> => {
  if (deps.clock.now() - run.requested_at < rightsMs) return caller;
  const present = await readPresentCaller(deps, caller);
  if (present === null) throw fault('unauthorized');
  return present;
};

/** Returns the response of the call that waits for `begun`, by the run as it is now; null while the call has to wait. */
const toRunResponse = async (
  call: EndpointCall<unknown, unknown>,
  run: Run,
  begun: Run,
): Promise<ApiResponse | null> => {
  if (run.status === 'queued') return { status: 202, body: { queued: true, run: run.id } };
  if (!isSettledRun(run)) return isJobNow(run, begun) ? runningResponse(run.id) : null;
  if (run.status === 'succeeded')
    return {
      status: 200,
      body: {
        message: run.message,
        blocks: await presentRunBlocks(call.deps, await readReader(call, run), run),
        run: run.id,
      },
    };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the code
  const code = run.code !== null && Object.hasOwn(errors, run.code) ? (run.code as keyof typeof errors) : null;
  if (code === null || code === 'app_timeout') return runningResponse(run.id);
  throw fault(code, run.error ?? undefined, { body: { run: run.id } });
};

/** Milliseconds between two reads of the run, for a wake signal that was lost. */
const runPollMs = 1_000;

/**
 * Returns the response of a call whose run went to a connection that has gone; `connection`: its id, if its row may stay for
 * a moment. A run that was not dispatched is queued when the app is offline; with another connection it is its job's.
 */
const respondToGone = async (
  call: EndpointCall<unknown, unknown>,
  begun: Run,
  connection: string | null,
): Promise<ApiResponse> => {
  const { deps } = call;
  const respond = async (run: Run | undefined): Promise<ApiResponse | null> =>
    run === undefined ? null : toRunResponse(call, run, begun);
  const run = await readRun(deps.db, begun.env, begun.id);
  const answered = await respond(run);
  if (answered !== null || run === undefined || run.handed_at !== null) return answered ?? runningResponse(begun.id);
  const except = new Set(connection === null ? [] : [connection]);
  const action = deps.directory.environmentById(run.env)?.definition.actions.get(run.action);
  if (action === undefined || (await deps.link.chooseConnection(run.env, action.declaration, except)) === null)
    await parkRun(deps, run);
  return (await respond(await readRun(deps.db, begun.env, begun.id))) ?? runningResponse(begun.id);
};

/**
 * Returns the response of a call that waits for its run. Each turn of the loop reads the row again; the end of a call of
 * the app by this process ends the loop, whatever its outcome, and so does the end of the connection at another one.
 */
const waitForResult = async (
  call: EndpointCall<unknown, unknown>,
  { run: begun, completion: called, remote }: AwaitedRun,
): Promise<ApiResponse> => {
  const { deps } = call;
  const until = performance.now() + limits.actionWaitMs;
  for (let run: Run | undefined = begun; run !== undefined; run = await readRun(deps.db, begun.env, begun.id)) {
    const answered = await toRunResponse(call, run, begun);
    if (answered !== null) return answered;
    const left = until - performance.now();
    if (left <= 0) break;
    const { moved, end } = waitForRunChange(deps.bus, begun.id, called === null ? Math.min(left, runPollMs) : left);
    const ended = await Promise.race([
      // A call of the app by this process resolves right behind its signal, with the run as it was written.
      moved.then(() => (called === null ? null : nextTurn().then(() => null))),
      ...(remote === null ? [] : [remote.gone.then((connection) => ({ kind: 'gone' as const, connection }))]),
      ...(called === null ? [] : [called.then((after) => ({ kind: 'called' as const, after }))]),
    ]);
    end();
    if (ended?.kind === 'gone') return respondToGone(call, begun, ended.connection);
    if (ended?.kind === 'called')
      return (
        (ended.after === undefined ? null : await toRunResponse(call, ended.after, begun)) ?? runningResponse(begun.id)
      );
  }
  return runningResponse(begun.id);
};

/** Returns `running` when the result can't be waited for: the run is committed, so the call does not fail. */
const waitForRun = async (call: EndpointCall<unknown, unknown>, direct: AwaitedRun): Promise<ApiResponse> => {
  try {
    return await waitForResult(call, direct);
  } catch (error) {
    if (error instanceof Fault) throw error;
    call.deps.log.warn(
      { err: error, run: direct.run.id, requestId: call.caller.requestId },
      'the result of a run could not be waited for',
    );
    return runningResponse(direct.run.id);
  } finally {
    direct.remote?.end();
  }
};

export const respondAccepted = (
  call: EndpointCall<unknown, unknown>,
  accepted: AcceptedRun | AwaitedRun,
): ApiResponse | Promise<ApiResponse> =>
  accepted.kind === 'direct' ? waitForRun(call, accepted) : { status: 202, body: acceptedRunBody(accepted) };

/** Returns an answer with what its caller is warned of: not under an idempotency key, as the answer of a repeated call is made when the run has ended. */
const withWarnings = ({ from }: EndpointCall, warnings: readonly Warning[], answer: ApiResponse): ApiResponse =>
  warnings.length === 0 || from.headers['idempotency-key'] !== undefined || !isObject(answer.body)
    ? answer
    : { ...answer, body: { ...answer.body, warnings } };

const run = writeEndpoint<ActionInput>({
  path: '/actions',
  name: 'action.run',
  fresh: 'byAction',
  summary: 'Run an action, or try out what that would do',
  tag: 'Actions',
  body: actionInput,
  responses: { 200: Type.Union([runResultResponse, actionDryRunResponse]), 202: acceptedRunResponse },
  example: { body: { action: 'resend_receipt', record: 'ord_1001', input: { email: 'ana@example.com' } } },
  audit: { verb: 'action.run', target: ({ body }) => ({ type: 'action', id: actionNameOfBody(body) }) },
  check: checkActionInput,
  requireNotInProgress: ({ deps, caller }, key) => requireNotInProgress(deps, caller, key),
  handle: async (call): Promise<ApiResponse> => {
    const { deps, caller, body, session, save } = call;
    const ready = { ...(await authorizeAction(deps, caller, body, session.freshUntil)), recordId: body.record ?? null };
    if (body.dryRun !== true)
      return withWarnings(
        call,
        ready.warnings,
        await respondAccepted(call, await acceptAction(deps, caller, ready, save)),
      );
    const would = await dryRunAuthorized(deps, caller, ready);
    const { warnings } = ready;
    const shown = { dryRun: true, would, input: ready.input, ...(warnings.length === 0 ? {} : { warnings }) };
    const text = JSON.stringify(shown);
    // A replay checks by the action what the caller sees then, and does not show it.
    const saved = save(200, JSON.stringify({ ...shown, action: body.action }));
    if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
    return { status: 200, body: text };
  },
});

/** Returns the action that a body names, before the body is checked; else null. */
const actionNameOfBody = (body: unknown): string | null => {
  const named = isObject(body) ? body['action'] : undefined;
  return typeof named === 'string' ? named : null;
};

export const actionEndpoints: readonly Endpoint[] = [list, available, run];
