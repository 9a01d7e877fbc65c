/** The specification of events: what comes over the live stream, and to whom. */
import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { openLive, type Message, type Recorder } from '../support/live.ts';
import { codeOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: live updates and events', () => {
  let shop: ShopWorld;
  let stream: Recorder;
  before(async () => {
    shop = await newShopWorld();
    stream = await openLive(shop.agent);
  });
  after(async () => {
    await stream.close();
    await shop.close();
  });

  const of = (type: string, fits: (message: Message) => boolean): Promise<Message> =>
    stream.next(`${type} is told`, (message) => message.type === type && fits(message));

  it('GET /live upgrades the connection to a WebSocket', async () => {
    expect(stream.socket.readyState).to.equal(stream.socket.OPEN);
    expect(codeOf(await shop.agent.get('/live'))).to.equal('426 upgrade_required');
  });

  it('the live stream tells item changes', async () => {
    const id = await shop.item();
    expect((await of('item', ({ item }) => item.id === id)).change).to.equal('created');
    ok(await shop.agent.post(`/items/${id}/state`, { state: 'closed' }));
    await of('item', ({ change, item }) => change === 'changed' && item.id === id && item.state === 'closed');
  });

  it('the live stream tells timeline events', async () => {
    const id = await shop.item();
    ok(await shop.agent.post(`/items/${id}/notes`, { text: 'Told live.' }), 201);
    const { entry } = await of('timeline', (message) => message.item === id && message.entry.type === 'note');
    expect(entry.data).to.deep.equal({ text: 'Told live.' });
  });

  it('the live stream tells flag changes', async () => {
    ok(await shop.agent.post('/flags/told', { change: { value: true } }));
    expect((await of('flag', ({ flag }) => flag.flag === 'told')).flag.value).to.equal(true);
  });

  it('the live stream tells counts', async () => {
    await shop.item({ inbox: 'slow' });
    await of('counts', (message) => message.inboxes.slow?.total === 1);
  });

  it('the live stream tells what the role can see, and nothing else', async () => {
    const hidden = await shop.item({ inbox: 'secret', title: 'Nobody knows' });
    ok(await shop.admin.post('/flags/banner', { change: { value: true } }));
    const seen = await shop.item();
    await of('item', ({ item }) => item.id === seen);
    const text = JSON.stringify(stream.messages);
    for (const word of [hidden, 'Nobody knows', '"secret"', '"banner"']) expect(text).not.to.include(word);
    const all = await openLive(shop.admin);
    const told = await shop.item({ inbox: 'secret' });
    await all.next('the admin is told', ({ type, item }) => type === 'item' && item.id === told);
    await all.close();
  });

  it('each message of the live stream is JSON and has a type', async () => {
    const texts: string[] = [];
    stream.socket.on('message', (data) => texts.push((data as Buffer).toString()));
    const id = await shop.item();
    await of('item', ({ item }) => item.id === id);
    expect(texts).not.to.deep.equal([]);
    for (const text of texts) expect((JSON.parse(text) as { type: unknown }).type).to.be.a('string');
  });

  it('each message of the live stream is of a known type and carries offset, prev and at', () => {
    const types = [
      'hello',
      'item',
      'timeline',
      'flag',
      'approval',
      'run',
      'bulk',
      'counts',
      'app',
      'narrowed',
      'reset',
    ];
    for (const message of stream.messages) {
      expect(message.type).to.be.oneOf(types);
      expect(message).to.include.all.keys('offset', 'prev', 'at');
    }
  });

  it('the token is presented on the upgrade in the authorization header, as a subprotocol or as a ticket', async () => {
    const { token } = shop.agent;
    const { ticket } = ok(await shop.agent.post('/live/tickets'), 201);
    const address = `${shop.world.base.replace('http', 'ws')}/live`;
    const sockets = [
      new WebSocket(address, { headers: { authorization: `Bearer ${token}` } }),
      new WebSocket(address, ['console.v1', `bearer.${token}`]),
      new WebSocket(`${address}?ticket=${String(ticket)}`),
    ];
    for (const opened of await Promise.all(sockets.map((socket) => once(socket, 'message'))))
      expect(String(opened[0])).to.include(shop.agent.id);
    for (const socket of sockets) socket.close();
    const refused = await once(new WebSocket(address), 'error');
    expect(String(refused[0])).to.include('401');
  });

  it('the live stream is the delivery of events: no webhooks are offered', async () => {
    const response = await fetch(new URL('/openapi.json', shop.world.base));
    expect(await response.json()).not.to.have.property('webhooks');
  });
});
