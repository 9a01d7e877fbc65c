/** Runs of actions: listed, looked at, cancelled, run again. */
import { limits } from '../../shared/catalogue/limits.ts';
import { cancelRun } from '../../shared/actions/cancel.ts';
import { seenRun } from '../../shared/actions/present.ts';
import { listRuns, visibleRun } from '../../shared/actions/queries.ts';
import { retryRun } from '../../shared/actions/retry.ts';
import { acceptedAnswer, checkRetry, doneAnswer, retryInput, runSchema, statusSchema } from '../../shared/actions/schema.ts';
import { answer, closed, cursor, limit, name, nextCursor, Type } from '../../shared/platform/core/schema.ts';
import { compile } from '../../shared/platform/core/validate.ts';
import { read, write, type Call, type Endpoint } from '../endpoint.ts';
import { answerAccepted } from './actions.ts';

const exampleRun = 'run_01jd0000000000000000000000';
const idOf = ({ params }: Pick<Call, 'params'>): string => params['id'] ?? '';
const runAnswer = answer({ run: runSchema });

const list = read({
  path: '/runs',
  name: 'run.list',
  summary: 'Runs, newest first',
  tag: 'Actions',
  query: closed({
    status: Type.Optional(statusSchema),
    action: Type.Optional(name('Only runs of this action.')),
    cursor: Type.Optional(cursor),
    limit: Type.Optional(limit),
  }),
  responses: { 200: answer({ runs: Type.Array(runSchema), cursor: nextCursor }) },
  example: { query: { status: 'failed', limit: 20 } },
  handle: async ({ deps, caller, query: { status, action, cursor: given, limit: size } }) => {
    const { env, principal } = caller;
    const key = `runs:${JSON.stringify([principal.id, principal.access.key, status, action])}`;
    const keys = env.seal.openCursor(key, given);
    const { runs, next } = await listRuns(deps.db, caller, { status, action, before: keys === null ? null : String(keys[0]), limit: size ?? limits.pageDefault });
    const shown = await Promise.all(runs.map((run) => seenRun(deps, caller, run)));
    return { status: 200, body: { runs: shown, cursor: next === null ? null : env.seal.cursor(key, [next]) } };
  },
});

const one = read({
  path: '/runs/:id',
  name: 'run.get',
  summary: 'A run of an action',
  tag: 'Actions',
  query: closed({}),
  responses: { 200: runAnswer },
  example: { params: { id: exampleRun } },
  handle: async (call) => {
    const { deps, caller } = call;
    return { status: 200, body: { run: await seenRun(deps, caller, await visibleRun(deps.db, caller, idOf(call))) } };
  },
});

const nothing = closed({});

const cancel = write({
  path: '/runs/:id/cancel',
  name: 'run.cancel',
  summary: 'Cancel a run that has not begun',
  tag: 'Actions',
  body: nothing,
  bodyOptional: true,
  responses: { 200: runAnswer },
  example: { params: { id: exampleRun } },
  audit: { verb: 'action.cancel', target: (call) => ({ type: 'run', id: idOf(call) }) },
  check: compile(nothing),
  handle: async (call) => ({ status: 200, body: await cancelRun(call.deps, call.caller, idOf(call), (text) => call.save(200, text)) }),
});

const retry = write({
  path: '/runs/:id/retry',
  name: 'run.retry',
  summary: 'Run an action again whose run failed, expired or has an unknown end',
  tag: 'Actions',
  body: retryInput,
  bodyOptional: true,
  responses: { 200: doneAnswer, 202: acceptedAnswer },
  example: { params: { id: exampleRun }, body: { confirmed: true } },
  audit: { verb: 'action.retry', target: (call) => ({ type: 'run', id: idOf(call) }) },
  check: checkRetry,
  handle: async (call) => {
    const { deps, caller, session, body, save } = call;
    return answerAccepted(call, await retryRun(deps, caller, idOf(call), { confirmed: body.confirmed ?? false, freshUntil: session.freshUntil, save }));
  },
});

export const runEndpoints: readonly Endpoint[] = [list, one, cancel, retry];
