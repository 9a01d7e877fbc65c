/** How approvals end: with what waits for them or not at all, by who may decide at that moment, and for what was shown. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import { deferred } from '../support/deferred.ts';
import type { Client, Reply } from '../support/http.ts';
import { raceForInsert, raceForRow } from '../support/locks.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const input = { type: 'object', properties: { n: { type: 'integer' } } } as const;

const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status' }] },
    { name: 'payment', source: 'app', fields: [] },
  ],
  inboxes: [
    { name: 'mail' },
    { name: 'secret' },
    {
      name: 'letters',
      reply: { via: 'smtp', from: 'us@example.com', to: '{{item.fields.email}}' },
      onOccurrence: { keep: 10, update: true },
    },
  ],
  actions: [
    { name: 'refund', label: 'Refund', resource: 'order', approval: true, input },
    { name: 'capture', label: 'Capture', resource: 'payment', approval: true, input },
  ],
  flags: [{ key: 'beta', kind: 'boolean', default: false, resource: 'order', approval: true }],
} as const;

const clerk = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:letters', can: ['*'] },
  { on: 'resource:*', can: ['see'] },
  { on: 'action:*', can: ['run'] },
  { on: 'flag:beta', can: ['*'] },
];

describe('the end of an approval', () => {
  let world: World;
  let agent: Client;
  let bot: Client;
  let ana: Client;
  let app: FakeApp;
  let payment: () => Promise<object> = () => Promise.resolve({ records: [] });

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerk);
    agent = await world.agent('clerk');
    bot = await world.agent('clerk', { mode: 'supervised', name: 'Bot' });
    ana = await world.person('admin', 'Ana');
    await world.records('order', [{ id: 'o1', title: 'Order 1', fields: { status: 'paid' } }]);
    app = await world.app({ 'records.get': () => payment(), 'action.run': () => ({ message: 'Done.' }) }, { manifest });
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  const found = { records: [{ id: 'p1', title: 'Payment', fields: {} }] };
  let n = 0;
  const ask = async (action = 'refund', record = 'o1'): Promise<{ approval: string; run: string }> => {
    n += 1;
    const reply = await agent.post('/actions', { action, record, input: { n } });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body;
  };
  const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body?.code)}`;
  const statusOf = async (id: string): Promise<string> => (await ana.get(`/approvals/${id}`)).body.approval.status;
  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;

  it('is written with the end of its run, or not at all', async () => {
    const { approval, run } = await ask();
    await world.sql(
      `create function refuse_runs() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`,
    );
    await world.sql(`create trigger refuse_runs before update on runs for each row execute function refuse_runs()`);
    try {
      expect((await ana.post(`/approvals/${approval}/reject`)).status).to.equal(500);
      expect([await statusOf(approval), (await runOf(run)).status]).to.deep.equal(['pending', 'pending']);
    } finally {
      await world.sql('drop trigger refuse_runs on runs');
    }
    expect((await ana.post(`/approvals/${approval}/reject`, { note: 'No.' })).status).to.equal(200);
    expect([await statusOf(approval), (await runOf(run)).status]).to.deep.equal(['rejected', 'rejected']);
    const [entry] = (await ana.get(`/audit?verb=action.reject&target=${run}`)).body.entries as {
      actor: { id: string };
    }[];
    expect(entry?.actor.id, 'whose deed it is').to.equal(ana.id);
  });

  it('is one of its requester’s and its decider’s at the same moment, with its run', async () => {
    const cases = [
      ['reject', '200 undefined,409 conflict', 'rejected,rejected'],
      ['approve', '200 undefined,409 conflict', 'approved,succeeded'],
    ] as const;
    for (const [decision, decidedFirst, decided] of cases)
      for (const isDecidedFirst of [true, false]) {
        const { approval, run } = await ask();
        const decide = (): Promise<Reply> => ana.post(`/approvals/${approval}/${decision}`);
        const cancel = (): Promise<Reply> => agent.post(`/runs/${run}/cancel`);
        const replies = await raceForRow(
          world,
          { table: 'approvals', id: approval },
          isDecidedFirst ? [decide, cancel] : [cancel, decide],
        );
        expect(replies.map(codeOf).join()).to.equal(
          isDecidedFirst ? decidedFirst : '200 undefined,409 already_decided',
        );
        // A run that was approved is at the app once it is approved.
        await until('the run has ended', async () => (await runOf(run)).finishedAt !== null);
        const ends = [await statusOf(approval), (await runOf(run)).status];
        expect(ends.join()).to.equal(isDecidedFirst ? decided : 'cancelled,cancelled');
      }
  });

  it('comes to one whose time is up before an equal request, with its run and an audit entry', async () => {
    const body = { action: 'refund', record: 'o1', input: { n: 0 } };
    const first = (await agent.post('/actions', body)).body as { approval: string; run: string };
    await world.sql('update approvals set expires_at = $2 where id = $1', [first.approval, Date.now() - 1]);
    const second = (await agent.post('/actions', body)).body as { approval: string; run: string };
    expect(second.approval).not.to.equal(first.approval);
    await until('the first run has expired', async () => (await runOf(first.run)).status === 'expired');
    expect(await statusOf(first.approval)).to.equal('expired');
    expect((await runOf(second.run)).status).to.equal('pending');
    const { entries } = (await ana.get(`/audit?target=${first.approval}&verb=approval.expire`)).body as {
      entries: object[];
    };
    expect(entries).to.have.length(1);
    await agent.post(`/approvals/${second.approval}/cancel`);
  });

  it('is not decided by who loses the right while the app is asked', async () => {
    payment = () => Promise.resolve(found);
    const { approval, run } = await ask('capture', 'p1');
    const leaving = await world.person('operator', 'Leaving');
    const [asked, answer] = [deferred(), deferred<object>()];
    payment = () => {
      asked.resolve();
      return answer.promise;
    };
    const decided = leaving.post(`/approvals/${approval}/approve`);
    await asked.promise;
    const viewer = (await ana.get('/settings/roles')).body.roles.find(
      ({ name }: { name: string }) => name === 'viewer',
    ) as {
      id: string;
    };
    await world.sql('update people set role = $2 where id = $1', [leaving.id, viewer.id]);
    await world.sql('update revisions set n = n + 1');
    answer.resolve(found);
    expect(codeOf(await decided)).to.equal('403 forbidden');
    expect([await statusOf(approval), (await runOf(run)).status]).to.deep.equal(['pending', 'pending']);
    payment = () => Promise.resolve(found);
    expect((await ana.post(`/approvals/${approval}/approve`)).status).to.equal(200);
  });

  describe('for an item with a key', () => {
    const create = (key: string, title: string): Promise<Reply> => bot.post('/items', { inbox: 'mail', title, key });

    it('adds to the item that was shown', async () => {
      const known = (await ana.post('/items', { inbox: 'mail', title: 'Known', key: 'k1' })).body.item as {
        id: string;
      };
      const { approval } = (await create('k1', 'Once more')).body as { approval: string };
      const shown = (await ana.get(`/approvals/${approval}`)).body.approval;
      expect(shown.sentence).to.match(/^Report .*Known.* again, as .*Once more/);
      expect([shown.item, shown.before.title, shown.after]).to.deep.equal([known.id, 'Known', null]);
      const approved = await ana.post(`/approvals/${approval}/approve`);
      expect([approved.status, approved.body.item.id, approved.body.item.occurrences]).to.deep.equal([
        200,
        known.id,
        2,
      ]);
    });

    it('says afterwards too that it has created one', async () => {
      const { approval } = (await create('k3', 'First of all')).body as { approval: string };
      const approved = (await ana.post(`/approvals/${approval}/approve`)).body;
      const { sentence, item } = (await ana.get(`/approvals/${approval}`)).body.approval as {
        sentence: string;
        item: string;
      };
      expect([item, sentence.slice(0, 6)]).to.deep.equal([approved.item.id, 'Create']);
    });

    it('is stale when another item has got the key', async () => {
      const { approval } = (await create('k2', 'A new one')).body as { approval: string };
      expect((await ana.get(`/approvals/${approval}`)).body.approval.sentence).to.match(/^Create /);
      const other = (await ana.post('/items', { inbox: 'mail', title: 'Sooner', key: 'k2' })).body.item as {
        id: string;
      };
      expect(codeOf(await ana.post(`/approvals/${approval}/approve`))).to.equal('409 stale');
      expect((await ana.get(`/items/${other.id}`)).body.item.occurrences).to.equal(1);
    });

    it('is stale when another item gets the key in the same moment', async () => {
      const some = (await ana.post('/items', { inbox: 'mail', title: 'Some' })).body.item as { id: string };
      const { approval } = (await create('k4', 'A new one')).body as { approval: string };
      const other = `${some.id.slice(0, -1)}${some.id.endsWith('0') ? '1' : '0'}`;
      const answer = await raceForInsert(
        world,
        {
          table: 'items',
          insert: `insert into items select r.* from items i, jsonb_populate_record(i, jsonb_build_object('id', $2::text, 'key', 'k4')) r where i.id = $1`,
          values: [some.id, other],
        },
        () => ana.post(`/approvals/${approval}/approve`),
      );
      expect(codeOf(answer)).to.equal('409 stale');
      expect((await ana.get(`/items/${other}`)).body.item.occurrences).to.equal(1);
    });

    it('goes on waiting when many are at it at once', async () => {
      const { approval } = (await create('k5', 'A new one')).body as { approval: string };
      await world.sql(`create function busy() returns trigger language plpgsql as $$
        begin raise exception 'Another was first.' using errcode = 'serialization_failure'; end $$`);
      await world.sql(
        "create trigger busy before insert on items for each row when (new.key = 'k5') execute function busy()",
      );
      expect(codeOf(await ana.post(`/approvals/${approval}/approve`))).to.equal('409 conflict');
      expect(await statusOf(approval)).to.equal('pending');
      await world.sql('drop function busy cascade');
      expect((await ana.post(`/approvals/${approval}/approve`)).status).to.equal(200);
    });
  });

  it('is stale for a reply that would go to another address than the one that was shown', async () => {
    const report = (email: string, subject: string): Promise<Reply> =>
      ana.post('/items', { inbox: 'letters', title: subject, key: 'thread', data: { email, subject } });
    const { id } = (await report('ada@example.com', 'Help')).body.item as { id: string };
    const reply = async (text: string): Promise<string> => {
      const asked = await bot.post(`/items/${id}/reply`, { text });
      expect(asked.status, asked.text).to.equal(202);
      return (asked.body as { approval: string }).approval;
    };
    const [first, second] = [await reply('Your account is open again.'), await reply('Is all well?')];
    expect((await report('ada@example.com', 'Help, please')).body.item.title).to.equal('Help, please');
    expect((await ana.post(`/approvals/${first}/approve`)).status).to.equal(200);
    await report('eve@example.com', 'Help, please');
    const refused = await ana.post(`/approvals/${second}/approve`);
    expect([codeOf(refused), refused.body.details[0].path]).to.deep.equal(['409 stale', 'item.fields']);
  });

  it('leaves no targets and guards of flags in the audit log for who does not see them', async () => {
    const ramp = {
      to: 50,
      over: 60_000,
      every: 10_000,
      guard: { inbox: 'secret', above: 5, within: 60_000, then: 'stop' },
    };
    const change = { value: true, targets: { o1: true }, ramp };
    const asked = await ana.post('/flags/beta', { change, reason: 'A try.' });
    expect(asked.status, asked.text).to.equal(202);
    const boss = await world.person('admin', 'Boss');
    const approved = await boss.post(`/approvals/${String(asked.body.approval)}/approve`);
    expect(approved.status, approved.text).to.equal(200);
    await world.role('auditor', [
      { on: 'audit', can: ['see'] },
      { on: 'flag:beta', can: ['see'] },
      { on: 'approvals', can: ['see'] },
    ]);
    const auditor = await world.agent('auditor');
    for (const verb of ['flag.change', 'approval.request']) {
      const all = await ana.get(`/audit?verb=${verb}`);
      expect(all.text, verb).to.include('"secret').and.include('o1');
      const seen = await auditor.get(`/audit?verb=${verb}`);
      expect(seen.status, verb).to.equal(200);
      expect(seen.text, verb).not.to.include('secret');
      expect(seen.text, verb).not.to.include('"o1');
    }
  });
});
