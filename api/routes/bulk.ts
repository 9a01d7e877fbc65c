/** Bulk operations: asked for, watched, cancelled and undone. */
import { limits } from '../../shared/catalogue/limits.ts';
import { acceptBulk } from '../../shared/bulk/accept.ts';
import { readyAction } from '../../shared/bulk/actions.ts';
import { tryAction, type BulkAction } from '../../shared/bulk/runs.ts';
import { acceptPending } from '../../shared/bulk/pending.ts';
import { cancelBulk } from '../../shared/bulk/cancel.ts';
import { bulkText } from '../../shared/bulk/present.ts';
import { readResults, visibleBulk } from '../../shared/bulk/queries.ts';
import { acceptedBulkAnswer, bulkAnswer, bulkBody, checkBulk, dryRunAnswer, outcomeSchema, resultSchema, type ActionOperation, type BulkRequest } from '../../shared/bulk/schema.ts';
import { undoBulk } from '../../shared/bulk/undo.ts';
import { answer, closed, cursor, limit, nextCursor, Type } from '../../shared/platform/core/schema.ts';
import { compile } from '../../shared/platform/core/validate.ts';
import { visibleInboxes } from '../../shared/items/filters.ts';
import { dryRun } from '../../shared/items/perform/dryRun.ts';
import { keepAnswer } from '../../shared/platform/journal/answers.ts';
import { repeatables } from '../../shared/items/operations/registry.ts';
import type { SavedAnswer } from '../../shared/platform/journal/answers.ts';
import { read, write, type Call, type Endpoint } from '../endpoint.ts';
import type { Answer } from '../answer.ts';

const exampleBulk = 'blk_01jd0000000000000000000000';
const exampleItem = 'itm_01jd0000000000000000000000';
const nothing = closed({});
const checkNothing = compile(nothing);
const idOf = ({ params }: Pick<Call, 'params'>): string => params['id'] ?? '';

const tryOut = async ({ deps, caller, body: { ids, operation }, save }: Call<unknown, BulkRequest>): Promise<Answer> => {
  const { type, ...members } = operation;
  const known = repeatables.get(type);
  const tally = known === undefined
    ? await tryAction(deps, caller, operation as unknown as BulkAction, ids)
    : await dryRun(deps, { caller, operation: known.bind(members), input: null }, ids);
  const text = JSON.stringify({ bulk: null, ...tally });
  const saved = save(200, text);
  if (saved !== null) await keepAnswer(deps.db, saved, deps.clock.now());
  return { status: 200, body: text };
};

const create = write({
  path: '/bulk',
  name: 'bulk.create',
  summary: 'Change up to 10,000 items at once, or try out what that would do',
  tag: 'Bulk',
  body: bulkBody,
  responses: { 200: dryRunAnswer, 202: acceptedBulkAnswer },
  example: { body: { ids: [exampleItem], operation: { type: 'tags', add: ['reviewed'], remove: [] } } },
  audit: { verb: 'bulk.create', target: () => ({ type: 'bulk', id: null }) },
  check: checkBulk,
  handle: async (call): Promise<Answer> => {
    const { deps, caller, session, body: { operation, ids, dryRun: dry } } = call;
    const save = (text: string): SavedAnswer | null => call.save(202, text);
    const supervised = caller.principal.mode === 'supervised';
    const ready = operation.type === 'action'
      ? readyAction(caller, operation as ActionOperation, session.freshUntil, deps.clock.now())
      : { operation, pending: supervised };
    if (dry) return tryOut(call);
    const wanted = { operation: ready.operation, ids, undoOf: null, save };
    return { status: 202, body: await (ready.pending ? acceptPending(deps, caller, wanted) : acceptBulk(deps, caller, wanted)) };
  },
});

const one = read({
  path: '/bulk/:id',
  name: 'bulk.get',
  summary: 'A bulk and how far it is',
  tag: 'Bulk',
  query: closed({}),
  responses: { 200: bulkAnswer },
  example: { params: { id: exampleBulk } },
  handle: async (call) => ({ status: 200, body: bulkText(await visibleBulk(call.deps.db, call.caller, idOf(call))) }),
});

const results = read({
  path: '/bulk/:id/results',
  name: 'bulk.results',
  summary: 'What became of each item, in the order in which they were named',
  tag: 'Bulk',
  query: closed({ outcome: Type.Optional(outcomeSchema), cursor: Type.Optional(cursor), limit: Type.Optional(limit) }),
  responses: { 200: answer({ results: Type.Array(resultSchema), cursor: nextCursor }) },
  example: { params: { id: exampleBulk }, query: { outcome: 'failed', limit: 20 } },
  handle: async (call) => {
    const { deps, caller, query: { outcome, cursor: given, limit: size } } = call;
    const { env, principal } = caller;
    const bulk = await visibleBulk(deps.db, caller, idOf(call));
    const key = `bulk:${JSON.stringify([principal.role?.id, bulk.id, outcome])}`;
    const keys = env.seal.openCursor(key, given) ?? [-1];
    const inboxes = visibleInboxes(caller).map((inbox) => inbox.name);
    const page = await readResults(deps.db, env.id, { bulk: bulk.id, inboxes, outcome, after: Number(keys[0]), limit: size ?? limits.pageDefault });
    return { status: 200, body: { results: page.results, cursor: page.next === null ? null : env.seal.cursor(key, [page.next]) } };
  },
});

const cancel = write({
  path: '/bulk/:id/cancel',
  name: 'bulk.cancel',
  summary: 'Stop what a bulk has not begun',
  tag: 'Bulk',
  body: nothing,
  bodyOptional: true,
  responses: { 200: bulkAnswer },
  example: { params: { id: exampleBulk } },
  audit: { verb: 'bulk.cancel', target: (call) => ({ type: 'bulk', id: idOf(call) }) },
  check: checkNothing,
  handle: async (call) => ({ status: 200, body: await cancelBulk(call.deps, call.caller, idOf(call), (text) => call.save(200, text)) }),
});

const undo = write({
  path: '/bulk/:id/undo',
  name: 'bulk.undo',
  summary: 'Give each item that a bulk changed its former value back',
  tag: 'Bulk',
  body: nothing,
  bodyOptional: true,
  responses: { 202: acceptedBulkAnswer },
  example: { params: { id: exampleBulk } },
  audit: { verb: 'bulk.undo', target: (call) => ({ type: 'bulk', id: idOf(call) }) },
  check: checkNothing,
  handle: async (call) => ({ status: 202, body: await undoBulk(call.deps, call.caller, idOf(call), (text) => call.save(202, text)) }),
});

export const bulkEndpoints: readonly Endpoint[] = [create, one, results, cancel, undo];
