/** A subscriber receives what its role sees and nothing else, and follows its role and its token. */
import { expect } from 'chai';
import { redactItem } from '../../api/live/visibility.ts';
import { compileAccess } from '../../shared/accounts/access/access.ts';
import type { Grant } from '../../shared/catalogue/permissions.ts';
import { patience } from '../support/patience.ts';
import { bulk, entry, item, newLiveWorld, until, type Api, type LiveWorld } from './liveWorld.ts';

const canary = 'canary7f3a';
const narrow: Grant[] = [
  { on: 'inbox:support', can: ['see'] },
  { on: 'resource:order', can: ['see'] },
  { on: 'action:refund', can: ['run'] },
];
const record = (resource: string, id: string): object => ({ resource, id, title: id });

describe('live stream: who hears what', () => {
  let world: LiveWorld;
  let api: Api;
  before(async () => {
    world = await newLiveWorld();
    api = await world.api();
    await world.role('narrow', narrow);
    await world.role('blind', []);
    await world.role('auditor', [
      { on: 'audit', can: ['see'] },
      { on: 'inbox:support', can: ['see'] },
    ]);
  });
  afterEach(() => world.hangUp());
  after(() => world.close());

  it('tells nothing of what the role cannot see, live, resumed and by /changes', async () => {
    const { token, id } = await world.agent('narrow');
    const live = await world.listening(api, { token });
    await world.publish(
      [
        [item(canary, { inbox: 'secret' }), entry('note', { text: canary }, 'secret')],
        [item('seen 1', { record: record('customer', canary) })],
        [entry('linked', { record: record('customer', canary) })],
        [
          entry('action', { action: 'delete', message: canary }),
          entry('action', { action: 'refund', message: 'seen 2' }),
        ],
        [bulk(canary, 1), bulk(id, 2)],
        [{ type: 'unheard', inbox: 'support', text: canary }],
        [{ type: 'item', inbox: 'support', text: canary }],
        [item('seen 3', { record: record('order', 'o-1') }), entry('linked', { record: record('order', 'o-1') })],
      ],
      { counts: { secret: { total: 777_177_717 }, support: { total: 2, '=open': 2 } } },
    );
    await until('the end', () => live.of('timeline').length === 2 && live.of('counts').length === 1);
    const resumed = await world.listening(api, { token, query: `?after=${live.messages[0]?.offset ?? ''}` });
    await until('the end', () => resumed.of('timeline').length === 2);
    const env = api.deps.directory.environment('production');
    const session = await api.deps.directory.sessionByToken(token);
    if (env === undefined || session === null) throw new Error('no session');
    const caller = { env, principal: session.principal, requestId: null, address: null };
    const found = await api.live.changes(
      { caller, session },
      { query: { after: live.messages[0]?.offset ?? '' } },
      new AbortController().signal,
    );
    expect(found.changes).to.deep.equal(live.messages.filter(({ type }) => type !== 'hello' && type !== 'counts'));
    for (const subscriber of [live, resumed]) {
      expect(JSON.stringify(subscriber.messages)).not.to.include(canary).and.not.to.include('777177717');
      expect(subscriber.of('item').map((message) => (message['item'] as { record: unknown }).record)).to.deep.equal([
        null,
        record('order', 'o-1'),
      ]);
      expect(subscriber.of('timeline').map((message) => (message['entry'] as { type: string }).type)).to.deep.equal([
        'action',
        'linked',
      ]);
      expect(subscriber.of('bulk').length).to.equal(1);
      expect(subscriber.broken).to.deep.equal([]);
    }
    expect(Object.keys(live.messages[0]?.['counts'] as object)).to.deep.equal(['support']);
    expect(live.of('counts')[0]?.['inboxes']).to.deep.equal({
      support: {
        total: 2,
        open: 2,
        waiting: 0,
        closed: 0,
        byState: { open: 2, waiting: 0, closed: 0 },
        active: { total: 0, unassigned: 0, overdue: 0 },
        unassigned: 0,
        unclaimed: 2,
        snoozed: 0,
        triaged: 0,
        overdue: 0,
      },
    });
    expect(live.messages.filter(({ type }) => type === 'item')).to.deep.equal(
      resumed.messages.filter(({ type }) => type === 'item'),
    );
  });

  it('says hello to a role that sees nothing, and then nothing', async () => {
    const { token } = await world.agent('blind');
    const blind = await world.listening(api, { token });
    const other = await world.listening(api, { token: (await world.agent('viewer')).token });
    await world.publish([[item(canary)]], { counts: { support: { total: 3 } } });
    await other.next('counts');
    blind.send({ type: 'ping' });
    await blind.next('pong');
    expect(blind.messages.map(({ type }) => type)).to.deep.equal(['hello', 'pong']);
    expect(blind.messages[0]?.['counts']).to.deep.equal({});
  });

  it('tells of a bulk to who asked for it and to those who see the audit log, each with a chain that holds', async () => {
    const [one, two, auditor] = await Promise.all([
      world.agent('viewer'),
      world.agent('viewer'),
      world.agent('auditor'),
    ]);
    const [first, second, third] = await Promise.all(
      [one, two, auditor].map(({ token }) => world.listening(api, { token })),
    );
    // Ends with a message for one of the two alone, so that from then on the two are not in step.
    await world.publish([[item('before')], [bulk(one.id, 1)], [item('between')], [bulk(two.id, 2)]]);
    await until(
      'all',
      () =>
        first?.titles().includes('between') === true &&
        second?.of('bulk').length === 1 &&
        third?.of('bulk').length === 2,
    );
    world.publisher?.bus.publish('live-1', JSON.stringify({ kind: 'passing', at: 1, part: bulk(one.id, 5) }));
    await until('its progress', () => first?.of('bulk').length === 2 && third?.of('bulk').length === 3);
    await world.publish([], { counts: { support: { total: 7 } } });
    await until('the counts', () => first?.of('counts').length === 1 && second?.of('counts').length === 1);
    await world.publish([[item('last')]]);
    await until(
      'the last',
      () => second?.titles().includes('last') === true && first?.titles().includes('last') === true,
    );
    expect(second?.of('bulk').length).to.equal(1);
    for (const subscriber of [first, second, third]) expect(subscriber?.broken).to.deep.equal([]);
  });

  it('tells of a bulk to who sees the inboxes of all its items and its action’s resource, which are not sent', async () => {
    const author = await world.agent('viewer');
    const [auditor, admin] = await Promise.all(
      ['auditor', 'admin'].map(async (role) => world.listening(api, { token: (await world.agent(role)).token })),
    );
    await world.publish([
      [bulk(author.id, 1, { inboxes: ['secret'], resource: null, isWhole: true })],
      [bulk(author.id, 2, { inboxes: ['support'], resource: 'order', isWhole: true })],
      // As earlier releases wrote them.
      [{ type: 'bulk', bulk: { id: 'blk', done: 3, by: { type: 'agent', id: author.id, name: 'x' } } }],
      [bulk(author.id, 4, { inboxes: ['secret', 'support'], resource: null, isWhole: true })],
      // Some of its ids name no item.
      [bulk(author.id, 5, { inboxes: ['support'], resource: null, isWhole: false })],
      [bulk(author.id, 6)],
      [item('after bulks')],
    ]);
    await until('all', () => [auditor, admin].every((each) => each?.titles().includes('after bulks') === true));
    const done = (each: typeof auditor): unknown[] =>
      each?.of('bulk').map((message) => (message['bulk'] as { done: number }).done) ?? [];
    expect([done(auditor), done(admin)]).to.deep.equal([[6], [1, 2, 3, 4, 5, 6]]);
    expect(JSON.stringify([auditor?.messages, admin?.messages])).not.to.include('"scope"');
  });

  it('narrows by the query and on the way, and says so', async () => {
    const { token } = await world.agent('viewer');
    const subscriber = await world.listening(api, { token, query: '?types=item,counts&inboxes=support' });
    expect(Object.keys(subscriber.messages[0]?.['counts'] as object)).to.deep.equal(['support']);
    await world.publish(
      [[item('n1'), entry('note', { text: 'no' })], [item('no', { inbox: 'billing' })], [item('n2')]],
      { counts: { billing: { total: 1 } } },
    );
    await until('n2', () => subscriber.titles().includes('n2'));
    subscriber.send({ type: 'narrow', types: ['item'], inboxes: ['billing', 'nowhere'] });
    expect(await subscriber.next('narrowed')).to.deep.include({ types: ['item'], inboxes: ['billing', 'nowhere'] });
    await world.publish([[item('no')], [item('n3', { inbox: 'billing' })]]);
    await until('n3', () => subscriber.titles().includes('n3'));
    subscriber.send({ type: 'narrow', inboxes: null });
    expect(await subscriber.next('narrowed', 2)).to.deep.include({ types: ['item'], inboxes: null });
    await world.publish([[item('n4')]]);
    await until('n4', () => subscriber.titles().includes('n4'));
    expect(subscriber.titles()).to.deep.equal(['n1', 'n2', 'n3', 'n4']);
    expect(subscriber.of('timeline')).to.deep.equal([]);
    expect(subscriber.broken).to.deep.equal([]);
  });

  it('tells a subscriber whose role changed to start anew, and goes on under the new one', async () => {
    await world.role('moving', [{ on: 'inbox:support', can: ['see'] }]);
    const { token } = await world.agent('moving');
    const subscriber = await world.listening(api, { token });
    await world.publish([[item('m1')], [item('no', { inbox: 'billing' })]]);
    await until('m1', () => subscriber.titles().includes('m1'));
    await world.role('moving', [{ on: 'inbox:billing', can: ['see'] }]);
    expect((await subscriber.next('reset', 1, 2_000))['reason']).to.equal('role');
    await world.publish([[item('no')], [item('m2', { inbox: 'billing' })]]);
    await until('m2', () => subscriber.titles().includes('m2'));
    const resumed = await world.listening(api, { token, query: `?after=${subscriber.of('reset')[0]?.offset ?? ''}` });
    await until('m2', () => resumed.titles().includes('m2'));
    expect(subscriber.titles()).to.deep.equal(['m1', 'm2']);
    expect(resumed.titles()).to.deep.equal(['m2']);
    expect(Object.keys(subscriber.of('counts').at(-1)?.['inboxes'] as object)).to.deep.equal(['billing']);
    for (const each of [subscriber, resumed]) expect(each.broken).to.deep.equal([]);
  });

  it('closes the streams of a revoked token within 2 s, of an expired one, and of one that lost the environment', async () => {
    const [revoked, expiring, moved, kept] = await Promise.all([
      world.agent('viewer'),
      world.agent('viewer', { expiresAt: Date.now() + 1_500 * patience }),
      world.agent('viewer'),
      world.agent('viewer'),
    ]);
    const [first, second, third, fourth] = await Promise.all(
      [revoked, expiring, moved, kept].map(({ token }) => world.listening(api, { token })),
    );
    await world.db('agents').where({ id: revoked.id }).update({ revoked_at: Date.now() });
    await world
      .db('agents')
      .where({ id: moved.id })
      .update({ environments: ['staging'] });
    const since = performance.now();
    await world.changed();
    expect((await first?.closed)?.code).to.equal(4401);
    expect((await third?.closed)?.code).to.equal(4403);
    expect(performance.now() - since).to.be.lessThan(2_000 * patience);
    expect((await second?.closed)?.code).to.equal(4401);
    expect(fourth?.isClosed).to.equal(false);
  });

  it('closes the streams of a revoked token within 5 s while Redis is away', async () => {
    const { token, id } = await world.agent('viewer');
    const subscriber = await world.listening(api, { token });
    world.redisGate.shut();
    await world.db('agents').where({ id }).update({ revoked_at: Date.now() });
    const since = performance.now();
    await world.changed();
    expect((await subscriber.closed).code).to.equal(4401);
    expect(performance.now() - since).to.be.lessThan(5_000 * patience);
    world.redisGate.open = true;
    await until('the bus is back', () => api.deps.bus.connected);
  });

  it('presents an item by copying it only when something is left out', () => {
    const access = compileAccess(narrow);
    const seen = { id: 'a', record: record('order', 'o') };
    const unseen = { id: 'a', record: record('customer', 'c') };
    expect(redactItem(seen, access)).to.equal(seen);
    expect(redactItem(unseen, access)).to.deep.equal({ id: 'a', record: null });
    expect(unseen.record).not.to.equal(null);
  });
});
