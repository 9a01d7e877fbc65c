/** Shared set-up of the tests of loosened declarations: an environment of each test's own, whose app registers one manifest after another. */
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'correct horse battery';

export const amount = (limits: object): object => ({
  type: 'object',
  properties: { amount: { type: 'integer', ...limits }, why: { type: 'string' } },
  additionalProperties: false,
});
export const refund = {
  name: 'refund',
  label: 'Refund',
  resource: 'order',
  approval: true,
  danger: 'high',
  freshSignIn: true,
  when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
  input: amount({ minimum: 1, maximum: 100 }),
};
const status = 'record.fields.status';
/** Holds whatever the record is, which no op says by itself. */
export const always = {
  any: [
    { field: status, op: 'eq', value: 'open' },
    { field: status, op: 'ne', value: 'open' },
  ],
};
export const flag = { key: 'beta', kind: 'boolean', default: false, approval: true, danger: 'low' };
export const resources = [
  { name: 'order', source: 'stored' },
  { name: 'customer', source: 'stored' },
];
export const manifestOf = (action: object | null, more: object = {}): object => ({
  resources,
  actions: action === null ? [] : [action],
  flags: [flag],
  ...more,
});

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useLoosenings = () => {
  let world: World;
  let boss: Client;
  let agent: Client;
  let started = 0;
  let envs = 0;
  let app: Client;
  const apps: FakeApp[] = [];

  before(async () => {
    world = await newWorld({ manifest: {} });
  });
  /** Each test has an environment of its own. */
  beforeEach(async () => {
    envs += 1;
    const name = `env${String(envs)}`;
    await world.environment(name, {});
    await world.sql('delete from definitions where env = (select id from environments where name = $1)', [name]);
    const here = { environments: [name] };
    boss = world.elsewhere(await world.person('admin', 'Boss', { fresh: true, password, ...here }), name);
    agent = world.elsewhere(await world.agent('operator', here), name);
    app = await world.appKey(name);
    started = Date.now() - 1_000_000;
  });
  afterEach(() => Promise.all(apps.splice(0).map((one) => one.close())));
  after(() => world.close());

  /** Registers a manifest, as a process that was started after all others unless a time is given; returns the warnings. */
  const register = async (manifest: object, startedAt = (started += 1)): Promise<readonly string[]> => {
    const connected = await connectApp(app, { manifest, startedAt });
    apps.push(connected);
    return connected.registered.warnings;
  };
  const action = async (name = 'refund', client = boss): Promise<Record<string, unknown> | undefined> =>
    (await client.get('/actions?limit=200')).body.actions.find((one: { name: string }) => one.name === name);
  /** The action as it is listed, and the record of each resource that it applies to. */
  const inForce = async (): Promise<unknown> => {
    const refs = resources.map(({ name: resource }) => ({ resource, id: 'r1' }));
    const { available } = (await boss.post('/available', { refs })).body;
    return [
      await action(),
      available.map((one: Reply['body']) => one.actions.map((each: Reply['body']) => each.action)),
    ];
  };
  const loosenings = async (query = ''): Promise<Reply['body'][]> =>
    (await boss.get(`/settings/loosenings${query}`)).body.loosenings;
  const waiting = async (): Promise<string[]> =>
    (await loosenings('?status=waiting')).map(({ on }) => `${on.type} ${on.name} ${on.member}`).sort();
  const decide = (id: string, verb: 'accept' | 'refuse', client = boss): Promise<Reply> =>
    client.post(`/settings/loosenings/${id}/${verb}`);
  const acceptAll = async (): Promise<void> => {
    for (const { id } of await loosenings('?status=waiting')) expect((await decide(id, 'accept')).status).to.equal(200);
  };

  return {
    register,
    action,
    inForce,
    loosenings,
    waiting,
    decide,
    acceptAll,
    get world() {
      return world;
    },
    get boss() {
      return boss;
    },
    get agent() {
      return agent;
    },
    get app() {
      return app;
    },
    get envs() {
      return envs;
    },
    get started() {
      return started;
    },
  };
};
