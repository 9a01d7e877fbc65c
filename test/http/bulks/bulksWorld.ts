/** Shared set-up of the tests of bulks over HTTP: inboxes and actions to run bulks on, who asks for them, and the steps that most of them take. */
import { expect } from 'chai';
import { readDocuments } from '../../support/documented.ts';
import type { CallOptions, Client, Reply } from '../../support/http.ts';
import { clerkGrants, testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld } from '../../support/world.ts';

export const hour = 3_600_000;
export const unknown = 'itm_01jd0000000000000000000000';

const manifest = {
  ...testManifest,
  inboxes: [
    ...testManifest.inboxes,
    {
      name: 'oneWay',
      states: [
        { name: 'new', kind: 'open' },
        { name: 'old', kind: 'waiting' },
      ],
      transitions: { new: ['old'], old: [] },
    },
  ],
  actions: [
    ...testManifest.actions,
    { name: 'ping' },
    { name: 'refund', resource: 'customer', danger: 'high' },
    { name: 'greet', resource: 'customer' },
    { name: 'sign', resource: 'customer', freshSignIn: true },
    { name: 'forbidden', resource: 'customer' },
    { name: 'unlock', resource: 'vault' },
  ],
};
const grants = [
  ...clerkGrants,
  { on: 'inbox:oneWay', can: ['*'] },
  ...['ping', 'refund', 'greet', 'sign', 'unlock'].map((name) => ({ on: `action:${name}`, can: ['run'] })),
];

export interface Result {
  readonly id: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly code: string | null;
}

export const refused = (reply: Reply, status: number, code: string, ...paths: string[]): void => {
  expect([reply.status, reply.body.code], reply.text).to.deep.equal([status, code]);
  if (paths.length > 0) expect(reply.body.details.map((place: { path: string }) => place.path)).to.deep.equal(paths);
};

export const openBulksWorld = async () => {
  const world = await newWorld({ manifest });
  await world.role('clerk', grants);
  await world.role('auditor', [
    { on: 'audit', can: ['see'] },
    { on: 'inbox:mail', can: ['see'] },
  ]);
  const documents = await readDocuments(world.base);
  const documented = async (client: Promise<Client>): Promise<Client> => documents.of(await client);
  const admin = await documented(world.agent('admin'));
  const clerk = await documented(world.agent('clerk'));
  const viewer = await documented(world.agent('viewer'));
  const ana = await documented(world.person('clerk', 'Ana Lind'));
  let made = 0;
  const make = async (more: object = {}, client = admin): Promise<Reply['body']> => {
    made += 1;
    const reply = await client.post('/items', { inbox: 'mail', title: `Item ${String(made)}`, ...more });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.item;
  };
  const many = (count: number, more: object = {}): Promise<Reply['body'][]> =>
    Promise.all(Array.from({ length: count }, () => make(more)));
  /** Copies of one item: a thousand calls would take longer than all the rest. */
  const copies = async (count: number): Promise<string[]> => {
    const { id } = await make();
    await world.sql(
      `insert into items select c.* from items i, generate_series(1, $2::int) n,
      jsonb_populate_record(i, jsonb_build_object('id', left(i.id, 20) || lpad(n::text, 10, '0'))) c where i.id = $1`,
      [id, count],
    );
    return (
      await world.sql<{ id: string }>('select id from items where id like $1', [`${(id as string).slice(0, 20)}00%`])
    ).map((row) => row.id);
  };
  const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);
  const ask = (
    ids: readonly unknown[],
    operation: unknown,
    client = clerk,
    options: CallOptions = {},
  ): Promise<Reply> => client.post('/bulk', { ids, operation }, options);
  const finished = (id: string, client = admin): Promise<Reply['body']> =>
    until(`${id} is finished`, async () => {
      const { status, text, body } = await client.get(`/bulk/${id}`);
      expect(status, text).to.equal(200);
      return body.bulk.finishedAt === null ? null : body.bulk;
    });
  const run = async (ids: readonly string[], operation: unknown, client = clerk): Promise<Reply['body']> => {
    const reply = await ask(ids, operation, client);
    expect(reply.status, reply.text).to.equal(202);
    return finished(reply.body.bulk.id, client);
  };
  const undo = async (id: string, client = clerk): Promise<Reply['body']> => {
    const reply = await client.post(`/bulk/${id}/undo`);
    expect(reply.status, reply.text).to.equal(202);
    return finished(reply.body.bulk.id);
  };
  const results = async (id: string, query = '', client = clerk): Promise<Result[]> =>
    (await client.get(`/bulk/${id}/results?limit=200${query}`)).body.results;
  const outcomes = async (id: string): Promise<string[]> => (await results(id)).map(({ outcome }) => outcome);
  const read = async ({ id }: { id: string }): Promise<Reply['body']> => (await admin.get(`/items/${id}`)).body;
  const item = async (one: { id: string }): Promise<Reply['body']> => (await read(one)).item;

  return {
    world,
    admin,
    clerk,
    viewer,
    ana,
    make,
    many,
    copies,
    idsOf,
    ask,
    finished,
    run,
    undo,
    results,
    outcomes,
    read,
    item,
  };
};

export type BulksWorld = Awaited<ReturnType<typeof openBulksWorld>>;
