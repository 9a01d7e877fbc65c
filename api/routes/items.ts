/** Reading items: the list, one with everything around it, and its timeline. */
import { blockSchema } from '../../shared/blocks/schema.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { answer, closed, cursor, limit, nextCursor, nullable, Type, by } from '../../shared/platform/core/schema.ts';
import { itemDetail } from '../../shared/views/items/detail.ts';
import { resolveList } from '../../shared/items/filters.ts';
import { countItems } from '../../shared/items/list/count.ts';
import { listItems } from '../../shared/items/list/page.ts';
import { readItems, type Item } from '../../shared/items/model.ts';
import { itemEtag, itemJson, rowJson } from '../../shared/items/present.ts';
import { entrySchema } from '../../shared/items/schema.ts';
import { listQuery } from '../../shared/environments/itemQuery.ts';
import { itemSchema } from '../../shared/blocks/itemSchema.ts';
import { readTimeline } from '../../shared/items/timeline.ts';
import { visibleInbox } from '../../shared/access/gates.ts';
import { read, type Call, type Endpoint } from '../endpoint.ts';

const exampleItem = 'itm_01jd0000000000000000000000';

const list = read({
  path: '/items',
  name: 'item.list',
  summary: 'List items, newest activity first',
  tag: 'Items',
  query: listQuery,
  responses: {
    200: answer({
      items: Type.Array(itemSchema),
      cursor: nextCursor,
      total: Type.Optional(Type.Integer({ description: `With count=1: how many match, exact up to ${String(limits.countExact)}.` })),
      totalIsMinimum: Type.Optional(Type.Literal(true, { description: 'There are more than total says.' })),
    }),
  },
  example: { query: { inbox: 'support', state: 'open', limit: 10 } },
  handle: async ({ deps: { db, clock }, caller, query }) => {
    const { request, key } = resolveList(caller, query, clock.now());
    const { seal } = caller.env;
    const after = seal.openCursor(key, query.cursor);
    if (request === null) return { status: 200, body: `{"items":[],"cursor":null${query.count === undefined ? '' : ',"total":0'}}`, items: true };
    const [{ rows, next }, total] = await Promise.all([
      listItems(db, { ...request, after, limit: query.limit ?? limits.pageDefault }),
      query.count === undefined ? null : countItems(db, request),
    ]);
    const { access } = caller.principal;
    let text = '';
    for (const row of rows) text += text === '' ? rowJson(row, access) : `,${rowJson(row, access)}`;
    const counted = total === null ? '' : total > limits.countExact ? `,"total":${String(limits.countExact)},"totalIsMinimum":true` : `,"total":${String(total)}`;
    return { status: 200, body: `{"items":[${text}],"cursor":${next === null ? 'null' : `"${seal.cursor(key, next)}"`}${counted}}`, items: true };
  },
});

/** The item of the path, when the caller sees it. */
const visibleItem = async ({ deps, caller, params }: Call): Promise<Item> => {
  const id = params['id'] ?? '';
  const item = (await readItems(deps.db, caller.env.id, [id])).get(id);
  if (item === undefined || visibleInbox(caller, item.inbox) === undefined) throw fault('not_found');
  return item;
};

const timelineCursor = ({ env }: Call['caller'], item: string, next: number | null): string | null =>
  next === null ? null : env.seal.cursor(`timeline:${item}`, [next]);

const record = answer({
  resource: Type.String(),
  id: Type.String(),
  title: Type.String(),
  subtitle: nullable(Type.String()),
  fields: Type.Object({}),
  updatedAt: nullable(Type.Integer()),
});

const one = read({
  path: '/items/:id',
  name: 'item.get',
  summary: 'One item with its blocks, linked records, suggested actions, triage’s answers and timeline',
  tag: 'Items',
  query: closed({}),
  responses: {
    200: answer({
      item: itemSchema,
      blocks: Type.Array(blockSchema),
      linked: Type.Array(record),
      suggestedActions: Type.Array(
        answer({ action: Type.String(), label: Type.String(), record: nullable(Type.String()), input: Type.Unknown(), reason: nullable(Type.String()) }),
      ),
      triage: nullable(
        answer({
          answers: Type.Array(answer({ question: Type.String(), answer: Type.Unknown(), by, at: Type.Integer() })),
          closed: Type.Boolean(),
        }),
      ),
      timeline: Type.Array(entrySchema),
      timelineCursor: nextCursor,
      appOffline: Type.Boolean({ description: 'The app is offline, so that what it would add is missing.' }),
    }),
  },
  example: { params: { id: exampleItem } },
  handle: async (call) => {
    const { deps, caller } = call;
    const { env, principal } = caller;
    const item = await visibleItem(call);
    const text = itemJson(item, principal.access);
    const [detail, timeline] = await Promise.all([
      itemDetail(deps, caller, item, JSON.parse(text) as Record<string, unknown>),
      readTimeline(deps.db, env.id, item.id, principal.access, null, limits.timelinePage),
    ]);
    const rest = JSON.stringify({
      blocks: detail.blocks,
      linked: detail.linked,
      suggestedActions: detail.suggestedActions,
      triage: item.triage === null ? null : { answers: item.triage.answers, closed: item.triaged },
      timeline: timeline.entries,
      timelineCursor: timelineCursor(caller, item.id, timeline.next),
      appOffline: detail.appOffline,
    });
    return { status: 200, body: `{"item":${text},${rest.slice(1)}`, etag: itemEtag(item), items: true };
  },
});

const timeline = read({
  path: '/items/:id/timeline',
  name: 'item.timeline',
  summary: 'An item’s timeline, newest first',
  tag: 'Items',
  query: closed({ cursor: Type.Optional(cursor), limit: Type.Optional(limit) }),
  responses: { 200: answer({ entries: Type.Array(entrySchema), cursor: nextCursor }) },
  example: { params: { id: exampleItem }, query: { limit: 20 } },
  handle: async (call) => {
    const item = await visibleItem(call);
    const { env, principal } = call.caller;
    const given = call.query.cursor;
    const keys = env.seal.openCursor(`timeline:${item.id}`, given);
    const before = keys === null ? null : Number(keys[0]);
    const { entries, next } = await readTimeline(call.deps.db, env.id, item.id, principal.access, before, call.query.limit ?? limits.pageDefault);
    return { status: 200, body: { entries, cursor: timelineCursor(call.caller, item.id, next) }, items: true };
  },
});

export const itemEndpoints: readonly Endpoint[] = [list, one, timeline];
