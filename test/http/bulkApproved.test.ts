/** Bulks that a person approves: what was shown is what is done, in the name of who asked, with the decider named. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { raceForRow } from '../support/locks.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  inboxes: [{ name: 'mail' }, { name: 'secret' }, { name: 'strict', reasonRequired: true }],
} as const;

const clerkGrants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:strict', can: ['*'] },
];
const deciderGrants = [
  { on: 'inbox:mail', can: ['see'] },
  { on: 'inbox:strict', can: ['see'] },
  { on: 'approvals', can: ['see', 'decide'] },
];

describe('http: bulks that were approved', () => {
  let world: World;
  let admin: Client;
  let decider: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    await world.role('decider', deciderGrants);
    admin = await world.agent('admin');
    decider = await world.person('decider');
  });
  after(() => world.close());

  const item = async (inbox: string): Promise<string> =>
    (await admin.post('/items', { inbox, title: inbox, reason: 'It came by mail.' })).body.item.id;
  const tags = (tag: string): object => ({ type: 'tags', add: [tag], remove: [] });
  const ask = async (
    client: Client,
    ids: readonly string[],
    more: object = {},
  ): Promise<{ approval: string; bulk: string }> => {
    const { status, text, body } = await client.post('/bulk', { ids, operation: tags('asked'), ...more });
    expect(status, text).to.equal(202);
    return { approval: body.approval as string, bulk: body.bulk.id as string };
  };
  const approve = (approval: string): Promise<Reply> => decider.post(`/approvals/${approval}/approve`);
  const approved = async (approval: string): Promise<void> => {
    const reply = await approve(approval);
    expect(reply.status, reply.text).to.equal(200);
    await world.settled();
  };
  const outcomes = async (bulk: string, client = admin): Promise<string[]> =>
    (await client.get(`/bulk/${bulk}/results`)).body.results.map(({ outcome }: { outcome: string }) => outcome);
  const tagsOf = async (id: string): Promise<string[]> => (await admin.get(`/items/${id}`)).body.item.tags;
  const regrant = async (role: string, grants: readonly object[]): Promise<void> => {
    await world.sql('update roles set grants = $1 where name = $2', [JSON.stringify(grants), role]);
    await world.sql('update revisions set n = n + 1');
    await world.deps.directory.refresh();
  };

  it('leave items alone of inboxes that the requester has come to see since: whoever decided was not told of them', async () => {
    await world.role('widened', clerkGrants);
    const agent = await world.agent('widened', { mode: 'supervised' });
    const [seen, hidden] = [await item('mail'), await item('secret')];
    const { approval, bulk } = await ask(agent, [hidden, seen]);
    const cancelled = await ask(agent, [seen, hidden], { operation: tags('never') });
    await regrant('widened', [...clerkGrants, { on: 'inbox:secret', can: ['*'] }]);
    await approved(approval);
    expect(await outcomes(bulk, agent)).to.deep.equal(['not_found', 'changed']);
    expect([await tagsOf(seen), await tagsOf(hidden)]).to.deep.equal([['asked'], []]);
    expect((await agent.get(`/bulk/${bulk}`)).body.bulk).to.include({ status: 'done', changed: 1, failed: 1 });
    const ended = await agent.post(`/bulk/${cancelled.bulk}/cancel`);
    expect(ended.body.bulk, ended.text).to.include({ status: 'cancelled', done: 2, failed: 2 });
    expect(await outcomes(cancelled.bulk, agent)).to.deep.equal(['cancelled', 'not_found']);
  });

  it('name who decided in the audit entry of each item', async () => {
    const agent = await world.agent('clerk', { mode: 'supervised' });
    const ids = [await item('mail'), await item('mail')];
    const { approval } = await ask(agent, ids);
    await approved(approval);
    for (const id of ids) {
      const { entries } = (await admin.get(`/audit?target=${id}&verb=item.tags`)).body;
      expect(entries).to.have.length(1);
      expect(entries[0].actor).to.deep.include({ type: 'agent', id: agent.id });
      expect(entries[0].after.approvedBy).to.deep.include({ type: 'person', id: decider.id });
      const { timeline } = (await admin.get(`/items/${id}`)).body;
      const tagged = timeline.find(({ type }: { type: string }) => type === 'tags');
      expect(tagged.data.approvedBy).to.deep.equal(entries[0].after.approvedBy);
    }
    const own = await admin.post('/bulk', { ids, operation: tags('own') });
    await world.settled();
    expect(await outcomes(own.body.bulk.id as string)).to.deep.equal(['changed', 'changed']);
    const [entry] = (await admin.get(`/audit?target=${String(ids[0])}&verb=item.tags`)).body.entries;
    expect(entry.after).not.to.have.property('approvedBy');
  });

  it('need the reason that an inbox demands, like those that nobody has to approve', async () => {
    const agent = await world.agent('clerk', { mode: 'supervised' });
    const id = await item('strict');
    const without = await ask(agent, [id]);
    await approved(without.approval);
    expect((await agent.get(`/bulk/${without.bulk}/results`)).body.results[0]).to.include({
      outcome: 'failed',
      code: 'invalid',
    });
    const given = await ask(agent, [id], { reason: 'They asked for it.' });
    await approved(given.approval);
    expect(await outcomes(given.bulk)).to.deep.equal(['changed']);
  });

  it('are not approved any more when they are cancelled at the same time', async () => {
    const agent = await world.agent('clerk', { mode: 'supervised' });
    const id = await item('mail');
    const { approval, bulk } = await ask(agent, [id]);
    const [cancelled, refused] = await raceForRow(world, { table: 'approvals', id: approval }, [
      () => agent.post(`/bulk/${bulk}/cancel`),
      () => approve(approval),
    ]);
    expect(cancelled?.body.bulk, cancelled?.text).to.include({ status: 'cancelled' });
    expect(`${String(refused?.status)} ${String(refused?.body.code)}`).to.equal('409 already_decided');
    await world.settled();
    expect((await decider.get(`/approvals/${approval}`)).body.approval.status).to.equal('cancelled');
    expect((await agent.get(`/bulk/${bulk}`)).body.bulk).to.include({ status: 'cancelled', changed: 0 });
    expect(await tagsOf(id)).to.deep.equal([]);
  });
});
