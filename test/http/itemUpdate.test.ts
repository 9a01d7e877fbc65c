/** `PATCH /items/:id`: several members at once, all or none, one version; and the same as a bulk and its undo. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { customer, hour, manifest } from './itemUpdateManifest.ts';

describe('PATCH /items/:id', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let person: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'inbox:oneWay', can: ['state', 'tags', 'reply'] },
      { on: 'resource:customer', can: ['see'] },
    ]);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
    person = await world.person('operator', 'Ana Lind');
    await world.records('customer', [
      { id: 'c1', title: 'One' },
      { id: 'c2', title: 'Two' },
    ]);
    await world.records('vault', [{ id: 'v1', title: 'Vault' }]);
  });
  after(() => world.close());

  const make = async (more: object = {}): Promise<string> => {
    const reply = await admin.post('/items', { inbox: 'mail', title: 'Item', ...more });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.item.id as string;
  };
  const patch = (client: Client, id: string, body: object, headers?: Record<string, string>): Promise<Reply> =>
    client.call('PATCH', `/items/${id}`, body, headers === undefined ? {} : { headers });
  const codeOf = ({ status, body }: Reply): string => `${String(status)} ${String(body?.code)}`;
  const pathOf = ({ body }: Reply): string => body.details?.[0]?.path as string;

  it('does all of it in one version, with an entry for each part that changed and one audit entry', async () => {
    const id = await make({ tags: ['old'], links: [customer('c1')] });
    const until_ = Date.now() + hour;
    const reply = await patch(admin, id, {
      state: 'waiting',
      assignee: person.id,
      tags: { add: ['new'], remove: ['old'] },
      snooze: until_,
      note: 'Called.',
      links: { add: [customer('c2')], remove: [customer('c1')] },
    });
    expect(reply.status, reply.text).to.equal(200);
    const { item, changed, entries } = reply.body;
    expect(changed).to.equal(true);
    expect(item).to.include({ state: 'waiting', assignee: person.id, snoozedUntil: until_, version: 2 });
    expect(item.tags).to.deep.equal(['new']);
    expect(reply.headers.get('etag')).to.equal('"2"');
    expect((entries as { type: string; data: object }[]).map(({ type, data }) => ({ type, data }))).to.deep.equal([
      { type: 'state', data: { from: 'open', to: 'waiting' } },
      { type: 'assigned', data: { from: null, to: person.id } },
      { type: 'tags', data: { add: ['new'], remove: ['old'] } },
      { type: 'snoozed', data: { from: null, to: until_ } },
      { type: 'note', data: { text: 'Called.' } },
      { type: 'linked', data: { record: customer('c2') } },
      { type: 'unlinked', data: { record: customer('c1') } },
    ]);
    const detail = (await admin.get(`/items/${id}`)).body;
    expect(detail.linked.map((record: { id: string }) => record.id)).to.deep.equal(['c2']);
    expect((detail.timeline as { id: string; type: string }[]).slice(0, 7).map((entry) => entry.id)).to.have.members(
      (entries as { id: string }[]).map((entry) => entry.id),
    );
    const audited = (await admin.get(`/audit?target=${id}&verb=item.update`)).body.entries as {
      before: object;
      after: object;
    }[];
    expect(audited).to.have.length(1);
    expect(audited[0]?.before).to.deep.include({ state: 'open', tags: ['old'], links: [customer('c1')] });
    expect(audited[0]?.after).to.deep.include({ state: 'waiting', tags: ['new'], links: [customer('c2')] });
  });

  it('does nothing at all when one part can not be done, and names its place', async () => {
    const id = await make({ tags: ['a'] });
    const now = Date.now();
    for (const [body, code, path] of [
      [{ note: 'x', state: 'nosuch' }, '400 invalid', 'state'],
      [{ note: 'x', assignee: 'per_nosuch' }, '400 invalid', 'assignee'],
      [{ note: 'x', tags: { add: Array.from({ length: 50 }, (_, n) => `t${String(n)}`) } }, '400 invalid', 'tags.add'],
      [{ note: 'x', tags: { add: ['b'], remove: ['b'] } }, '400 invalid', 'tags.add.0'],
      [{ note: 'x', tags: {} }, '400 invalid', 'tags.add'],
      [{ note: 'x', snooze: now - hour }, '400 invalid', 'snooze'],
      [{ state: 'closed', snooze: now + hour }, '409 conflict', undefined],
      [{ tags: { add: ['b'] }, note: ' ' }, '400 invalid', 'note'],
      [{ tags: { add: ['b'] }, note: 'x\n'.repeat(10_000) }, '400 invalid', 'note'],
      [{ note: 'x', links: {} }, '400 invalid', 'links.add'],
      [{ note: 'x', links: { add: [customer('c1')], remove: [customer('c1')] } }, '400 invalid', 'links.add.0'],
      [{}, '400 invalid', 'state'],
      [{ reason: 'because' }, '400 invalid', 'state'],
      [{ until: 5 }, '400 invalid', 'until'],
      [{ state: null }, '400 invalid', 'state'],
      [{ dryRun: 1, state: 'closed' }, '400 invalid', 'dryRun'],
    ] as const) {
      const reply = await patch(admin, id, body);
      expect(codeOf(reply), JSON.stringify(body)).to.equal(code);
      if (path !== undefined) expect(pathOf(reply), JSON.stringify(body)).to.equal(path);
    }
    const oneWay = await make({ inbox: 'oneWay' });
    expect(codeOf(await patch(admin, oneWay, { state: 'closed', note: 'x' }))).to.equal('422 invalid_transition');
    for (const item of [id, oneWay]) {
      const { body } = await admin.get(`/items/${item}`);
      expect([body.item.version, body.timeline.length]).to.deep.equal([1, 1]);
    }
  });

  it('changes nothing, and writes nothing, where all is so already', async () => {
    const id = await make({ tags: ['a'], links: [customer('c1')] });
    const reply = await patch(admin, id, {
      state: 'open',
      assignee: null,
      tags: { add: ['a'], remove: ['z'] },
      snooze: null,
      links: { add: [customer('c1')], remove: [customer('c2')] },
    });
    expect(reply.status, reply.text).to.equal(200);
    expect([reply.body.changed, reply.body.entries, reply.body.item.version]).to.deep.equal([false, [], 1]);
  });

  it('needs the verb of each part, and answers unseen, unknown and missing records alike', async () => {
    const oneWay = await make({ inbox: 'oneWay' });
    const secret = await make({ inbox: 'secret' });
    const mail = await make();
    expect((await patch(clerk, oneWay, { state: 'waiting', tags: { add: ['x'] } })).status).to.equal(200);
    for (const body of [{ note: 'x' }, { links: { add: [customer('c1')] } }, { assignee: null }, { snooze: null }])
      expect(codeOf(await patch(clerk, oneWay, { state: 'open', ...body }))).to.equal('403 forbidden');
    expect(codeOf(await patch(clerk, secret, { state: 'closed' }))).to.equal('404 not_found');
    const refusals = await Promise.all(
      [
        { resource: 'vault', id: 'v1' },
        { resource: 'vault', id: 'v9' },
        { resource: 'nosuch', id: 'v1' },
        customer('c9'),
      ].map((record) => patch(clerk, mail, { links: { add: [record] } })),
    );
    const texts = refusals.map(({ status, body }) => JSON.stringify([status, body.error, body.code, body.details]));
    expect(new Set(texts).size, texts.join('\n')).to.equal(1);
    expect(texts[0]).to.contain('links.add.0');
    expect(codeOf(await patch(clerk, mail, { links: { remove: [{ resource: 'vault', id: 'v1' }] } }))).to.equal(
      '400 invalid',
    );
  });

  it('leaves links alone that the role does not see, and shows them to nobody who does not', async () => {
    const vault = { resource: 'vault', id: 'v1' };
    const id = await make({ links: [vault] });
    const reply = await patch(clerk, id, { links: { add: [customer('c1')] } });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.text).not.to.contain('vault');
    const linked = async (client: Client): Promise<unknown> =>
      (await client.get(`/items/${id}`)).body.linked.map((record: { id: string }) => record.id);
    expect(await linked(admin)).to.deep.equal(['v1', 'c1']);
    expect(await linked(clerk)).to.deep.equal(['c1']);
    expect((await patch(admin, id, { links: { remove: [vault] } })).body.entries[0].type).to.equal('unlinked');
    for (const path of [`/items/${id}`, `/items/${id}/timeline`]) {
      const { text } = await clerk.get(path);
      expect(text).not.to.contain('"v1"');
      expect(text).not.to.contain('vault');
    }
  });

  it('takes links to records that nobody can look up while their app is offline', async () => {
    const id = await make();
    expect((await patch(admin, id, { links: { add: [{ resource: 'served', id: 's1' }] } })).status).to.equal(200);
  });

  it('holds to if-match and to an idempotency key', async () => {
    const id = await make();
    const first = await patch(admin, id, { note: 'once' }, { 'if-match': '"1"', 'idempotency-key': 'patch-1' });
    expect(first.status, first.text).to.equal(200);
    const again = await patch(admin, id, { note: 'once' }, { 'if-match': '"1"', 'idempotency-key': 'patch-1' });
    expect([again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([first.text, 'true']);
    const stale = await patch(admin, id, { note: 'two' }, { 'if-match': '"1"' });
    expect(codeOf(stale)).to.equal('412 version_conflict');
    expect(stale.body.current.version).to.equal(2);
  });

  it('says by a dry run what it would do, and does not do it', async () => {
    const id = await make();
    const dry = await patch(admin, id, { state: 'closed', note: 'x', dryRun: true });
    expect(dry.status, dry.text).to.equal(200);
    expect(dry.body).to.deep.include({ dryRun: true, would: 'change', changed: true });
    expect(dry.body.item).to.include({ state: 'closed', dueAt: null });
    expect((await patch(admin, id, { state: 'open', dryRun: true })).body).to.include({
      would: 'nothing',
      changed: false,
    });
    const supervised = await world.agent('clerk', { mode: 'supervised' });
    expect((await patch(supervised, id, { note: 'x', dryRun: true })).body.would).to.equal('pend');
    const reader = await world.agent('clerk', { mode: 'readonly' });
    expect(codeOf(await patch(reader, id, { note: 'x', dryRun: true }))).to.equal('403 forbidden');
    expect((await admin.get(`/audit?actor=${reader.id}`)).body.entries[0].after).to.deep.equal({
      code: 'forbidden',
      dryRun: true,
    });
    expect((await admin.get(`/items/${id}`)).body.item.version).to.equal(1);
    expect(await world.sql('select 1 from approvals')).to.deep.equal([]);
  });

  it('waits for a person when a supervised agent asks, and is stale when what it sets has changed since', async () => {
    const supervised = await world.agent('clerk', { mode: 'supervised' });
    const ask = async (id: string, body: object): Promise<string> => {
      const reply = await patch(supervised, id, body);
      expect(reply.status, reply.text).to.equal(202);
      return reply.body.approval as string;
    };
    const id = await make();
    const wanted = { state: 'waiting', note: 'Please', links: { add: [customer('c1')] } };
    const approval = await ask(id, wanted);
    expect(await ask(id, wanted)).to.equal(approval);
    expect((await person.get(`/approvals/${approval}`)).body.approval.operation).to.deep.equal({
      type: 'update',
      ...wanted,
    });
    const approved = await person.post(`/approvals/${approval}/approve`);
    expect(approved.status, approved.text).to.equal(200);
    expect(approved.body.item).to.include({ state: 'waiting', version: 2 });
    const other = await ask(id, { links: { remove: [customer('c1')] } });
    await patch(admin, id, { links: { add: [customer('c2')] } });
    expect(codeOf(await person.post(`/approvals/${other}/approve`))).to.equal('409 stale');
  });

  it('does the same as a bulk, and the undo of the bulk gives all of it back', async () => {
    const links = [customer('c1')];
    const ids = await Promise.all([make({ tags: ['a'], links }), make({ tags: ['b'] }), make()]);
    const before = await Promise.all(ids.map(async (id) => (await admin.get(`/items/${id}`)).body));
    const bulkOf = async (body: object, path = '/bulk'): Promise<Record<string, number>> => {
      const reply = await admin.post(path, body);
      expect(reply.status, reply.text).to.equal(202);
      const { id } = reply.body.bulk as { id: string };
      await until('it is done', async () => (await admin.get(`/bulk/${id}`)).body.bulk.status === 'done');
      return (await admin.get(`/bulk/${id}`)).body.bulk;
    };
    const bulk = await bulkOf({
      ids,
      operation: {
        type: 'update',
        state: 'closed',
        assignee: person.id,
        tags: { add: ['a', 'c'] },
        links: { add: [customer('c2')], remove: links },
      },
    });
    expect(bulk).to.include({ changed: 3, failed: 0 });
    const touched = ids[2] ?? '';
    await patch(admin, touched, { assignee: null });
    const undone = await bulkOf({}, `/bulk/${String(bulk['id'])}/undo`);
    expect(undone).to.include({ changed: 2, failed: 1 });
    for (const [i, id] of ids.entries()) {
      const { item, linked } = (await admin.get(`/items/${id}`)).body;
      if (id === touched) expect(item).to.include({ state: 'closed', assignee: null });
      else {
        const { version: _, updatedAt: __, ...rest } = before[i].item;
        expect(item).to.deep.include(rest);
        expect(linked.map((record: { id: string }) => record.id)).to.deep.equal(
          before[i].linked.map((record: { id: string }) => record.id),
        );
      }
    }
    const refused = await admin.post('/bulk', { ids, operation: { type: 'update', note: 'x' } });
    expect(pathOf(refused)).to.equal('operation.note');
    const unknown = await admin.post('/bulk', { ids, operation: { type: 'update', links: { add: [customer('c9')] } } });
    expect(pathOf(unknown)).to.equal('operation.links.add.0');
  });
});
