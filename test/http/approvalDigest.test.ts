/** Approvals are bound to what their decider saw: digests, `changed_since_seen`, and the fields that an action names in `stale`. */
import { expect } from 'chai';
import fc from 'fast-check';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const fields = ['total', 'customer', 'note'].map((name) => ({ name }));
const action = (name: string, resource: string, more: object = {}): object => ({
  name,
  label: name,
  resource,
  approval: true,
  ...more,
});
const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields },
    { name: 'payment', source: 'app', fields },
  ],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }, { name: 'secret' }],
  actions: [
    action('refund', 'order'),
    action('ship', 'order', { stale: ['customer'] }),
    action('charge', 'payment'),
    action('void', 'payment', { stale: ['customer'] }),
  ],
  flags: [{ key: 'beta', kind: 'boolean', default: false, resource: 'order', approval: true }],
};

type Fields = Readonly<Record<string, unknown>>;

describe('what an approval is bound to', () => {
  let world: World;
  let agent: Client;
  let supervised: Client;
  let ana: Client;
  let ben: Client;
  let app: FakeApp;
  let payment: Fields = {};
  const ran: string[] = [];
  before(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
    supervised = await world.agent('admin', { mode: 'supervised' });
    [ana, ben] = [await world.person('admin', 'Ana'), await world.person('admin', 'Ben')];
    app = await connectApp(await world.appKey(), {
      manifest,
      handlers: {
        'action.run': ({ run }: { run: string }) => {
          ran.push(run);
          return {};
        },
        'records.get': ({ ids }: { ids: string[] }) => ({
          records: ids.map((id) => ({ id, title: id, subtitle: null, fields: payment })),
        }),
        'reply.send': () => ({}),
      },
    });
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  let n = 0;
  const order = async (values: Fields = { total: 1209, customer: 'cus_1' }): Promise<string> => {
    const id = `o${String((n += 1))}`;
    await world.records('order', [{ id, title: 'An order', fields: values }]);
    return id;
  };
  const store = async (id: string, values: Fields): Promise<void> => {
    const records = [{ id, title: 'An order', subtitle: null, fields: values }];
    const key = await appKey();
    expect((await key.post('/resources/order/records', { records, deleted: [] })).status).to.equal(200);
  };
  let keyOfApp: Client | null = null;
  const appKey = async (): Promise<Client> => (keyOfApp ??= await world.appKey());
  const ask = async (name: string, record: string): Promise<{ approval: string; run: string }> => {
    const reply = await agent.post('/actions', { action: name, record, confirmed: true });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body;
  };
  const read = async (id: string, client = ana): Promise<Reply['body']> =>
    (await client.get(`/approvals/${id}`)).body.approval;
  const approve = (id: string, digest?: unknown, client = ana): Promise<Reply> =>
    client.post(`/approvals/${id}/approve`, digest === undefined ? {} : { digest });
  const codeOf = ({ status, body }: Reply): string =>
    status === 200 ? '200' : `${String(status)} ${String(body.code)}`;
  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;

  it('is what its decider saw of a stored record: what changed since is answered as it is now, and nothing is done', async () => {
    const record = await order();
    const { approval, run } = await ask('refund', record);
    const { digest } = await read(approval);
    expect(digest).to.be.a('string');
    await store(record, { total: 5, customer: 'cus_2' });
    const late = await approve(approval, digest);
    expect(codeOf(late)).to.equal('409 changed_since_seen');
    expect(late.body.approval).to.include({ id: approval, status: 'pending' });
    expect(late.body.approval.now.fields).to.deep.equal({ total: 5, customer: 'cus_2' });
    expect(await read(approval)).to.include({ status: 'pending', digest: late.body.approval.digest });
    expect(await runOf(run)).to.include({ status: 'pending' });
    expect(codeOf(await approve(approval, late.body.approval.digest))).to.equal('200');
    await until('it has run', () => ran.includes(run));
  });

  it('is, without a digest, what the record was at the request', async () => {
    const [same, other] = [await order(), await order()];
    const [kept, changed] = [await ask('refund', same), await ask('refund', other)];
    await store(same, { total: 1209, customer: 'cus_1' });
    await store(other, { total: 1209, customer: 'cus_2' });
    expect(codeOf(await approve(kept.approval))).to.equal('200');
    const refused = await approve(changed.approval);
    expect(codeOf(refused)).to.equal('409 changed_since_seen');
    expect(codeOf(await approve(changed.approval, refused.body.approval.digest))).to.equal('200');
  });

  it('is one reader’s own, and none of what its reader does not see', async () => {
    const { approval } = await ask('refund', await order());
    const [ofAna, ofBen] = [(await read(approval)).digest, (await read(approval, ben)).digest];
    expect(ofAna).not.to.equal(ofBen);
    expect(codeOf(await approve(approval, ofBen, ana))).to.equal('409 changed_since_seen');
    expect((await ana.get('/approvals')).body.approvals[0].digest, 'in lists').to.equal(ofAna);
    expect(codeOf(await approve(approval, ofAna))).to.equal('200');
    await world.role('blind', [
      { on: 'flag:*', can: ['see'] },
      { on: 'approvals', can: ['decide'] },
    ]);
    const blind = await world.person('blind', 'Blind');
    const asked = (await agent.post('/flags/beta', { change: { value: true } })).body.approval;
    const before = (await read(asked, blind)).digest;
    const targets = (await agent.post('/flags/beta', { change: { targets: { o1: true } } })).body.approval;
    expect(codeOf(await approve(targets))).to.equal('200');
    expect((await read(asked, blind)).digest, 'a target that is hidden').to.equal(before);
    expect(codeOf(await approve(asked)), 'changed since the request').to.equal('409 stale');
  });

  it('is stale when a field changes that the action names, and otherwise as any other', async () => {
    const [customer, total] = [await order(), await order()];
    const [stale, changed] = [await ask('ship', customer), await ask('ship', total)];
    await store(customer, { total: 1209, customer: 'cus_2' });
    await store(total, { total: 7, customer: 'cus_1' });
    const { digest } = await read(stale.approval);
    const refused = await approve(stale.approval, digest);
    expect(codeOf(refused)).to.equal('409 stale');
    expect(refused.body.details).to.deep.equal([
      { path: 'record.fields.customer', message: 'the record’s customer has changed since the request' },
    ]);
    expect(await read(stale.approval)).to.include({ status: 'stale' });
    expect(await runOf(stale.run)).to.include({ status: 'failed' });
    expect(codeOf(await approve(changed.approval, (await read(changed.approval)).digest))).to.equal('200');
  });

  it('of a record that the app serves is compared when the run starts', async () => {
    payment = { total: 10, customer: 'cus_1' };
    const [asAsked, since] = [await ask('charge', 'p1'), await ask('charge', 'p2')];
    expect(codeOf(await approve(asAsked.approval))).to.equal('200');
    await until('it has run', () => ran.includes(asAsked.run));
    payment = { total: 99, customer: 'cus_1' };
    expect(codeOf(await approve(since.approval))).to.equal('200');
    await until('it has ended', async () => (await runOf(since.run)).status === 'failed');
    expect((await runOf(since.run)).error).to.match(/has changed since this was approved/);
    expect(ran).not.to.include(since.run);
    const shown = await ask('charge', 'p2');
    payment = { total: 100, customer: 'cus_1' };
    const { digest } = await read(shown.approval);
    expect(codeOf(await approve(shown.approval, digest)), 'as the decider saw it').to.equal('200');
    await until('it has run', () => ran.includes(shown.run));
    const named = await ask('void', 'p3');
    payment = { total: 100, customer: 'cus_2' };
    expect(codeOf(await approve(named.approval))).to.equal('409 stale');
  });

  it('of a supervised reply is the newest message, of a change of an item what it touches', async () => {
    const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Hello', key: 'k1' })).body;
    const asked = async (path: string, body: object): Promise<string> =>
      (await supervised.post(`/items/${String(item.id)}/${path}`, body)).body.approval;
    const reply = await asked('reply', { text: 'Hi' });
    const before = (await read(reply)).digest;
    await agent.post(`/items/${String(item.id)}/tags`, { add: ['vip'] });
    expect((await read(reply)).digest, 'a tag is no message').to.equal(before);
    await agent.post('/items', { inbox: 'mail', title: 'And another thing', key: 'k1' });
    expect(codeOf(await approve(reply, before))).to.equal('409 changed_since_seen');
    const occurred = (await read(reply)).digest;
    const own = await asked('reply', { text: 'Hi again' });
    expect(codeOf(await approve(own))).to.equal('200');
    const late = await approve(reply, occurred);
    expect(codeOf(late)).to.equal('409 changed_since_seen');
    expect(codeOf(await approve(reply, late.body.approval.digest))).to.equal('200');
    const state = await asked('state', { state: 'closed' });
    const { digest } = await read(state);
    await agent.post(`/items/${String(item.id)}/tags`, { add: ['paid'] });
    expect(codeOf(await approve(state, digest)), 'tags are not touched').to.equal('200');
  });

  const itemOf = async (record: string): Promise<string> =>
    (await agent.post('/items', { inbox: 'mail', title: record, record: { resource: 'order', id: record } })).body.item
      .id;
  /** Requests a bulk of an action over two orders, by their items or by themselves. */
  const askBulk = async (name: string, orders: readonly string[], areItems: boolean): Promise<string> => {
    const named = areItems
      ? { ids: await Promise.all(orders.map(itemOf)) }
      : { refs: orders.map((id) => ({ resource: 'order', id })) };
    const reply = await agent.post('/bulk', { ...named, operation: { type: 'action', action: name } });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body.approval;
  };

  for (const areItems of [true, false])
    it(`of a bulk over ${areItems ? 'items' : 'records'} covers the records as its decider saw them; stale fields end it`, async () => {
      const orders = [await order(), await order()] as const;
      const [first, second] = orders;
      const refund = await askBulk('refund', orders, areItems);
      const { digest } = await read(refund);
      expect((await read(refund)).digest).to.equal(digest);
      expect(codeOf(await approve(refund, `${String(digest)}x`))).to.equal('409 changed_since_seen');
      await store(first, { total: 1, customer: 'cus_1' });
      const late = await approve(refund, digest);
      expect(codeOf(late)).to.equal('409 changed_since_seen');
      expect(codeOf(await approve(refund)), 'since the request').to.equal('409 changed_since_seen');
      expect(await read(refund)).to.include({ status: 'pending', digest: late.body.approval.digest });
      expect(codeOf(await approve(refund, late.body.approval.digest))).to.equal('200');
      const kept = await askBulk('ship', orders, areItems);
      await store(second, { total: 2, customer: 'cus_1' });
      expect(codeOf(await approve(kept, (await read(kept)).digest)), 'another field').to.equal('200');
      const ship = await askBulk('ship', orders, areItems);
      await store(second, { total: 2, customer: 'cus_9' });
      expect(codeOf(await approve(ship))).to.equal('409 stale');
      expect(await read(ship)).to.include({ status: 'stale' });
    });

  it('is checked after the rights, and after the end of the approval', async () => {
    const { approval } = await ask('refund', await order());
    const viewer = await world.person('viewer', 'Vera');
    expect(codeOf(await approve(approval, 'made up', agent))).to.equal('403 person_required');
    expect(codeOf(await approve(approval, 'made up', viewer))).to.equal('403 forbidden');
    for (const digest of ['', 'x'.repeat(201), 1, null])
      expect(codeOf(await approve(approval, digest)), String(digest)).to.equal('400 invalid');
    expect(codeOf(await ana.post(`/approvals/${approval}/reject`, { digest: 'x' }))).to.equal('400 invalid');
    expect(codeOf(await ana.post(`/approvals/${approval}/reject`))).to.equal('200');
    expect(codeOf(await approve(approval, 'made up'))).to.equal('409 already_decided');
  });

  it('is never approved with a record that changes between the reading and the decision, whichever comes first', async function () {
    this.timeout(60_000);
    for (let round = 0; round < 40; round += 1) {
      const record = await order();
      const { approval, run } = await ask('refund', record);
      const { digest } = await read(approval);
      const change = `update records set fields = jsonb_set(fields, '{total}', '1') where id = $1`;
      const [decided] = await Promise.all([approve(approval, digest), world.sql(change, [record])]);
      const { status } = await read(approval);
      expect([codeOf(decided), status]).to.be.deep.oneOf([
        ['200', 'approved'],
        ['409 changed_since_seen', 'pending'],
      ]);
      if (status === 'pending') expect(ran).not.to.include(run);
    }
  });

  it('waits for a change of the record that is under way, and sees it', async () => {
    const record = await order();
    const { approval } = await ask('refund', record);
    const { digest } = await read(approval);
    const { db } = world.deps;
    let deciding: Promise<Reply> | null = null;
    await db.transaction(async (tx) => {
      await tx.raw(`update records set fields = '{"total":1}' where id = ?`, [record]);
      deciding = approve(approval, digest);
      await until('the decision waits for the record', async () => {
        const [row] = await world.sql<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return (row?.n ?? 0) > 0;
      });
    });
    expect(codeOf(await (deciding as unknown as Promise<Reply>))).to.equal('409 changed_since_seen');
  });

  it('is as a model of it says, for random changes between request, reading and decision', async function () {
    this.timeout(120_000);
    const values = fc.record({
      total: fc.constantFrom(1, 2),
      customer: fc.constantFrom('a', 'b'),
      note: fc.constantFrom('x', 'y'),
    });
    const given = fc.record({
      name: fc.constantFrom('refund', 'ship'),
      kind: fc.constantFrom('run', 'items', 'records'),
      states: fc.tuple(values, values, values),
      sends: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ name, kind, states: [asked, seen, now], sends }) => {
        const same = (a: Fields, b: Fields): boolean => JSON.stringify(a) === JSON.stringify(b);
        const record = await order(asked);
        const approval =
          kind === 'run'
            ? (await ask(name, record)).approval
            : await askBulk(name, [record, await order()], kind === 'items');
        await store(record, seen);
        const { digest } = await read(approval);
        await store(record, now);
        const decided = codeOf(await approve(approval, sends ? digest : undefined));
        const isStale = name === 'ship' && asked.customer !== now.customer;
        const isSame = sends ? same(seen, now) : same(asked, now);
        expect(decided).to.equal(isStale ? '409 stale' : isSame ? '200' : '409 changed_since_seen');
        // However many runs there are, no principal has more than 1,000 requests that wait.
        if (!isStale && !isSame) expect(codeOf(await ana.post(`/approvals/${approval}/reject`))).to.equal('200');
      }),
      { numRuns: 120 },
    );
  });
});
