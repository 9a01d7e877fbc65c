/** The endpoints that change one item: each row names an operation, which `perform` applies. */
import { pendingResponse } from '../../shared/approvals/schema.ts';
import { itemSchema } from '../../shared/blocks/itemSchema.ts';
import { fault, Fault } from '../../shared/catalogue/errors.ts';
import type { Item } from '../../shared/items/model.ts';
import type { ItemOperation } from '../../shared/items/operation.ts';
import { assignItem } from '../../shared/items/operations/assign.ts';
import { createInput, parseCreateInput } from '../../shared/items/operations/create.ts';
import { noteItem } from '../../shared/items/operations/note.ts';
import { replyToItem } from '../../shared/items/operations/reply.ts';
import { setState } from '../../shared/items/operations/setState.ts';
import { snoozeItem } from '../../shared/items/operations/snooze.ts';
import { tagItem } from '../../shared/items/operations/tag.ts';
import { triageItem } from '../../shared/items/operations/triage.ts';
import { createItem } from '../../shared/items/perform/create.ts';
import { performOperation, type ItemOutcome } from '../../shared/items/perform/perform.ts';
import { itemEtag, itemJson } from '../../shared/items/present.ts';
import { changedItemResponse, entryResponse } from '../../shared/items/schema.ts';
import {
  pendingResponseBody,
  requestItemChange,
  requestItemCreation,
} from '../../shared/items/supervised/requestItemChange.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import { responseObject, Type } from '../../shared/platform/core/schema.ts';
import { insertSavedResponse, type SavedResponse } from '../../shared/platform/journal/idempotency.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

interface ChangeRow<I> {
  readonly verb: string;
  readonly operation: ItemOperation<I>;
  readonly summary: string;
  readonly body: unknown;
  /** The status of a response with an entry instead of `changed`. */
  readonly entry?: 201 | 202;
  readonly app?: boolean;
}

const exampleItem = 'itm_01jd0000000000000000000000';

type PerformedOutcome = Exclude<ItemOutcome, { kind: 'fault' }>;

const bodyOf = (outcome: PerformedOutcome, call: EndpointCall, entry: boolean): string => {
  const item = itemJson(outcome.item, call.caller.principal.access);
  if (!entry) return `{"item":${item},"changed":${String(outcome.kind === 'changed')}}`;
  return `{"item":${item},"entry":${JSON.stringify(outcome.kind === 'changed' ? outcome.entries[0] : null)}}`;
};

/** Adds the item as it is, as far as the role sees it, to a version conflict. */
const withVisibleItem = (failure: Fault, call: EndpointCall): Fault => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is used only for a version conflict, which has the item
  const current = failure.extra.body?.['current'] as Item | undefined;
  if (failure.code !== 'version_conflict' || current === undefined) return failure;
  const visible: unknown = JSON.parse(itemJson(current, call.caller.principal.access));
  return fault('version_conflict', failure.message, {
    body: { current: visible },
    headers: { etag: itemEtag(current) },
  });
};

const changeEndpoint = <I>({ verb, operation, summary, body, entry, app = false }: ChangeRow<I>): Endpoint => {
  const status = entry ?? 200;
  return writeEndpoint<I>({
    path: `/items/:id/${verb}`,
    name: operation.name,
    summary,
    tag: 'Items',
    allowsApp: app,
    conditional: true,
    body: operation.schema,
    responses: {
      [status]: entry === undefined ? changedItemResponse : entryResponse,
      202: entry === 202 ? Type.Union([entryResponse, pendingResponse]) : pendingResponse,
    },
    example: { params: { id: exampleItem }, body },
    audit: { verb: operation.name, target: ({ params }) => ({ type: 'item', id: params['id'] ?? null }) },
    check: operation.check,
    handle: async (call): Promise<ApiResponse> => {
      if (call.caller.principal.mode === 'supervised')
        return requestSupervisedChange(call, operation, entry === undefined);
      const save = (outcome: ItemOutcome): SavedResponse | null =>
        outcome.kind === 'fault'
          ? null
          : call.save(status, bodyOf(outcome, call, entry !== undefined), itemEtag(outcome.item));
      const [outcome] = await performOperation(
        call.deps,
        call.caller,
        operation,
        [call.params['id'] ?? ''],
        call.body,
        {
          ...(call.ifMatch === undefined ? {} : { ifMatch: call.ifMatch }),
          save,
        },
      );
      if (outcome === undefined) throw fault('not_found');
      if (outcome.kind === 'fault') throw await saveRefusal(call, withVisibleItem(outcome.fault, call));
      return { status, body: bodyOf(outcome, call, entry !== undefined), etag: itemEtag(outcome.item), items: true };
    },
  });
};

/** Requests the approval of a supervised agent's change. */
const requestSupervisedChange = async <I>(
  call: EndpointCall<unknown, I>,
  operation: ItemOperation<I>,
  answersChanged: boolean,
): Promise<ApiResponse> => {
  const { deps, caller, params, body, ifMatch, save } = call;
  try {
    const asked = await requestItemChange(
      deps,
      caller,
      { operation, id: params['id'] ?? '', input: body, ifMatch },
      save,
    );
    if ('approval' in asked) return { status: 202, body: pendingResponseBody(asked.approval) };
    const item = itemJson(asked.unchanged, caller.principal.access);
    return {
      status: 200,
      body: answersChanged ? `{"item":${item},"changed":false}` : `{"item":${item},"entry":null}`,
      etag: itemEtag(asked.unchanged),
      items: true,
    };
  } catch (error) {
    throw error instanceof Fault ? withVisibleItem(error, call) : error;
  }
};

/** Saves `422 action_failed` under the idempotency key; every other fault leaves the key unused. */
const saveRefusal = async (call: EndpointCall<unknown, unknown>, failure: Fault): Promise<Fault> => {
  if (failure.code !== 'action_failed') return failure;
  const saved = call.save(failure.status, JSON.stringify({ error: failure.message, code: failure.code }));
  if (saved !== null) await insertSavedResponse(call.deps.db, saved, call.deps.clock.now());
  return failure;
};

/** Returns the inbox that a body names, before the body is checked; else null. */
const inboxNameOfBody = (body: unknown): string | null => {
  const named = isObject(body) ? body['inbox'] : undefined;
  return typeof named === 'string' ? named : null;
};

const create = writeEndpoint({
  path: '/items',
  name: 'item.create',
  summary: 'Create an item, or add an occurrence to the one with the same key',
  tag: 'Items',
  allowsApp: true,
  body: createInput,
  responses: {
    200: responseObject({ item: itemSchema }),
    201: responseObject({ item: itemSchema }),
    202: pendingResponse,
  },
  example: {
    body: {
      inbox: 'support',
      title: 'Invoice charged twice after upgrading',
      data: { email: 'ana@example.com', plan: 'Team' },
      tags: ['billing'],
    },
  },
  audit: { verb: 'item.create', target: ({ body }) => ({ type: 'inbox', id: inboxNameOfBody(body) }) },
  check: (body) => parseCreateInput(body),
  handle: async (call): Promise<ApiResponse> => {
    const { deps, caller, body, save } = call;
    if (caller.principal.mode === 'supervised')
      return { status: 202, body: pendingResponseBody(await requestItemCreation(deps, caller, body, save)) };
    const bodyFor = (item: Item): string => `{"item":${itemJson(item, call.caller.principal.access)}}`;
    const { item, isNew } = await createItem(call.deps, call.caller, call.body, (made) =>
      call.save(made.isNew ? 201 : 200, bodyFor(made.item), itemEtag(made.item)),
    );
    return { status: isNew ? 201 : 200, body: bodyFor(item), etag: itemEtag(item), items: true };
  },
});

export const itemChangeEndpoints: readonly Endpoint[] = [
  create,
  changeEndpoint({ verb: 'state', operation: setState, summary: 'Set the state', body: { state: 'closed' } }),
  changeEndpoint({
    verb: 'assign',
    operation: assignItem,
    summary: 'Assign, or unassign with null',
    body: { assignee: null },
  }),
  changeEndpoint({
    verb: 'tags',
    operation: tagItem,
    summary: 'Add and remove tags',
    body: { add: ['billing'], remove: ['new'] },
  }),
  changeEndpoint({
    verb: 'snooze',
    operation: snoozeItem,
    summary: 'Snooze until a time, or wake with null',
    body: { until: 4_102_444_800_000 },
  }),
  changeEndpoint({
    verb: 'notes',
    operation: noteItem,
    summary: 'Add a note',
    body: { text: 'Refund promised by phone.' },
    entry: 201,
  }),
  changeEndpoint({
    verb: 'reply',
    operation: replyToItem,
    summary: 'Send a reply',
    body: { subject: 'Your invoice', text: 'We have corrected it.' },
    entry: 202,
  }),
  changeEndpoint({
    verb: 'triage',
    operation: triageItem,
    summary: 'Record triage’s answers',
    body: { answers: { spam: 'no' }, tags: ['billing'] },
    app: true,
  }),
];
