/** The endpoints that read items: the list, one with its blocks, its timeline and its occurrences. */
import { listCursors } from '../../shared/accounts/access/listCursors.ts';
import { findVisibleInbox } from '../../shared/accounts/access/principal.ts';
import { blockSchema } from '../../shared/app/blocks/schema.ts';
import { itemSchema } from '../../shared/app/items/members.ts';
import { itemListQuery } from '../../shared/app/manifest/itemQuery.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { resolveItemList } from '../../shared/items/filters/filters.ts';
import { countItems } from '../../shared/items/list/count.ts';
import { listItems } from '../../shared/items/list/page.ts';
import { readItems, type Item } from '../../shared/items/model.ts';
import { occurrenceJson, occurrenceSchema, readOccurrences } from '../../shared/items/occurrences/occurrences.ts';
import { itemEtag, itemJson, itemRowJson } from '../../shared/items/present.ts';
import { entrySchema } from '../../shared/items/schema.ts';
import { sealSeen } from '../../shared/items/seen.ts';
import { readTimeline } from '../../shared/items/timeline.ts';
import { archivedMember } from '../../shared/platform/journal/pastEvents.ts';
import {
  actorSchema,
  archivedBeforeSchema,
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
} from '../../shared/platform/json/schema.ts';
import { recordSchema } from '../../shared/records/schema.ts';
import { readItemDetail, readStoredDetail } from '../../shared/views/items/detail.ts';
import { readEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';

const exampleItem = 'itm_01jd0000000000000000000000';

const list = readEndpoint({
  path: '/items',
  standby: true,
  name: 'item.list',
  summary: 'List items, newest activity first',
  tag: 'Items',
  query: itemListQuery,
  responses: {
    200: responseObject({
      items: Type.Array(itemSchema),
      cursor: nextCursorSchema,
      total: Type.Optional(
        Type.Integer({ description: `With count=1: how many match, exact up to ${String(limits.countExact)}.` }),
      ),
      totalIsMinimum: Type.Optional(Type.Literal(true, { description: 'There are more than total says.' })),
    }),
  },
  example: { query: { inbox: 'support', state: 'open', limit: 10 } },
  handle: async ({ deps: { db, clock }, caller, query }) => {
    const { request, key } = await resolveItemList(db, caller, query, clock.now());
    const { seal } = caller.env;
    const after = seal.openCursor(key, query.cursor);
    if (request === null)
      return {
        status: 200,
        body: `{"items":[],"cursor":null${query.count === undefined ? '' : ',"total":0'}}`,
        items: true,
      };
    const [{ rows, next }, total] = await Promise.all([
      listItems(db, { ...request, after, limit: query.limit ?? limits.pageDefault }),
      query.count === undefined ? null : countItems(db, request),
    ]);
    const { access } = caller.principal;
    let text = '';
    for (const row of rows) text += text === '' ? itemRowJson(row, access) : `,${itemRowJson(row, access)}`;
    const counted =
      total === null
        ? ''
        : total > limits.countExact
          ? `,"total":${String(limits.countExact)},"totalIsMinimum":true`
          : `,"total":${String(total)}`;
    return {
      status: 200,
      body: `{"items":[${text}],"cursor":${next === null ? 'null' : `"${seal.cursor(key, next)}"`}${counted}}`,
      items: true,
    };
  },
});

/** Returns what was found of the item that the path names. Throws `404 not_found` unless the caller sees the item. */
const requireSeen = <F extends { readonly item: Item }>(caller: EndpointCall['caller'], found: F | null): F => {
  if (found === null || findVisibleInbox(caller, found.item.inbox) === undefined) throw fault('not_found');
  return found;
};

const visibleItem = async ({ deps, caller, params }: EndpointCall): Promise<Item> => {
  const [item] = (await readItems(deps.db, caller.env.id, [params['id'] ?? ''])).values();
  return requireSeen(caller, item === undefined ? null : { item }).item;
};

const timelineCursors = (caller: EndpointCall['caller'], item: string) => listCursors(caller, 'timeline', [item]);
const timelineCursor = (caller: EndpointCall['caller'], item: string, next: number | null): string | null =>
  timelineCursors(caller, item).next(next === null ? null : [next]);

export const suggestedActionSchema = responseObject({
  action: Type.String({ description: 'The action.' }),
  label: Type.String({ description: 'Label.' }),
  record: nullable(Type.String({ description: 'The record to run it on.' })),
  input: Type.Unknown({ description: 'What to begin its input with.' }),
  reason: nullable(Type.String({ description: 'Why it is suggested.' })),
});

const one = readEndpoint({
  path: '/items/:id',
  about: 'item',
  name: 'item.get',
  summary:
    'One item with its blocks, linked records, suggested actions, triage’s answers, latest occurrence and timeline',
  tag: 'Items',
  query: strictObject({}),
  responses: {
    200: responseObject({
      item: itemSchema,
      blocks: Type.Array(blockSchema, { description: 'What the app shows beside it.' }),
      linked: Type.Array(recordSchema, { description: 'Linked records that you see.' }),
      suggestedActions: Type.Array(suggestedActionSchema, { description: 'Actions that may help.' }),
      triage: nullable(
        responseObject(
          {
            answers: Type.Array(
              responseObject({
                question: Type.String({ description: 'The question.' }),
                answer: Type.Unknown({ description: 'The answer.' }),
                by: actorSchema,
                at: Type.Integer({ description: 'When it was answered (milliseconds since 1970 UTC).' }),
              }),
              { description: 'Each question with its answer.' },
            ),
            closed: Type.Boolean({ description: 'Whether triage closed the item.' }),
          },
          { description: 'What triage found; null: nothing.' },
        ),
      ),
      latestOccurrence: nullable(occurrenceSchema),
      timeline: Type.Array(entrySchema, { description: 'The newest entries, newest first.' }),
      timelineCursor: nextCursorSchema,
      seen: Type.String({
        description: 'What you have read of it: send it with a reply, a state change or an action.',
      }),
      archivedBefore: Type.Optional(archivedBeforeSchema),
      appOffline: Type.Boolean({ description: 'Whether the app is offline and its part missing.' }),
    }),
  },
  example: { params: { id: exampleItem } },
  handle: async (call) => {
    const { deps, caller, params } = call;
    const { env, principal } = caller;
    const stored = requireSeen(caller, await readStoredDetail(deps, env.id, params['id'] ?? ''));
    const { item, latestOccurrence, entries: known, newestEvent } = stored;
    const text = itemJson(item, principal.access);
    const [detail, timeline] = await Promise.all([
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that itemJson wrote
      readItemDetail(deps, caller, stored, JSON.parse(text) as Record<string, unknown>),
      readTimeline(deps, env.id, principal.access, { item: item.id, before: null, limit: limits.timelinePage, known }),
    ]);
    const rest = JSON.stringify({
      blocks: detail.blocks,
      linked: detail.linked,
      suggestedActions: detail.suggestedActions,
      triage: item.triage === null ? null : { answers: item.triage.answers, closed: item.triaged },
      latestOccurrence,
      timeline: timeline.entries,
      timelineCursor: timelineCursor(caller, item.id, timeline.next),
      seen: sealSeen(caller, item.id, { event: newestEvent, at: deps.clock.now() }),
      ...archivedMember(deps.directory.past(), { next: timeline.next, since: item.createdAt }),
      appOffline: detail.appOffline,
    });
    return { status: 200, body: `{"item":${text},${rest.slice(1)}`, etag: itemEtag(item), items: true };
  },
});

const timeline = readEndpoint({
  path: '/items/:id/timeline',
  about: 'item',
  standby: true,
  name: 'item.timeline',
  summary: 'An item’s timeline, newest first',
  tag: 'Items',
  query: strictObject({ cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) }),
  responses: {
    200: responseObject({
      entries: Type.Array(entrySchema),
      cursor: nextCursorSchema,
      archivedBefore: Type.Optional(archivedBeforeSchema),
    }),
  },
  example: { params: { id: exampleItem }, query: { limit: 20 } },
  handle: async (call) => {
    const item = await visibleItem(call);
    const { env, principal } = call.caller;
    const keys = timelineCursors(call.caller, item.id).open(call.query.cursor);
    const before = keys === null ? null : Number(keys[0]);
    const limit = call.query.limit ?? limits.pageDefault;
    const { entries, next } = await readTimeline(call.deps, env.id, principal.access, { item: item.id, before, limit });
    const archived = archivedMember(call.deps.directory.past(), { next, since: item.createdAt });
    const cursor = timelineCursor(call.caller, item.id, next);
    return { status: 200, body: { entries, cursor, ...archived }, items: true };
  },
});

/** Returns the place after which a page begins, from its cursor. */
const openOccurrenceCursor = (cursors: ReturnType<typeof listCursors>, given: string | undefined) => {
  const keys = cursors.open(given);
  return keys === null ? null : { at: Number(keys[0]), id: String(keys[1]), listed: Number(keys[2]) };
};

const occurrences = readEndpoint({
  path: '/items/:id/occurrences',
  about: 'item',
  standby: true,
  name: 'item.occurrences',
  summary: 'What each report of an item brought, newest first; its creation is the first one',
  tag: 'Items',
  query: strictObject({ cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) }),
  responses: { 200: responseObject({ occurrences: Type.Array(occurrenceSchema), cursor: nextCursorSchema }) },
  example: { params: { id: exampleItem }, query: { limit: 20 } },
  handle: async (call) => {
    const item = await visibleItem(call);
    const { env } = call.caller;
    const cursors = listCursors(call.caller, 'occurrences', [item.id]);
    const page = await readOccurrences(call.deps.db, env.id, item, {
      keep: env.definition.inboxes.get(item.inbox)?.onOccurrence.keep ?? null,
      after: openOccurrenceCursor(cursors, call.query.cursor),
      limit: call.query.limit ?? limits.pageDefault,
    });
    const { next } = page;
    const cursor = cursors.next(next === null ? null : [next.at, next.id, next.listed]);
    const body = `{"occurrences":[${page.occurrences.map(occurrenceJson).join(',')}],"cursor":${JSON.stringify(cursor)}}`;
    return { status: 200, body, items: true };
  },
});

const batch = readEndpoint({
  path: '/items/batch',
  about: 'item',
  name: 'item.batch',
  summary: 'Several items by their ids, in that order; what you can’t see is left out',
  tag: 'Items',
  query: strictObject({
    ids: Type.Array(Type.String({ minLength: 1, description: 'An item.' }), {
      minItems: 1,
      maxItems: limits.itemsPerBatch,
      description: `Ids, 1 to ${String(limits.itemsPerBatch)} (comma-separated).`,
    }),
  }),
  responses: { 200: responseObject({ items: Type.Array(itemSchema) }) },
  example: { query: { ids: `${exampleItem},itm_01jd0000000000000000000001` } },
  handle: async ({ deps, caller, query: { ids } }) => {
    const found = await readItems(deps.db, caller.env.id, ids);
    const texts = [...new Set(ids)].flatMap((id) => {
      const item = found.get(id);
      return item === undefined || findVisibleInbox(caller, item.inbox) === undefined
        ? []
        : [itemJson(item, caller.principal.access)];
    });
    return { status: 200, body: `{"items":[${texts.join(',')}]}`, items: true };
  },
});

// The router takes the first row that fits a path.
export const itemEndpoints: readonly Endpoint[] = [list, batch, one, timeline, occurrences];
