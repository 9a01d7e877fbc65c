/** The service as it is deployed: two APIs, three workers and a customer's app, over one Redis and over a Redis Cluster. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect, type Client as App } from '../../shared/sdk/index.ts';
import { canCluster, startRedisCluster } from '../services/redisCluster.mjs';
import { redisUrl } from '../support/database.ts';
import { clientOf, type Client } from '../support/http.ts';
import { openInstallation, type Installation } from '../support/installation.ts';
import { openLive, type Message } from '../support/live.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newCountingApp, type CountingApp } from './countingApp.ts';

interface RedisForTest {
  readonly url: string;
  stop(): Promise<void>;
}

const oneRedis = async (): Promise<RedisForTest> => ({ url: redisUrl(), stop: () => Promise.resolve() });
const redisCluster = async (): Promise<RedisForTest> => {
  const dir = await mkdtemp(join(tmpdir(), 'console-cluster-'));
  const { url, stop } = await startRedisCluster({ dir });
  return {
    url,
    stop: async () => {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
};

const flows = (startRedis: () => Promise<RedisForTest>): void => {
  let redis: RedisForTest;
  let site: Installation;
  let shop: CountingApp;
  let app: App;
  let key: Client;
  /** An agent who may do everything, at the first API, which the app is connected to, and at the second. */
  let near: Client;
  let far: Client;
  let boss: Client;

  const open = async (): Promise<void> => {
    app = connect({
      app: shop.app,
      url: site.base(0),
      key: key.token,
      startedAt: Date.now(),
      onError: () => undefined,
      timing: { retryMinMs: 20, retryMaxMs: 200 },
    });
    await until('the app is online', () => app.online, 20_000);
  };
  before(async () => {
    redis = await startRedis();
    site = await openInstallation(redis.url);
    const { world } = site;
    const admin = await world.agent('admin');
    [near, far] = [site.at(0, admin), site.at(1, admin)];
    boss = site.at(1, await world.person('admin', 'Boss', { fresh: true }));
    key = await world.appKey();
    shop = newCountingApp();
    await open();
    await until('both APIs know what the app declares', async () => {
      const known = await Promise.all(
        [near, far].map(async (client) => (await client.get('/actions?limit=200')).text.includes('refund')),
      );
      return known.every(Boolean);
    });
  });
  after(async () => {
    await app.close({ drainMs: 0 });
    await site.close();
    await redis.stop();
  });

  const create = async (client: Client, inbox = 'mail', title = 'Help', more: object = {}): Promise<Message> => {
    const reply = await client.post('/items', { inbox, title, ...more });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.item;
  };
  const act = async (client: Client, body: object): Promise<{ status: number; body: Message }> => {
    const { status, body: answer } = await client.post('/actions', body);
    return { status, body: answer };
  };
  const ended = (run: string, ms = 20_000): Promise<Message> =>
    until(
      `${run} has ended`,
      async () => {
        const { body } = await far.get(`/runs/${run}`);
        return body.run.finishedAt !== null && (body.run as Message);
      },
      ms,
    );
  const once = async (run: string, ms?: number): Promise<void> => {
    const { status, error } = await ended(run, ms);
    expect([status, error]).to.deep.equal(['succeeded', null]);
    expect(shop.effects.get(run)).to.equal(1);
  };

  it('tells the streams at either API of a change made at the other', async () => {
    const streams = [await openLive(near), await openLive(far)] as const;
    const { id } = await create(near);
    await far.post(`/items/${String(id)}/state`, { state: 'waiting' });
    for (const stream of streams) {
      const changed = await stream.next(
        'the change',
        (message) => message.type === 'item' && message.item.id === id && message.item.version === 2,
      );
      expect(changed.item.state).to.equal('waiting');
      await stream.close();
    }
  });

  it('answers a call at once through the API that doesn’t hold the app’s socket', async () => {
    for (const client of [far, near]) {
      const { status, body } = await act(client, { action: 'greet', input: { name: 'Ada' } });
      expect([status, body.message]).to.deep.equal([200, 'Hello Ada.']);
      expect(shop.effects.get(body.run as string)).to.equal(1);
    }
  });

  it('has a bulk of 200 done by several workers, each action once, and hears its end at both APIs', async function () {
    // As long as it takes on a machine with a lot else to do.
    this.timeout(400_000);
    const ids = Array.from({ length: 200 }, (_, n) => `c${String(n)}`);
    await app.putRecords(
      'customer',
      ids.map((id) => ({ id, title: id, subtitle: null, fields: {} })),
    );
    const reported = await Promise.all(
      ids.map((id) =>
        app.report({ inbox: 'mail', title: `About ${id}`, key: id, record: { resource: 'customer', id } }),
      ),
    );
    const items = reported.map(({ item }) => item);
    const streams = [await openLive(near), await openLive(far)] as const;
    const tagged = await far.post('/bulk', { ids: items, operation: { type: 'tags', add: ['all'], remove: [] } });
    const marked = await near.post('/bulk', {
      ids: items,
      operation: { type: 'action', action: 'mark', input: {}, confirmed: true },
    });
    for (const { body } of [tagged, marked]) {
      for (const stream of streams) {
        const { bulk } = await stream.next(
          'the end',
          (message) => message.type === 'bulk' && message.bulk.id === body.bulk.id && message.bulk.finishedAt !== null,
          180_000,
        );
        expect(bulk).to.include({ status: 'done', total: 200, done: 200, changed: 200, failed: 0 });
      }
    }
    expect([...shop.marked.values()]).to.deep.equal(ids.map(() => 1));
    expect(
      await site.world.sql(
        'select i.id from items i where version <> 2 and i.id = any ($1) and not i.tags @> array[$2]',
        [items, 'all'],
      ),
    ).to.deep.equal([]);
    expect(site.workers.filter((worker) => worker.said().includes('"name":"actionRun"')).length).to.be.at.least(2);
    for (const stream of streams) await stream.close();
  });

  it('runs in the background, and tells how far it is at the other API', async () => {
    const stream = await openLive(far);
    const { status, body } = await act(far, { action: 'crunch' });
    expect([status, body.running]).to.deep.equal([202, true]);
    await stream.next(
      'half of it',
      (message) => message.type === 'run' && message.run.id === body.run && message.run.progress === 0.5,
    );
    shop.goOn();
    await stream.next(
      'its end',
      (message) => message.type === 'run' && message.run.id === body.run && message.run.status === 'succeeded',
    );
    await once(body.run as string);
    await stream.close();
  });

  it('goes on when an API is killed with the app’s socket, runs and streams, and when it is back', async () => {
    const stream = await openLive(near);
    const { body: held } = await act(far, { action: 'crunch' });
    await until('the app is at it', () => shop.begun.has(held.run as string));
    const { id } = await create(near, 'mail', 'Before');
    await stream.next('the item', (message) => message.type === 'item' && message.item.id === id);
    await site.kill(0);
    await stream.closed;
    const asked = act(far, { action: 'greet', input: { name: 'Bo' } });
    await far.post(`/items/${String(id)}/state`, { state: 'waiting' });
    const resumed = await openLive(far, `?after=${stream.offset()}`);
    await resumed.next(
      'what was missed',
      (message) => message.type === 'item' && message.item.id === id && message.item.version === 2,
    );
    await site.start(0);
    shop.goOn();
    await until('the app is online again', () => app.online, 20_000);
    await once(held.run as string);
    await once((await asked).body.run as string);
    const { body: now } = await act(far, { action: 'greet', input: { name: 'Cy' } });
    await once(now.run as string);
    await near.post(`/items/${String(id)}/state`, { state: 'open' });
    await resumed.next(
      'a change at the API that is back',
      (message) => message.type === 'item' && message.item.id === id && message.item.version === 3,
    );
    await resumed.close();
  });

  it('queues what the app is offline for, and does it when it is back', async () => {
    await app.close();
    const { status, body } = await act(far, { action: 'greet', input: { name: 'Di' } });
    expect([status, body.queued]).to.deep.equal([202, true]);
    expect(shop.effects.has(body.run as string)).to.equal(false);
    await open();
    await once(body.run as string);
  });

  it('has an approval decided at the other API, once', async () => {
    const { status, body } = await act(near, { action: 'refund', confirmed: true });
    expect([status, body.pending]).to.deep.equal([202, true]);
    const decisions = await Promise.all(
      [boss, site.at(0, boss), boss, site.at(0, boss)].map((client) =>
        client.post(`/approvals/${String(body.approval)}/approve`),
      ),
    );
    expect(decisions.map((reply) => String(reply.status)).sort()).to.deep.equal(['200', '409', '409', '409']);
    await once(body.run as string);
  });

  it('ends a revoked token at both within a second, its streams within two', async () => {
    const { agent, token } = (await boss.post('/settings/agents', { name: 'Bot', role: 'viewer' })).body;
    const bots = ([0, 1] as const).map((api) => clientOf(site.base(api), token as string, agent.id as string));
    for (const bot of bots) expect((await bot.get('/me')).status).to.equal(200);
    const streams = await Promise.all(bots.map((bot) => openLive(bot)));
    expect((await boss.call('DELETE', `/settings/agents/${String(agent.id)}`)).status).to.equal(204);
    await Promise.all(
      bots.map((bot) => until('it is refused', async () => (await bot.get('/me')).status === 401, 1_000)),
    );
    for (const stream of streams) expect(await stream.closed).to.equal(4401);
  });

  it('does what comes to both under one idempotency key once', async () => {
    const headers = { 'idempotency-key': 'both' };
    const both = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? near : far));
    const items = await Promise.all(
      both.map((client) => client.post('/items', { inbox: 'mail', title: 'Only once' }, { headers })),
    );
    expect(new Set(items.map((reply) => `${String(reply.status)} ${reply.text}`)).size).to.equal(1);
    const runs = await Promise.all(
      both.map((client) =>
        client.post('/actions', { action: 'greet', input: { name: 'Ed' } }, { headers: { 'idempotency-key': 'run' } }),
      ),
    );
    for (const { status, text } of runs) expect(status, text).to.be.oneOf([200, 202, 409]);
    expect([...shop.greeted].filter(({ name }) => name === 'Ed')).to.have.length(1);
  });

  it('does what a tool is called for at both at once, without a key, once', async () => {
    const clients = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? near : far));
    const replies = await Promise.all(clients.map((client) => callTool(client, 'action_greet', { name: 'Flo' })));
    const codes = new Set(replies.map(({ status, body }) => `${String(status)} ${String(body.code ?? 'done')}`));
    expect(replies.filter(({ status }) => status === 200)).to.have.length(1);
    expect([...codes].filter((code) => !['200 done', '409 in_progress', '409 conflict'].includes(code))).to.deep.equal(
      [],
    );
    expect([...shop.greeted].filter(({ name }) => name === 'Flo')).to.have.length(1);
  });

  it('has a reply sent by the app, and shows it as sent', async () => {
    const { id } = await create(near);
    expect((await far.post(`/items/${String(id)}/reply`, { subject: 'Re', text: 'It works again.' })).status).to.equal(
      202,
    );
    await until('it is sent', async () => {
      const { timeline } = (await near.get(`/items/${String(id)}`)).body as {
        timeline: { type: string; data: { status: string } }[];
      };
      return timeline.find(({ type }) => type === 'reply')?.data.status === 'sent';
    });
    expect(shop.sent.filter(({ item }) => item === id)).to.have.length(1);
  });

  it('has a new item triaged by the app', async () => {
    const { id } = await create(far, 'bugs', 'It is broken');
    const { item, triage } = await until('it is triaged', async () => {
      const { body } = await near.get(`/items/${String(id)}`);
      return body.triage !== null && body;
    });
    expect(item.tags).to.deep.equal(['looked at']);
    expect(triage.answers[0]).to.include({ question: 'severity', answer: 'high' });
  });

  it('changes a flag where the app reads it, and takes a ramp’s steps once each', async () => {
    const change = async (client: Client, wanted: object): Promise<void> => {
      const reply = await client.post('/flags/checkout', { change: wanted });
      expect(reply.status, reply.text).to.equal(200);
    };
    await change(far, { value: true });
    await until('the app knows', () => app.flags.boolean('checkout', false));
    await change(near, { rollout: 0, ramp: { to: 100, over: 2_000, every: 1_000, at: null } });
    await until('the ramp is done', async () => (await far.get('/flags/checkout')).body.flag.ramp?.status === 'done');
    await until('the app knows', () => app.flags.boolean('checkout', false, { targetingKey: 'anybody' }));
    const { entries } = (await near.get('/flags/checkout/history')).body as {
      entries: { type: string; after: { rollout: number } }[];
    };
    expect(entries.filter(({ type }) => type === 'step').map(({ after }) => after.rollout)).to.deep.equal([100, 50]);
  });
};

describe('two APIs and three workers', function () {
  describe('over one Redis', () => {
    flows(oneRedis);
  });
  describe('over a Redis Cluster of three nodes', () => {
    before(async function () {
      if (!(await canCluster())) this.skip();
    });
    flows(redisCluster);
  });
});
