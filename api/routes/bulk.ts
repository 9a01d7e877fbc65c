/** The endpoints of bulks: reading, cancelling and undoing them; bulkCreate.ts accepts them. */
import { listCursors } from '../../shared/accounts/access/listCursors.ts';
import { cancelBulk } from '../../shared/bulk/cancelBulk.ts';
import { bulkResponseBody, presentBulk, seesBulkResource } from '../../shared/bulk/present.ts';
import {
  listBulks,
  readBulkResults,
  readVisibleBulk,
  requireResults,
  seesAbsentItems,
} from '../../shared/bulk/queries.ts';
import {
  acceptedBulkResponse,
  bulkListResponse,
  bulkOutcomeSchema,
  bulkResponse,
  bulkResultSchema,
  bulkStatusSchema,
} from '../../shared/bulk/schema.ts';
import { undoBulk } from '../../shared/bulk/undoBulk.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { visibleInboxes } from '../../shared/items/filters/filters.ts';
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
} from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import { createBulkEndpoint } from './bulkCreate.ts';
import { readEnded, waitQuery } from './readEnded.ts';

const exampleBulk = 'blk_01jd0000000000000000000000';
const nothing = strictObject({});
const checkNothing = compileCheck(nothing);
const idOf = ({ params }: Pick<EndpointCall, 'params'>): string => params['id'] ?? '';

const list = readEndpoint({
  path: '/bulk',
  name: 'bulk.list',
  summary: 'Bulks that you see, newest first',
  tag: 'Bulk',
  query: strictObject({
    status: Type.Optional(bulkStatusSchema),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: { 200: bulkListResponse },
  example: { query: { status: 'running', limit: 20 } },
  handle: async ({ deps, caller, query: { status, cursor: given, limit: size } }) => {
    const { id, access } = caller.principal;
    const cursors = listCursors(caller, 'bulks', [id, access.may('audit', 'see'), status]);
    const keys = cursors.open(given);
    const { bulks, next } = await listBulks(deps, caller, {
      status,
      before: keys === null ? null : String(keys[0]),
      limit: size ?? limits.pageDefault,
    });
    return {
      status: 200,
      body: {
        bulks: bulks.map((bulk) => presentBulk(caller, bulk)),
        cursor: cursors.next(next === null ? null : [next]),
      },
    };
  },
});

const one = readEndpoint({
  path: '/bulk/:id',
  about: 'bulk',
  name: 'bulk.get',
  summary: 'A bulk and how far it is',
  tag: 'Bulk',
  query: waitQuery,
  responses: { 200: bulkResponse },
  example: { params: { id: exampleBulk } },
  handle: async (call) => {
    const id = idOf(call);
    const { found, caller } = await readEnded(call, {
      isAbout: (part) => part.type === 'bulk' && part.bulk.id === id,
      read: (reader) => readVisibleBulk(call.deps, reader, id),
      hasEnded: (bulk) => bulk.finished_at !== null,
    });
    return { status: 200, body: bulkResponseBody(caller, found) };
  },
});

const results = readEndpoint({
  path: '/bulk/:id/results',
  about: 'bulk',
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
    const bulk = await readVisibleBulk(deps, caller, idOf(call));
    requireResults(bulk);
    const cursors = listCursors(caller, 'bulk', [bulk.id, outcome]);
    const keys = cursors.open(given) ?? [-1];
    const inboxes = visibleInboxes(caller).map((inbox) => inbox.name);
    const page = await readBulkResults(deps.db, caller.env.id, {
      bulk: bulk.id,
      inboxes,
      withAbsent: await seesAbsentItems(deps, caller, bulk),
      outcome,
      after: Number(keys[0]),
      limit: size ?? limits.pageDefault,
    });
    // What the app says is about records.
    const { records } = bulk.operation;
    const shown = page.results.map((one) => ({
      id: one.id,
      ...(typeof records === 'string' ? { ref: { resource: records, id: one.id } } : {}),
      outcome: one.outcome,
      error: seesBulkResource(caller, bulk) ? one.error : null,
      code: one.code,
    }));
    return {
      status: 200,
      body: { results: shown, cursor: cursors.next(page.next === null ? null : [page.next]) },
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

export const bulkEndpoints: readonly Endpoint[] = [createBulkEndpoint, list, one, results, cancel, undo];
