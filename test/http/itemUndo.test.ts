/** `PATCH /items/:id` with `undo`: an earlier change is taken back as a whole, where nobody has changed it since. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';
import { customer, hour, manifest } from './itemUpdateManifest.ts';

describe('PATCH /items/:id with undo', () => {
  let world: World;
  let admin: Client;
  let person: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('closer', [{ on: 'inbox:*', can: ['state'] }]);
    await world.role('linker', [{ on: 'inbox:*', can: ['state', 'note'] }]);
    admin = await world.agent('admin');
    person = await world.person('operator', 'Ana Lind');
    await world.records('customer', [{ id: 'c1', title: 'One' }]);
  });
  after(() => world.close());

  const make = async (more: object = {}): Promise<string> =>
    (await admin.post('/items', { inbox: 'mail', title: 'Item', ...more })).body.item.id as string;
  const patch = (client: Client, id: string, body: object, headers?: Record<string, string>): Promise<Reply> =>
    client.call('PATCH', `/items/${id}`, body, headers === undefined ? {} : { headers });
  const item = async (id: string): Promise<Record<string, unknown>> => (await admin.get(`/items/${id}`)).body.item;
  /** Changes an item, and returns the id of the first entry. */
  const change = async (id: string, body: object): Promise<string> => {
    const reply = await patch(admin, id, body);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.entries[0].id as string;
  };
  const codeOf = ({ status, body }: Reply): string => `${String(status)} ${String(body?.code)}`;
  const without = ({ version: _, updatedAt: __, ...rest }: Record<string, unknown>) => rest;

  it('gives state, deadline and snooze back as they were when the item was closed, whatever transitions say', async () => {
    const id = await make();
    await change(id, { snooze: Date.now() + hour, assignee: person.id });
    const was = await item(id);
    const entry = await change(id, { state: 'closed' });
    expect(await item(id)).to.include({ state: 'closed', dueAt: null, snoozedUntil: null });
    const reply = await patch(admin, id, { undo: entry }, { 'if-match': '"3"' });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.body).to.deep.include({ changed: true });
    expect(reply.body.entries[0]).to.deep.include({ type: 'state', data: { from: 'closed', to: 'open' } });
    expect(without(await item(id))).to.deep.equal(without(was));
    const oneWay = await make({ inbox: 'oneWay' });
    await patch(admin, oneWay, { undo: await change(oneWay, { state: 'waiting' }) });
    expect(await item(oneWay)).to.include({ state: 'open' });
  });

  it('takes a change of several members back at once, and an undo back itself', async () => {
    const id = await make({ tags: ['old'] });
    const was = await item(id);
    const entry = await change(id, {
      state: 'waiting',
      assignee: person.id,
      tags: { add: ['new'], remove: ['old'] },
      links: { add: [customer('c1')] },
    });
    const changed = await item(id);
    const again = await change(id, { undo: entry });
    expect(without(await item(id))).to.deep.equal(without(was));
    await change(id, { undo: again });
    expect(without(await item(id))).to.deep.equal(without(changed));
  });

  it('takes a change back by any of its entries, and by those alone', async () => {
    const id = await make({ tags: ['old'] });
    const was = await item(id);
    const parts = { state: 'waiting', assignee: person.id, tags: { add: ['new'], remove: [] }, note: 'Why.' };
    for (const type of ['state', 'assigned', 'tags']) {
      const { entries } = (await patch(admin, id, parts)).body as { entries: { id: string; type: string }[] };
      const [note, entry] = ['note', type].map((each) => entries.find((written) => written.type === each)?.id);
      expect(codeOf(await patch(admin, id, { undo: note }))).to.equal('400 invalid');
      await change(id, { undo: entry });
      expect(without(await item(id)), type).to.deep.equal(without(was));
    }
  });

  it('leaves an item alone that somebody has changed since, and keeps what others changed beside it', async () => {
    const id = await make();
    const entry = await change(id, { assignee: person.id });
    await change(id, { state: 'waiting' });
    await change(id, { undo: entry });
    expect(await item(id)).to.include({ assignee: null, state: 'waiting' });
    expect(codeOf(await patch(admin, id, { undo: entry }))).to.equal('409 conflict');
    const stale = await patch(admin, id, { undo: entry }, { 'if-match': '"1"' });
    expect(codeOf(stale)).to.equal('412 version_conflict');
  });

  it('needs the verbs of what comes back, no reason, and an entry of this item that can be undone', async () => {
    const [id, other] = [await make(), await make()];
    const closing = await change(id, { state: 'closed' });
    const note = await change(id, { note: 'x' });
    const assigning = await change(id, { assignee: person.id });
    const closer = await world.agent('closer');
    const unknown = 'ent_01jd0000000000000000000000';
    expect(codeOf(await patch(closer, id, { undo: assigning }))).to.equal('403 forbidden');
    for (const [client, target, body] of [
      [admin, other, { undo: closing }],
      [admin, id, { undo: note }],
      [admin, id, { undo: unknown }],
      [admin, id, { undo: closing, state: 'open' }],
    ] as const) {
      const reply = await patch(client, target, body);
      expect(codeOf(reply), JSON.stringify(body)).to.equal('400 invalid');
      expect(reply.body.details[0].path).to.equal('undo');
    }
    const linking = await change(id, { links: { add: [{ resource: 'customer', id: 'c1' }], remove: [] } });
    const linker = await world.agent('linker');
    const [hidden, none] = [linking, unknown].map((undo) => patch(linker, id, { undo, dryRun: true }));
    expect((await hidden)?.body, 'the link of a record that is not seen').to.deep.equal((await none)?.body);
    const dry = await patch(closer, id, { undo: closing, dryRun: true });
    expect(dry.body).to.deep.include({ dryRun: true, would: 'change', changed: true });
    expect((await patch(closer, id, { undo: closing })).status).to.equal(200);
    const refused = await admin.post('/bulk', { ids: [id], operation: { type: 'update', undo: closing } });
    expect(refused.body.details[0].path).to.equal('operation.undo');
  });

  it('waits for a person when a supervised agent asks, who reads all parts that come back', async () => {
    const snoozedUntil = Date.now() + hour;
    const id = await make();
    await change(id, { snooze: snoozedUntil, assignee: person.id, tags: { add: ['old'] } });
    const was = await item(id);
    const link = { resource: 'customer', id: 'c1' };
    const entry = await change(id, {
      state: 'closed',
      assignee: null,
      tags: { add: ['new'], remove: ['old'] },
      links: { add: [link] },
    });
    const supervised = await world.agent('admin', { mode: 'supervised' });
    const asked = await patch(supervised, id, { undo: entry });
    expect(asked.status, asked.text).to.equal(202);
    const { approval } = asked.body as { approval: string };
    const read = async () => (await person.get(`/approvals/${approval}`)).body.approval;
    const { sentence, before, now, after } = await read();
    expect(sentence).to.equal(
      `Change "Item": as it was before an earlier change: state "open", assignee "Ana Lind", tags: add "old", remove "new", snoozed until "${new Date(snoozedUntil).toISOString()}", links: remove customer "c1".`,
    );
    expect([before.links, now.links, after.links]).to.deep.equal([[link], [link], []]);
    const approved = await person.post(`/approvals/${approval}/approve`);
    expect(approved.status, approved.text).to.equal(200);
    expect(without(await item(id))).to.deep.equal(without(was));
    expect((await read()).sentence, 'and once it is done').to.equal(sentence);
  });

  it('is not approved once a link that it would take back has changed', async () => {
    const id = await make();
    const entry = await change(id, { tags: { add: ['x'] }, links: { add: [{ resource: 'customer', id: 'c1' }] } });
    const supervised = await world.agent('admin', { mode: 'supervised' });
    const { approval } = (await patch(supervised, id, { undo: entry })).body as { approval: string };
    await change(id, { links: { remove: [{ resource: 'customer', id: 'c1' }] } });
    expect(codeOf(await person.post(`/approvals/${approval}/approve`))).to.equal('409 stale');
    expect((await item(id))['tags']).to.deep.equal(['x']);
  });
});
