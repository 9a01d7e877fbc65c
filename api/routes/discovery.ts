/** The endpoints by which a client finds its way: inboxes and views; and the pages of short lists, for all that have one. */
import type { Caller } from '../../shared/access/principal.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { visibleInboxes } from '../../shared/items/filters.ts';
import {
  cursorSchema,
  describedSchema,
  limitSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
  type TSchema,
} from '../../shared/platform/core/schema.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

export const pageQuerySchema = { cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) };

interface Named {
  readonly name: string;
  readonly id?: string;
  /** Lower ones come first; one digit. */
  readonly group?: number;
}

/** Returns a page of a short list in memory, ordered by group, name and id, and the cursor of the next one, which is valid for `key` only. */
export const paginateByName = <T extends Named>(
  caller: Caller,
  key: string,
  all: readonly T[],
  query: { cursor?: string; limit?: number },
): { page: T[]; cursor: string | null } => {
  const order = ({ name, id, group }: Named): string =>
    `${group === undefined ? '' : String(group)}${name}\n${id ?? ''}`;
  const sorted = [...all].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const after = caller.env.seal.openCursor(key, query.cursor);
  const from = after === null ? sorted : sorted.filter((entry) => order(entry) > String(after[0]));
  const page = from.slice(0, query.limit ?? limits.pageDefault);
  const last = page.at(-1);
  return {
    page,
    cursor: last === undefined || page.length === from.length ? null : caller.env.seal.cursor(key, [order(last)]),
  };
};

export const listResponse = (plural: string, schema: TSchema) =>
  responseObject({ [plural]: Type.Array(schema), cursor: nextCursorSchema });

const state = responseObject({ name: Type.String(), description: describedSchema, kind: Type.String() });

const inboxes = readEndpoint({
  path: '/inboxes',
  name: 'inbox.list',
  summary: 'The inboxes that you see, with their states and what you may do',
  tag: 'Discovery',
  query: strictObject(pageQuerySchema),
  responses: {
    200: listResponse(
      'inboxes',
      responseObject({
        name: Type.String(),
        label: Type.String(),
        description: describedSchema,
        states: Type.Array(state),
        initial: Type.String(),
        transitions: nullable(Type.Record(Type.String(), Type.Array(Type.String()))),
        responseTime: nullable(Type.Integer()),
        fields: Type.Object({}),
        reply: nullable(Type.Object({})),
        can: Type.Array(Type.String()),
      }),
    ),
  },
  example: {},
  handle: async ({ caller, query }) => {
    const { page, cursor: next } = paginateByName(caller, 'inboxes', visibleInboxes(caller), query);
    const list = page.map(
      ({ label, description, states, initial, transitions, responseTime, fields, reply, ...inbox }) => ({
        name: inbox.name,
        label,
        description,
        states: states.map(({ name, description: about = null, kind }) => ({ name, description: about, kind })),
        initial,
        transitions,
        responseTime,
        fields,
        reply: reply === null || reply === undefined ? null : { via: reply.via },
        can: caller.principal.access.inboxVerbs(inbox.name),
      }),
    );
    return { status: 200, body: { inboxes: list, cursor: next } };
  },
});

const views = readEndpoint({
  path: '/views',
  name: 'view.list',
  summary: 'Views: filters of GET /items under a name',
  tag: 'Discovery',
  query: strictObject(pageQuerySchema),
  responses: {
    200: listResponse(
      'views',
      responseObject({
        name: Type.String(),
        label: Type.String(),
        description: describedSchema,
        inbox: nullable(Type.String()),
        state: nullable(Type.String()),
        tags: nullable(Type.String()),
        assignee: nullable(Type.String()),
        search: nullable(Type.String()),
        overdue: nullable(Type.String()),
        triaged: nullable(Type.String()),
        snoozed: nullable(Type.String()),
        sort: nullable(Type.String()),
      }),
    ),
  },
  example: {},
  handle: async ({ caller, query }) => {
    const { access } = caller.principal;
    const seen = [...caller.env.definition.views.values()]
      .filter((view) => view.inbox === undefined || access.sees('inbox', view.inbox))
      .map(
        ({
          name: called,
          label = called,
          description = null,
          inbox = null,
          state: states = null,
          tags = null,
          assignee = null,
          search = null,
          overdue = null,
          triaged = null,
          snoozed = null,
          sort = null,
        }) => ({
          name: called,
          label,
          description,
          inbox,
          state: states,
          tags,
          assignee,
          search,
          overdue,
          triaged,
          snoozed,
          sort,
        }),
      );
    const { page, cursor: next } = paginateByName(caller, 'views', seen, query);
    return { status: 200, body: { views: page, cursor: next } };
  },
});

export const discoveryEndpoints: readonly Endpoint[] = [inboxes, views];
