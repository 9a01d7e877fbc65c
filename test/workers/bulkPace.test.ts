/** Large bulks make way while people and agents change things; small ones have a queue of their own. */
import { expect } from 'chai';
import { jobs } from '../../shared/catalogue/jobs.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { createBulkPace } from '../../workers/bulkPace.ts';
import { enqueueDue } from '../../workers/outbox/enqueuer.ts';
import { deferred } from '../support/deferred.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the pace of large bulks', () => {
  let world: World;
  let agent: Client;
  let app: Client;
  let heard = 0;
  let item = '';

  before(async () => {
    world = await newWorld({ workers: false });
    agent = await world.agent('admin');
    app = await world.appKey();
    item = (await agent.post('/items', { inbox: 'mail', title: 'First' })).body.item.id as string;
    world.deps.bus.subscribe(channels.foreground, () => (heard += 1));
    await until('it is subscribed', async () => {
      world.deps.bus.publish(channels.foreground, '');
      return heard > 0;
    });
  });
  after(() => world.close());

  const signals = async (act: () => Promise<unknown>): Promise<boolean> => {
    // Redis keeps the order of a channel: once this message has arrived, so have all earlier ones.
    const settle = async (): Promise<void> => {
      const before = heard;
      world.deps.bus.publish(channels.foreground, '');
      await until('the signal has come', () => heard > before);
    };
    await settle();
    const before = heard;
    await act();
    await settle();
    return heard - before > 1;
  };
  const note = () => agent.post(`/items/${item}/notes`, { text: 'Looked at.' });

  it('is told of changes of people and agents, and of no reads, bulks and reports of apps', async () => {
    await until('a change is told', () => signals(note));
    const quiet = async (act: () => Promise<{ status: number; text: string }>): Promise<void> => {
      // Signals are some time apart: what could be told by then is, so nothing is held back.
      await until('a change would be told', () => signals(note));
      await new Promise((resolve) => setTimeout(resolve, 250));
      let status = 0;
      expect(await signals(async () => ({ status } = await act()))).to.equal(false);
      expect(status).to.be.within(200, 202);
    };
    await quiet(() => agent.get(`/items/${item}`));
    await quiet(() => agent.post('/bulk', { ids: [item], operation: { type: 'tags', add: ['a'], remove: [] } }));
    await quiet(() => app.post('/items', { inbox: 'mail', title: 'Reported' }));
    await until('a call of a tool is told', () =>
      signals(() =>
        agent.post('/mcp', {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'add_note', arguments: { id: item, text: 'By a tool.' } },
        }),
      ),
    );
  });

  it('runs statements at once while nobody is at work, else one after the other with a pause in between', async () => {
    const pace = createBulkPace(world.deps.bus);
    const told: string[] = [];
    const step = (name: string) => {
      const hold = deferred();
      const done = pace.run(async () => {
        told.push(`${name} begins`);
        await hold.promise;
        told.push(`${name} ends`);
      });
      return { hold, done };
    };
    const [first, second] = [step('a'), step('b')];
    expect(told).to.deep.equal(['a begins', 'b begins']);
    [first, second].forEach(({ hold }) => hold.resolve());
    await Promise.all([first.done, second.done]);

    const others = setInterval(() => world.deps.bus.publish(channels.foreground, ''), 50);
    try {
      const before = heard;
      await until('others are at work', () => heard > before);
      told.length = 0;
      const [third, fourth] = [step('c'), step('d')];
      await until('one has begun', () => told.length > 0);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(told).to.deep.equal(['c begins']);
      third.hold.resolve();
      await third.done;
      const endedAt = performance.now();
      fourth.hold.resolve();
      await fourth.done;
      expect(performance.now() - endedAt, 'a pause as long as the statement').to.be.at.least(95);
      expect(told).to.deep.equal(['c begins', 'c ends', 'd begins', 'd ends']);

      const failed = pace.run(() => Promise.reject(new Error('It failed.')));
      const next = step('e');
      next.hold.resolve();
      expect(String(await failed.catch((error: unknown) => error))).to.include('It failed.');
      await next.done;
      expect(told.slice(-2)).to.deep.equal(['e begins', 'e ends']);
    } finally {
      clearInterval(others);
      pace.close();
    }
  });

  it('small bulks stand in a queue of their own', async () => {
    const ids: string[] = [];
    for (let n = 0; n <= limits.bulkStatement; n++)
      ids.push((await agent.post('/items', { inbox: 'mail', title: `Of many ${String(n)}` })).body.item.id as string);
    await enqueueDue(world.deps, jobs);
    const waiting = async () => {
      const counts = [jobs.bulkChunk.queue, jobs.bulkChunk.small].map((queue) =>
        world.deps.redis.queue(queue).getJobCounts('prioritized'),
      );
      return (await Promise.all(counts)).map(({ prioritized }) => prioritized);
    };
    const [large = 0, small = 0] = await waiting();
    const bulk = async (some: readonly string[]): Promise<void> => {
      const { status } = await agent.post('/bulk', { ids: some, operation: { type: 'tags', add: ['b'], remove: [] } });
      expect(status).to.equal(202);
      await enqueueDue(world.deps, jobs);
    };
    await bulk(ids.slice(1));
    expect(await waiting()).to.deep.equal([large, small + 1]);
    await bulk(ids);
    expect(await waiting()).to.deep.equal([large + 1, small + 1]);
  });
});
