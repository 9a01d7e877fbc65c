/** Who sees a bulk: its author, and of those who see the audit log the ones who see one of its inboxes and its action's resource. */
import { expect } from 'chai';
import { rpcError } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive, type Recorder } from '../support/live.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'order', source: 'stored' },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [{ name: 'support' }, { name: 'errors' }, { name: 'fraud' }],
  actions: [
    { name: 'refund', resource: 'order' },
    { name: 'open_vault', resource: 'vault', input: { type: 'object' } },
  ],
} as const;

const auditorGrants = [
  { on: 'inbox:support', can: ['see', 'tags'] },
  { on: 'resource:order', can: ['see'] },
  { on: 'audit', can: ['see'] },
];

type Bulk = Reply['body'];
type Record = { readonly resource: string; readonly id: string };

describe('http: who sees a bulk', () => {
  let world: World;
  let admin: Client;
  let auditor: Client;
  let live: Recorder;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('auditor', auditorGrants);
    admin = await world.agent('admin');
    auditor = await world.agent('auditor');
    await world.records('order', [{ id: 'o1', title: 'Order' }]);
    await world.records('vault', [{ id: 'v1', title: 'Gold' }]);
    await world.app({
      'action.run': ({ action }: { action: string }) => {
        if (action === 'open_vault') throw rpcError(-32001, 'The gold is gone.');
        return { message: 'Done.' };
      },
    });
    live = await openLive(auditor);
  });
  after(async () => {
    await live.close();
    await world.close();
  });

  const item = async (inbox: string, record?: Record): Promise<string> =>
    (await admin.post('/items', { inbox, title: inbox, ...(record === undefined ? {} : { record }) })).body.item.id;
  const tags = (...add: string[]): object => ({ type: 'tags', add, remove: [] });
  const run = async (ids: readonly string[], operation: object, client = admin): Promise<Bulk> => {
    const reply = await client.post('/bulk', { ids, operation });
    expect(reply.status, reply.text).to.equal(202);
    await world.settled();
    return (await client.get(`/bulk/${String(reply.body.bulk.id)}`)).body.bulk;
  };
  const listed = async (client: Client, query = ''): Promise<string[]> =>
    (await client.get(`/bulk?limit=200${query}`)).body.bulks.map(({ id }: Bulk) => id);
  const entriesOf = async (id: string, client = auditor): Promise<Bulk[]> =>
    (await client.get('/audit?limit=200')).body.entries.filter(
      (entry: Bulk) => entry.target.id === id && entry.outcome === 'ok',
    );
  /** The live messages about a bulk, once everything that was told before an item that the auditor sees is there. */
  const heardOf = async (id: string): Promise<Bulk[]> => {
    const last = await item('support');
    await live.next('the last item', (message) => message.item?.id === last);
    return live.messages.filter((message) => message.bulk?.id === id);
  };
  const expectAbsent = async (id: string, client = auditor): Promise<void> => {
    const nowhere = await client.get('/bulk/blk_01jd0000000000000000000000');
    for (const path of [`/bulk/${id}`, `/bulk/${id}/results`]) {
      const reply = await client.get(path);
      expect([reply.status, reply.text], path).to.deep.equal([404, nowhere.text]);
    }
    for (const verb of ['undo', 'cancel'])
      expect((await client.post(`/bulk/${id}/${verb}`)).status, verb).to.equal(404);
    for (const query of ['', '&status=done']) expect(await listed(client, query)).not.to.include(id);
  };

  it('tells nobody of a run on a record of a resource that they do not see, also while it runs', async () => {
    await world.role('runner', [
      { on: 'inbox:support', can: ['see'] },
      { on: 'resource:order', can: ['see'] },
      { on: 'action:*', can: ['run'] },
    ]);
    const runner = await world.agent('runner');
    const stream = await openLive(runner);
    const about = async (action: string, record: Record, reason: string): Promise<string> => {
      const id = await item('support', record);
      await admin.post('/bulk', { ids: [id], operation: { type: 'action', action, input: {} }, reason });
      await world.settled();
      return id;
    };
    const hidden = await about('open_vault', { resource: 'vault', id: 'v1' }, 'Of the gold.');
    const shown = await about('refund', { resource: 'order', id: 'o1' }, 'Of the order.');
    await stream.next('the run that is seen', (message) => message.entry?.data?.status === 'succeeded');
    const told = JSON.stringify(stream.messages);
    expect(told).to.include('refund').and.include('Of the order.').and.include(hidden);
    expect(told).not.to.match(/open_vault|Of the gold/);
    expect(JSON.stringify((await runner.get(`/items/${hidden}`)).body)).not.to.match(/open_vault|Of the gold/);
    expect(JSON.stringify((await runner.get(`/items/${shown}`)).body)).to.include('Of the order.');
    await stream.close();
  });

  it('is nobody’s but the author’s who sees none of the inboxes of its items', async () => {
    const bulk = await run([await item('errors'), await item('errors')], tags('hush'));
    expect(bulk).to.include({ status: 'done', changed: 2 });
    await expectAbsent(bulk.id);
    expect(await heardOf(bulk.id)).to.deep.equal([]);
    expect(await entriesOf(bulk.id)).to.deep.equal([]);
    expect((await auditor.get('/audit?verb=bulk.create&limit=200')).text).not.to.include('hush');
    expect(await entriesOf(bulk.id, admin)).to.have.length(1);
    expect(await listed(admin)).to.include(bulk.id);

    const undone = (await admin.post(`/bulk/${String(bulk.id)}/undo`)).body.bulk;
    await world.settled();
    await expectAbsent(undone.id);
    expect(await heardOf(undone.id)).to.deep.equal([]);
    expect(await entriesOf(bulk.id)).to.deep.equal([]);
    expect(await entriesOf(bulk.id, admin)).to.have.length(2);
  });

  it('is absent where the items are in several unseen inboxes, its entry too', async () => {
    const bulk = await run([await item('errors'), await item('fraud')], tags('hush'));
    await expectAbsent(bulk.id);
    expect(await heardOf(bulk.id)).to.deep.equal([]);
    expect(await entriesOf(bulk.id)).to.deep.equal([]);
    expect(await entriesOf(bulk.id, admin)).to.have.length(1);
  });

  it('is seen by who sees one of its inboxes, with counts of the items that they see, and whole by the author', async () => {
    const [seen, hidden] = [await item('support'), await item('errors')];
    const mixed = await run([hidden, seen], tags('both'));
    expect(mixed).to.include({ total: 2, done: 2, changed: 2 });
    expect((await auditor.get(`/bulk/${String(mixed.id)}`)).body.bulk).to.deep.equal({
      ...mixed,
      total: 1,
      done: 1,
      changed: 1,
    });
    expect(mixed).not.to.have.any.keys('scope', 'inboxes');
    expect(await heardOf(mixed.id)).to.deep.equal([]);
    expect(await entriesOf(mixed.id)).to.have.length(1);
    const results = await auditor.get(`/bulk/${String(mixed.id)}/results`);
    expect(results.body.results.map(({ id }: Bulk) => id)).to.deep.equal([seen]);

    const own = await run([hidden], tags('own'), auditor);
    expect(own).to.include({ changed: 0, failed: 1 });
    expect(await listed(auditor)).to.include(own.id);
    expect((await heardOf(own.id)).length).to.be.above(0);
  });

  it('is seen where its ids name no item, and by its first items where nothing is stored of it', async () => {
    const none = await run(['itm_none'], tags('none'));
    expect((await auditor.get(`/bulk/${String(none.id)}`)).status).to.equal(200);
    const copy = async (of: Bulk): Promise<string> => {
      const id = `${(of.id as string).slice(0, -2)}zz`;
      await world.sql('insert into bulks select (jsonb_populate_record(b, $2)).* from bulks b where id = $1', [
        of.id,
        JSON.stringify({ id }),
      ]);
      await world.sql(
        'insert into bulk_chunks (bulk, n, first, ids, status) select $2, n, first, ids, status from bulk_chunks where bulk = $1',
        [of.id, id],
      );
      return id;
    };
    const shown = await copy(await run([await item('support'), await item('errors')], tags('former')));
    const hidden = await copy(await run([await item('errors')], tags('former')));
    expect((await auditor.get(`/bulk/${shown}`)).status).to.equal(200);
    await expectAbsent(hidden);
    expect(await listed(admin)).to.include.members([shown, hidden]);
    expect(await listed(auditor)).to.include(shown);
  });

  it('lists pages without holes, and none behind which there is only what is hidden', async () => {
    const reader = await world.agent('auditor');
    const ids: string[] = [];
    for (const inbox of ['support', 'errors', 'errors', 'support', 'errors'])
      ids.push((await run([await item(inbox)], tags(inbox))).id as string);
    const wanted = (await listed(reader)).filter((id) => id >= (ids[0] ?? ''));
    expect(wanted).to.deep.equal([ids[3], ids[0]]);
    const first = (await reader.get('/bulk?limit=1')).body;
    expect(first.bulks[0].id).to.equal(ids[3]);
    const second = (await reader.get(`/bulk?limit=1&cursor=${String(first.cursor)}`)).body;
    expect(second.bulks[0].id).to.equal(ids[0]);
    const fresh = await newWorld({ manifest });
    try {
      await fresh.role('auditor', auditorGrants);
      const [author, other] = [await fresh.agent('admin'), await fresh.agent('auditor')];
      for (const inbox of ['errors', 'support']) {
        const { id } = (await author.post('/items', { inbox, title: inbox })).body.item;
        await author.post('/bulk', { ids: [id], operation: tags('x') });
      }
      // A page that takes longer than its 250 ms has a cursor, whatever is behind it.
      const page = await until('the last page has no cursor', async () => {
        const { body } = await other.get('/bulk?limit=1');
        return body.cursor === null ? body : null;
      });
      expect(page.bulks).to.have.length(1);
      expect((await author.get('/bulk?limit=1')).body.cursor).not.to.equal(null);
    } finally {
      await fresh.close();
    }
  });

  it('of an action is nobody’s but the author’s who does not see the action’s resource', async () => {
    const vault = { resource: 'vault', id: 'v1' };
    const operation = { type: 'action', action: 'open_vault', input: { code: 'sesame' } };
    const bulk = await run([await item('support', vault)], operation);
    expect(bulk).to.include({ failed: 1 });
    expect((await admin.get(`/bulk/${String(bulk.id)}/results`)).text).to.include('The gold is gone.');
    await expectAbsent(bulk.id);
    expect(await heardOf(bulk.id)).to.deep.equal([]);
    expect(await entriesOf(bulk.id)).to.deep.equal([]);
    expect((await auditor.get('/audit?limit=200')).text).not.to.match(/sesame|vault/);

    const order = await run([await item('support', { resource: 'order', id: 'o1' })], {
      type: 'action',
      action: 'refund',
      input: {},
    });
    expect((await auditor.get(`/bulk/${String(order.id)}`)).body.bulk).to.deep.equal(order);
    expect(await entriesOf(order.id)).to.have.length(1);
  });

  it('of an action shows an author who does not see its resource any more neither input nor what the app said', async () => {
    const grants = [
      { on: 'inbox:support', can: ['*'] },
      { on: 'resource:vault', can: ['see'] },
      { on: 'action:open_vault', can: ['run'] },
    ];
    await world.role('keeper', grants);
    const keeper = await world.agent('keeper');
    const ids = [await item('support', { resource: 'vault', id: 'v1' })];
    const start = await openLive(keeper);
    const options = { headers: { 'idempotency-key': 'vaults' } };
    const operation = { type: 'action', action: 'open_vault', input: { code: 'sesame' } };
    const dry = { ids, operation, dryRun: true };
    const asked = await keeper.post('/bulk', { ids, operation }, options);
    await keeper.post('/bulk', dry, { headers: { 'idempotency-key': 'dry' } });
    await world.settled();
    const { id } = asked.body.bulk;
    expect((await keeper.post('/bulk', { ids, operation }, options)).text).to.equal(asked.text);
    await world.sql('update roles set grants = $1 where name = $2', [JSON.stringify(grants.slice(0, 1)), 'keeper']);
    await world.sql('update revisions set n = n + 1');
    await world.deps.directory.refresh();

    const { bulk } = (await keeper.get(`/bulk/${String(id)}`)).body;
    expect(bulk.operation).to.deep.equal({ type: 'action', action: 'open_vault' });
    expect((await keeper.get('/bulk')).text).not.to.include('sesame');
    const results = await keeper.get(`/bulk/${String(id)}/results`);
    expect(results.body.results).to.deep.equal([{ id: ids[0], outcome: 'failed', error: null, code: 'failed' }]);
    const { changes } = (await keeper.get(`/changes?after=${encodeURIComponent(start.messages[0].offset)}`)).body;
    const told = changes.filter(({ type }: Bulk) => type === 'bulk');
    expect(told.at(-1).bulk).to.deep.equal(bulk);
    expect(JSON.stringify(told)).not.to.include('sesame');
    await start.close();
    expect((await keeper.post('/bulk', { ids, operation }, options)).status).to.equal(404);
    expect((await keeper.post('/bulk', dry, { headers: { 'idempotency-key': 'dry' } })).status).to.equal(404);
  });

  it('undone by who sees a part of it, names only items that they see', async () => {
    const [seen, hidden] = [await item('support'), await item('errors')];
    const mixed = await run([hidden, seen], tags('both'));
    const options = { headers: { 'idempotency-key': 'undo' } };
    const reply = await auditor.post(`/bulk/${String(mixed.id)}/undo`, {}, options);
    expect(reply.status, reply.text).to.equal(202);
    await world.settled();
    const path = `/bulk/${String(reply.body.bulk.id)}/results`;
    const results = await auditor.get(path);
    expect(results.body.results.map(({ id, outcome }: Bulk) => [id, outcome])).to.deep.equal([[seen, 'changed']]);
    expect((await auditor.get(`${path}?outcome=not_found`)).body.results).to.deep.equal([]);
    expect(reply.body.bulk.total).to.equal(1);
    expect((await admin.get(path)).body.results).to.have.length(1);
    expect((await auditor.post(`/bulk/${String(mixed.id)}/undo`, {}, options)).text).to.equal(reply.text);
  });

  it('of a supervised agent is told as it goes on to those who see it, once it is approved', async () => {
    const asking = await world.agent('admin', { mode: 'supervised' });
    const ana = await world.person('admin');
    const request = async (inbox: string): Promise<string> => {
      const reply = await asking.post('/bulk', { ids: [await item(inbox)], operation: tags('asked') });
      const decided = await ana.post(`/approvals/${String(reply.body.approval)}/approve`);
      expect(decided.status, decided.text).to.equal(200);
      expect(decided.body.bulk).not.to.have.property('scope');
      await world.settled();
      return reply.body.bulk.id as string;
    };
    const [seen, hidden] = [await request('support'), await request('errors')];
    const statuses = (await heardOf(seen)).map(({ bulk }) => bulk.status as string);
    expect(statuses).to.include.members(['pending', 'queued', 'done']);
    expect(await heardOf(hidden)).to.deep.equal([]);
    await expectAbsent(hidden);
  });

  it('cancelled is told and audited as it was accepted', async () => {
    const idle = await newWorld({ manifest, workers: false });
    try {
      await idle.role('auditor', auditorGrants);
      const [author, other] = [await idle.agent('admin'), await idle.agent('auditor')];
      const cancelled = async (inbox: string): Promise<Reply> => {
        const { id } = (await author.post('/items', { inbox, title: inbox })).body.item;
        const { bulk } = (await author.post('/bulk', { ids: [id], operation: tags('x') })).body;
        const path = `/bulk/${String(bulk.id)}`;
        expect((await other.post(`${path}/cancel`)).status).to.equal(inbox === 'support' ? 403 : 404);
        expect((await author.post(`${path}/cancel`)).body.bulk.status).to.equal('cancelled');
        return other.get(`/audit?verb=bulk.cancel&target=${String(bulk.id)}`);
      };
      const outcomes = (reply: Reply): string[] => reply.body.entries.map((entry: Bulk) => entry.outcome);
      expect(outcomes(await cancelled('support'))).to.include('ok');
      expect(outcomes(await cancelled('errors'))).not.to.include('ok');
    } finally {
      await idle.close();
    }
  });
});
