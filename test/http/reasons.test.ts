/** Why: the reason that may be given with every change, where it is shown, and that it makes no other request. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [{ name: 'customer', source: 'stored' }],
  inboxes: [
    { name: 'mail', reply: { via: 'app' } },
    { name: 'strict', reply: { via: 'app' }, reasonRequired: true },
  ],
  actions: [
    { name: 'strict', resource: 'customer', reasonRequired: true },
    { name: 'greet', resource: 'customer' },
    { name: 'later', resource: 'customer', background: true },
  ],
  flags: [
    { key: 'beta', kind: 'boolean', default: false },
    { key: 'strict', kind: 'boolean', default: false, reasonRequired: true },
  ],
};
const why = 'The customer asked for it.';

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('a reason', () => {
  let world: World;
  let admin: Client;
  let app: FakeApp;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
    await world.records('customer', [{ id: 'c1', title: 'One' }]);
    app = await world.app({ 'action.run': () => ({ message: 'Done.' }), 'reply.send': () => null });
  });
  after(() => world.close());

  const make = async (): Promise<string> =>
    (
      await admin.post('/items', {
        inbox: 'mail',
        title: 'Item',
        record: { resource: 'customer', id: 'c1' },
        reason: why,
      })
    ).body.item.id as string;
  const timeline = async (id: string): Promise<Entry[]> => (await admin.get(`/items/${id}`)).body.timeline as Entry[];
  const audited = async (query: string): Promise<{ verb: string; reason: string | null; after: object | null }> =>
    (await admin.get(`/audit?${query}`)).body.entries[0];
  const ok = (reply: Reply): Reply => {
    expect(reply.status, reply.text).to.be.below(300);
    return reply;
  };

  it('stands in the entry of each further occurrence, in answers, on the stream and in the timeline', async () => {
    const stream = await openLive(admin);
    const body = { inbox: 'mail', title: 'Again', key: 'again' };
    const { id } = (await admin.post('/items', body)).body.item as { id: string };
    ok(await admin.post('/items', { ...body, reason: why }));
    const [entry] = await timeline(id);
    expect([entry?.type, entry?.data['reason']]).to.deep.equal(['occurred', why]);
    const heard = await stream.next('it', (message) => message.entry?.type === 'occurred' && message.item === id);
    expect(heard.entry.data.reason).to.equal(why);
    expect(heard.entry.data.occurrence.title).to.equal('Again');
    await stream.close();
  });

  it('has 2,000 characters at most, as people count them', async () => {
    const id = await make();
    ok(await admin.post(`/items/${id}/notes`, { text: 'x', reason: '🧾'.repeat(2_000) }));
    const { status, body } = await admin.post(`/items/${id}/notes`, { text: 'x', reason: '🧾'.repeat(2_001) });
    expect([status, body.details?.[0]?.path]).to.deep.equal([400, 'reason']);
  });

  it('stands in the timeline and the audit log of each change of an item, and in each of its entries', async () => {
    const id = await make();
    expect((await timeline(id)).map(({ data }) => data['reason'])).to.deep.equal([why]);
    for (const [path, body] of [
      ['state', { state: 'waiting' }],
      ['assign', { assignee: (await world.person('operator')).id }],
      ['tags', { add: ['a'] }],
      ['snooze', { until: Date.now() + 3_600_000 }],
      ['notes', { text: 'x' }],
      ['triage', { answers: { spam: 'no' }, tags: ['b'] }],
    ] as const) {
      const reason = `${why} ${path}`;
      ok(await admin.post(`/items/${id}/${path}`, { ...body, reason }));
      expect((await timeline(id))[0]?.data['reason'], path).to.equal(reason);
      const entry = await audited(`target=${id}`);
      expect(entry.reason, path).to.equal(reason);
      expect(entry.after ?? {}).not.to.have.property('reason');
    }
    const { entries } = ok(
      await admin.call('PATCH', `/items/${id}`, { state: 'open', note: 'x', tags: { remove: ['a'] }, reason: why }),
    ).body as { entries: Entry[] };
    expect(entries.map(({ data }) => data['reason'])).to.deep.equal([why, why, why]);
    ok(await admin.post(`/items/${id}/state`, { state: 'closed' }));
    expect((await timeline(id))[0]?.data).to.deep.equal({ from: 'open', to: 'closed' });
    expect((await audited(`target=${id}`)).reason).to.equal(null);
  });

  it('stays with a reply until its end', async () => {
    const id = await make();
    ok(await admin.post(`/items/${id}/reply`, { subject: 'Hello', text: 'There', reason: why }));
    await until('it is sent', async () => (await timeline(id))[0]?.data['status'] === 'sent');
    expect((await timeline(id))[0]?.data['reason']).to.equal(why);
  });

  it('stands in the run of an action, in its entry from beginning to end, and in the audit log', async () => {
    const id = await make();
    const { run } = ok(await admin.post('/actions', { action: 'greet', record: 'c1', item: id, reason: why })).body;
    expect((await admin.get(`/runs/${String(run)}`)).body.run).to.include({ status: 'succeeded', reason: why });
    expect((await timeline(id))[0]?.data).to.include({ status: 'succeeded', reason: why });
    expect((await audited('verb=action.run')).reason).to.equal(why);
    expect((await admin.get('/runs')).body.runs[0].reason).to.equal(why);
    const other = ok(await admin.post('/actions', { action: 'greet', record: 'c1' })).body.run as string;
    const told = (wanted: unknown): unknown =>
      app.received.find(({ method, params }) => method === 'action.run' && params.run === wanted)?.params;
    expect(told(run)).to.include({ reason: why, approvedBy: null });
    expect(told(other)).to.include({ reason: null, approvedBy: null });
    expect((await admin.get(`/runs/${other}`)).body.run.reason).to.equal(null);
  });

  it('goes with a bulk to each of its items and runs, with its undo and its end', async () => {
    const ids = await Promise.all([make(), make()]);
    const bulkOf = async (body: object, path = '/bulk'): Promise<string> => {
      const { id } = ok(await admin.post(path, body)).body.bulk as { id: string };
      await until('it is done', async () => (await admin.get(`/bulk/${id}`)).body.bulk.status === 'done');
      return id;
    };
    const bulk = await bulkOf({ ids, operation: { type: 'state', state: 'closed' }, reason: why });
    for (const id of ids) {
      expect((await timeline(id))[0]?.data['reason']).to.equal(why);
      expect((await audited(`target=${id}`)).reason).to.equal(why);
    }
    expect((await audited('verb=bulk.create')).reason).to.equal(why);
    await bulkOf({ reason: 'Too early.' }, `/bulk/${bulk}/undo`);
    expect((await timeline(ids[0] ?? ''))[0]?.data['reason']).to.equal('Too early.');
    expect((await audited('verb=bulk.undo')).reason).to.equal('Too early.');
    for (const action of ['greet', 'later']) {
      await bulkOf({ ids, operation: { type: 'action', action, input: {} }, reason: why });
      const [entry] = await timeline(ids[1] ?? '');
      expect(entry?.data).to.include({ action, status: 'succeeded', reason: why });
      expect((await admin.get(`/runs/${String(entry?.data['run'])}`)).body.run.reason).to.equal(why);
    }
  });

  it('stands in the history of a flag and in the audit log of settings', async () => {
    ok(await admin.post('/flags/beta', { change: { value: true }, reason: why }));
    expect((await admin.get('/flags/beta/history')).body.entries[0]).to.deep.include({
      reason: why,
      after: { value: true },
    });
    expect((await audited('verb=flag.change')).reason).to.equal(why);
    const person = await world.person('admin', 'Bo Berg', { fresh: true });
    ok(await person.post('/settings/roles', { name: 'reader', grants: [], reason: why }));
    expect((await audited('verb=role.create')).reason).to.equal(why);
  });

  it('is a text of at most 2,000 characters, and a blank one is none', async () => {
    const id = await make();
    for (const reason of ['x'.repeat(2_001), 5, null, ['x'], 'a\u0000b']) {
      const reply = await admin.post(`/items/${id}/tags`, { add: ['a'], reason });
      expect(reply.status, JSON.stringify(reason)).to.equal(400);
      expect(reply.body.details[0].path).to.equal('reason');
    }
    ok(await admin.post(`/items/${id}/tags`, { add: ['a'], reason: 'x'.repeat(2_000) }));
    ok(await admin.post(`/items/${id}/tags`, { add: ['b'], reason: ' ' }));
    expect((await timeline(id))[0]?.data).not.to.have.property('reason');
    ok(await admin.post(`/items/${id}/tags`, { add: ['c'] }));
    const person = await world.person('admin', 'Di Doe');
    expect((await person.post('/sign-out', { reason: 'x' })).status).to.equal(400);
  });

  it('makes no other request: the same key with another reason, or none, gets the saved answer', async () => {
    const id = await make();
    const headers = { 'idempotency-key': 'reason-1' };
    const first = ok(await admin.post(`/items/${id}/tags`, { add: ['a'], reason: why }, { headers }));
    for (const raw of [
      '{"add":["a"]}',
      '{"reason":"another","add":["a"]}',
      `{"add":["a"],"reason":${JSON.stringify(' x,"}{ ')}}`,
    ]) {
      const again = await admin.post(`/items/${id}/tags`, undefined, {
        raw,
        headers: { ...headers, 'content-type': 'application/json' },
      });
      expect([again.text, again.headers.get('idempotent-replayed')], raw).to.deep.equal([first.text, 'true']);
    }
    expect((await admin.post(`/items/${id}/tags`, { add: ['b'], reason: why }, { headers })).status).to.equal(422);
  });

  describe('that an inbox, an action or a flag demands', () => {
    let person: Client;
    let key: Client;
    let supervised: Client;

    before(async () => {
      person = await world.person('operator', 'Ana Lind');
      supervised = await world.agent('admin', { mode: 'supervised' });
      key = await world.appKey();
    });

    const missing = (reply: Reply, what: string): void => {
      expect(reply.status, `${what}: ${reply.text}`).to.equal(400);
      expect(reply.body.details, what).to.have.length(1);
      expect(reply.body.details[0].path, what).to.equal('reason');
    };

    it('is needed by agents and persons, supervised ones too, and not by the app', async () => {
      const { id } = ok(await key.post('/items', { inbox: 'strict', title: 'Item' })).body.item as { id: string };
      const requests: readonly (readonly [string, string, object])[] = [
        ['POST', '/items', { inbox: 'strict', title: 'Item' }],
        ['POST', `/items/${id}/state`, { state: 'waiting' }],
        ['POST', `/items/${id}/assign`, { assignee: person.id }],
        ['POST', `/items/${id}/tags`, { add: ['a'] }],
        ['POST', `/items/${id}/snooze`, { until: Date.now() + 3_600_000 }],
        ['POST', `/items/${id}/notes`, { text: 'x' }],
        ['POST', `/items/${id}/reply`, { subject: 'x', text: 'y' }],
        ['PATCH', `/items/${id}`, { snooze: null, note: 'x' }],
        ['POST', '/actions', { action: 'strict', record: 'c1' }],
        ['POST', '/actions', { action: 'strict', record: 'c1', dryRun: true }],
        ['POST', '/bulk', { ids: [id], operation: { type: 'action', action: 'strict' } }],
        ['POST', '/flags/strict', { change: { value: true } }],
      ];
      for (const client of [admin, person, supervised])
        for (const [method, path, body] of requests) {
          missing(await client.call(method, path, body), `${method} ${path}`);
          missing(await client.call(method, path, { ...body, reason: ' ' }), `${method} ${path}`);
        }
      for (const [method, path, body] of requests) ok(await admin.call(method, path, { ...body, reason: why }));
      ok(await key.post(`/items/${id}/triage`, { answers: { spam: 'no' } }));
    });

    it('is needed by each item of a bulk, and was given by who asked for an approval', async () => {
      const { id } = ok(await key.post('/items', { inbox: 'strict', title: 'Item' })).body.item as { id: string };
      const dry = ok(await admin.post('/bulk', { ids: [id], operation: { type: 'tags', add: ['a'] }, dryRun: true }));
      expect(dry.body).to.include({ failed: 1, wouldChange: 0 });
      const { bulk } = ok(await admin.post('/bulk', { ids: [id], operation: { type: 'tags', add: ['a'] } })).body;
      await until(
        'it is done',
        async () => (await admin.get(`/bulk/${String(bulk.id)}`)).body.bulk.finishedAt !== null,
      );
      expect((await admin.get(`/bulk/${String(bulk.id)}/results`)).body.results[0]).to.include({
        outcome: 'failed',
        code: 'invalid',
      });
      const asked = ok(await supervised.post(`/items/${id}/state`, { state: 'closed', reason: why }));
      const approval = String(asked.body.approval);
      expect((await person.get(`/approvals/${approval}`)).body.approval.reason).to.equal(why);
      const again = ok(await supervised.post(`/items/${id}/state`, { state: 'closed', reason: 'Another.' }));
      expect(again.body.approval).to.equal(approval);
      ok(await person.post(`/approvals/${approval}/approve`, { reason: 'It is right.' }));
      const [approved, state] = await timeline(id);
      expect([approved?.data['reason'], state?.data['reason']]).to.deep.equal([why, why]);
      expect((await audited(`target=${approval}&verb=approval.approve`)).reason).to.equal('It is right.');
      expect((await audited(`target=${id}`)).reason).to.equal(why);
    });

    it('is never needed to wake an item, to undo, to cancel, or to stop a ramp', async () => {
      const { id } = ok(await key.post('/items', { inbox: 'strict', title: 'Item' })).body.item as { id: string };
      const until_ = Date.now() + 3_600_000;
      ok(await admin.post(`/items/${id}/snooze`, { until: until_, reason: why }));
      ok(await admin.post(`/items/${id}/snooze`, { until: null }));
      ok(await admin.post(`/items/${id}/snooze`, { until: until_, reason: why }));
      ok(await admin.call('PATCH', `/items/${id}`, { snooze: null }));
      const { bulk } = ok(
        await admin.post('/bulk', { ids: [id], operation: { type: 'update', tags: { add: ['a'] } }, reason: why }),
      ).body;
      const done = (one: string) =>
        until('it is done', async () => (await admin.get(`/bulk/${one}`)).body.bulk.finishedAt !== null);
      await done(bulk.id as string);
      const undo = ok(await admin.post(`/bulk/${String(bulk.id)}/undo`)).body.bulk as { id: string };
      await done(undo.id);
      expect((await admin.get(`/bulk/${undo.id}`)).body.bulk.changed).to.equal(1);
      const ramp = { to: 50, over: 3_600_000, every: 60_000, at: null };
      ok(await admin.post('/flags/strict', { change: { ramp }, reason: why }));
      ok(await admin.post('/flags/strict', { change: { ramp: null } }));
      const asked = ok(await supervised.post(`/items/${id}/tags`, { add: ['z'], reason: why }));
      ok(await supervised.post(`/approvals/${String(asked.body.approval)}/cancel`));
    });
  });

  it('is given when a run is cancelled', async () => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
    const { run } = ok(await admin.post('/actions', { action: 'later', record: 'c1' })).body;
    ok(await admin.post(`/runs/${String(run)}/cancel`, { reason: why }));
    expect((await audited('verb=action.cancel')).reason).to.equal(why);
  });
});
