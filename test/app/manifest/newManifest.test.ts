/** A new manifest over an old one: what of a running environment it may not change, and what it tells. */
import { expect } from 'chai';
import { connectApp, type RpcFailed } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { newWorld, type World } from '../../support/world.ts';

describe('a new manifest over an old one', () => {
  let world: World;
  let admin: Client;
  let key: Client;

  const declare = async (states: readonly object[], more: object = {}): Promise<readonly string[]> => {
    const app = await connectApp(key, {
      manifest: { inboxes: [{ name: 'desk', states }], ...more },
      startedAt: Date.now(),
    });
    const { warnings } = app.registered;
    await app.close();
    return warnings;
  };
  const state = (name: string, kind: string): object => ({ name, kind });

  before(async () => {
    world = await newWorld({
      manifest: {
        inboxes: [
          { name: 'desk', states: [state('new', 'open'), state('parked', 'waiting'), state('done', 'closed')] },
        ],
        resources: [{ name: 'customer', source: 'stored' }],
        actions: [{ name: 'ping' }],
        flags: [{ key: 'dark', kind: 'boolean', default: false }],
      },
    });
    admin = await world.agent('admin');
    key = await world.appKey();
    const { item } = (await admin.post('/items', { inbox: 'desk', title: 'x' })).body;
    await admin.post(`/items/${String(item.id)}/state`, { state: 'parked' });
  });
  after(() => world.close());

  it('can’t change the kind of a state that has items, and says what to do instead', async () => {
    const failure = await declare([state('new', 'open'), state('parked', 'closed'), state('done', 'closed')]).then(
      () => null,
      (error: unknown) => error as RpcFailed,
    );
    expect(failure?.data?.problems?.map(({ path }) => path)).to.deep.equal(['inboxes.0.states.1.kind']);
    expect(failure?.data?.problems?.[0]?.message).to.include('another name');
    expect((await admin.get('/inboxes')).body.inboxes[0].states[1]).to.deep.include({
      name: 'parked',
      kind: 'waiting',
    });
  });

  it('can’t do so by way of leaving the state out for a while', async () => {
    const warnings = await declare([state('new', 'open'), state('done', 'closed')], {
      resources: [{ name: 'customer', source: 'stored' }],
      actions: [{ name: 'ping' }],
      flags: [{ key: 'dark', kind: 'boolean', default: false }],
    });
    expect(warnings.join(' ')).to.include('state parked');
    const failure = await declare([state('new', 'open'), state('parked', 'closed')]).then(
      () => null,
      (error: unknown) => error as RpcFailed,
    );
    expect(failure?.data?.problems?.map(({ path }) => path)).to.deep.equal(['inboxes.0.states.1.kind']);
  });

  it('may change the kind of a state that no item is in', async () => {
    expect(
      await declare(
        [state('new', 'open'), state('parked', 'waiting'), state('done', 'waiting'), state('over', 'closed')],
        {
          resources: [{ name: 'customer', source: 'stored' }],
          actions: [{ name: 'ping' }],
          flags: [{ key: 'dark', kind: 'string', default: '' }],
        },
      ),
    ).to.deep.equal([
      'The flag dark was of kind boolean and is of kind string now: it falls back to its default, or to what it was when it was last changed as one.',
    ]);
    const { item } = (await admin.post('/items', { inbox: 'desk', title: 'y' })).body;
    expect((await admin.post(`/items/${String(item.id)}/state`, { state: 'done' })).status).to.equal(200);
  });

  it('tells what goes out of use', async () => {
    const warnings = (await declare([state('new', 'open'), state('parked', 'waiting'), state('done', 'waiting')])).join(
      '\n',
    );
    for (const part of ['state over', 'resource customer is hidden', 'action ping is gone', 'flag dark is hidden'])
      expect(warnings).to.include(part);
  });

  it('leaves an inbox that it does not name readable, without what would bring an item into a state', async () => {
    const { item } = (await admin.post('/items', { inbox: 'desk', title: 'z' })).body;
    const other = await connectApp(key, { manifest: { inboxes: [{ name: 'hall' }] } });
    await other.close();
    const { inboxes } = (await admin.get('/inboxes')).body;
    const canDo = (name: string): string[] =>
      inboxes.find((inbox: { name: string }) => inbox.name === name).can as string[];
    expect(canDo('hall')).to.include.members(['create', 'state']);
    expect(canDo('desk')).to.deep.equal(canDo('hall').filter((verb) => verb !== 'create' && verb !== 'state'));
    expect((await admin.post(`/items/${String(item.id)}/notes`, { text: 'Still here.' })).status).to.equal(201);
    for (const reply of [
      await admin.post('/items', { inbox: 'desk', title: 'x' }),
      await admin.post(`/items/${String(item.id)}/state`, { state: 'done' }),
    ])
      expect([reply.status, reply.body.code]).to.deep.equal([409, 'conflict']);
  });
});
