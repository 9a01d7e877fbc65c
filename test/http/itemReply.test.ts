/** `POST /items/:id/reply`: its subject, and what is to follow it in the same version. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';
import { hour, manifest } from './itemUpdateManifest.ts';

describe('POST /items/:id/reply', () => {
  let world: World;
  let admin: Client;
  let person: Client;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
    person = await world.person('operator', 'Ana Lind');
    await world.role('answerer', [{ on: 'inbox:*', can: ['reply', 'state'] }]);
  });
  after(() => world.close());

  const make = async (title = 'Item'): Promise<string> =>
    (await admin.post('/items', { inbox: 'mail', title })).body.item.id as string;

  it('answers the title when no subject is given, on one line of at most 500 characters', async () => {
    const subjectOf = async (title: string): Promise<string> => {
      const reply = await admin.post(`/items/${await make(title)}/reply`, { text: 'Yes.' });
      expect(reply.status, reply.text).to.equal(202);
      return reply.body.entry.data.subject as string;
    };
    expect(await subjectOf('Invoice twice')).to.equal('Re: Invoice twice');
    expect(await subjectOf('Two\n lines')).to.equal('Re: Two  lines');
    expect(await subjectOf('x'.repeat(500))).to.have.length(500);
  });

  it('does what is to follow in the same version, or nothing at all', async () => {
    const id = await make();
    const snooze = Date.now() + hour;
    const reply = await admin.post(`/items/${id}/reply`, { text: 'Wait.', then: { state: 'waiting', snooze } });
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body.item).to.include({ state: 'waiting', snoozedUntil: snooze, dueAt: null, version: 2 });
    const { entry, entries } = reply.body as { entry: object; entries: { type: string }[] };
    expect(entries[0]).to.deep.equal(entry);
    expect(entries.map(({ type }) => type)).to.deep.equal(['reply', 'state', 'snoozed']);
    for (const [then, status, path] of [
      [{}, 400, 'then.state'],
      [{ state: 'nosuch' }, 400, 'then.state'],
      [{ snooze: 5 }, 400, 'then.snooze'],
      [{ note: 'x' }, 400, 'then.note'],
      [{ state: 'closed', snooze }, 409, undefined],
    ] as const) {
      const refused = await admin.post(`/items/${id}/reply`, { text: 'No.', then });
      expect([refused.status, refused.body.details?.[0]?.path], JSON.stringify(then)).to.deep.equal([status, path]);
    }
    const { item, timeline } = (await admin.get(`/items/${id}`)).body;
    expect([item.version, timeline.length]).to.deep.equal([2, 4]);
  });

  it('needs the verbs of what is to follow, also of a supervised agent, whose request a person approves as a whole', async () => {
    const id = await make();
    const answerer = await world.agent('answerer');
    const snoozing = { text: 'x', then: { snooze: Date.now() + hour } };
    expect((await answerer.post(`/items/${id}/reply`, snoozing)).status).to.equal(403);
    expect((await answerer.post(`/items/${id}/reply`, { text: 'x', then: { state: 'waiting' } })).status).to.equal(202);
    const supervised = await world.agent('answerer', { mode: 'supervised' });
    const asked = await supervised.post(`/items/${id}/reply`, { text: 'Bye.', then: { state: 'closed' } });
    expect(asked.status, asked.text).to.equal(202);
    const approved = await person.post(`/approvals/${String(asked.body.approval)}/approve`);
    expect(approved.status, approved.text).to.equal(200);
    expect(approved.body.item).to.include({ state: 'closed' });
    const stale = await supervised.post(`/items/${id}/reply`, { text: 'Again.', then: { state: 'open' } });
    await admin.post(`/items/${id}/state`, { state: 'waiting' });
    expect((await person.post(`/approvals/${String(stale.body.approval)}/approve`)).status).to.equal(409);
  });
});
