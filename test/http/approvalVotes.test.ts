/** Approvals that several people have to give, and edits of what was asked for, held against a model. */
import { expect } from 'chai';
import fc from 'fast-check';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const input = {
  type: 'object',
  properties: { amount: { type: 'number', maximum: 1_000 }, why: { type: 'string' } },
  additionalProperties: false,
};
const action = (name: string, approval: unknown): object => ({ name, label: name, resource: 'order', approval, input });
const manifest = {
  resources: [{ name: 'order', source: 'stored', fields: [{ name: 'total' }] }],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }],
  actions: [
    action('one', true),
    action('two', { count: 2 }),
    action('three', { count: 3 }),
    action('lead', { roles: ['lead'] }),
  ],
  flags: [{ key: 'beta', kind: 'number', default: 0, approval: true }],
};

describe('http: votes and edits', () => {
  let world: World;
  let agent: Client;
  let supervised: Client;
  let app: FakeApp;
  let people: readonly Client[];
  let lead: Client;
  let key: Client;
  const given = new Map<string, object>();
  before(async () => {
    world = await newWorld({ manifest });
    await world.role('lead', [
      { on: 'approvals', can: ['*'] },
      { on: 'resource:*', can: ['*'] },
      { on: 'action:*', can: ['*'] },
      { on: 'inbox:*', can: ['*'] },
    ]);
    [agent, supervised] = [await world.agent('admin'), await world.agent('admin', { mode: 'supervised' })];
    people = await Promise.all(['Ana', 'Ben', 'Cy', 'Di'].map((name) => world.person('operator', name)));
    lead = await world.person('lead', 'Lea');
    key = await world.appKey();
    app = await connectApp(key, {
      manifest,
      handlers: {
        'action.run': ({ run, input: sent }: { run: string; input: object }) => {
          given.set(run, sent);
          return {};
        },
        'reply.send': () => ({}),
      },
    });
  });
  after(async () => {
    await app.close();
    await world.close();
  });
  let n = 0;
  const store = async (id: string, total: number): Promise<void> => {
    const reply = await key.post('/resources/order/records', { records: [{ id, title: id, fields: { total } }] });
    expect(reply.status, reply.text).to.equal(200);
  };
  const order = async (): Promise<string> => {
    n += 1;
    await world.records('order', [{ id: `o${String(n)}`, title: `Order ${String(n)}`, fields: { total: 1 } }]);
    return `o${String(n)}`;
  };
  const ask = async (name: string, sent: object = { amount: 100, why: 'Twice.' }, record?: string) => {
    const reply = await agent.post('/actions', { action: name, record: record ?? (await order()), input: sent });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body as { approval: string; run: string };
  };
  const codeOf = ({ status, body }: Reply): string =>
    `${String(status)}${body?.code === undefined ? '' : ` ${String(body.code)}`}`;
  const one = (at: number): Client => people[at] ?? lead;
  const approve = (at: number, id: string, body: object = {}): Promise<Reply> =>
    one(at).post(`/approvals/${id}/approve`, body);
  const read = async (id: string, client = one(0)): Promise<Reply['body']> =>
    (await client.get(`/approvals/${id}`)).body.approval;
  const ran = async (run: string): Promise<object | undefined> => {
    await until('it has run', async () => (await agent.get(`/runs/${run}`)).body.run.status === 'succeeded');
    return given.get(run);
  };

  it('need as many people as are declared; a second vote of one changes nothing, and a rejection ends it', async () => {
    const { approval, run } = await ask('two');
    expect(await read(approval)).to.deep.include({ needed: 2, votes: [], roles: null });
    const first = await approve(0, approval, { note: 'Fine.' });
    expect(first.status, first.text).to.equal(200);
    expect(first.body).to.deep.include({ run: null });
    expect(first.body.approval).to.include({ status: 'pending' });
    expect(first.body.approval.canDecide.approve).to.equal(false);
    expect((await read(approval, one(1))).canDecide.approve).to.equal(true);
    expect(
      (await read(approval)).votes.map(({ by, note }: { by: { id: string }; note: string }) => [by.id, note]),
    ).to.deep.equal([[one(0).id, 'Fine.']]);
    expect(codeOf(await approve(0, approval))).to.equal('409 already_decided');
    expect((await agent.get(`/runs/${run}`)).body.run.status).to.equal('pending');
    const second = await approve(1, approval);
    expect(second.body.approval).to.include({ status: 'approved' });
    expect(second.body.approval.votes).to.have.length(2);
    expect(await ran(run)).to.deep.equal({ amount: 100, why: 'Twice.' });
    const rejected = await ask('two');
    await approve(0, rejected.approval);
    expect((await one(1).post(`/approvals/${rejected.approval}/reject`)).body.approval).to.include({
      status: 'rejected',
    });
  });

  it('count only votes of people who still may, and who would see the same', async () => {
    const leaving = await world.person('operator', 'Leaving');
    const gone = await ask('two');
    expect((await leaving.post(`/approvals/${gone.approval}/approve`)).body.approval).to.include({ status: 'pending' });
    await world.sql(`update people set role = (select id from roles where name = 'viewer' limit 1) where id = $1`, [
      leaving.id,
    ]);
    await world.sql('update revisions set n = n + 1');
    const late = await approve(1, gone.approval);
    expect(late.body.approval).to.include({ status: 'pending' });
    expect(late.body.approval.votes).to.have.length(1);
    const record = await order();
    const changed = await ask('two', { amount: 5 }, record);
    await approve(0, changed.approval);
    await store(record, 2);
    const { digest } = await read(changed.approval, one(1));
    expect((await approve(1, changed.approval, { digest })).body.approval.votes).to.have.length(1);
    expect(
      (await approve(0, changed.approval, { digest: (await read(changed.approval)).digest })).body.approval,
    ).to.include({
      status: 'approved',
    });
  });

  it('are for people of the roles that are declared', async () => {
    const { approval } = await ask('lead');
    expect((await read(approval)).canDecide).to.deep.equal({
      approve: false,
      why: 'Only people with the role lead can decide this.',
    });
    for (const verb of ['approve', 'reject'])
      expect(codeOf(await one(0).post(`/approvals/${approval}/${verb}`))).to.equal('403 forbidden');
    expect((await lead.get(`/approvals/${approval}`)).body.approval.canDecide.approve).to.equal(true);
    expect((await lead.post(`/approvals/${approval}/approve`)).body.approval).to.include({ status: 'approved' });
  });

  it('are edited within the request, and run as they were decided', async () => {
    const lower = await ask('one');
    const cheap = await approve(0, lower.approval, { input: { amount: 60, why: 'Twice.' } });
    expect(cheap.body.approval, cheap.text).to.deep.include({
      status: 'approved',
      asked: { input: { amount: 100, why: 'Twice.' } },
      decided: { input: { amount: 60, why: 'Twice.' } },
    });
    expect(await ran(lower.run)).to.deep.equal({ amount: 60, why: 'Twice.' });
    const other = await ask('one');
    const text = await approve(0, other.approval, { input: { amount: 100, why: 'Once.' } });
    expect(text.body.approval, text.text).to.deep.include({ status: 'pending', needed: 2 });
    expect(text.body.approval.decided).to.deep.equal({ input: { amount: 100, why: 'Once.' } });
    expect((await approve(1, other.approval)).body.approval).to.include({ status: 'approved' });
    expect(await ran(other.run)).to.deep.equal({ amount: 100, why: 'Once.' });
    const { item } = (await agent.post('/items', { inbox: 'mail', title: 'Hello' })).body;
    const reply = (await supervised.post(`/items/${String(item.id)}/reply`, { text: 'Draft.' })).body.approval;
    const sent = await approve(0, reply, { operation: { type: 'reply', text: 'Better.' } });
    expect(sent.body.approval, sent.text).to.include({ status: 'approved' });
    const { timeline } = (await agent.get(`/items/${String(item.id)}`)).body;
    expect(timeline.find(({ type }: { type: string }) => type === 'reply').data.text).to.equal('Better.');
  });

  it('take no edit of another kind, type or value than a call of the decider’s own could have', async () => {
    const { approval } = await ask('one');
    for (const body of [
      { operation: { type: 'note', text: 'x' } },
      { change: { value: 1 } },
      { input: { amount: 2_000 } },
      { input: { amount: 1, to: 'me' } },
      { input: { amount: 1 }, record: 'o1' },
    ])
      expect(codeOf(await approve(0, approval, body)), JSON.stringify(body)).to.equal('400 invalid');
    await world.role('narrow', [
      { on: 'approvals', can: ['*'] },
      { on: 'resource:order', can: ['see'] },
    ]);
    const narrow = await world.person('narrow', 'Nan');
    expect(codeOf(await narrow.post(`/approvals/${approval}/approve`, { input: { amount: 1 } }))).to.equal(
      '403 forbidden',
    );
    expect(await read(approval)).to.include({ status: 'pending', needed: 1 });
  });

  it('decide once, with one of the edits, however many deciders edit at once', async function () {
    this.timeout(60_000);
    for (let round = 0; round < 5; round++) {
      const { approval, run } = await ask('one');
      const edits = Array.from({ length: 12 }, (_, i) => ({ amount: 99 - i, why: 'Twice.' }));
      const replies = await Promise.all(edits.map((edit, i) => approve(i % 4, approval, { input: edit })));
      const won = replies.flatMap(({ status }, i) => (status === 200 ? [edits[i]] : []));
      expect(won).to.have.length(1);
      expect(replies.filter((reply) => codeOf(reply) === '409 already_decided')).to.have.length(edits.length - 1);
      expect(await ran(run)).to.deep.equal(won[0]);
    }
  });

  it('are as a model of them says, for any votes, edits, rejections and changes of the record', async function () {
    this.timeout(180_000);
    const who = fc.nat(3);
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('approve' as const), who }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('lower' as const), who }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('reword' as const), who }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reject' as const), who }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('store' as const), who }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(['one', 1] as const, ['two', 2] as const, ['three', 3] as const),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        async ([name, count], steps) => {
          const record = await order();
          const { approval } = await ask(name, { amount: 100, why: 'a' }, record);
          const model = {
            status: 'pending',
            amount: 100,
            why: 'a',
            needed: count as number,
            votes: [] as { who: number; seen: number }[],
            seen: 0,
          };
          for (const { do: what, who: at } of steps) {
            if (what === 'store') {
              model.seen += 1;
              await store(record, 1 + model.seen);
              continue;
            }
            const { digest } = await read(approval, one(at));
            const edit =
              what === 'lower'
                ? { input: { amount: Math.max(0, model.amount - 1), why: model.why } }
                : what === 'reword'
                  ? { input: { amount: model.amount, why: `${model.why}b` } }
                  : {};
            const reply =
              what === 'reject'
                ? await one(at).post(`/approvals/${approval}/reject`)
                : await approve(at, approval, { ...edit, ...(digest === null ? {} : { digest }) });
            if (model.status !== 'pending' || (what === 'approve' && model.votes.some((vote) => vote.who === at))) {
              expect(codeOf(reply), what).to.equal('409 already_decided');
              continue;
            }
            expect(reply.status, reply.text).to.equal(200);
            if (what === 'reject') {
              model.status = 'rejected';
              continue;
            }
            if ('input' in edit) {
              Object.assign(model, edit.input, { votes: [] });
              if (what === 'reword') model.needed = Math.max(model.needed, 2);
            }
            const isLast = model.votes.length + 1 >= model.needed;
            if (isLast) model.votes = model.votes.filter(({ seen }) => seen === model.seen);
            model.votes.push({ who: at, seen: model.seen });
            if (model.votes.length >= model.needed) model.status = 'approved';
            const now = reply.body.approval;
            expect(now, JSON.stringify(steps)).to.deep.include({
              status: model.status,
              input: { amount: model.amount, why: model.why },
              needed: model.needed,
            });
            if (model.status === 'pending')
              expect(now.votes.map(({ by }: { by: { id: string } }) => by.id)).to.deep.equal(
                model.votes.map((vote) => one(vote.who).id),
              );
          }
          if (model.status === 'pending') await one(0).post(`/approvals/${approval}/reject`);
        },
      ),
      { numRuns: 60, endOnFailure: true },
    );
  });
});
