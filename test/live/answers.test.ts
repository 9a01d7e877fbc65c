/** Answers to what clients send on a stream: how many they may ask for, and leave unread. */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { item, newLiveWorld, until, type Api, type LiveWorld, type Subscriber } from './liveWorld.ts';

/** ms between two narrowings: fewer in a second than are refused. */
const narrowEveryMs = 150;

describe('live stream: answers to clients', () => {
  let world: LiveWorld;
  let api: Api;
  let token: string;
  const sockets: Socket[] = [];
  before(async () => {
    world = await newLiveWorld();
    api = await world.api({ graceMs: 10_000 });
    api.server.on('upgrade', (_request, socket: Socket) => sockets.push(socket));
    ({ token } = await world.agent('viewer'));
  });
  afterEach(() => world.hangUp());
  after(() => world.close());

  /** Returns a subscriber, and the socket of its stream, to which nothing is written before `uncork`. */
  const corked = async (): Promise<{ subscriber: Subscriber; socket: Socket }> => {
    const subscriber = await world.listening(api, { token });
    const socket = sockets.at(-1);
    if (socket === undefined) throw new Error('no socket');
    socket.cork();
    return { subscriber, socket };
  };

  it('closes with 4408 who asks for ever more answers and reads none', async () => {
    const inboxes = Array.from({ length: 300 }, (_, i) => ({
      declared: { name: `inbox${String(i)}` },
      retired: false,
      retiredStates: [],
    }));
    const [before] = (await world.db('definitions').where({ env: 1 }).select('definition')) as { definition: object }[];
    await world.db('definitions').where({ env: 1 }).update({ definition: { inboxes } });
    await world.changed();
    await world.known();
    const { subscriber, socket } = await corked();
    const asking = setInterval(() => {
      subscriber.send({ type: 'narrow', types: null });
    }, narrowEveryMs);
    await until('it is cut off', () => api.live.stats().closing === 1, 20_000);
    clearInterval(asking);
    expect(socket.writableLength).to.be.below(512 * 1024);
    socket.uncork();
    expect((await subscriber.closed).code).to.equal(4408);
    expect(subscriber.of('narrowed')).to.have.length.above(1);
    expect([subscriber.of('error'), subscriber.broken]).to.deep.equal([[], []]);
    await world
      .db('definitions')
      .where({ env: 1 })
      .update(before ?? {});
    await world.changed();
    await world.known();
  });

  it('answers who has much to read of the stream itself', async () => {
    const { subscriber, socket } = await corked();
    await world.publish([[item('large', { fields: { text: 'x'.repeat(2_000_000) } })]]);
    await until('it waits', () => socket.writableLength > 2_000_000);
    for (let i = 0; i < 20; i++) subscriber.send({ type: 'ping' });
    subscriber.send({ type: 'narrow', types: ['item'] });
    const waiting = socket.writableLength;
    await until('all are answered', () => socket.writableLength > waiting + 20 * 100);
    socket.uncork();
    await subscriber.next('narrowed');
    expect(subscriber.of('pong')).to.have.length(20);
    expect([subscriber.titles(), subscriber.broken, subscriber.isClosed]).to.deep.equal([['large'], [], false]);
  });

  it('refuses to narrow a stream more than 10 times in a second', async () => {
    const subscriber = await world.listening(api, { token });
    for (let i = 0; i < 21; i++) subscriber.send({ type: 'narrow', types: ['item'] });
    expect((await subscriber.next('error'))['code']).to.equal('rate_limited');
    expect(subscriber.of('narrowed')).to.have.length.within(10, 20);
  });
});
