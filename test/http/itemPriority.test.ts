/** Priorities of items over HTTP: random creations, changes, bulks and undos, held against a model of a few lines, as lists filter and sort them. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const declared = { mail: ['urgent', 'high', 'normal', 'low'], bugs: ['p1', 'p2', 'p3'] } as const;
type Inbox = keyof typeof declared;
const inboxes = Object.keys(declared) as Inbox[];
const manifest = {
  inboxes: [{ name: 'mail' }, { name: 'bugs', priorities: declared.bugs }],
  views: [{ name: 'pressing', priority: 'urgent,p1', sort: 'priority' }],
};
const names: readonly string[] = [...declared.mail, ...declared.bugs];

interface Item {
  readonly id: string;
  readonly inbox: Inbox;
  priority: string;
  state: string;
}

const rankOf = ({ inbox, priority }: Item): number => (declared[inbox] as readonly string[]).indexOf(priority);

type Step =
  | { readonly kind: 'create'; readonly inbox: Inbox }
  | { readonly kind: 'change'; readonly at: number; readonly priority: string; readonly state?: string }
  | { readonly kind: 'undo'; readonly at: number; readonly priority: string }
  | { readonly kind: 'bulk'; readonly at: readonly number[]; readonly priority: string; readonly byQuery: boolean };

const anyName = fc.constantFrom(...names);
const place = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), inbox: fc.constantFrom(...inboxes) }),
  fc.record(
    { kind: fc.constant('change' as const), at: place, priority: anyName, state: fc.constantFrom('open', 'closed') },
    { requiredKeys: ['kind', 'at', 'priority'] },
  ),
  fc.record({ kind: fc.constant('undo' as const), at: place, priority: anyName }),
  fc.record({
    kind: fc.constant('bulk' as const),
    at: fc.array(place, { minLength: 1, maxLength: 5 }),
    priority: anyName,
    byQuery: fc.boolean(),
  }),
);

describe('priorities of items', () => {
  let world: World;
  let admin: Client;
  const items: Item[] = [];

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
  });
  after(() => world.close());

  const create = async (inbox: Inbox): Promise<Item> => {
    const { status, body, text } = await admin.post('/items', { inbox, title: 'Item' });
    expect(status, text).to.equal(201);
    const item: Item = { id: body.item.id, inbox, priority: inbox === 'mail' ? 'normal' : 'p2', state: 'open' };
    expect(body.item.priority).to.equal(item.priority);
    items.push(item);
    return item;
  };
  const itemAt = (at: number): Item => items[at % items.length] as Item;
  const knows = ({ inbox }: Item, priority: string): boolean =>
    (declared[inbox] as readonly string[]).includes(priority);
  const patch = (item: Item, body: object): Promise<Reply> => admin.call('PATCH', `/items/${item.id}`, body);

  const change = async (item: Item, priority: string, state?: string): Promise<Reply> => {
    const reply = await patch(item, { priority, ...(state === undefined ? {} : { state }) });
    if (!knows(item, priority)) {
      expect([reply.status, reply.body.details?.[0]?.path], reply.text).to.deep.equal([400, 'priority']);
      return reply;
    }
    const parts = [
      ...(state === undefined || state === item.state ? [] : ['state']),
      ...(priority === item.priority ? [] : ['edited']),
    ];
    expect([reply.status, reply.body.changed], reply.text).to.deep.equal([200, parts.length > 0]);
    const entries = reply.body.entries as { type: string; data: object }[];
    expect(entries.map(({ type }) => type)).to.deep.equal(parts);
    if (parts.includes('edited'))
      expect(entries.at(-1)?.data).to.deep.equal({ member: 'priority', from: item.priority, to: priority });
    item.priority = priority;
    item.state = state ?? item.state;
    expect(reply.body.item).to.deep.include({ priority: item.priority, state: item.state });
    return reply;
  };

  const undo = async (item: Item, priority: string): Promise<void> => {
    const former = item.priority;
    const { body } = await change(item, priority);
    const [entry] = (body.entries ?? []) as { id: string }[];
    if (entry === undefined) return;
    const undone = await patch(item, { undo: entry.id });
    expect([undone.status, undone.body.item?.priority], undone.text).to.deep.equal([200, former]);
    item.priority = former;
    expect((await patch(item, { undo: entry.id })).status).to.equal(former === priority ? 200 : 409);
  };

  const bulk = async (some: readonly Item[], priority: string, byQuery: boolean): Promise<void> => {
    const [first] = some;
    if (first === undefined) return;
    const chosen = byQuery
      ? items.filter((item) => item.inbox === first.inbox && item.priority === first.priority)
      : [...new Set(some)];
    const query = { inbox: first.inbox, priority: [first.priority] };
    const target = byQuery ? { query } : { ids: chosen.map(({ id }) => id) };
    const asked = await admin.post('/bulk', { ...target, operation: { type: 'update', priority } });
    expect(asked.status, asked.text).to.equal(202);
    const path = `/bulk/${String(asked.body.bulk.id)}`;
    await until('the bulk is done', async () => (await admin.get(path)).body.bulk.status === 'done');
    const { results } = (await admin.get(`${path}/results?limit=200`)).body as {
      results: { id: string; outcome: string }[];
    };
    const outcomeOf = (item: Item): string =>
      !knows(item, priority) ? 'failed' : item.priority === priority ? 'unchanged' : 'changed';
    expect(new Map(results.map(({ id, outcome }) => [id, outcome]))).to.deep.equal(
      new Map(chosen.map((item) => [item.id, outcomeOf(item)])),
    );
    for (const item of chosen) if (knows(item, priority)) item.priority = priority;
  };

  const listed = async (query: string, limit: number): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Reply = await admin.get(
        `/items?${query}&limit=${String(limit)}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(page.status, page.text).to.equal(200);
      for (const { id, priority } of page.body.items as Item[]) {
        expect(priority).to.equal(items.find((item) => item.id === id)?.priority);
        ids.push(id);
      }
      cursor = page.body.cursor as string | null;
    } while (cursor !== null);
    return ids;
  };
  const inOrder = (some: readonly Item[], sign: 1 | -1): string[] =>
    some.toSorted((a, b) => sign * (rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1))).map(({ id }) => id);

  it('are what the model says after random changes, in every filter and order, page by page', async function () {
    this.timeout(120_000);
    for (const inbox of inboxes) await create(inbox);
    const run = async (one: Step): Promise<void> => {
      if (one.kind === 'create') await create(one.inbox);
      else if (one.kind === 'bulk') await bulk(one.at.map(itemAt), one.priority, one.byQuery);
      else if (one.kind === 'undo') await undo(itemAt(one.at), one.priority);
      else await change(itemAt(one.at), one.priority, one.state);
    };
    const asked = fc.record({
      filter: fc.subarray([...names], { minLength: 1 }),
      state: fc.constantFrom(null, 'open'),
      limit: fc.constantFrom(1, 3, 200),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 8 }),
        asked,
        async (steps, { filter, state, limit }) => {
          for (const one of steps) await run(one);
          const some = items.filter(
            (item) => filter.includes(item.priority) && (state === null || item.state === state),
          );
          const query = `priority=${filter.join(',')}${state === null ? '' : `&state=${state}`}`;
          expect((await listed(query, 200)).toSorted()).to.deep.equal(some.map(({ id }) => id).toSorted());
          expect(await listed(`${query}&sort=priority`, limit)).to.deep.equal(inOrder(some, 1));
          expect(await listed('sort=-priority', limit)).to.deep.equal(inOrder(items, -1));
          const { total } = (await admin.get(`/items?${query}&count=1`)).body;
          expect(total).to.equal(some.length);
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? '15') },
    );
  });

  it('are in views, live messages and tools, and a name that no inbox has is refused with those that there are', async () => {
    const item = await create('mail');
    await world.settled();
    const offset = (await admin.get('/items?limit=1')).headers.get('x-live-offset') ?? '';
    await change(item, 'urgent');
    const pressing = items.filter(({ priority }) => priority === 'urgent' || priority === 'p1');
    expect(await listed('view=pressing', 200)).to.deep.equal(inOrder(pressing, 1));
    expect((await admin.get('/views')).body.views[0]).to.deep.include({ name: 'pressing', priority: 'urgent,p1' });
    let after = offset;
    await until('the change is told', async () => {
      const { changes, cursor } = (await admin.get(`/changes?after=${encodeURIComponent(after)}&limit=200`)).body as {
        changes: { type: string; item: Partial<Item> }[];
        cursor: string;
      };
      after = cursor;
      return changes.some((one) => one.type === 'item' && one.item.id === item.id && one.item.priority === 'urgent');
    });
    const made = await callTool(admin, 'update_item', { id: item.id, priority: 'high' });
    expect(JSON.stringify(made)).to.include('high');
    item.priority = 'high';
    expect(JSON.stringify(await callTool(admin, 'list_items', { priority: 'high', sort: 'priority' }))).to.include(
      item.id,
    );
    const refused = await admin.get('/items?priority=nosuch');
    expect([refused.status, refused.body.details[0].path]).to.deep.equal([400, 'priority']);
    expect(refused.body.details[0].message).to.include('urgent').and.to.include('p1');
  });

  it('need the verb edit, and a supervised agent asks for them in a sentence', async () => {
    await world.role('tagger', [{ on: 'inbox:*', can: ['tags', 'state'] }]);
    const item = await create('mail');
    const tagger = await world.agent('tagger');
    expect((await tagger.call('PATCH', `/items/${item.id}`, { priority: 'high' })).status).to.equal(403);
    const asking = await world.agent('operator', { mode: 'supervised' });
    const { status, body } = await asking.call('PATCH', `/items/${item.id}`, { priority: 'urgent' });
    expect(status).to.equal(202);
    const person = await world.person('admin');
    const { approval } = (await person.get(`/approvals/${String(body.approval)}`)).body;
    expect(approval.sentence).to.equal('Change "Item": priority "urgent".');
    expect(approval.after.priority).to.equal('urgent');
    expect((await person.post(`/approvals/${String(body.approval)}/approve`, {})).status).to.equal(200);
    await world.settled();
    expect((await admin.get(`/items/${item.id}`)).body.item.priority).to.equal('urgent');
    item.priority = 'urgent';
  });

  it('that a later manifest leaves out stay, are found and sorted last, and are given to no item any more', async () => {
    const item = await create('bugs');
    await change(item, 'p1');
    const later = { ...manifest, inboxes: [{ name: 'mail' }, { name: 'bugs', priorities: ['p2', 'p3'] }], views: [] };
    const app: FakeApp = await world.app({}, { manifest: later });
    await until(
      'the manifest is in force',
      async () => (await admin.get('/inboxes')).body.inboxes[0].priorities[0] === 'p2',
    );
    const { body } = await admin.post('/items', { inbox: 'bugs', title: 'Of the middle one' });
    expect(body.item.priority).to.equal('p3');
    const refused = await patch(body.item as Item, { priority: 'p1' });
    expect(refused.status).to.equal(409);
    const found = (await admin.get('/items?inbox=bugs&sort=priority&limit=200')).body.items as Item[];
    const former = found.filter(({ priority }) => priority === 'p1').map(({ id }) => id);
    expect(former).to.include(item.id);
    expect(found.slice(-former.length).map(({ id }) => id)).to.deep.equal(former);
    expect((await admin.get('/items?inbox=bugs&priority=p1&limit=200')).body.items).to.have.length(former.length);
    expect((await patch(item, { priority: 'p3' })).status).to.equal(200);
    await app.close();
  });
});
