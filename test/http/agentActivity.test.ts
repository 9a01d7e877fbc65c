/** What one agent did: its changes, its requests and its refusals, for people who may see the audit log. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the activity of an agent', () => {
  let world: World;
  let boss: Client;
  let bot: Client;

  before(async () => {
    world = await newWorld();
    await world.environment('staging');
    boss = await world.person('admin', 'Boss', { fresh: true });
    bot = await world.agent('operator', { mode: 'supervised', environments: ['demo', 'staging'] });
  });
  after(() => world.close());

  const read = async (query = '', client = boss): Promise<Reply> =>
    client.get(`/settings/agents/${bot.id}/activity${query}`);

  it('lists what it changed, asked for and was refused, newest first and of this environment alone', async () => {
    const { item } = (await boss.post('/items', { inbox: 'mail', title: 'Help' })).body;
    const asked = await bot.post(`/items/${String(item.id)}/state`, { state: 'closed' });
    expect(asked.status, asked.text).to.equal(202);
    expect((await boss.post(`/approvals/${String(asked.body.approval)}/approve`)).status).to.equal(200);
    expect((await bot.post(`/approvals/${String(asked.body.approval)}/approve`)).status).to.equal(403);
    const there = world.elsewhere(bot, 'staging');
    expect((await there.post('/items', { inbox: 'mail', title: 'There' })).status).to.equal(202);
    const { entries, cursor } = (await read()).body;
    expect(cursor).to.equal(null);
    expect(entries.map(({ verb, outcome }: Reply['body']) => `${String(verb)} ${String(outcome)}`)).to.deep.equal([
      'approval.approve denied',
      'item.state ok',
      'approval.request ok',
    ]);
    expect(entries.every(({ actor }: Reply['body']) => actor.id === bot.id)).to.equal(true);
    const elsewhere = (await read('', world.elsewhere(boss, 'staging'))).body.entries;
    expect(elsewhere.map(({ verb }: Reply['body']) => verb)).to.deep.equal(['approval.request']);
  });

  it('pages, and takes the cursor of another agent for none of its own', async () => {
    const first = (await read('?limit=2')).body;
    const second = (await read(`?limit=2&cursor=${String(first.cursor)}`)).body;
    expect([first.entries.length, second.entries.length, second.cursor]).to.deep.equal([2, 1, null]);
    const other = await world.agent('operator');
    const reply = await boss.get(`/settings/agents/${other.id}/activity?cursor=${String(first.cursor)}`);
    expect([reply.status, reply.body.code]).to.deep.equal([400, 'bad_cursor']);
    expect((await boss.get(`/settings/agents/${other.id}/activity`)).body).to.deep.equal({ entries: [], cursor: null });
  });

  it('is there after the agent was revoked, and is none of what an agent sees', async () => {
    expect((await read('', bot)).body.code).to.equal('person_required');
    expect((await boss.call('DELETE', `/settings/agents/${bot.id}`)).status).to.equal(204);
    expect((await read()).body.entries).to.have.length.of.at.least(3);
  });
});
