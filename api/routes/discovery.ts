/** The endpoints by which a client finds its way: inboxes and views, and the state of the app; and the pages of short lists, for all that have one. */
import { listCursors } from '../../shared/accounts/access/listCursors.ts';
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { eachEdited } from '../../shared/app/items/members.ts';
import type { InboxDefinition } from '../../shared/app/manifest/definition.ts';
import type { ManifestView } from '../../shared/app/manifest/manifest.ts';
import { claimsSchema, unseenSchema } from '../../shared/app/manifest/manifestParts.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { visibleInboxes } from '../../shared/items/filters/filters.ts';
import { declaredNames } from '../../shared/items/filters/listFilters.ts';
import { isVisibleView } from '../../shared/items/filters/views.ts';
import {
  type TSchema,
  cursorSchema,
  describedSchema,
  limitSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
} from '../../shared/platform/json/schema.ts';
import { type Endpoint, readEndpoint } from '../endpoint.ts';

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
  const cursors = listCursors(caller, key);
  const after = cursors.open(query.cursor);
  const from = after === null ? sorted : sorted.filter((entry) => order(entry) > String(after[0]));
  const page = from.slice(0, query.limit ?? limits.pageDefault);
  const last = page.at(-1);
  return {
    page,
    cursor: cursors.next(last === undefined || page.length === from.length ? null : [order(last)]),
  };
};

export const listResponse = (plural: string, schema: TSchema) =>
  responseObject({ [plural]: Type.Array(schema), cursor: nextCursorSchema });

const state = responseObject({
  name: Type.String({ description: 'Name.' }),
  description: describedSchema,
  kind: Type.String({ description: 'open, waiting or closed.' }),
});

export const inboxSchema = responseObject({
  name: Type.String({ description: 'Name.' }),
  label: Type.String({ description: 'Label.' }),
  description: describedSchema,
  states: Type.Array(state, { description: 'States.' }),
  initial: Type.String({ description: 'The state of a new item.' }),
  transitions: nullable(
    Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'The states in reach of each; null: all.',
    }),
  ),
  priorities: Type.Array(Type.String(), { description: 'Priorities, the most urgent first.' }),
  responseTime: nullable(Type.Integer({ description: 'How soon a response is due, in ms; null: never.' })),
  fields: Type.Object({}, { description: 'JSON Schema of its items’ fields.' }),
  reasonRequired: Type.Boolean({ description: 'Whether changes of its items need a reason.' }),
  claims: claimsSchema,
  unseen: unseenSchema,
  reply: nullable(
    responseObject(
      { via: Type.Union([Type.Literal('app'), Type.Literal('smtp')], { description: 'Via.' }) },
      { description: 'How replies are sent; null: not at all.' },
    ),
  ),
  can: Type.Array(Type.String(), { description: 'What you may do here.' }),
});

/** Verbs that put an item into a state; a retired inbox refuses both. */
const enteringVerbs: ReadonlySet<string> = new Set(['create', 'state']);

const usableVerbs = (
  { principal: { access } }: Caller,
  { name, retired }: Pick<InboxDefinition, 'name' | 'retired'>,
): readonly string[] => access.inboxVerbs(name).filter((verb) => !retired || !enteringVerbs.has(verb));

const viewTime = (description: string) =>
  nullable(Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` }));
const viewFilter = (description: string) => nullable(Type.String({ description }));

export const viewSchema = responseObject({
  name: Type.String({ description: 'Name.' }),
  label: Type.String({ description: 'Label.' }),
  description: describedSchema,
  inbox: viewFilter('The inbox.'),
  state: viewFilter('States, comma-separated.'),
  tags: viewFilter('Tags, comma-separated.'),
  assignee: viewFilter('A person’s id, me or none.'),
  record: viewFilter('A record, as `<resource>:<id>`.'),
  createdAfter: viewTime('Created at this time or later'),
  createdBefore: viewTime('Created before this time'),
  seenAfter: viewTime('Last seen at this time or later'),
  seenBefore: viewTime('Last seen before this time'),
  search: viewFilter('Words of the title.'),
  q: viewFilter('Words of any of its texts.'),
  fields: nullable(Type.Object({}, { description: 'Values of fields, by their names.' })),
  ...eachEdited((_, { plural }) => viewFilter(`${plural}, comma-separated.`)),
  overdue: viewFilter('1: only these.'),
  triaged: viewFilter('1: only these; 0: the others.'),
  snoozed: viewFilter('1: only these; 0: the others.'),
  sort: viewFilter('The order.'),
});

const inboxes = readEndpoint({
  path: '/inboxes',
  name: 'inbox.list',
  summary: 'The inboxes that you see, with their states and what you may do',
  tag: 'Discovery',
  query: strictObject(pageQuerySchema),
  responses: {
    200: listResponse('inboxes', inboxSchema),
  },
  example: {},
  handle: async ({ caller, query }) => {
    const { page, cursor: next } = paginateByName(caller, 'inboxes', visibleInboxes(caller), query);
    const list = page.map(
      ({
        label,
        description,
        states,
        initial,
        transitions,
        priorities,
        responseTime,
        fields,
        reasonRequired,
        claims,
        unseen,
        reply,
        ...inbox
      }) => ({
        name: inbox.name,
        label,
        description,
        states: states.map(({ name, description: about = null, kind }) => ({ name, description: about, kind })),
        initial,
        transitions,
        priorities,
        responseTime,
        fields,
        reasonRequired,
        claims,
        unseen,
        reply: reply === null || reply === undefined ? null : { via: reply.via },
        can: usableVerbs(caller, inbox),
      }),
    );
    return { status: 200, body: { inboxes: list, cursor: next } };
  },
});

/** Returns the filters of a view by names that inboxes declare, with those that the caller's inboxes have. */
const visibleNames = (caller: Caller, view: ManifestView): object => {
  const inboxes = visibleInboxes(caller);
  return Object.fromEntries(
    declaredNames.flatMap(([filter, namesOf]) => {
      const names = view[filter]?.split(',').filter((name) => namesOf(inboxes).has(name));
      return names === undefined ? [] : [[filter, names.join(',')]];
    }),
  );
};

const views = readEndpoint({
  path: '/views',
  name: 'view.list',
  summary: 'Views: filters of GET /items under a name',
  tag: 'Discovery',
  query: strictObject(pageQuerySchema),
  responses: {
    200: listResponse('views', viewSchema),
  },
  example: {},
  handle: async ({ caller, query }) => {
    const seen = [...caller.env.definition.views.values()]
      .filter((view) => isVisibleView(caller, view))
      .map((view) => ({
        ...Object.fromEntries(Object.keys(viewSchema.properties).map((member) => [member, null])),
        label: view.name,
        ...view,
        ...visibleNames(caller, view),
      }));
    const { page, cursor: next } = paginateByName(caller, 'views', seen, query);
    return { status: 200, body: { views: page, cursor: next } };
  },
});

export const discoveryEndpoints: readonly Endpoint[] = [inboxes, views];

const app: Endpoint = {
  ...readEndpoint({
    path: '/app',
    name: 'app.open',
    summary: 'The link of the customer’s app; open it as a WebSocket with an app key',
    tag: 'App',
    query: strictObject({}),
    responses: { 101: null },
    example: {},
    handle: ({ caller: { principal } }) =>
      Promise.reject(
        principal.type === 'app'
          ? fault('upgrade_required', undefined, { headers: { upgrade: 'websocket', connection: 'upgrade' } })
          : fault('forbidden'),
      ),
  }),
  allowsApp: true,
};

export const appEndpoints: readonly Endpoint[] = [app];
