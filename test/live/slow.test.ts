/** Subscribers that read slowly or not at all. */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { channels } from '../../shared/platform/redis/bus.ts';
import { bulk, item, newLiveWorld, until, type LiveWorld, type Subscriber } from './liveWorld.ts';

const fat = (name: string): object[] => [item(name, { fields: { text: 'x'.repeat(20_000) } })];

describe('live stream: slow readers', () => {
  let world: LiveWorld;
  let token: string;
  before(async () => {
    world = await newLiveWorld();
    ({ token } = await world.agent('viewer'));
  });
  afterEach(() => world.hangUp());
  after(() => world.close());

  it('cuts off one that never reads with 4408, and the others do not notice', async () => {
    const api = await world.api({ stallMs: 2_000, graceMs: 10_000 });
    const stuck = await world.listening(api, { token });
    const other = await world.listening(api, { token });
    stuck.ws.pause();
    for (let i = 0; i < 40; i++)
      await world.publish(Array.from({ length: 20 }, (_, j) => fat(`${String(i)}.${String(j)}`)));
    await until('the other has all', () => other.titles().length === 800, 30_000);
    await until('it is cut off', () => api.live.stats().closing === 1);
    expect(api.live.stats().sessions).to.equal(1);
    stuck.ws.resume();
    expect((await stuck.closed).code).to.equal(4408);
    expect(stuck.titles().length).to.be.lessThan(800);
    expect([other.broken, other.isClosed]).to.deep.equal([[], false]);
    expect(stuck.broken).to.deep.equal([]);
    await api.stop();
  });

  it('lets one that reads slowly have everything', async () => {
    const api = await world.api();
    const slow = await world.listening(api, { token });
    // A little each 100 ms: much less than what comes.
    const breathe = setInterval(() => {
      slow.ws.resume();
      slow.ws.once('message', () => {
        slow.ws.pause();
      });
    }, 100);
    for (let i = 0; i < 75; i++)
      await world.publish(Array.from({ length: 20 }, (_, j) => fat(`${String(i)}.${String(j)}`)));
    await until('it is behind', () => api.live.stats().behind === 1);
    const read = slow.titles().length;
    await until('it has read some more, slowly', () => slow.titles().length >= read + 30, 30_000);
    expect(api.live.stats()).to.deep.equal({ sessions: 1, behind: 1, closing: 0 });
    clearInterval(breathe);
    slow.ws.resume();
    await until('it has everything', () => slow.titles().length === 1500, 40_000);
    expect(slow.titles()).to.deep.equal(
      Array.from({ length: 1500 }, (_, i) => `${String(Math.floor(i / 20))}.${String(i % 20)}`),
    );
    await until('it is in step again', () => api.live.stats().behind === 0);
    await world.publish([[item('live again')]]);
    await until('the next', () => slow.titles().at(-1) === 'live again');
    expect(slow.broken).to.deep.equal([]);
    expect(slow.isClosed).to.equal(false);
    await api.stop();
  });

  it('passes a message by that is too large for who has not read the last one, and goes on', async () => {
    const api = await world.api();
    const sockets: Socket[] = [];
    api.server.on('upgrade', (_request, socket: Socket) => sockets.push(socket));
    const { token, id } = await world.agent('viewer');
    const query = '?types=bulk';
    const slow = await world.listening(api, { token, query });
    const other = await world.listening(api, { token, query });
    const [socket] = sockets;
    if (socket === undefined) throw new Error('no socket');
    const tell = (done: number, text = ''): void => {
      const part = bulk(id, done);
      Object.assign(part['bulk'] as object, { text });
      world.publisher?.bus.publish(channels.live(1), JSON.stringify({ kind: 'passing', at: Date.now(), part }));
    };
    const told = ({ messages }: Subscriber): unknown[] =>
      messages.filter(({ type }) => type !== 'hello').map((message) => (message['bulk'] as { done: number }).done);
    socket.cork();
    tell(1);
    await until('the first waits', () => socket.writableLength > 0);
    // A stream that can't get past a session looks at its socket again and again: the error ends that.
    let looks = 0;
    Object.defineProperty(socket, 'writableNeedDrain', {
      get: () => {
        looks += 1;
        if (looks > 1_000) throw new Error('The socket is looked at without end.');
        return false;
      },
    });
    for (const [done, text] of [
      [2, 'x'.repeat(1_100_000)],
      [3, ''],
    ] as const) {
      tell(done, text);
      await until('the other has it', () => told(other).at(-1) === done);
    }
    socket.uncork();
    await until('the last', () => told(slow).at(-1) === 3);
    expect([told(slow), told(other)]).to.deep.equal([
      [1, 3],
      [1, 2, 3],
    ]);
    expect([slow.broken, other.broken]).to.deep.equal([[], []]);
    await api.stop();
  });

  it('ends a connection that answers no pings', async () => {
    const api = await world.api({ pingMs: 400 });
    const deaf = await world.listening(api, { token });
    const well = await world.listening(api, { token });
    deaf.ws.pause();
    await until('one is left', () => api.live.stats().sessions === 1);
    await until('some pings more', async () => {
      await new Promise((go) => well.ws.once('ping', go));
      return true;
    });
    expect(well.isClosed).to.equal(false);
    deaf.ws.resume();
    expect((await deaf.closed).code).to.equal(1006);
    await api.stop();
  });
});
