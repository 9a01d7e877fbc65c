/** Requests that wait on the same target: a model of what each is about, held against the service under random requests. */
import { expect } from 'chai';
import fc from 'fast-check';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const order = { resource: 'order' } as const;
const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }, { name: 'secret' }],
  actions: [
    { name: 'refund', ...order, approval: true, input: { type: 'object', properties: { amount: { type: 'number' } } } },
    { name: 'note', approval: true, input: { type: 'object', properties: { amount: { type: 'number' } } } },
  ],
  flags: ['one', 'two'].map((key) => ({ key, kind: 'number', default: 0, approval: true })),
} as const;

/** What a request is about: a flag, the records that an action is for, items. A bulk of actions is about the records that it names, or of its items. */
interface About {
  readonly flag?: string;
  readonly records?: readonly (string | null | undefined)[];
  readonly items: readonly number[];
}
interface Asked extends About {
  readonly path: string;
  readonly body: (ids: readonly string[]) => object;
}

/** The order of each item. */
const recordOf = ['a', 'a', 'b', 'c', null, null] as const;
const positions = recordOf.map((_, i) => i);

const isSameTarget = (a: About, b: About): boolean =>
  (a.flag !== undefined && a.flag === b.flag) ||
  a.items.some((i) => b.items.includes(i)) ||
  (a.records ?? []).some((record) => (record ?? null) !== null && b.records?.includes(record) === true);

const amount = fc.integer({ min: 1, max: 50 });
const someItems = fc.subarray(positions, { minLength: 1, maxLength: 3 });
const askedArb: fc.Arbitrary<Asked> = fc.oneof(
  fc
    .record({ n: amount, record: fc.constantFrom('a', 'b', 'c'), item: fc.constantFrom(...positions, null) })
    .map(({ n, record, item }): Asked => ({
      records: [record],
      items: item === null ? [] : [item],
      path: '/actions',
      body: (ids) => ({
        action: 'refund',
        record,
        input: { amount: n },
        ...(item === null ? {} : { item: ids[item] }),
      }),
    })),
  fc.record({ n: amount, item: fc.constantFrom(...positions, null) }).map(({ n, item }): Asked => ({
    items: item === null ? [] : [item],
    path: '/actions',
    body: (ids) => ({ action: 'note', input: { amount: n }, ...(item === null ? {} : { item: ids[item] }) }),
  })),
  fc.record({ n: amount, items: someItems }).map(({ n, items }): Asked => ({
    items,
    records: items.map((i) => recordOf[i]),
    path: '/bulk',
    body: (ids) => ({
      ids: items.map((i) => ids[i]),
      operation: { type: 'action', action: 'refund', input: { amount: n } },
    }),
  })),
  fc.record({ n: amount, records: fc.subarray(['a', 'b', 'c'], { minLength: 1 }) }).map(({ n, records }): Asked => ({
    records,
    items: [],
    path: '/bulk',
    body: () => ({
      refs: records.map((id) => ({ resource: 'order', id })),
      operation: { type: 'action', action: 'refund', input: { amount: n } },
    }),
  })),
  fc.record({ n: amount, items: someItems }).map(({ n, items }): Asked => ({
    items,
    path: '/bulk',
    body: (ids) => ({ ids: items.map((i) => ids[i]), operation: { type: 'tags', add: [`t${String(n)}`] } }),
  })),
  fc.record({ n: amount, item: fc.constantFrom(...positions) }).map(({ n, item }): Asked => ({
    items: [item],
    path: `/items/${String(item)}/notes`,
    body: () => ({ text: `Note ${String(n)}` }),
  })),
  fc
    .record({ n: amount, flag: fc.constantFrom('one', 'two') })
    .map(({ n, flag }): Asked => ({ flag, items: [], path: `/flags/${flag}`, body: () => ({ change: { value: n } }) })),
);

describe('http: other requests on the target of one', () => {
  let world: World;
  let admin: Client;
  let agent: Client;
  let person: Client;
  let narrow: Client;
  before(async () => {
    world = await newWorld({ manifest });
    await world.role('narrow', [
      { on: 'inbox:mail', can: ['see'] },
      { on: 'resource:*', can: ['see'] },
      { on: 'approvals', can: ['see', 'decide'] },
    ]);
    [admin, person, narrow] = [
      await world.agent('admin'),
      await world.person('operator'),
      await world.person('narrow'),
    ];
    agent = await world.agent('admin', { mode: 'supervised' });
    await world.records(
      'order',
      ['a', 'b', 'c'].map((id) => ({ id, title: `Order ${id}` })),
    );
  });
  after(() => world.close());

  const newItem = async (inbox: string, record: string | null): Promise<string> => {
    const about = record === null ? {} : { record: { resource: 'order', id: record } };
    const { body } = await admin.post('/items', { inbox, title: 'Item', ...about });
    return body.item.id as string;
  };
  const othersOf = async (id: string, client = person): Promise<string[]> => {
    const { status, body, text } = await client.get(`/approvals/${id}`);
    expect(status, text).to.equal(200);
    return body.approval.others as string[];
  };

  it('are those that the model names, for every request of a random crowd, and none once it is decided', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(askedArb, { minLength: 4, maxLength: 14 }), async (crowd) => {
        const ids: string[] = [];
        for (const record of recordOf) ids.push(await newItem('mail', record));
        const pending = new Map<string, About>();
        for (const { path, body, ...about } of crowd) {
          const at = path.replace(/\d+/, (i) => ids[Number(i)] ?? '');
          const reply = await agent.post(at, body(ids));
          expect(reply.status, reply.text).to.equal(202);
          pending.set(reply.body.approval as string, about);
        }
        const newestFirst = [...pending].sort(([a], [b]) => (a < b ? 1 : -1));
        for (const [id, about] of pending) {
          const expected = newestFirst.filter(([other, its]) => other !== id && isSameTarget(about, its));
          const others = await othersOf(id);
          seen += others.length;
          expect(others).to.deep.equal(expected.map(([other]) => other).slice(0, limits.approvalOthers));
        }
        for (const id of pending.keys()) {
          expect((await person.post(`/approvals/${id}/reject`)).status).to.equal(200);
          expect(await othersOf(id)).to.deep.equal([]);
        }
      }),
      { numRuns: 12 },
    );
    expect(seen).to.be.above(50);
  }).timeout(120_000);

  it('name none that the caller does not see', async () => {
    const [shown, hidden] = [await newItem('mail', 'b'), await newItem('secret', 'b')];
    const ask = async (path: string, body: object): Promise<string> =>
      (await agent.post(path, body)).body.approval as string;
    const operation = { type: 'action', action: 'refund', input: {} };
    const refund = await ask('/actions', { action: 'refund', record: 'b', input: { amount: 7 } });
    const both = await ask('/bulk', { ids: [shown, hidden], operation });
    const single = await ask('/bulk', { ids: [shown], operation });
    expect(await othersOf(refund)).to.deep.equal([single, both]);
    expect(await othersOf(refund, agent)).to.deep.equal([single, both]);
    expect(await othersOf(refund, narrow)).to.deep.equal([single]);
  });
});
