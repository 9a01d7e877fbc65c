/** A run that very many items wait for: each of them is told of its end, on the stream and over HTTP. */
import { expect } from 'chai';
import { deferred } from '../support/deferred.ts';
import type { Client } from '../support/http.ts';
import { openLive, type Message } from '../support/live.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'refund', resource: 'order', background: true }],
} as const;

/** More than the places that an offset has for the parts of one row. */
const count = 320;
const atOnce = 20;

describe('actions: a run that many items wait for', () => {
  let world: World;
  let agent: Client;

  before(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
    await world.records('order', [{ id: 'o1', title: 'Order 1' }]);
  });
  after(() => world.close());

  const item = async (): Promise<string> =>
    (await agent.post('/items', { inbox: 'mail', title: 'Refund', record: { resource: 'order', id: 'o1' } })).body.item
      .id;
  const ends = (messages: readonly Message[]): Message[] =>
    messages.filter(({ type, entry }) => type === 'timeline' && entry.data.status === 'succeeded');
  const itemsOf = (messages: readonly Message[]): string[] => messages.map((message) => message.item as string).sort();

  it('tells its end of each item once, in messages with offsets of their own from which readers go on', async () => {
    const items: string[] = [];
    while (items.length < count) items.push(...(await Promise.all(Array.from({ length: atOnce }, item))));
    const answered = deferred();
    await world.app({
      'action.run': async () => {
        await answered.promise;
        return { message: 'Refunded.' };
      },
    });
    await world.settled();
    const live = await openLive(agent);
    const start = live.offset();
    const reply = await agent.post('/bulk', { ids: items, operation: { type: 'action', action: 'refund' } });
    expect(reply.status, reply.text).to.equal(202);
    await until(
      'all items wait for the run',
      async () => (await world.sql('select from run_items')).length === count,
      30_000,
    );
    answered.resolve();
    await world.settled();

    const wanted = items.sort();
    const heard = await until('the stream has told of each item', () => {
      const found = ends(live.messages);
      return found.length === count && found;
    });
    expect(itemsOf(heard)).to.deep.equal(wanted);
    expect(new Set(heard.map(({ offset }) => offset as string)).size).to.equal(count);
    await live.close();
    const paged: Message[] = [];
    for (let cursor = start, more = true; more;) {
      const { body } = await agent.get(`/changes?after=${encodeURIComponent(cursor)}&limit=50`);
      paged.push(...body.changes);
      ({ cursor, more } = body);
    }
    expect(itemsOf(ends(paged))).to.deep.equal(wanted);
    const [longest] = await world.sql<{ parts: number }>(
      'select max(json_array_length(parts::json))::int as parts from stream_parts',
    );
    expect(longest?.parts).to.equal(50);
  });
});
