/** The endpoints of bulks: creating, reading, cancelling and undoing them. */
import { principalModeFault } from '../../shared/access/gates.ts';
import { withoutSupervision } from '../../shared/access/principal.ts';
import { authorizeBulkAction, type AuthorizedBulk } from '../../shared/bulk/authorizeBulkAction.ts';
import { requestBulkApproval } from '../../shared/bulk/bulkApproval.ts';
import { cancelBulk } from '../../shared/bulk/cancelBulk.ts';
import { acceptBulk } from '../../shared/bulk/insertBulk.ts';
import { bulkResponseBody } from '../../shared/bulk/present.ts';
import { readBulkResults, readVisibleBulk } from '../../shared/bulk/queries.ts';
import { dryRunAction, type BulkActionRequest } from '../../shared/bulk/runs.ts';
import {
  acceptedBulkResponse,
  bulkBody,
  bulkOutcomeSchema,
  bulkResponse,
  bulkResultSchema,
  dryRunResponse,
  parseBulkRequest,
  type BulkActionBody,
  type BulkRequest,
} from '../../shared/bulk/schema.ts';
import { undoBulk } from '../../shared/bulk/undoBulk.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { visibleInboxes } from '../../shared/items/filters.ts';
import { bulkOperations } from '../../shared/items/operations/bulkOperations.ts';
import { dryRun } from '../../shared/items/perform/dryRun.ts';
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
} from '../../shared/platform/core/schema.ts';
import { compileCheck } from '../../shared/platform/core/validate.ts';
import { insertSavedResponse, type SavedResponse } from '../../shared/platform/journal/idempotency.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

const exampleBulk = 'blk_01jd0000000000000000000000';
const exampleItem = 'itm_01jd0000000000000000000000';
const nothing = strictObject({});
const checkNothing = compileCheck(nothing);
const idOf = ({ params }: Pick<EndpointCall, 'params'>): string => params['id'] ?? '';

/** Responds with what the bulk would do, for a supervised agent once it is approved. Throws `forbidden` for a read-only agent. */
const dryRunBulk = async (
  { deps, caller: asked, body: { ids }, save }: EndpointCall<unknown, BulkRequest>,
  { operation, requiresApproval }: AuthorizedBulk,
): Promise<ApiResponse> => {
  const caller = { ...asked, principal: withoutSupervision(asked.principal) };
  const readonly = principalModeFault(caller.principal);
  if (readonly !== null) throw readonly;
  const { type, ...members } = operation;
  const known = bulkOperations.get(type);
  const tally =
    known === undefined
      ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked it, and the only type without a bulk operation is `action`
        await dryRunAction(deps, caller, operation as unknown as BulkActionRequest, ids)
      : await dryRun(deps, { caller, operation: known.bind(members), input: null }, ids);
  const would = requiresApproval ? 'pend' : 'run';
  const text = JSON.stringify({ bulk: null, pending: requiresApproval, would, ...tally });
  const saved = save(200, text);
  if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
  return { status: 200, body: text };
};

const create = writeEndpoint({
  path: '/bulk',
  name: 'bulk.create',
  summary: 'Change up to 10,000 items at once, or try out what that would do',
  tag: 'Bulk',
  body: bulkBody,
  responses: { 200: dryRunResponse, 202: acceptedBulkResponse },
  example: { body: { ids: [exampleItem], operation: { type: 'tags', add: ['reviewed'], remove: [] } } },
  audit: { verb: 'bulk.create', target: () => ({ type: 'bulk', id: null }) },
  check: parseBulkRequest,
  handle: async (call): Promise<ApiResponse> => {
    const {
      deps,
      caller,
      session,
      body: { operation, ids, dryRun: dry },
    } = call;
    const save = (text: string): SavedResponse | null => call.save(202, text);
    const supervised = caller.principal.mode === 'supervised';
    const ready =
      operation.type === 'action'
        ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the type `action` has checked it
          authorizeBulkAction(caller, operation as BulkActionBody, session.freshUntil, deps.clock.now())
        : { operation, requiresApproval: supervised };
    if (dry) return dryRunBulk(call, ready);
    const wanted = { operation: ready.operation, ids, undoOf: null, save };
    return {
      status: 202,
      body: await (ready.requiresApproval
        ? requestBulkApproval(deps, caller, wanted)
        : acceptBulk(deps, caller, wanted)),
    };
  },
});

const one = readEndpoint({
  path: '/bulk/:id',
  name: 'bulk.get',
  summary: 'A bulk and how far it is',
  tag: 'Bulk',
  query: strictObject({}),
  responses: { 200: bulkResponse },
  example: { params: { id: exampleBulk } },
  handle: async (call) => ({
    status: 200,
    body: bulkResponseBody(await readVisibleBulk(call.deps.db, call.caller, idOf(call))),
  }),
});

const results = readEndpoint({
  path: '/bulk/:id/results',
  name: 'bulk.results',
  summary: 'What became of each item, in the order in which they were named',
  tag: 'Bulk',
  query: strictObject({
    outcome: Type.Optional(bulkOutcomeSchema),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: { 200: responseObject({ results: Type.Array(bulkResultSchema), cursor: nextCursorSchema }) },
  example: { params: { id: exampleBulk }, query: { outcome: 'failed', limit: 20 } },
  handle: async (call) => {
    const {
      deps,
      caller,
      query: { outcome, cursor: given, limit: size },
    } = call;
    const { env, principal } = caller;
    const bulk = await readVisibleBulk(deps.db, caller, idOf(call));
    const key = `bulk:${JSON.stringify([principal.role?.id, bulk.id, outcome])}`;
    const keys = env.seal.openCursor(key, given) ?? [-1];
    const inboxes = visibleInboxes(caller).map((inbox) => inbox.name);
    const page = await readBulkResults(deps.db, env.id, {
      bulk: bulk.id,
      inboxes,
      outcome,
      after: Number(keys[0]),
      limit: size ?? limits.pageDefault,
    });
    return {
      status: 200,
      body: { results: page.results, cursor: page.next === null ? null : env.seal.cursor(key, [page.next]) },
    };
  },
});

const cancel = writeEndpoint({
  path: '/bulk/:id/cancel',
  name: 'bulk.cancel',
  summary: 'Stop what a bulk has not begun',
  tag: 'Bulk',
  body: nothing,
  bodyOptional: true,
  responses: { 200: bulkResponse },
  example: { params: { id: exampleBulk } },
  audit: { verb: 'bulk.cancel', target: (call) => ({ type: 'bulk', id: idOf(call) }) },
  check: checkNothing,
  handle: async (call) => ({
    status: 200,
    body: await cancelBulk(call.deps, call.caller, idOf(call), (text) => call.save(200, text)),
  }),
});

const undo = writeEndpoint({
  path: '/bulk/:id/undo',
  name: 'bulk.undo',
  summary: 'Give each item that a bulk changed its former value back',
  tag: 'Bulk',
  body: nothing,
  bodyOptional: true,
  responses: { 202: acceptedBulkResponse },
  example: { params: { id: exampleBulk } },
  audit: { verb: 'bulk.undo', target: (call) => ({ type: 'bulk', id: idOf(call) }) },
  check: checkNothing,
  handle: async (call) => ({
    status: 202,
    body: await undoBulk(call.deps, call.caller, idOf(call), (text) => call.save(202, text)),
  }),
});

export const bulkEndpoints: readonly Endpoint[] = [create, one, results, cancel, undo];
