/** Shared set-up of the tests of items over HTTP: an app with its inboxes, who works there, and the steps that most of them take. */
import { expect } from 'chai';
import { readDocuments } from '../../support/documented.ts';
import type { Client, Reply } from '../../support/http.ts';
import { clerkGrants, testManifest } from '../../support/manifest.ts';
import { newWorld, type World } from '../../support/world.ts';

export const hour = 3_600_000;

const manifest = {
  ...testManifest,
  inboxes: [
    ...testManifest.inboxes,
    {
      name: 'desk',
      reply: { via: 'app' },
      responseTime: hour,
      fields: {
        type: 'object',
        required: ['email'],
        properties: { email: { type: 'string' }, seats: { type: 'integer' } },
        additionalProperties: false,
      },
      blocks: [
        { type: 'text', title: 'From', text: 'From {{item.fields.email}} about {{record.title}}' },
        { type: 'stat', title: 'Seats', value: '{{item.fields.seats}}' },
      ],
      suggest: [
        {
          when: { field: 'record.fields.plan', op: 'eq', value: 'team' },
          action: 'refund',
          input: { to: '{{record.fields.email}}' },
          reason: 'On the team plan.',
        },
        { action: 'unlock', reason: 'Of a resource that clerks do not see.' },
        { action: 'upgrade', reason: 'Not allowed to clerks.' },
        { when: { field: 'item.fields.seats', op: 'gt', value: 100 }, action: 'review' },
      ],
    },
    {
      name: 'oneWay',
      states: [
        { name: 'new', kind: 'open' },
        { name: 'old', kind: 'waiting' },
      ],
      initial: 'new',
      reply: null,
    },
  ],
  actions: [
    { name: 'upgrade', label: 'Upgrade', input: { type: 'object' } },
    { name: 'refund', label: 'Refund', resource: 'customer' },
    { name: 'unlock', label: 'Unlock', resource: 'vault' },
    { name: 'review', label: 'Review' },
  ],
};

const grants = [
  ...clerkGrants,
  { on: 'inbox:desk', can: ['*'] },
  { on: 'inbox:oneWay', can: ['*'] },
  { on: 'action:refund', can: ['run'] },
  { on: 'action:unlock', can: ['run'] },
  { on: 'action:review', can: ['run'] },
];

export interface Entry {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string };
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ItemsWorld {
  readonly world: World;
  readonly admin: Client;
  readonly clerk: Client;
  readonly viewer: Client;
  readonly app: Client;
  readonly ana: Client;
  /** A person who sees none of these inboxes. */
  readonly hidden: Client;
  /** Creates an item in `mail` unless `more` says otherwise, and returns it. */
  make(more?: object, client?: Client): Promise<Reply['body']>;
  change(item: { id: string }, verb: string, body: object, client?: Client): Promise<Reply>;
  /** Makes a change that is accepted, and returns the item. */
  done(item: { id: string }, verb: string, body: object, client?: Client): Promise<Reply['body']>;
  detail(item: { id: string }, client?: Client): Promise<Reply['body']>;
  /** Returns all entries, as who sees everything reads them. */
  timeline(item: { id: string }): Promise<Entry[]>;
  typesOf(item: { id: string }): Promise<string[]>;
}

/** Expects a refusal with these status, code and paths. */
export const refused = (reply: Reply, status: number, code: string, ...paths: string[]): void => {
  expect([reply.status, reply.body.code], reply.text).to.deep.equal([status, code]);
  if (paths.length > 0)
    expect(reply.body.details.map((place: { path: string }) => place.path)).to.include.members(paths);
};

export const openItemsWorld = async (): Promise<ItemsWorld> => {
  const world = await newWorld({ manifest });
  await world.role('clerk', grants);
  await world.role('stranger', [{ on: 'inbox:secret', can: ['see'] }]);
  const documents = await readDocuments(world.base);
  const documented = async (client: Promise<Client>): Promise<Client> => documents.of(await client);
  const admin = await documented(world.agent('admin'));
  const clerk = await documented(world.agent('clerk'));
  const viewer = await documented(world.agent('viewer'));
  const app = await documented(world.appKey());
  const ana = await documented(world.person('clerk', 'Ana Lind'));
  const hidden = await world.person('stranger', 'Hidden Person');
  await world.records('customer', [
    { id: 'c 1/ä', title: 'Ada', fields: { email: 'ada@example.com', plan: 'team' } },
    { id: 'c2', title: 'Bo' },
  ]);
  await world.records('vault', [{ id: 'v1', title: 'Gold' }]);

  let made = 0;
  const make = async (more: object = {}, client = clerk): Promise<Reply['body']> => {
    made += 1;
    const reply = await client.post('/items', { inbox: 'mail', title: `Item ${String(made)}`, ...more });
    expect(reply.status, reply.text).to.be.oneOf([200, 201]);
    return reply.body.item;
  };
  const change = (item: { id: string }, verb: string, body: object, client = clerk): Promise<Reply> =>
    client.post(`/items/${item.id}/${verb}`, body);
  const done = async (item: { id: string }, verb: string, body: object, client = clerk): Promise<Reply['body']> => {
    const reply = await change(item, verb, body, client);
    expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
    return reply.body.item;
  };
  const detail = async (item: { id: string }, client = clerk): Promise<Reply['body']> =>
    (await client.get(`/items/${item.id}`)).body;
  const timeline = async (item: { id: string }): Promise<Entry[]> => (await detail(item, admin)).timeline as Entry[];
  const typesOf = async (item: { id: string }): Promise<string[]> => (await timeline(item)).map((entry) => entry.type);
  return { world, admin, clerk, viewer, app, ana, hidden, make, change, done, detail, timeline, typesOf };
};
