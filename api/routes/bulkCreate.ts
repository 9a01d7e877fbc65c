/** The endpoint that accepts bulks: by ids or by a query, at once or as a request for an approval; and their dry runs. */
import { type Caller, principalModeFault, withoutSupervision } from '../../shared/accounts/access/principal.ts';
import { requestBulkApproval } from '../../shared/bulk/bulkApproval.ts';
import { matchBulkQuery } from '../../shared/bulk/bulkQuery.ts';
import { type AuthorizedBulk, authorizeBulkAction, overRecords, dryRunAction } from '../../shared/bulk/dryRunAction.ts';
import { acceptBulk } from '../../shared/bulk/insertBulk.ts';
import type { BulkActionRequest } from '../../shared/bulk/runs.ts';
import {
  acceptedBulkResponse,
  bulkBody,
  dryRunResponse,
  parseBulkRequest,
  type BulkActionBody,
  type BulkRequest,
} from '../../shared/bulk/schema.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { requireKnown, visibleInboxes } from '../../shared/items/filters/filters.ts';
import { statesOf } from '../../shared/items/inboxRules.ts';
import type { RecordRef } from '../../shared/items/model.ts';
import { bulkOperations } from '../../shared/items/operations/bulkOperations.ts';
import { dryRun, type DryRunCounts } from '../../shared/items/perform/dryRun.ts';
import { insertSavedResponse } from '../../shared/platform/journal/changeWriter.ts';
import type { SavedResponse } from '../../shared/platform/journal/idempotency.ts';
import { requireKnownRecords } from '../../shared/records/read.ts';
import { writeEndpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

const exampleItem = 'itm_01jd0000000000000000000000';

type BulkCall = EndpointCall<unknown, BulkRequest>;

/** Returns the counts of a bulk of an action. Throws `too_broad` when not all of its records can be read in time. */
const dryRunActionBulk = async (
  { deps, body, signal }: BulkCall,
  caller: Caller,
  operation: BulkActionRequest,
  ids: readonly string[],
): Promise<DryRunCounts> => {
  const ended = signal();
  const tally = await dryRunAction(deps, caller, operation, { ids, signal: ended });
  if (tally !== null) return tally;
  if (ended.aborted) throw fault('unavailable');
  throw fault('too_broad', 'The records of so many items can’t be read in time; try it with fewer.', {
    details: [{ path: body.refs !== null ? 'refs' : body.ids === null ? 'query' : 'ids', message: 'name fewer items' }],
  });
};

/** Responds with what the bulk would do, for a supervised agent once it is approved. Throws `forbidden` for a read-only agent. */
const dryRunBulk = async (
  call: BulkCall,
  { operation, requiresApproval }: AuthorizedBulk,
  ids: readonly string[],
): Promise<ApiResponse> => {
  const { deps, caller: asked, save } = call;
  const caller = { ...asked, principal: withoutSupervision(asked.principal) };
  const readonly = principalModeFault(caller.principal);
  if (readonly !== null) throw readonly;
  const { type, ...members } = operation;
  const known = bulkOperations.get(type);
  const tally =
    known === undefined
      ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has checked it, and the only type without a bulk operation is `action`
        await dryRunActionBulk(call, caller, operation as unknown as BulkActionRequest, ids)
      : await dryRun(deps, { caller, operation: known.bind(members), input: null }, ids);
  const would = requiresApproval ? 'pend' : 'run';
  const text = JSON.stringify({ bulk: null, pending: requiresApproval, would, ...tally });
  const saved = save(200, text);
  if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
  return { status: 200, body: text };
};

/** Throws `invalid` for a state that no inbox has which the caller sees: each item would fail for it. */
const requireKnownState = ({ caller, body: { operation } }: BulkCall): void => {
  const { type, state } = operation as Readonly<Record<string, unknown>>;
  if (type === 'state' && typeof state === 'string')
    requireKnown(statesOf(visibleInboxes(caller)), [state], 'operation.state');
};

/** Throws `invalid` for links to records that don't exist or that the caller doesn't see. */
const requireKnownLinks = ({ deps, caller, body: { operation } }: BulkCall): Promise<void> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the only operation with `links` has checked it
  const { add = [] } = (operation['links'] ?? {}) as { add?: readonly RecordRef[] };
  return requireKnownRecords(deps, caller, add, (i) => `operation.links.add.${String(i)}`);
};

/** Returns the ids of the request, of items or of records, or those that its query matches now. */
const readIds = async ({ deps, caller, session, body }: BulkCall): Promise<readonly string[]> =>
  body.refs?.map(({ id }) => id) ??
  body.ids ??
  matchBulkQuery(deps.reads.of(caller.principal.id ?? session.credential), caller, {
    query: body.query,
    expect: body.expect,
    now: deps.clock.now(),
  });

export const createBulkEndpoint = writeEndpoint<BulkRequest>({
  path: '/bulk',
  // Small bulks have a queue of their own, and a large one need not slow others down.
  foreground: false,
  name: 'bulk.create',
  fresh: 'byAction',
  summary: 'Change up to 100,000 items at once, by their ids or by a query, or try out what that would do',
  tag: 'Bulk',
  body: bulkBody,
  takesLargeBody: true,
  responses: { 200: dryRunResponse, 202: acceptedBulkResponse },
  example: { body: { ids: [exampleItem], operation: { type: 'tags', add: ['reviewed'], remove: [] } } },
  audit: { verb: 'bulk.create', target: () => ({ type: 'bulk', id: null }) },
  check: parseBulkRequest,
  handle: async (call): Promise<ApiResponse> => {
    const {
      deps,
      caller,
      session,
      body: { operation, refs, dryRun: dry },
    } = call;
    const save = (text: string): SavedResponse | null => call.save(202, text);
    const supervised = caller.principal.mode === 'supervised';
    const allowed =
      operation.type === 'action'
        ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the type `action` has checked it
          authorizeBulkAction(caller, operation as BulkActionBody, session.freshUntil, deps.clock.now())
        : { operation, requiresApproval: supervised };
    const ready = refs === null ? allowed : { ...allowed, operation: overRecords(caller, allowed.operation, refs) };
    requireKnownState(call);
    await requireKnownLinks(call);
    const ids = await readIds(call);
    if (dry) return dryRunBulk(call, ready, ids);
    const wanted = {
      operation: ready.operation,
      ids,
      areNamed: call.body.ids !== null || refs !== null,
      undoOf: null,
      save,
    };
    return {
      status: 202,
      body: await (ready.requiresApproval && ids.length > 0
        ? requestBulkApproval(deps, caller, wanted)
        : // Nothing is changed by a bulk without items, so that a supervised agent's waits for nobody.
          acceptBulk(
            deps,
            ids.length > 0 ? caller : { ...caller, principal: withoutSupervision(caller.principal) },
            wanted,
          )),
    };
  },
});
