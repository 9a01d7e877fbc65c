/** What every file of bad inputs starts from: one world, an app, and what must hold after each row. */
import { expect } from 'chai';
import type { FakeApp } from '../../support/app.ts';
import { readDocuments, type Documents } from '../../support/documented.ts';
import type { CallOptions, Client, Reply } from '../../support/http.ts';
import { clerkGrants, testManifest } from '../../support/manifest.ts';
import { head, raw, type RawReply } from '../../support/raw.ts';
import { newWorld, type World } from '../../support/world.ts';

const mailInput = {
  type: 'object',
  additionalProperties: false,
  required: ['email'],
  properties: { email: { type: 'string', minLength: 3 }, copies: { type: 'integer' } },
};

const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [
        { name: 'email', search: true, filter: true },
        { name: 'seats', type: 'number', filter: true, sort: true },
        { name: 'inner' },
      ],
      relations: [
        { name: 'orders', resource: 'order', field: 'customer' },
        { name: 'vaults', resource: 'vault', field: 'customer' },
      ],
    },
    { name: 'order', source: 'stored', fields: [{ name: 'customer', filter: true }] },
    { name: 'payment', source: 'app' },
    { name: 'vault', source: 'stored' },
  ],
  actions: [
    ...testManifest.actions,
    { name: 'erase', label: 'Erase', resource: 'customer', danger: 'high' },
    { name: 'mail', resource: 'customer', input: mailInput },
    { name: 'asked', resource: 'customer', approval: true, input: { type: 'object' } },
    { name: 'fresh', freshSignIn: true },
    { name: 'unlock', resource: 'vault' },
  ],
  pages: [
    { name: 'overview', params: [{ name: 'q' }], blocks: [{ type: 'text', text: 'About {{params.q}}' }] },
    { name: 'strict', params: [{ name: 'must', required: true }], blocks: [] },
  ],
  flags: [
    { key: 'checkout', kind: 'boolean', default: false },
    { key: 'theme', kind: 'string', default: 'plain' },
    { key: 'plan', kind: 'json', default: {} },
  ],
};

type Answer = Pick<Reply, 'status' | 'body' | 'text' | 'headers'>;

// Set by the hooks below, once for each file.
export let world: World;
export let documents: Documents;
export let admin: Client;
export let clerk: Client;
export let boss: Client;
export let origin: string;
export let item: { readonly id: string };
export let bulk: { readonly id: string };
export let run: string;
export let approval: string;
export let app: FakeApp;
/** Of each request; the hook below refuses any of 500 and above. */
export let statuses: number[] = [];

export const noted = <T extends Answer>(reply: T): T => {
  statuses.push(reply.status);
  return reply;
};
export const watched = (client: Client): Client => {
  const call: Client['call'] = async (method, path, body, options) =>
    noted(await client.call(method, path, body, options));
  return {
    ...client,
    call,
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
  };
};
export const bytes = async (...given: Parameters<typeof raw>): Promise<RawReply> => noted(await raw(...given));
/** Returns who may call a POST: a person where agents may not, as rights come before the body. */
export const callerOf = (path: string): Client =>
  /^\/(?:settings|me|sign-in)\/|\/(?:approve|reject|decide|answer)$/.test(path) ? boss : clerk;
export const authorization = (path = '/items'): string => `authorization: Bearer ${callerOf(path).token}`;
export const rawPost = (path: string, body: string | Buffer, ...headers: string[]): Promise<RawReply> =>
  bytes(
    world.port,
    Buffer.concat([
      Buffer.from(
        head(
          `POST /api/env/demo${path} HTTP/1.1`,
          authorization(path),
          `content-length: ${String(Buffer.byteLength(body))}`,
          ...headers,
        ),
      ),
      Buffer.from(body),
    ]),
  );

export const refused = (reply: Answer, status: number | readonly number[], code: string, ...paths: string[]): void => {
  expect(reply.status, reply.text.slice(0, 500)).to.be.oneOf([status].flat());
  expect(reply.body.code).to.equal(code);
  const { error } = reply.body as { error: string | { message: string } };
  expect(typeof error === 'string' ? error : error.message)
    .to.be.a('string')
    .and.match(/\S/);
  if (paths.length > 0)
    expect(
      reply.body.details.map((place: { path: string }) => place.path),
      reply.text,
    ).to.include.members(paths);
};
export const create = (more: object, options?: CallOptions): Promise<Reply> =>
  clerk.post('/items', { inbox: 'mail', title: 'x', ...more }, options);
export const createRaw = (json: string): Promise<Reply> => clerk.post('/items', undefined, { raw: json });
export const change = (verb: string, body: unknown, options?: CallOptions): Promise<Reply> =>
  clerk.post(`/items/${item.id}/${verb}`, body, options);
export const version = async (): Promise<number> => (await admin.get(`/items/${item.id}`)).body.item.version as number;
export const count = async (): Promise<number> =>
  (await world.sql<{ n: number }>('select count(*)::int as n from items'))[0]?.n ?? 0;

export const idOf = (path: string): string =>
  path.startsWith('/bulk')
    ? bulk.id
    : path.startsWith('/runs')
      ? run
      : path.startsWith('/approvals')
        ? approval
        : item.id;
/** Returns how many runs the app received. */
export const done = (): number => app.received.filter(({ method }) => method === 'action.run').length;

/** Every POST of the document with an object that is there, and its documented body; but for the one that ends its caller's session. */
export const posts = (): { path: string; body: unknown; required: boolean; conditional: boolean }[] =>
  documents.operations
    .filter(({ method, path }) => method === 'POST' && path !== '/sign-out')
    .map(({ path, body, parameters }) => ({
      path: path.replace('{resource}', 'customer').replace('{flag}', 'checkout').replace('{id}', idOf(path)),
      body: body?.example,
      required: body?.required ?? false,
      conditional: parameters.some((parameter) => parameter.name === 'if-match'),
    }));

/** The rows of some sections, in a world of their own. */
export const badInputs = (rows: () => void): void => {
  describe('bad inputs', () => {
    before(async () => {
      world = await newWorld({ manifest });
      await world.role('clerk', [
        ...clerkGrants,
        ...['erase', 'mail', 'asked', 'fresh', 'unlock', 'upgrade'].map((name) => ({
          on: `action:${name}`,
          can: ['run'],
        })),
        { on: 'resource:order', can: ['see'] },
        { on: 'resource:payment', can: ['see'] },
        { on: 'page:*', can: ['see'] },
        { on: 'flag:*', can: ['*'] },
      ]);
      await world.environment('staging');
      documents = await readDocuments(world.base);
      origin = new URL(world.base).origin;
      admin = watched(await world.agent('admin'));
      clerk = watched(await world.agent('clerk'));
      boss = watched(await world.person('admin', 'Boss'));
      item = (await create({})).body.item;
      bulk = (await clerk.post('/bulk', { ids: [item.id], operation: { type: 'tags', add: ['seen'], remove: [] } }))
        .body.bulk;
      for (const resource of ['customer', 'order', 'vault'])
        await world.records(resource, [
          { id: 'r1', title: 'One', fields: { email: 'ana@example.com', inner: 'x', seats: 3 } },
        ]);
      await world.records('order', [{ id: 'only_order', title: 'Two' }]);
      app = await world.app({
        'action.run': () => ({ message: 'Done.', blocks: [] }),
        'records.list': () => ({ records: [], cursor: null }),
        'records.search': () => ({ records: [] }),
      });
      run = (await clerk.post('/actions', { action: 'mail', record: 'r1', input: { email: 'ana@example.com' } })).body
        .run;
      approval = (await clerk.post('/actions', { action: 'asked', record: 'r1', input: {} })).body.approval;
      await world.settled();
    });
    after(() => world.close());

    beforeEach(() => {
      statuses = [];
    });
    afterEach('nothing broke', async () => {
      expect(statuses.filter((status) => status >= 500)).to.deep.equal([]);
      expect((await clerk.get('/me')).status).to.equal(200);
      const plain = {} as Record<string, unknown>;
      expect([plain['admin'], plain['x'], plain['constructor'] === Object]).to.deep.equal([undefined, undefined, true]);
    });

    rows();

    it('nothing of all this was audited as done by nobody, and the host still answers', async () => {
      expect((await fetch(`${origin}/health`)).status).to.equal(200);
      const [broken] = await world.sql<{ n: number }>(
        `select count(*)::int as n from events where verb is not null and actor is null and actor_type <> 'system'`,
      );
      expect(broken?.n).to.equal(0);
    });
  });
};
