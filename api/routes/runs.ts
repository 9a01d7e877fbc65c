/** The endpoints of runs: the list, one, cancelling it, and running it again. */
import { listCursors } from '../../shared/accounts/access/listCursors.ts';
import { type Caller, unknownName } from '../../shared/accounts/access/principal.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import {
  cursorSchema,
  limitSchema,
  nameSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
} from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { retryRun } from '../../shared/runs/accept/retryRun.ts';
import { cancelRun } from '../../shared/runs/cancelRun.ts';
import { presentRun } from '../../shared/runs/present.ts';
import { canRunAction, listRuns, readVisibleRun } from '../../shared/runs/queries.ts';
import {
  acceptedRunResponse,
  checkRetryInput,
  retryInput,
  runResultResponse,
  runSchema,
  runStatusSchema,
} from '../../shared/runs/schema.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import { respondAccepted } from './actions.ts';
import { readEnded, waitQuery } from './readEnded.ts';

const exampleRun = 'run_01jd0000000000000000000000';
const idOf = ({ params }: Pick<EndpointCall, 'params'>): string => params['id'] ?? '';
const runAnswer = responseObject({ run: runSchema });

/** Throws `not_found` for an action that the caller may not run, as for one that nobody declared. */
const requireRunnable = (caller: Caller, action: string): void => {
  const runnable = [...caller.env.definition.actions.values()].filter(({ name, resource }) =>
    canRunAction(caller, { action: name, resource }),
  );
  if (!runnable.some(({ name }) => name === action)) throw unknownName('action', action, runnable);
};

const list = readEndpoint({
  path: '/runs',
  standby: true,
  name: 'run.list',
  summary: 'Runs, newest first',
  tag: 'Actions',
  query: strictObject({
    status: Type.Optional(runStatusSchema),
    action: Type.Optional(nameSchema('Only runs of this action.')),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: { 200: responseObject({ runs: Type.Array(runSchema), cursor: nextCursorSchema }) },
  example: { query: { status: 'failed', limit: 20 } },
  handle: async ({ deps, caller, query: { status, action, cursor: given, limit: size } }) => {
    const { id, access } = caller.principal;
    const cursors = listCursors(caller, 'runs', [id, access.key, status, action]);
    const keys = cursors.open(given);
    const { runs, next } = await listRuns(deps, caller, {
      status,
      action,
      before: keys === null ? null : String(keys[0]),
      limit: size ?? limits.pageDefault,
    });
    // One's own runs stay, whatever has become of their action since.
    if (action !== undefined && runs.length === 0 && keys === null) requireRunnable(caller, action);
    const shown = await Promise.all(runs.map((run) => presentRun(deps, caller, run)));
    return { status: 200, body: { runs: shown, cursor: cursors.next(next === null ? null : [next]) } };
  },
});

const one = readEndpoint({
  path: '/runs/:id',
  about: 'run',
  name: 'run.get',
  summary: 'A run of an action',
  tag: 'Actions',
  query: waitQuery,
  responses: { 200: runAnswer },
  example: { params: { id: exampleRun } },
  handle: async (call) => {
    const { deps } = call;
    const id = idOf(call);
    const { found, caller } = await readEnded(call, {
      isAbout: (part) => part.type === 'run' && part.run.id === id,
      read: (reader) => readVisibleRun(deps.db, reader, id),
      hasEnded: (run) => run.finished_at !== null,
    });
    return { status: 200, body: { run: await presentRun(deps, caller, found) } };
  },
});

const nothing = strictObject({});

const cancel = writeEndpoint({
  path: '/runs/:id/cancel',
  name: 'run.cancel',
  summary: 'Cancel a run that has not begun',
  tag: 'Actions',
  body: nothing,
  bodyOptional: true,
  responses: { 200: runAnswer },
  example: { params: { id: exampleRun } },
  audit: { verb: 'action.cancel', target: (call) => ({ type: 'run', id: idOf(call) }) },
  check: compileCheck(nothing),
  handle: async (call) => ({
    status: 200,
    body: await cancelRun(call.deps, call.caller, idOf(call), (text) => call.save(200, text)),
  }),
});

const retry = writeEndpoint({
  path: '/runs/:id/retry',
  name: 'run.retry',
  fresh: 'byAction',
  summary: 'Run an action again whose run failed, expired or has an unknown end',
  tag: 'Actions',
  body: retryInput,
  bodyOptional: true,
  responses: { 200: runResultResponse, 202: acceptedRunResponse },
  example: { params: { id: exampleRun }, body: { confirmed: true } },
  audit: { verb: 'action.retry', target: (call) => ({ type: 'run', id: idOf(call) }) },
  check: checkRetryInput,
  handle: async (call) => {
    const { deps, caller, session, body, save } = call;
    return respondAccepted(
      call,
      await retryRun(deps, caller, idOf(call), {
        confirmed: body.confirmed ?? false,
        freshUntil: session.freshUntil,
        save,
      }),
    );
  },
});

export const runEndpoints: readonly Endpoint[] = [list, one, cancel, retry];
