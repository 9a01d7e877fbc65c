/** The title of an item's record where the app serves the record: the app says it with its report, and nobody else. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { tablesWith } from '../support/tables.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'stored', source: 'stored' },
    { name: 'served', source: 'app' },
  ],
  inboxes: [{ name: 'mail' }],
};
const served = { resource: 'served', id: 's1' };

describe('the title of a record that the app serves', () => {
  let world: World;
  let admin: Client;
  let key: Client;
  let app: FakeApp;

  before(async () => {
    world = await newWorld({ manifest });
    [admin, key] = [await world.agent('admin'), await world.appKey()];
    app = await world.app({}, { manifest });
    await world.records('stored', [{ id: 'k1', title: 'As it is stored' }]);
  });
  after(() => world.close());

  const titleOf = async (id: string): Promise<unknown> => (await admin.get(`/items/${id}`)).body.item.record.title;
  const made = (reply: Reply): string => {
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.item.id;
  };

  it('comes with a report, over the link and over HTTP, and stands in every answer and message', async () => {
    const live = await openLive(admin);
    const record = { ...served, title: 'Order of Ana' };
    const { item } = await app.request('items.report', { inbox: 'mail', title: 'By the link', record });
    const { item: shown } = await live.next(
      'the item',
      (message) => message.type === 'item' && message.item.id === item,
    );
    expect(shown.record).to.deep.equal(record);
    expect(await titleOf(item)).to.equal('Order of Ana');
    const other = made(await key.post('/items', { inbox: 'mail', title: 'By HTTP', record }));
    expect(await titleOf(other)).to.equal('Order of Ana');
    const { items } = (await admin.get('/items?inbox=mail')).body as { items: { record: unknown }[] };
    expect(items.map((one) => one.record)).to.deep.equal([record, record]);
    const { groups } = (await admin.get('/items/summary?by=record')).body as { groups: { label: unknown }[] };
    expect(groups.map(({ label }) => label)).to.deep.equal(['Order of Ana']);
    await live.close();
  });

  it('is that of the stored record where there is one', async () => {
    const record = { resource: 'stored', id: 'k1', title: 'As the app says' };
    expect(await titleOf(made(await key.post('/items', { inbox: 'mail', title: 'Stored', record })))).to.equal(
      'As it is stored',
    );
    const missing = { resource: 'stored', id: 'k2', title: 'Not yet pushed' };
    expect(await titleOf(made(await key.post('/items', { inbox: 'mail', title: 'Later', record: missing })))).to.equal(
      'Not yet pushed',
    );
  });

  it('is not taken from an agent, nor from a model', async () => {
    const record = { ...served, title: 'Trust me' };
    const details = [{ path: 'record.title', message: 'is taken from the app alone' }];
    const { status, body } = await admin.post('/items', { inbox: 'mail', title: 'No', record });
    expect([status, body.details]).to.deep.equal([400, details]);
    const tool = await callTool(admin, 'create_item', { inbox: 'mail', title: 'No', record });
    expect(tool.status, tool.reply.text).to.equal(400);
    for (const title of ['', 7, 'x'.repeat(501)]) {
      const reply = await key.post('/items', { inbox: 'mail', title: 'No', record: { ...served, title } });
      expect(reply.body.details[0].path).to.equal('record.title');
    }
  });

  it('goes with an erasure of the record, wherever it stands', async () => {
    const record = { resource: 'served', id: 's9', title: 'Zanzibarova herself' };
    const { item } = await app.request('items.report', { inbox: 'mail', title: 'Hello', record });
    await world.settled();
    expect(await tablesWith(world, 'zanzibarova')).to.include('items');
    const boss = await world.person('admin', 'Boss', { fresh: true });
    const { erasure } = (
      await boss.post('/settings/erasures', { record: { resource: 'served', id: 's9' }, confirmed: true })
    ).body;
    await until(
      'all is erased',
      async () => {
        const { erasures } = (await boss.get('/settings/erasures')).body as {
          erasures: { id: string; status: string }[];
        };
        return erasures.find(({ id }) => id === erasure.id)?.status === 'done';
      },
      40_000,
    );
    expect(await tablesWith(world, 'zanzibarova')).to.deep.equal([]);
    expect(await titleOf(item)).to.equal(null);
  });
});
