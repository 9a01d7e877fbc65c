/** The endpoints of saved views: filters of item lists that people keep under a name, for themselves or shared. */
import { requirePerson } from '../../shared/accounts/access/principal.ts';
import { listSavedViews, ownerOf, type SavedView } from '../../shared/items/filters/savedView.ts';
import {
  type ViewChange,
  type SavedViewInput,
  type SavedViewPatch,
  deleteView,
  saveView,
  updateView,
  savedViewInput,
  savedViewPatch,
  savedViewSchema,
} from '../../shared/items/savedViews.ts';
import type { Tx } from '../../shared/platform/db/knex.ts';
import { insertSavedResponse } from '../../shared/platform/journal/changeWriter.ts';
import { responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { channels, type EphemeralMessage } from '../../shared/platform/redis/bus.ts';
import { readEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

const tag = 'Items';
const id = 'viw_01jd0000000000000000000000';
const target = ({ params }: Pick<EndpointCall, 'params'>) => ({ type: 'view', id: params['id'] ?? null });
const viewResponse = responseObject({ view: savedViewSchema });
const noBody = strictObject({});

const presentView = (view: SavedView): object => {
  const { owner: _owner, ownerName: _ownerName, ...rest } = view;
  return { ...rest, owner: ownerOf(view) };
};

/** Writes a change in one transaction with its saved response, and tells those who see the view. */
const runViewChange = async (
  call: EndpointCall,
  status: 200 | 201 | 204,
  work: (tx: Tx, at: number) => Promise<ViewChange>,
): Promise<ApiResponse> => {
  const { deps, caller, save } = call;
  const at = deps.clock.now();
  const bodyOf = ({ view }: ViewChange): object | undefined =>
    status === 204 ? undefined : { view: presentView(view) };
  const done = await deps.db.transaction(async (tx) => {
    const change = await work(tx, at);
    const body = bodyOf(change);
    const saved = save(status, body === undefined ? '' : JSON.stringify(body));
    if (saved !== null) await insertSavedResponse(tx, saved, at);
    return change;
  });
  if (done.part !== null) {
    const message: EphemeralMessage = { kind: 'passing', at, part: done.part };
    deps.bus.publish(channels.live(caller.env.id), JSON.stringify(message));
  }
  return { status, body: bodyOf(done) };
};

const list = readEndpoint({
  path: '/me/views',
  name: 'view.saved',
  summary: 'Your saved views, and the shared ones of others that you see',
  tag,
  query: strictObject({}),
  responses: { 200: responseObject({ views: Type.Array(savedViewSchema, { description: 'Views.' }) }) },
  example: {},
  authorize: requirePerson,
  handle: async ({ deps, caller }) => ({
    status: 200,
    body: { views: (await listSavedViews(deps.db, caller)).map(presentView) },
  }),
});

const create = writeEndpoint<SavedViewInput>({
  path: '/me/views',
  name: 'view.create',
  summary: 'Save filters of GET /items and an order under a name, for yourself or shared',
  tag,
  body: savedViewInput,
  responses: { 201: viewResponse },
  example: { body: { name: 'Late', query: { overdue: true } } },
  audit: { verb: 'view.create', target },
  check: compileCheck(savedViewInput),
  authorize: requirePerson,
  handle: (call) => runViewChange(call, 201, (tx, at) => saveView(tx, call.caller, call.body, at)),
});

const update = writeEndpoint<SavedViewPatch>({
  method: 'patch',
  path: '/me/views/:id',
  name: 'view.update',
  summary: 'Change, share or rename a saved view of yours',
  tag,
  body: savedViewPatch,
  responses: { 200: viewResponse },
  example: { params: { id }, body: { shared: true } },
  audit: { verb: 'view.update', target },
  check: compileCheck(savedViewPatch),
  authorize: requirePerson,
  handle: (call) => {
    const { caller, params, body: patch } = call;
    return runViewChange(call, 200, (tx, at) => updateView(tx, caller, { id: params['id'] ?? '', patch, at }));
  },
});

const remove = writeEndpoint({
  method: 'delete',
  path: '/me/views/:id',
  name: 'view.delete',
  summary: 'Delete a saved view of yours; who manages settings deletes shared ones too',
  tag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { params: { id }, body: {} },
  audit: { verb: 'view.delete', target },
  check: compileCheck(noBody),
  authorize: requirePerson,
  handle: (call) => runViewChange(call, 204, (tx, at) => deleteView(tx, call.caller, call.params['id'] ?? '', at)),
});

export const savedViewEndpoints: readonly Endpoint[] = [list, create, update, remove];
