/** The answers of list_changes: each entry once with the id that undoes it, each item once, and nothing of other inboxes. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';
import { manifest } from './manifest.ts';

interface Change {
  readonly type: string;
  readonly change?: string;
  readonly item?: string;
  readonly items?: readonly string[];
  readonly entry?: Entry;
  readonly entries?: readonly Entry[];
  readonly by?: string;
  readonly reason?: string;
}

interface Entry {
  readonly id?: string;
  readonly type: string;
  readonly status?: string;
}

describe('list_changes', () => {
  let world: World;
  let agent: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);
  });
  after(() => world.close());
  beforeEach(async () => {
    agent = await world.agent('admin');
  });

  const answer = async (name: string, given: object = {}): Promise<Record<string, unknown>> => {
    const { status, body } = await callTool(agent, name, given);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Record<string, unknown>;
  };
  const make = async (inbox = 'mail'): Promise<string> =>
    (
      (await answer('create_item', { inbox, title: 'A question', idempotencyKey: randomUUID() }))['item'] as {
        id: string;
      }
    ).id;
  const changes = async (given: object = {}): Promise<readonly Change[]> => {
    await world.settled();
    return (await answer('list_changes', { since: '1h', by: 'me', ...given }))['changes'] as readonly Change[];
  };

  it('has of each entry the id by which any of a change’s entries undoes it', async () => {
    const id = await make();
    for (const type of ['state', 'tags']) {
      await answer('update_item', { id, state: 'waiting', tags: { add: ['x'] } });
      const told = (await changes({ types: 'timeline' })).flatMap(({ entries = [] }) => entries);
      const { item } = await answer('update_item', { id, undo: told.findLast((one) => one.type === type)?.id });
      expect(item).to.include({ id, state: 'open' }).and.not.to.have.property('tags');
    }
  });

  it('has one message of each request, with its parts, author and reason, and a new item with its entry', async () => {
    const id = await make();
    await world.settled();
    const start = (await answer('list_changes'))['cursor'];
    const given = { id, state: 'waiting', tags: { add: ['x'] }, note: 'Asked the bank.', reason: 'Not ours.' };
    await answer('update_item', given);
    await answer('update_item', { id, tags: { remove: ['x'] } });
    const made = await make();
    const told = await changes({ since: start, by: undefined });
    expect(
      told.map(({ type, item, entries, entry }) => [type, typeof item, (entries ?? [entry]).map((one) => one?.type)]),
    ).to.deep.equal([
      ['timeline', 'string', ['state', 'tags', 'note']],
      ['timeline', 'string', ['tags']],
      ['item', 'object', ['created']],
    ]);
    const [first] = told;
    expect([first?.item, first?.reason]).to.deep.equal([id, 'Not ours.']);
    expect(first?.by).to.be.a('string');
    for (const entry of first?.entries ?? []) expect(entry).not.to.have.any.keys('by', 'reason', 'at');
    expect(told.at(-1)?.item).to.include({ id: made });
    const raw = (await agent.get(`/changes?after=${String(start)}`)).body.changes as readonly Change[];
    expect(raw.length, 'over HTTP it has every message').to.be.above(told.length);
  });

  it('has in the dry run of an undo all parts of the change, and undoes them all', async () => {
    const id = await make();
    const { entries } = await answer('update_item', { id, state: 'waiting', tags: { add: ['x'] }, note: 'Both.' });
    const [state] = (entries as { id: string; type: string }[]).filter(({ type }) => type === 'state');
    const dry = await answer('update_item', { id, undo: state?.id, dryRun: true });
    expect(dry).to.include({ dryRun: true, would: 'change' });
    expect(dry['entries']).to.deep.equal([
      { type: 'state', from: 'waiting', to: 'open' },
      { type: 'tags', remove: ['x'] },
    ]);
    const over = await agent.call('PATCH', `/items/${id}`, { undo: state?.id, dryRun: true });
    expect((over.body as { entries: { type: string }[] }).entries.map(({ type }) => type)).to.deep.equal([
      'state',
      'tags',
    ]);
    const done = await answer('update_item', { id, undo: state?.id });
    expect((done['entries'] as { type: string }[]).map(({ type }) => type)).to.deep.equal(['state', 'tags']);
  });

  it('has of several items no entry’s id, and each item once', async () => {
    const ids = [await make(), await make()];
    for (const id of ids) await answer('update_item', { id, tags: { add: ['x'] } });
    const [tagged, ...more] = (await changes({ types: 'timeline' })).filter(({ entry }) => entry?.type === 'tags');
    expect(more).to.deep.equal([]);
    expect(tagged?.items).to.deep.equal(ids);
    expect(tagged?.entry).not.to.have.property('id');
  });

  it('tells of several notes and replies at one item one by one, each with how it ended', async () => {
    const app = await world.app({ 'reply.send': () => ({}) });
    const id = await make();
    for (let n = 0; n < 3; n += 1) {
      await answer('add_note', { id, text: 'The same.', idempotencyKey: `${id} note ${String(n)}` });
      await answer('reply_to_item', { id, subject: 'Hello', text: 'The same.', idempotencyKey: `${id} ${String(n)}` });
    }
    await world.settled();
    const told = await changes({ types: 'timeline' });
    expect(told.map(({ items }) => items)).to.deep.equal(told.map(() => undefined));
    expect(told.map(({ item }) => item)).to.deep.equal(told.map(() => id));
    const replies = told.filter(({ entry }) => entry?.type === 'reply');
    expect(replies).to.have.length(3);
    expect(new Set(replies.map(({ entry }) => entry?.id)).size).to.equal(3);
    expect(replies.map(({ entry, change }) => [entry?.status, change])).to.deep.equal(
      replies.map(() => ['sent', undefined]),
    );
    expect(told.filter(({ entry }) => entry?.type === 'note')).to.have.length(3);
    await app.close();
  });

  it('of some inboxes leaves out runs, approvals, bulks and flags that are about other things', async () => {
    const [mail, bugs] = [await make(), await make('bugs')];
    await answer('action_refund', { record: 'c1', item: bugs });
    await answer('action_refund', { record: 'c1' });
    await answer('bulk_items', { ids: [bugs], operation: { type: 'tags', add: ['x'], remove: [] } });
    await answer('change_flag', { flag: 'banner', change: { rollout: 5 } });
    const kindsOf = (told: readonly Change[]): string[] => [...new Set(told.map(({ type }) => type))].sort();
    expect(kindsOf(await changes())).to.include.members(['approval', 'bulk', 'flag', 'run']);
    const ofMail = await changes({ inboxes: 'mail' });
    expect(kindsOf(ofMail)).to.deep.equal(['item']);
    expect(JSON.stringify(ofMail)).to.include(mail);
    expect(kindsOf(await changes({ inboxes: 'bugs' }))).to.include.members(['approval', 'bulk', 'run', 'timeline']);
    expect(kindsOf(await changes({ inboxes: ['mail', 'bugs'] }))).not.to.include('flag');
  });
});
