/** Actions: which there are, which apply now, and running one. */
import { errors, Fault, fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { acceptAction } from '../../shared/actions/accept.ts';
import { acceptedBody, type Accepted, type Direct } from '../../shared/actions/accepted.ts';
import { availableActions } from '../../shared/views/available.ts';
import { passSteps } from '../../shared/actions/check.ts';
import { isSettled, readRun, type Run } from '../../shared/actions/model.ts';
import { waitingRun } from '../../shared/actions/once.ts';
import { seenRunBlocks } from '../../shared/actions/present.ts';
import {
  acceptedAnswer, actionInput, actionSchema, availableAnswer, availableInput, checkActionInput, checkAvailable, doneAnswer, type ActionInput,
} from '../../shared/actions/schema.ts';
import { nextMove } from '../../shared/actions/waiters.ts';
import { answer, closed, cursor, limit, nextCursor, Type } from '../../shared/platform/core/schema.ts';
import { read, write, type Call, type Endpoint } from '../endpoint.ts';
import type { Answer } from '../answer.ts';
import { pageOf } from './discovery.ts';

const list = read({
  path: '/actions',
  name: 'action.list',
  summary: 'The actions that you may run',
  tag: 'Actions',
  query: closed({ cursor: Type.Optional(cursor), limit: Type.Optional(limit) }),
  responses: { 200: answer({ actions: Type.Array(actionSchema), cursor: nextCursor }) },
  example: {},
  handle: async ({ caller, query }) => {
    const { access } = caller.principal;
    const allowed = [...caller.env.definition.actions.values()]
      .filter(({ name, resource }) => access.can('action', name, 'run') && (resource === null || access.sees('resource', resource)));
    const { page, cursor: next } = pageOf(caller, 'actions', allowed, query);
    const actions = page.map(({ name, label, resource, input, danger, approval, freshSignIn, background, repeatable, offline, offlineExpiry, timeout }) => ({
      name, label, resource, input, danger, approval, freshSignIn, background, repeatable, offline, offlineExpiry, timeout,
    }));
    return { status: 200, body: { actions, cursor: next } };
  },
});

const available = write({
  path: '/available',
  name: 'action.available',
  summary: 'Which actions apply to records right now, with their defaults',
  tag: 'Actions',
  once: false,
  body: availableInput,
  responses: { 200: availableAnswer },
  example: { body: { refs: [{ resource: 'order', id: 'ord_1001' }] } },
  audit: null,
  check: checkAvailable,
  handle: async ({ deps, caller, body }) => ({ status: 200, body: { available: await availableActions(deps, caller, body.refs) } }),
});

const running = (run: string): Answer => ({ status: 202, body: { running: true, run } });

/**
 * Whether a run goes on as a job, as its connection broke or the app asked for another try. `begun` is the run that the call
 * waits for: a hand-over and its taking back each raise the fence.
 */
const isJobNow = (run: Run, begun: Run): boolean =>
  run.lost_at !== null || run.failures > 0 || (run.handed_at === null && run.fence > begun.fence);

/** Returns what the call that waits for `begun` answers of the run as it is now; null while the call goes on waiting. */
const answerOf = async (call: Call<unknown, unknown>, run: Run, begun: Run): Promise<Answer | null> => {
  if (run.status === 'queued') return { status: 202, body: { queued: true, run: run.id } };
  if (!isSettled(run)) return isJobNow(run, begun) ? running(run.id) : null;
  if (run.status === 'succeeded') return { status: 200, body: { message: run.message, blocks: await seenRunBlocks(call.deps, call.caller, run), run: run.id } };
  const code = run.code !== null && Object.hasOwn(errors, run.code) ? (run.code as keyof typeof errors) : null;
  if (code === null || code === 'app_timeout') return running(run.id);
  throw fault(code, run.error ?? undefined, { body: { run: run.id } });
};

/** A hint that was lost is made up for by looking. */
const lookMs = 1_000;

/**
 * Returns the answer of a call that waits for its run. Each turn of the loop reads the row anew; a call of the app from
 * this process ends it, whatever came of that call.
 */
const result = async (call: Call<unknown, unknown>, { run: begun, called }: Direct): Promise<Answer> => {
  const { deps } = call;
  const until = performance.now() + limits.actionWaitMs;
  for (let run: Run | undefined = begun; run !== undefined; run = await readRun(deps.db, begun.env, begun.id)) {
    const answered = await answerOf(call, run, begun);
    if (answered !== null) return answered;
    const left = until - performance.now();
    if (left <= 0) break;
    const { moved, end } = nextMove(deps.bus, begun.id, called === null ? Math.min(left, lookMs) : left);
    const ended = await Promise.race([moved.then(() => null), ...(called === null ? [] : [called.then((after) => ({ after }))])]);
    end();
    if (ended !== null) return (ended.after === undefined ? null : await answerOf(call, ended.after, begun)) ?? running(begun.id);
  }
  return running(begun.id);
};

/** Once its run is committed a call never fails for an outage of ours: the run exists. */
const waitFor = async (call: Call<unknown, unknown>, direct: Direct): Promise<Answer> => {
  try {
    return await result(call, direct);
  } catch (error) {
    if (error instanceof Fault) throw error;
    call.deps.log.warn({ err: error, run: direct.run.id, requestId: call.caller.requestId }, 'the result of a run could not be waited for');
    return running(direct.run.id);
  }
};

export const answerAccepted = (call: Call<unknown, unknown>, accepted: Accepted | Direct): Answer | Promise<Answer> =>
  accepted.kind === 'direct' ? waitFor(call, accepted) : { status: 202, body: acceptedBody(accepted) };

const run = write<ActionInput>({
  path: '/actions',
  name: 'action.run',
  summary: 'Run an action',
  tag: 'Actions',
  body: actionInput,
  responses: { 200: doneAnswer, 202: acceptedAnswer },
  example: { body: { action: 'resend_receipt', record: 'ord_1001', input: { email: 'ana@example.com' } } },
  audit: { verb: 'action.run', target: ({ body }) => ({ type: 'action', id: namedAction(body) }) },
  check: checkActionInput,
  waits: ({ deps, caller }, key) => waitingRun(deps, caller, key),
  handle: async (call): Promise<Answer> => {
    const { deps, caller, body, session, save } = call;
    const ready = await passSteps(deps, caller, body, session.freshUntil);
    return answerAccepted(call, await acceptAction(deps, caller, { ...ready, recordId: body.record ?? null }, save));
  },
});

/** The action that a body names, before it is known to be valid. */
const namedAction = (body: unknown): string | null => {
  const named = (body as { action?: unknown } | undefined)?.action;
  return typeof named === 'string' ? named : null;
};

export const actionEndpoints: readonly Endpoint[] = [list, available, run];
