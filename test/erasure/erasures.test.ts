/** Erasures: what identified a person is nowhere in the database afterwards, and who did what when still is, and is proven. */
import { expect } from 'chai';
import { verifyAuditChain } from '../../shared/platform/journal/auditChain.ts';
import { never, rpcError, type FakeApp } from '../support/app.ts';
import { moveHalf } from '../support/endedRows.ts';
import type { Client, Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { tablesWith } from '../support/tables.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** In every text that somebody writes about the customer; no id has it. */
const canary = 'Zanzibarova';
const record = { resource: 'customer', id: 'c_77' };
const secret = (more = ''): string => `${canary} ${more}`.trim();

const manifest = {
  ...testManifest,
  resources: [
    { name: 'customer', source: 'stored', fields: [{ name: 'email', search: true, filter: true, sort: true }] },
    ...testManifest.resources.slice(1),
  ],
  inboxes: [
    ...testManifest.inboxes,
    { name: 'errors', onOccurrence: { keep: 100, update: true } },
    { name: 'talks', triage: { app: true } },
  ],
  actions: [
    ...testManifest.actions,
    { name: 'call', label: 'Call', resource: 'customer', input: { type: 'object' } },
    { name: 'pay', label: 'Pay', resource: 'customer', input: { type: 'object' }, approval: true },
    { name: 'nod', label: 'Nod', resource: 'customer', input: { type: 'object' } },
    { name: 'wait', label: 'Wait', resource: 'customer', offline: 'queue' },
  ],
};

describe('erasures', () => {
  let world: World;
  let app: FakeApp;
  let boss: Client;
  let agent: Client;

  before(async () => {
    world = await newWorld({ manifest });
    boss = await world.person('admin', 'Boss', { fresh: true });
    agent = await world.agent('admin');
    app = await world.app(
      {
        'reply.send': () => ({}),
        'triage.answer': () => ({ answers: { who: secret('asks') } }),
        'action.run': ({ action, input }: { action: string; input: { fail?: boolean } }) => {
          if (action === 'wait') return never();
          if (action === 'nod') return {};
          if (input.fail === true) throw rpcError(-32001, secret('has no card'));
          return { message: secret('was called'), blocks: [{ type: 'text', text: secret() }] };
        },
      },
      { manifest },
    );
  });
  after(() => world.close());

  const accepted = ({ status, text, body }: Reply): Reply['body'] => {
    expect(status, text).to.be.within(200, 202);
    return body;
  };
  const erasure = async (id: string): Promise<Reply['body']> =>
    (await boss.get('/settings/erasures')).body.erasures.find((one: { id: string }) => one.id === id);
  const finished = async (id: string): Promise<Reply['body']> => {
    await until('all is erased', async () => (await erasure(id)).status === 'done', 40_000);
    return erasure(id);
  };
  const begin = async (more: object = {}): Promise<string> =>
    accepted(await boss.post('/settings/erasures', { record, confirmed: true, ...more })).erasure.id as string;

  const storeCustomer = (): Promise<unknown> =>
    app.request('records.put', {
      resource: record.resource,
      records: [{ id: record.id, title: secret(), fields: { email: `${canary}@example.com` } }],
    });

  /** Makes the customer's first item, the same request with the same key each time. */
  const askFirst = (): Promise<Reply> =>
    agent.call(
      'POST',
      '/items',
      {
        inbox: 'mail',
        title: secret('asks'),
        data: { email: `${canary}@example.com` },
        record,
        key: secret(),
        user: secret(),
      },
      { headers: { 'idempotency-key': 'asks-first' } },
    );

  /** Everything that a customer leaves behind, each with the canary. Returns the items: their own, one that links to them, one shared. */
  const leaveTraces = async (): Promise<{ own: string; linked: string; shared: string }> => {
    await storeCustomer();
    const own = accepted(await askFirst()).item.id as string;
    accepted(
      await agent.post('/items', { inbox: 'mail', title: secret('asks again'), key: secret(), user: record.id }),
    );
    accepted(await agent.post(`/items/${own}/notes`, { text: secret('called'), reason: secret('why') }));
    accepted(await agent.post(`/items/${own}/reply`, { text: secret('Dear') }));
    accepted(await agent.post(`/items/${own}/state`, { state: 'closed', reason: secret('asked for it') }));
    accepted(await agent.post('/items', { inbox: 'talks', title: secret('talks'), record }));
    const linked = accepted(await agent.post('/items', { inbox: 'bugs', title: 'Linked', links: [record] })).item
      .id as string;
    const error = { inbox: 'errors', title: 'Timeout', key: 'timeout' };
    const shared = accepted(await agent.post('/items', { ...error, data: { at: 'checkout' }, user: 'c_1' })).item
      .id as string;
    accepted(
      await agent.post('/items', { ...error, title: `Timeout of ${canary}`, data: { who: canary }, user: record.id }),
    );
    accepted(
      await agent.post('/actions', { action: 'call', record: record.id, item: own, input: { phone: secret() } }),
    );
    accepted(
      await agent.post('/actions', { action: 'call', record: record.id, input: { phone: secret(), reason: secret() } }),
    );
    expect(
      (await agent.post('/actions', { action: 'call', record: record.id, input: { fail: true } })).status,
    ).to.equal(422);
    // One that has no text but its reason.
    accepted(await agent.post('/actions', { action: 'nod', record: record.id, reason: secret('wants it') }));
    const { approval } = accepted(
      await agent.post('/actions', {
        action: 'pay',
        record: record.id,
        input: { to: secret() },
        reason: secret('owed'),
      }),
    );
    accepted(await agent.post(`/approvals/${String(approval)}/comments`, { text: secret('is waiting') }));
    accepted(await boss.post(`/approvals/${String(approval)}/approve`, { note: secret('is right') }));
    const supervised = await world.agent('admin', { mode: 'supervised' });
    const asked = accepted(await supervised.post('/items', { inbox: 'mail', title: secret('wants'), record })).approval;
    accepted(await boss.post(`/approvals/${String(asked)}/reject`, { note: secret('is no customer') }));
    accepted(
      await agent.post('/bulk', {
        ids: [own],
        operation: { type: 'action', action: 'call', input: { fail: true } },
      }),
    );
    accepted(await agent.post('/bulk', { ids: [own], operation: { type: 'tags', add: ['vip'], remove: [] } }));
    await world.settled();
    return { own, linked, shared };
  };

  it('leave nothing of the person, and everything else', async () => {
    const offset = String((await agent.get('/items?limit=1')).headers.get('x-live-offset'));
    const { own, linked, shared } = await leaveTraces();
    await moveHalf(world);
    for (const table of ['approvals_ended', 'runs_ended'])
      expect((await tablesWith(world, canary)).join(), 'some have moved to their months').to.include(table);
    expect(await tablesWith(world, canary)).to.include.members(
      'approvals bulk_results events idempotency_keys item_users item_words items occurrences record_keys records run_reasons runs stream_parts'.split(
        ' ',
      ),
    );
    const timeline = (await agent.get(`/items/${own}/timeline`)).body.entries as Reply['body'][];
    const audit = (await boss.get(`/audit?target=${own}&limit=100`)).body.entries as Reply['body'][];

    const { found, dryRun } = accepted(await boss.post('/settings/erasures', { record, dryRun: true }));
    expect(dryRun).to.equal(true);
    expect(found).to.deep.include({ records: 1, items: 2, linkedItems: 1, occurrences: 1, approvals: 2 });
    expect(found.runs).to.be.least(6);
    expect(await tablesWith(world, canary), 'a dry run does nothing').to.include('records');

    const done = await finished(await begin());
    expect(done.erased).to.deep.include({ records: 1, items: 2, occurrences: 1, approvals: 2 });
    expect(done.waitsFor).to.equal(null);
    expect(await tablesWith(world, canary)).to.deep.equal([]);
    const { linkedItems, ...wouldErase } = found;
    const { messages, ...erased } = done.erased;
    expect(erased, 'the dry run counted what was then erased').to.deep.equal(wouldErase);
    expect([linkedItems, messages > 0]).to.deep.equal([1, true]);
    const again = accepted(await boss.post('/settings/erasures', { record, dryRun: true })).found;
    const none = Object.fromEntries(Object.keys(wouldErase).map((name) => [name, 0]));
    expect(again, 'nothing is left to be erased').to.deep.equal({ ...none, linkedItems: 1 });

    const { item } = (await agent.get(`/items/${own}`)).body;
    expect(item).to.include({ title: 'Erased', state: 'closed', occurrences: 2, users: 2 });
    expect(item.fields).to.deep.equal({});
    expect(item.record).to.deep.equal({ ...record, title: null });
    expect(item.tags).to.deep.equal(['vip']);
    expect((await agent.get(`/items/${linked}`)).body.item.title).to.equal('Linked');
    const { item: error } = (await agent.get(`/items/${shared}`)).body;
    expect(error).to.include({ title: 'Timeout', occurrences: 2, users: 2 });
    expect(error.fields, 'the content of the newest occurrence of another').to.deep.equal({ at: 'checkout' });
    expect((await agent.get('/items?search=zanzibarova&count=1')).body.total).to.equal(0);
    expect((await agent.get('/items?search=timeout&count=1')).body.total).to.equal(1);

    const who = (entries: Reply['body'][]): unknown[] =>
      entries.map(({ id, type, at, actor, verb }) => ({ id, type, at, actor, verb }));
    const after = (await agent.get(`/items/${own}/timeline`)).body.entries as Reply['body'][];
    expect(who(after), 'who did what when').to.deep.equal(who(timeline));
    const noted = after.find(({ type }) => type === 'note');
    expect(noted.data).to.deep.equal({ text: '', reason: '', erased: true });
    const [last, ...others] = (await boss.get(`/audit?target=${own}&limit=100`)).body.entries as Reply['body'][];
    expect(last).to.deep.include({ verb: 'item.erase', actor: { ...last.actor, type: 'person', id: boss.id } });
    expect(who(others)).to.deep.equal(who(audit));

    const resumed = await agent.get(`/changes?after=${encodeURIComponent(offset)}&limit=200`);
    expect(resumed.status, resumed.text).to.equal(200);
    expect(resumed.text).not.to.include(canary);
    expect(resumed.body.changes.length).to.be.above(20);
  });

  it('keep the chain of the audit log whole, and events as they are but for an erasure', async () => {
    const [row] = await world.sql<{ id: number }>(`select id from environments where name = 'demo'`);
    const { ranges, entries, problems } = await verifyAuditChain(world.deps.db, row?.id ?? 0, null);
    expect(problems).to.deep.equal([]);
    expect(ranges).to.be.above(0);
    expect(entries).to.be.above(20);
    const refused = async (text: string, values: unknown[] = []): Promise<string> =>
      world.sql(text, values).then(
        () => 'was done',
        (error: unknown) => String(error),
      );
    expect(await refused(`update events set data = null`)).to.include('append-only');
    expect(await refused(`delete from events`)).to.include('append-only');
    expect(await refused('select erase_events($1, $2)', [row?.id, [1]])).to.include('no erasure');
    // A place that has no salt proves nothing; every other one does.
    await world.sql('alter table events disable trigger events_append_only');
    await world.sql(
      `update events set after = '{"forged": true}' where id = (select max(id) from events where verb = 'erasure.create')`,
    );
    await world.sql('alter table events enable trigger events_append_only');
    await until('it is chained', async () => {
      const { problems: found } = await verifyAuditChain(world.deps.db, row?.id ?? 0, null);
      return found.length === 1;
    });
  });

  it('do what was asked for once, whoever asks again', async () => {
    const again = await askFirst();
    expect(again.status, again.text).to.equal(201);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    expect(again.body.item).to.include({ title: 'Erased', state: 'open', version: 1 });
    expect(again.text).not.to.include(canary);
    const done = await finished(await begin());
    expect(done.erased.items, 'what was erased stays as it is').to.equal(0);
  });

  it('also take items that link to the record, where that is asked for', async () => {
    await world.records('customer', [{ id: record.id, title: secret() }]);
    const { item } = accepted(await agent.post('/items', { inbox: 'bugs', title: secret('linked'), links: [record] }));
    expect((await finished(await begin())).erased.items).to.equal(0);
    expect(await tablesWith(world, canary)).to.include('items');
    expect((await finished(await begin({ linked: true }))).erased.items).to.equal(2);
    expect((await agent.get(`/items/${String(item.id)}`)).body.item.title).to.equal('Erased');
    expect(await tablesWith(world, canary)).to.deep.equal([]);
  });

  it('wait for what has not ended, and say so', async () => {
    await storeCustomer();
    const { approval } = accepted(
      await agent.post('/actions', { action: 'pay', record: record.id, input: { to: secret() } }),
    );
    await app.close();
    const { run } = accepted(await agent.post('/actions', { action: 'wait', record: record.id }));
    const { item } = accepted(await agent.post('/items', { inbox: 'mail', title: secret('waits'), record }));
    accepted(await agent.post(`/items/${String(item.id)}/reply`, { text: secret('Dear') }));
    const id = await begin();
    await until('it waits', async () => (await erasure(id)).waitsFor !== null);
    await until('nothing else is left', async () => (await erasure(id)).waitsFor.entries === 0, 40_000);
    const { waitsFor } = await erasure(id);
    expect(waitsFor).to.deep.equal({ runs: 2, approvals: 1, bulks: 0, triages: 0, replies: 1, entries: 0 });
    expect((await agent.get(`/items/${String(item.id)}`)).body.item.title, 'whom to reply to').to.equal(
      secret('waits'),
    );
    accepted(await agent.get(`/resources/customer/${record.id}`));
    const [pending] = accepted(await boss.get('/approvals?status=pending')).approvals;
    expect(pending, 'who decides sees what for').to.deep.include({ id: approval, input: { to: secret() } });
    const twice = await boss.post('/settings/erasures', { record, confirmed: true });
    expect(twice.status).to.equal(409);
    expect(twice.body.code).to.equal('conflict');
    accepted(await boss.post(`/approvals/${String(approval)}/reject`, {}));
    accepted(await boss.post(`/runs/${String(run)}/cancel`));
    const sent: string[] = [];
    await world.app(
      {
        'reply.send': ({ text, item: to }: { text: string; item: { title: string } }) => {
          sent.push(`${text} to ${to.title}`);
          return {};
        },
      },
      { manifest },
    );
    await finished(id);
    expect(sent, 'the reply was sent whole').to.deep.equal([`${secret('Dear')} to ${secret('waits')}`]);
    expect(await tablesWith(world, canary)).to.deep.equal([]);
  });

  it('need a confirmation, and say what for', async () => {
    const { status, body } = await boss.post('/settings/erasures', { record });
    expect(status).to.equal(409);
    expect(body.code).to.equal('confirmation_required');
    const [entry] = (await boss.get('/audit?verb=erasure.finish&limit=1')).body.entries as Reply['body'][];
    expect(entry.after.erased).to.be.an('object');
  });
});
