/** The app's share of an item's detail: its blocks, suggestions and records, none of which the page waits for long or fails by. */
import { expect } from 'chai';
import { connectApp, never, rpcError, type FakeApp, type Handler } from '../support/app.ts';
import { readDocuments } from '../support/documented.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'customer', source: 'stored' },
    { name: 'payment', source: 'app', fields: [{ name: 'status' }] },
    { name: 'vault', source: 'app' },
  ],
  inboxes: [
    {
      name: 'mail',
      blocks: [
        { type: 'text', title: 'Declared', text: '{{item.title}}' },
        { type: 'actions', actions: [{ action: 'ping' }, { action: 'never' }] },
      ],
      suggest: [
        { action: 'retry', when: { field: 'record.fields.status', op: 'eq', value: 'failed' }, reason: 'It failed.' },
      ],
    },
    { name: 'old' },
  ],
  actions: [
    { name: 'ping', label: 'Ping' },
    { name: 'never' },
    { name: 'retry', label: 'Retry', resource: 'payment' },
    { name: 'open', resource: 'vault' },
  ],
};
const grants = [
  { on: 'inbox:*', can: ['*'] },
  { on: 'resource:customer', can: ['see'] },
  { on: 'resource:payment', can: ['see'] },
  ...['ping', 'retry', 'open'].map((action) => ({ on: `action:${action}`, can: ['run'] })),
];

describe('the app’s share of an item’s detail', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let key: Client;
  let app: FakeApp | null = null;
  let id: string;
  let paid: string;

  const connect = async (handlers: Record<string, Handler> = {}, declared: unknown = manifest): Promise<FakeApp> => {
    app = await connectApp(key, { manifest: declared, handlers });
    return app;
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const detail = async (item = id, client = clerk): Promise<any> => {
    const reply = await client.get(`/items/${item}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body;
  };
  const types = (blocks: readonly { type: string; code?: string }[]): string[] =>
    blocks.map(({ type, code }) => code ?? type);

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', grants);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    key = await world.appKey();
    id = (await key.post('/items', { inbox: 'mail', title: 'Plain', links: [{ resource: 'customer', id: 'c1' }] })).body
      .item.id;
    paid = (
      await key.post('/items', {
        inbox: 'mail',
        title: 'Paid',
        record: { resource: 'payment', id: 'p1' },
        links: [
          { resource: 'payment', id: 'p2' },
          { resource: 'vault', id: 'v1' },
        ],
      })
    ).body.item.id;
  });
  afterEach(async () => {
    await app?.close();
    app = null;
    await until('the app is offline', async () => !(await world.deps.link.online(1)));
  });
  after(() => world.close());

  it('is missing while the app is offline, and said so', async () => {
    const { blocks, linked, appOffline, suggestedActions } = await detail();
    expect(types(blocks)).to.deep.equal(['text', 'actions']);
    expect(blocks[1].actions).to.deep.equal([{ action: 'ping', label: 'Ping', record: null, input: {} }]);
    expect(linked.map(({ title }: { title: string }) => title)).to.deep.equal(['c1']);
    expect({ appOffline, suggestedActions }).to.deep.equal({ appOffline: true, suggestedActions: [] });
  });

  it('comes behind what the inbox declares, as the role sees it', async () => {
    const fake = await connect({
      'item.blocks': () => ({
        blocks: [
          { type: 'stat', title: 'Orders', value: 3 },
          { type: 'nonsense' },
          { type: 'record', record: { resource: 'vault', id: 'v1', title: 'Gold' } },
          { type: 'actions', actions: [{ action: 'never' }, { action: 'open', record: 'v1' }] },
        ],
        suggestedActions: [
          { action: 'ping', reason: 'Why not' },
          { action: 'never' },
          { action: 'ghost' },
          { action: 'retry' },
          { action: 'retry', record: 'p9', input: { a: 1 } },
          { action: 'open', record: 'v1' },
          { action: 'ping', reason: 'Again' },
        ],
      }),
    });
    const { blocks, suggestedActions, appOffline, item, latestOccurrence } = await detail();
    expect(types(blocks)).to.deep.equal(['text', 'actions', 'stat', 'app_error', 'actions']);
    expect(blocks[4].actions).to.deep.equal([]);
    expect(suggestedActions).to.deep.equal([
      { action: 'ping', label: 'Ping', record: null, input: {}, reason: 'Why not' },
      { action: 'retry', label: 'Retry', record: 'p9', input: { a: 1 }, reason: null },
    ]);
    expect(appOffline).to.equal(false);
    expect(fake.received.find(({ method }) => method === 'item.blocks')?.params).to.deep.equal({
      item,
      latestOccurrence,
    });
  });

  it('tells the app of the whole item, whatever its reader sees of it', async () => {
    await world.role('reader', [{ on: 'inbox:mail', can: ['see'] }]);
    const fake = await connect({ 'item.blocks': () => ({}) });
    const { item } = await detail(paid, await world.agent('reader'));
    expect(item.record).to.equal(null);
    expect(fake.received.find(({ method }) => method === 'item.blocks')?.params.item.record).to.deep.include({
      resource: 'payment',
      id: 'p1',
    });
  });

  it('brings linked records that the app serves, which conditions can speak of', async () => {
    const fake = await connect({
      'item.blocks': () => null,
      'records.get': ({ ids }) => ({
        records: (ids as string[])
          .filter((one) => one === 'p1')
          .map((one) => ({ id: one, title: 'Payment 1', fields: { status: 'failed' } })),
      }),
    });
    const { linked, suggestedActions, appOffline } = await detail(paid);
    expect(linked).to.deep.equal([
      {
        resource: 'payment',
        id: 'p1',
        title: 'Payment 1',
        subtitle: null,
        fields: { status: 'failed' },
        updatedAt: null,
      },
      { resource: 'payment', id: 'p2', title: 'p2', subtitle: null, fields: {}, updatedAt: null },
    ]);
    expect(suggestedActions).to.deep.equal([
      { action: 'retry', label: 'Retry', record: 'p1', input: {}, reason: 'It failed.' },
    ]);
    expect(appOffline).to.equal(false);
    expect(fake.received.filter(({ method }) => method === 'records.get').map(({ params }) => params)).to.deep.equal([
      { resource: 'payment', ids: ['p1', 'p2'] },
    ]);
  });

  it('is nothing where the app has nothing to add: no handler, or an instance that doesn’t know the inbox', async () => {
    await connect({
      'item.blocks': () => {
        throw rpcError(-32601, 'There is no such method.');
      },
    });
    expect([types((await detail()).blocks), (await detail()).appOffline]).to.deep.equal([['text', 'actions'], false]);
    await app?.close();
    const old = await admin.post('/items', { inbox: 'old', title: 'x' });
    const fake = await connect({}, { ...manifest, inboxes: manifest.inboxes.slice(0, 1) });
    const { blocks, appOffline } = await detail(old.body.item.id);
    expect([blocks, appOffline]).to.deep.equal([[], false]);
    expect(fake.received.filter(({ method }) => method === 'item.blocks')).to.deep.equal([]);
    await fake.close();
    await connect();
  });

  it('is an error block when the app fails or answers nonsense, and the rest stands', async () => {
    const fake = await connect();
    const nonsense: readonly (readonly [Handler, readonly string[]])[] = [
      [
        () => {
          throw rpcError(-32603, 'secret inside');
        },
        ['app_error'],
      ],
      [() => ({ blocks: 'x' }), ['app_error']],
      [() => ({ blocks: [null, 7] }), ['app_error', 'app_error']],
      [() => ({ blocks: [{ type: 'text', text: 'a' }], suggestedActions: [{ action: 7 }] }), ['text', 'app_error']],
      [() => ({ suggestedActions: 'x' }), ['app_error']],
      [() => ({ suggestedActions: Array.from({ length: 51 }, () => ({ action: 'ping' })) }), ['app_error']],
      [() => ({ suggestedActions: [{ action: 'constructor' }, { action: '__proto__' }] }), []],
      [() => null, []],
      [() => 7, []],
      [() => [], []],
      [() => ({ blocks: null, suggestedActions: null }), []],
    ];
    for (const [handler, wanted] of nonsense) {
      fake.handle('item.blocks', handler);
      const { blocks, suggestedActions } = await detail();
      expect(types(blocks).slice(2)).to.deep.equal(wanted);
      expect(suggestedActions).to.deep.equal([]);
      expect(JSON.stringify(blocks)).not.to.include('secret');
    }
  });

  it('is an error block when the app doesn’t answer, and linked records are known by their references', async () => {
    await connect({ 'item.blocks': never, 'records.get': never });
    const { blocks, linked, appOffline } = await detail(paid);
    expect(types(blocks)).to.deep.equal(['text', 'actions', 'app_timeout']);
    expect(linked.map(({ title }: { title: string }) => title)).to.deep.equal(['p1', 'p2']);
    expect(appOffline).to.equal(false);
  });

  it('is offline when the connection breaks while it is asked', async () => {
    const fake = await connect({
      'item.blocks': () => {
        fake.kill();
        return never();
      },
    });
    const { blocks, appOffline } = await detail();
    expect([types(blocks), appOffline]).to.deep.equal([['text', 'actions'], true]);
  });
});
