/** The rate limit: per token, without one per address, exact to one batch, and never a reason to fail. */
import { expect } from 'chai';
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

  const burst = (client: Client, count: number): Promise<Reply[]> => Promise.all(Array.from({ length: count }, () => client.get('/me')));
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
    expect(left).to.deep.equal([39, 38, 37, 36, 35]);
    const denied = (await burst(client, 45)).find((reply) => reply.status === 429);
    expect(denied?.headers.get('ratelimit')).to.match(/^"default";r=0;t=\d+$/);
  });

  it('counts each token by itself', async () => {
    const [busy, other] = [await world.agent('viewer'), await world.agent('viewer')];
    await burst(busy, 60);
    expect((await busy.get('/me')).status).to.equal(429);
    expect((await other.get('/me')).status).to.equal(200);
  });

  it('counts a token over all processes, exact to one batch each', async () => {
    const second = await world.api();
    const client = await world.agent('viewer');
    const replies = await Promise.all(Array.from({ length: 80 }, (_, i) => request('GET', `${i % 2 === 0 ? client.base : second.base('demo')}/me`, undefined, client.token)));
    expect(allowed(replies)).to.be.within(40 - 4, 40 + 4 + 5);
  });

  it('counts refused requests of a token too', async () => {
    const client = await world.agent('viewer');
    await Promise.all(Array.from({ length: 60 }, () => client.get('/items?limit=0')));
    expect((await client.get('/me')).status).to.equal(429);
  });

  it('fills up again with time', async () => {
    const client = await world.agent('viewer');
    await burst(client, 60);
    expect((await client.get('/me')).status).to.equal(429);
    await until('it is let through again', async () => (await client.get('/me')).status === 200, 5_000);
  });

  it('lets requests through rather than refuse them while Redis is away', async () => {
    // Nobody listens on port 1.
    const away = await newWorld({ env: { RATE_LIMIT: '1', RATE_BURST: '40', REDIS_URL: 'redis://127.0.0.1:1' }, workers: false });
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
    expect((await (await world.agent('viewer')).get('/me')).status).to.equal(200);
  });
});
