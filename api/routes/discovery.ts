/** The endpoints by which a client finds its way: the caller, inboxes, views, and the people that items can be assigned to. */
import { findVisibleInbox } from '../../shared/access/gates.ts';
import type { Caller } from '../../shared/access/principal.ts';
import { fault, invalidAt } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { visibleInboxes } from '../../shared/items/filters.ts';
import {
  cursorSchema,
  describedSchema,
  limitSchema,
  nameSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
  type TSchema,
} from '../../shared/platform/core/schema.ts';
import { foldCase } from '../../shared/platform/core/searchWords.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

export const pageQuerySchema = { cursor: Type.Optional(cursorSchema), limit: Type.Optional(limitSchema) };

interface Named {
  readonly name: string;
  readonly id?: string;
}

/** Returns a page of a short list in memory, ordered by name and id, and the cursor of the next one, which is valid for `key` only. */
export const paginateByName = <T extends Named>(
  caller: Caller,
  key: string,
  all: readonly T[],
  query: { cursor?: string; limit?: number },
): { page: T[]; cursor: string | null } => {
  const order = ({ name, id }: Named): string => `${name}\n${id ?? ''}`;
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

const me = readEndpoint({
  path: '/me',
  name: 'me',
  summary: 'Who you are here and what your role grants',
  tag: 'Discovery',
  query: strictObject({}),
  responses: {
    200: responseObject({
      principal: responseObject({
        type: Type.String(),
        id: nullable(Type.String()),
        name: Type.String(),
        mode: Type.String(),
      }),
      role: nullable(
        responseObject({
          id: Type.String(),
          name: Type.String(),
          grants: Type.Array(responseObject({ on: Type.String(), can: Type.Array(Type.String()) })),
        }),
      ),
      environment: Type.String(),
      fresh: Type.Boolean({ description: 'Whether the sign-in is fresh; never for agents.' }),
    }),
  },
  example: {},
  handle: async ({ caller: { env, principal }, session, deps }) => {
    const { type, id, name: called, mode, role } = principal;
    return {
      status: 200,
      body: {
        principal: { type, id, name: called, mode },
        role: role === null ? null : { id: role.id, name: role.name, grants: role.grants },
        environment: env.name,
        fresh: session.freshUntil !== null && session.freshUntil > deps.clock.now(),
      },
    };
  },
});

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

const people = readEndpoint({
  path: '/people',
  name: 'person.list',
  summary: 'The people that items of an inbox can be assigned to',
  tag: 'Discovery',
  query: strictObject({
    ...pageQuerySchema,
    inbox: Type.Optional(nameSchema('Those who can see this inbox; absent: any inbox where you may assign.')),
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.searchMax, description: 'The beginning of a part of the name.' }),
    ),
  }),
  responses: { 200: listResponse('people', responseObject({ id: Type.String(), name: Type.String() })) },
  example: { query: { inbox: 'support' } },
  handle: async ({ deps, caller, query }) => {
    const { access } = caller.principal;
    if (query.inbox !== undefined && findVisibleInbox(caller, query.inbox) === undefined) throw fault('not_found');
    const assignable = visibleInboxes(caller)
      .map((inbox) => inbox.name)
      .filter((inbox) => (query.inbox === undefined || inbox === query.inbox) && access.can('inbox', inbox, 'assign'));
    if (assignable.length === 0) throw fault('forbidden', 'Your role may not assign there.');
    const wanted = query.q === undefined ? null : foldCase(query.q).trim();
    if (wanted !== null && wanted.split(/\s+/u).length > limits.searchWords)
      throw invalidAt('q', `must have at most ${String(limits.searchWords)} words`);
    const found = deps.directory
      .people(caller.env)
      .filter((person) => assignable.some((inbox) => person.access.sees('inbox', inbox)))
      .filter(
        (person) =>
          wanted === null ||
          foldCase(person.name).startsWith(wanted) ||
          foldCase(person.name)
            .split(/\s+/u)
            .some((part) => part.startsWith(wanted)),
      );
    const { page, cursor: next } = paginateByName(caller, `people:${query.inbox ?? ''}:${query.q ?? ''}`, found, query);
    return { status: 200, body: { people: page.map(({ id, name: called }) => ({ id, name: called })), cursor: next } };
  },
});

export const discoveryEndpoints: readonly Endpoint[] = [me, inboxes, views, people];
