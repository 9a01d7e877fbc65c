/** The endpoints that change one item, and the one that creates items. */
import { withoutSupervision } from '../../shared/accounts/access/principal.ts';
import { itemSchema } from '../../shared/app/items/members.ts';
import { pendingResponse } from '../../shared/approvals/schema.ts';
import type { Item } from '../../shared/items/model.ts';
import { assignItem } from '../../shared/items/operations/assign.ts';
import { createInput, parseCreateInput } from '../../shared/items/operations/create.ts';
import { noteItem } from '../../shared/items/operations/note.ts';
import { replyToItem, subjectOfReply } from '../../shared/items/operations/reply.ts';
import { setState } from '../../shared/items/operations/setState.ts';
import { snoozeItem } from '../../shared/items/operations/snooze.ts';
import { tagItem } from '../../shared/items/operations/tag.ts';
import { triageItem } from '../../shared/items/operations/triage.ts';
import { updateItem } from '../../shared/items/operations/update.ts';
import { createItem, requireMayCreate } from '../../shared/items/perform/create.ts';
import { findUndo } from '../../shared/items/perform/undo.ts';
import { itemEtag, itemJson } from '../../shared/items/present.ts';
import { pendingResponseBody, requestItemCreation } from '../../shared/items/supervised.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { responseObject } from '../../shared/platform/json/schema.ts';
import { requireKnownRecords } from '../../shared/records/read.ts';
import { prepareRecipient } from '../../shared/replies/recipient.ts';
import { writeEndpoint, type Endpoint } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { changeEndpoint } from './itemChangeEndpoint.ts';

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
    // The records of an app's items may come later.
    if (caller.principal.type !== 'app') {
      const { record, links = [] } = body;
      requireMayCreate({ ...caller, principal: withoutSupervision(caller.principal) }, body);
      const own = record === undefined ? [] : [record];
      const pathOf = (i: number): string => (i < own.length ? 'record' : `links.${String(i - own.length)}`);
      await requireKnownRecords(deps, caller, [...own, ...links], pathOf);
    }
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
  changeEndpoint({
    method: 'patch',
    path: '',
    operation: updateItem,
    summary: 'Change several things of an item at once: all of them or none; or try out what that would do',
    body: { state: 'waiting', tags: { add: ['billing'] }, note: 'Waiting for the bank.' },
    answer: 'changedEntries',
    takesSeen: true,
    dryRun: true,
    require: ({ deps, caller }, { links }) =>
      requireKnownRecords(deps, caller, links?.add ?? [], (i) => `links.add.${String(i)}`),
    replace: async ({ deps, caller, params }, { undo }) =>
      undo === undefined ? null : findUndo(deps, caller, params['id'] ?? '', undo),
  }),
  changeEndpoint({
    path: '/state',
    operation: setState,
    summary: 'Set the state',
    body: { state: 'closed' },
    takesSeen: true,
  }),
  changeEndpoint({
    path: '/assign',
    operation: assignItem,
    summary: 'Assign, or unassign with null',
    body: { assignee: null },
  }),
  changeEndpoint({
    path: '/tags',
    operation: tagItem,
    summary: 'Add and remove tags',
    body: { add: ['billing'], remove: ['new'] },
  }),
  changeEndpoint({
    path: '/snooze',
    operation: snoozeItem,
    summary: 'Snooze until a time, or wake with null',
    body: { until: 4_102_444_800_000 },
  }),
  changeEndpoint({
    path: '/notes',
    operation: noteItem,
    summary: 'Add a note',
    body: { text: 'Refund promised by phone.' },
    status: 201,
    answer: 'entry',
  }),
  changeEndpoint({
    path: '/reply',
    operation: replyToItem,
    summary: 'Send a reply, and set a state or snooze with it; or ask to whom it would go',
    body: { subject: 'Your invoice', text: 'We have corrected it.', then: { state: 'waiting' } },
    status: 202,
    answer: 'reply',
    takesSeen: true,
    dryRun: { text: 'The text, which a dry run may lack.' },
    tellReply: async ({ deps, caller, params }, input) => {
      const texts = [input.subject ?? '', input.text];
      const recipientOf = await prepareRecipient(deps, caller, params['id'] ?? '', texts);
      return (item) => ({ ...recipientOf(item), subject: subjectOfReply(item, input) });
    },
  }),
  changeEndpoint({
    path: '/triage',
    operation: triageItem,
    summary: 'Record triage’s answers',
    body: { answers: { spam: 'no' }, tags: ['billing'] },
    app: true,
  }),
];
