/** The rate limit: per token, without one per address, exact to one batch, and never a reason to fail. */
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { request, type Client, type Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the rate limit over HTTP', () => {
  let world: World;

  // One request a second, so that nothing comes back while a test runs; bursts of 40, so batches of 2.
  before(async () => {
    world = await newWorld({ env: { RATE_LIMIT: '1', RATE_BURST: '40' }, workers: false });
  });
  after(() => world.close());

  const burst = (client: Client, count: number): Promise<Reply[]> =>
    Promise.all(Array.from({ length: count }, () => client.get('/me')));
  /** Spends the whole allowance; a burst that took a second has left a request. */
  const useUp = async (client: Client): Promise<void> => {
    await burst(client, 60);
    await until('it is refused', async () => (await client.get('/me')).status === 429);
  };
  const allowed = (replies: readonly Reply[]): number => replies.filter((reply) => reply.status === 200).length;

  it('lets a burst through and then answers 429 with retry-after', async () => {
    const replies = await burst(await world.agent('viewer'), 60);
    expect(allowed(replies)).to.be.within(40, 45);
    const denied = replies.find((reply) => reply.status === 429);
    expect(denied?.body).to.include({ code: 'rate_limited' });
    expect(Number(denied?.headers.get('retry-after'))).to.be.at.least(1);
  });

  it('lets a slow caller through for ever: what was used up of an allowance is not a limit', async () => {
    const client = await world.agent('viewer');
    for (let i = 0; i < 30; i++) expect((await client.get('/me')).status, String(i)).to.equal(200);
  });

  it('tells policy and what is left, counting down, on every answer', async () => {
    const client = await world.agent('viewer');
    const left: number[] = [];
    for (let i = 0; i < 5; i++) {
      const reply = await client.get(i === 2 ? '/nosuch' : '/me');
      expect(reply.headers.get('ratelimit-policy')).to.equal('"default";q=40;w=40');
      left.push(Number(/r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]));
    }
    // Each second gives one back.
    left.forEach((count, i) => expect((left[i - 1] ?? 40) - count, String(left)).to.be.oneOf(i === 0 ? [1] : [0, 1]));
    expect(left.at(-1)).to.be.below(39);
    const denied = (await burst(client, 45)).find((reply) => reply.status === 429);
    expect(denied?.headers.get('ratelimit')).to.match(/^"default";r=0;t=\d+$/);
  });

  it('counts each token by itself', async () => {
    const [busy, other] = [await world.agent('viewer'), await world.agent('viewer')];
    await useUp(busy);
    expect((await other.get('/me')).status).to.equal(200);
  });

  it('counts a token over all processes, exact to one batch each', async () => {
    const second = await world.api();
    const client = await world.agent('viewer');
    const replies = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        request('GET', `${i % 2 === 0 ? client.base : second.base('demo')}/me`, undefined, client.token),
      ),
    );
    expect(allowed(replies)).to.be.within(40 - 4, 40 + 4 + 5);
  });

  it('counts refused requests of a token too', async () => {
    const client = await world.agent('viewer');
    await Promise.all(Array.from({ length: 60 }, () => client.get('/items?limit=0')));
    expect((await client.get('/me')).status).to.equal(429);
  });

  const answerOf = (socket: WebSocket): Promise<IncomingMessage> =>
    new Promise((resolve) => {
      for (const name of ['upgrade', 'unexpected-response'] as const)
        socket.once(name, (...given: unknown[]) => {
          resolve(given.at(-1) as IncomingMessage);
        });
      socket.on('error', () => undefined);
    });
  const upgraded = async (client: Client, path: string): Promise<IncomingMessage> => {
    const socket = new WebSocket(client.base.replace('http', 'ws') + path, ['console.v1', 'console-app.v1'], {
      headers: { authorization: `Bearer ${client.token}` },
    });
    const response = await answerOf(socket);
    socket.terminate();
    return response;
  };

  it('counts upgrades of streams and app links, with the token’s requests, and says so in their answers', async () => {
    for (const [client, path] of [
      [await world.agent('viewer'), '/live'],
      [await world.appKey(), '/app'],
    ] as const) {
      const first = await upgraded(client, path);
      expect([first.statusCode, first.headers['ratelimit-policy'], first.headers['ratelimit']]).to.deep.equal([
        101,
        '"default";q=40;w=40',
        '"default";r=39;t=1',
      ]);
      // A busy machine may take long enough between the two for another request to be let through.
      const refused = await until('an upgrade is refused', async () => {
        await burst(client, 60);
        const response = await upgraded(client, path);
        return response.statusCode === 429 && response;
      });
      expect(refused.headers['ratelimit']?.slice(0, 13)).to.equal('"default";r=0');
      expect(Number(refused.headers['retry-after'])).to.be.at.least(1);
    }
  });

  it('fills up again with time', async () => {
    const client = await world.agent('viewer');
    await useUp(client);
    await until('it is let through again', async () => (await client.get('/me')).status === 200, 5_000);
  });

  it('lets requests through rather than refuse them while Redis is away', async () => {
    // Nobody listens on port 1.
    const away = await newWorld({
      env: { RATE_LIMIT: '1', RATE_BURST: '40', REDIS_URL: 'redis://127.0.0.1:1' },
      workers: false,
    });
    try {
      expect(allowed(await burst(await away.agent('viewer'), 60))).to.equal(60);
    } finally {
      await away.close();
    }
  });

  // Last, as it uses up the allowance of this address.
  it('counts requests without a valid token by their address', async () => {
    const replies = await burst(world.nobody(), 60);
    expect(replies.filter((reply) => reply.status === 401).length).to.be.within(40, 45);
    expect(replies.some((reply) => reply.status === 429)).to.equal(true);
    expect((await upgraded({ ...world.nobody(), token: 'cagt_none' }, '/live')).statusCode).to.equal(429);
    expect((await (await world.agent('viewer')).get('/me')).status).to.equal(200);
  });
});
