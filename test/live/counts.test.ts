/** Counts on the live stream: exact, seldom, and caught up after a gap. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { item, newLiveWorld, until, type Api, type LiveWorld, type Message } from './liveWorld.ts';

describe('live stream: counts', () => {
  let world: LiveWorld;
  let api: Api;
  let token: string;
  before(async () => {
    world = await newLiveWorld();
    api = await world.api();
    ({ token } = await world.agent('viewer'));
  });
  afterEach(() => world.hangUp());
  after(() => world.close());

  const totals = (message: Message | undefined): unknown =>
    Object.fromEntries(
      Object.entries((message?.['inboxes'] ?? message?.['counts'] ?? {}) as Record<string, { total: number }>).map(
        ([inbox, { total }]) => [inbox, total],
      ),
    );

  /** Writes these totals and waits until the API knows them. */
  const publishTotals = async (of: Readonly<Record<string, number>>): Promise<void> => {
    await world.publish([], {
      counts: Object.fromEntries(Object.entries(of).map(([inbox, total]) => [inbox, { total }])),
    });
    await until('the API knows the totals', async () => {
      const [hello] = (await world.listening(api, { token })).messages;
      return isDeepStrictEqual(totals(hello), { ...of, secret: 0 });
    });
    await world.hangUp();
  };

  it('tells only of inboxes that changed, at most four times a second, and the last of them is exact', async () => {
    const subscriber = await world.listening(api, { token });
    const since = performance.now();
    for (let n = 1; n <= 40; n++)
      await world.publish([[item(String(n))]], { counts: { support: { total: n, '=open': n } } });
    await until('the last', () => (totals(subscriber.of('counts').at(-1)) as { support?: number }).support === 40);
    const seconds = (performance.now() - since) / 1000;
    expect(subscriber.of('counts').length).to.be.within(1, Math.ceil(seconds * 4) + 1);
    expect(
      subscriber.of('counts').every((message) => Object.keys(message['inboxes'] as object).join() === 'support'),
    ).to.equal(true);
    expect(subscriber.of('item').length).to.equal(40);
    expect(subscriber.broken).to.deep.equal([]);
  });

  it('reads them anew when Redis lost what was told, also where only a deadline passed', async () => {
    await publishTotals({ support: 40, billing: 0 });
    const subscriber = await world.listening(api, { token });
    await world.publish([[item('lost')]], { counts: { billing: { total: 5 } }, hint: false });
    await until(
      'they came',
      () => (totals(subscriber.of('counts').at(-1)) as { billing?: number }).billing === 5,
      4_000,
    );
    world.redisGate.shut();
    await until('the bus notices', () => !api.deps.bus.connected);
    await world.publish([], { counts: { billing: { overdue: 2 } } });
    const overdue = (): unknown =>
      (subscriber.of('counts').at(-1)?.['inboxes'] as { billing?: { overdue: number } } | undefined)?.billing?.overdue;
    await until('they came', () => overdue() === 2, 4_000);
    world.redisGate.open = true;
    await until('the bus is back', () => api.deps.bus.connected);
    expect(totals((await world.listening(api, { token })).messages[0])).to.deep.equal({
      support: 40,
      billing: 5,
      secret: 0,
    });
  });

  it('tells all of them when a stream was narrowed to others', async () => {
    await publishTotals({ support: 40, billing: 5 });
    const subscriber = await world.listening(api, { token, query: '?inboxes=secret' });
    expect(totals(subscriber.messages[0])).to.deep.equal({ secret: 0 });
    subscriber.send({ type: 'narrow', inboxes: ['billing', 'support'] });
    expect(totals(await subscriber.next('counts'))).to.deep.equal({ support: 40, billing: 5 });
  });
});
