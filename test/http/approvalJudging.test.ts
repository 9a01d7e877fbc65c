/** What an approval tells those who judge it: the requester's reason, the sentence, the target afterwards, and whether one may decide it. */
import { expect } from 'chai';
import { clientOf, type Client, type Reply } from '../support/http.ts';
import { openLive, type Message, type Recorder } from '../support/live.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'order', source: 'stored' },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }, { name: 'secret' }],
  actions: [
    {
      name: 'refund',
      label: 'Refund the \u202Eorder',
      resource: 'order',
      approval: true,
      reversible: false,
      input: { type: 'object', properties: { amount: { type: 'number' }, why: { type: 'string' } } },
    },
    { name: 'open', label: 'Open', resource: 'vault', approval: true, reversible: true },
    { name: 'ping', label: 'Ping', approval: true },
    {
      name: 'move',
      label: 'Move',
      approval: true,
      input: {
        type: 'object',
        properties: {
          to: { type: 'string', 'x-resource': 'order' },
          from: { type: 'string', 'x-resource': 'vault' },
        },
      },
    },
  ],
  flags: ['beta', 'gamma'].map((key) => ({ key, kind: 'boolean', default: false, resource: 'order', approval: true })),
};

const notAllowed = { approve: false, why: 'Only people whose role may decide approvals can decide this.' };
const own = { approve: false, why: 'You requested this approval; another person has to decide it.' };
const allowed = { approve: true, why: null };

describe('judging an approval', () => {
  let world: World;
  let agent: Client;
  let supervised: Client;
  let person: Client;
  let boss: Client;
  const streams: Recorder[] = [];
  let count = 0;

  before(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('operator');
    supervised = await world.agent('operator', { mode: 'supervised' });
    person = await world.person('operator', 'Ana');
    boss = await world.person('admin', 'Boss', { fresh: true });
    await world.records('order', [{ id: 'o1', title: 'The first order' }]);
    await world.records('vault', [{ id: 'v1', title: 'Hidden treasure' }]);
  });
  after(async () => {
    await Promise.all(streams.map((stream) => stream.close()));
    await world.close();
  });

  const live = async (client: Client): Promise<Recorder> => {
    const stream = await openLive(client, '?types=approval');
    streams.push(stream);
    return stream;
  };
  const told = async (stream: Recorder, id: string, status = 'pending'): Promise<Message> =>
    (await stream.next(`the approval, ${status}`, ({ approval }) => approval?.id === id && approval.status === status))
      .approval;
  const asked = (reply: Reply): string => {
    expect(reply.status, reply.text).to.equal(202);
    return reply.body.approval as string;
  };
  const refund = async (input: object): Promise<string> =>
    asked(await agent.post('/actions', { action: 'refund', record: 'o1', input }));
  const read = async (id: string, client = person): Promise<Reply['body']> => {
    const reply = await client.get(`/approvals/${id}`);
    expect(reply.status, reply.text).to.equal(200);
    const listed = (await client.get(`/approvals?limit=200&status=${String(reply.body.approval.status)}`)).body
      .approvals;
    expect(
      listed.find((one: { id: string }) => one.id === id),
      'the list says the same, but for the others on its target',
    ).to.deep.equal({ ...reply.body.approval, others: null });
    return reply.body.approval;
  };
  const newItem = async (inbox = 'mail'): Promise<string> => {
    count += 1;
    const reply = await boss.post('/items', { inbox, title: `Item ${String(count)}` });
    return reply.body.item.id as string;
  };

  it('says of an action what it does, to which record and with which values, and whether that can be undone', async () => {
    const stream = await live(person);
    const id = await refund({ amount: 20, why: 'He said:\n"pay\u202E me"' });
    const sentence = `Refund the order on order "o1" ("The first order"), with amount "20", why "He said: 'pay me'".`;
    const approval = await read(id);
    expect(approval).to.deep.include({ sentence, reversible: false, after: null, reason: null, canDecide: allowed });
    expect(approval).to.not.have.any.keys('label', 'total', 'barred');
    const passed = await told(stream, id);
    expect(passed).to.deep.include({ sentence, reversible: false, after: null, reason: null, canDecide: allowed });
    expect(passed).to.have.all.keys(Object.keys(approval));
    const open = asked(await agent.post('/actions', { action: 'open', record: 'v1' }));
    expect((await read(open)).reversible).to.equal(true);
    const ping = asked(await agent.post('/actions', { action: 'ping' }));
    expect(await read(ping)).to.include({ reversible: null, sentence: 'Ping.' });
  });

  it('names the records that an input picks to who sees them, and says which there are not', async () => {
    const move = async (to: string): Promise<string> =>
      asked(await agent.post('/actions', { action: 'move', input: { to, from: 'v1' } }));
    const [known, unknown] = [await move('o1'), await move('nobody')];
    const hidden = 'from vault "v1" ("Hidden treasure")';
    expect((await read(known)).sentence).to.equal(`Move, with to order "o1" ("The first order"), ${hidden}.`);
    expect((await read(unknown)).sentence).to.equal(`Move, with to order "nobody" (no such record), ${hidden}.`);
    await world.role('orders', [
      { on: 'approvals', can: ['see', 'decide'] },
      { on: 'action:move', can: ['run'] },
      { on: 'resource:order', can: ['see'] },
    ]);
    const narrow = await world.person('orders');
    const shown = await read(known, narrow);
    expect(shown.sentence).to.equal('Move, with to order "o1" ("The first order"), from "v1".');
    expect(shown).to.not.have.any.keys('picked', 'labels', 'currencies');
  });

  it('says where the item whose timeline shows an action is not about its record, to everybody who reads it', async () => {
    const make = async (more: object): Promise<string> =>
      (await boss.post('/items', { inbox: 'mail', title: 'Approved by Ana', ...more })).body.item.id as string;
    const o1 = { resource: 'order', id: 'o1' };
    const [bare, other, own, linked] = [
      await make({}),
      await make({ record: { resource: 'vault', id: 'v1' }, links: [{ resource: 'vault', id: 'v1' }] }),
      await make({ record: o1 }),
      await make({ links: [o1] }),
    ];
    const stream = await live(person);
    for (const [item, isAside] of [
      [bare, true],
      [other, true],
      [own, false],
      [linked, false],
    ] as const) {
      const id = asked(await agent.post('/actions', { action: 'refund', record: 'o1', item, input: { amount: 3 } }));
      const end = isAside ? ', shown on an item that is not about this record.' : '.';
      const sentence = `Refund the order on order "o1" ("The first order"), with amount "3"${end}`;
      const approval = await read(id);
      expect(approval)
        .to.include({ sentence, itemTitle: 'Approved by Ana' })
        .and.not.have.any.keys('isAside', 'warned');
      expect((await told(stream, id)).sentence).to.equal(sentence);
    }
    const ping = asked(await agent.post('/actions', { action: 'ping', item: bare }));
    expect((await read(ping)).sentence, 'an action without a record').to.equal('Ping.');
  });

  it('names the first records of a bulk that names some', async () => {
    const operation = { type: 'action', action: 'refund', input: {} };
    const one = await read(asked(await agent.post('/bulk', { refs: [{ resource: 'order', id: 'o1' }], operation })));
    expect(one.sentence).to.equal('Refund the order on 1 record (order "o1" ("The first order")).');
    const refs = ['o1', 'o2\u202e', 'o3', 'o4'].map((id) => ({ resource: 'order', id }));
    const many = await read(asked(await agent.post('/bulk', { refs, operation })));
    expect(many.sentence).to.equal(
      'Refund the order on 4 records (order "o1" ("The first order"), order "o2[U+202E]", order "o3" and 1 more).',
    );
  });

  it('says to who decides what rules do, and that a guard counts nothing', async () => {
    const guard = { inbox: 'mail', tag: 'nowhere', above: 5, within: 60_000, then: 'stop' };
    const ramp = { to: 50, over: 3_600_000, every: 60_000, guard };
    const ramped = await read(asked(await agent.post('/flags/gamma', { change: { ramp } })));
    expect(ramped.sentence)
      .to.include('occurrences of items with the tag "nowhere" in mail')
      .and.include('which no item had at the request');
    await boss.post('/items', { inbox: 'mail', title: 'Tagged', tags: ['somewhere'] });
    await world.settled();
    const other = { ...ramp, guard: { ...guard, tag: 'somewhere' } };
    const counts = await read(asked(await agent.post('/flags/gamma', { change: { ramp: other } })));
    expect(counts.sentence).to.include('with the tag "somewhere"').and.not.include('no item');
    const rules = [{ when: { field: 'targetingKey', op: 'exists', value: true }, value: true }];
    const ruled = await read(asked(await agent.post('/flags/gamma', { change: { value: false, rollout: 0, rules } })));
    expect(ruled.sentence).to.equal(
      'Change the flag gamma: value "false", rollout "0" percent, first its rules: "true" if targetingKey is there.',
    );
  });

  it('says to each reader whether they may decide, and why not', async () => {
    await world.role('reader', [
      { on: 'approvals', can: ['see'] },
      { on: 'resource:*', can: ['see'] },
    ]);
    const readers = [await world.person('reader'), await world.agent('operator')];
    const recorders = await Promise.all([person, agent, ...readers].map(live));
    const id = await refund({ amount: 1 });
    const expected = [allowed, own, notAllowed, notAllowed];
    for (const [i, client] of [person, agent, ...readers].entries()) {
      expect((await read(id, client)).canDecide).to.deep.equal(expected[i]);
      expect((await told(recorders[i] as Recorder, id)).canDecide, 'on the stream').to.deep.equal(expected[i]);
    }
    const mine = asked(await person.post('/actions', { action: 'ping' }));
    expect((await read(mine)).canDecide).to.deep.equal(own);
    expect((await told(recorders[0] as Recorder, mine)).canDecide).to.deep.equal(own);
    expect((await read(mine, boss)).canDecide).to.deep.equal(allowed);
    expect((await boss.post(`/approvals/${mine}/reject`)).body.approval.canDecide).to.deep.equal({
      approve: false,
      why: 'This approval is rejected.',
    });
    expect((await told(recorders[0] as Recorder, mine, 'rejected')).canDecide.why).to.equal(
      'This approval is rejected.',
    );
    await world.sql('update approvals set expires_at = 1 where id = $1', [id]);
    expect((await read(id)).canDecide).to.deep.equal({ approve: false, why: 'This approval has expired.' });
  });

  it('says under independent approval who has the agent in their hands, and to nobody else', async () => {
    await boss.call('PATCH', '/settings/environments/demo', { independentApproval: true });
    const made = await boss.post('/settings/agents', { name: 'Bot', role: 'operator' });
    const bot = clientOf(world.base, made.body.token as string, made.body.agent.id as string);
    const other = await world.person('admin', 'Other');
    const [mine, theirs] = [await live(boss), await live(other)];
    const id = asked(await bot.post('/actions', { action: 'ping' }));
    const barred = await read(id, boss);
    expect(barred.canDecide.approve).to.equal(false);
    expect(barred.canDecide.why).to.include('in the last 30 days');
    for (const way of ['OpenID Connect', 'longer ago', 'PATCH /settings/environments/:name', 'requested again'])
      expect(barred.canDecide.why).to.include(way);
    expect((await told(mine, id)).canDecide).to.deep.equal(barred.canDecide);
    expect((await read(id, other)).canDecide).to.deep.equal(allowed);
    expect((await told(theirs, id)).canDecide).to.deep.equal(allowed);
    expect((await boss.post(`/approvals/${id}/approve`)).body.error).to.equal(barred.canDecide.why);
    await boss.call('PATCH', '/settings/environments/demo', { independentApproval: false });
  });

  it('shows a flag, an item and a new item as they would be, and a bulk in numbers', async () => {
    const stream = await live(person);
    const flag = asked(await agent.post('/flags/beta', { change: { rollout: 12.5, targets: { o1: true } } }));
    const seen = await read(flag);
    expect(seen).to.include({
      sentence: 'Change the flag beta: rollout "12.5" percent, the value "true" for "o1".',
      reversible: true,
    });
    expect(seen.after).to.deep.equal({ ...seen.now, rollout: 12.5, targets: { o1: true } });
    expect((await told(stream, flag)).after).to.deep.equal(seen.after);

    const item = await newItem();
    const state = asked(await supervised.post(`/items/${item}/state`, { state: 'closed' }));
    const change = await read(state);
    expect(change).to.include({
      sentence: `Set the state of "${String(change.now.title)}" to "closed".`,
      reversible: true,
    });
    expect(change.after).to.deep.equal({ ...change.now, state: 'closed' });
    expect((await told(stream, state)).after).to.deep.equal(change.after);
    await boss.post(`/items/${item}/tags`, { add: ['seen'], remove: [] });
    expect((await read(state)).after)
      .to.include({ state: 'closed' })
      .and.deep.include({ tags: ['seen'] });

    const created = await read(asked(await supervised.post('/items', { inbox: 'mail', title: 'New', data: { a: 1 } })));
    expect(created.sentence).to.equal(`Create "New" in the inbox mail, with data "{'a':1}".`);
    expect(created.after).to.deep.equal({
      inbox: 'mail',
      title: 'New',
      state: 'open',
      record: null,
      tags: [],
      fields: { a: 1 },
    });

    const ids = [item, await newItem(), 'itm_01jd0000000000000000000000'];
    const operation = { type: 'tags', add: ['seen'], remove: [] };
    const bulk = await read(asked(await supervised.post('/bulk', { ids, operation })));
    const named = bulk.now.items
      .map(({ id, title }: { id: string; title: string }) => `"${id}" ("${title}")`)
      .join(', ');
    expect(bulk).to.include({
      sentence: `Change the tags of 3 items (${named as string} and 1 more): add "seen".`,
      reversible: true,
    });
    expect(bulk.after).to.include({ matched: 2, wouldChange: 1, unchanged: 1, notFound: 1 });
    expect(bulk.after.problems).to.deep.equal([
      { code: 'not_found', message: 'There is nothing here that you can see.', count: 1 },
    ]);
    expect(bulk.now.items.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(0, 2));
    expect(bulk.now.more).to.equal(0);
    const runs = await read(
      asked(await agent.post('/bulk', { ids, operation: { type: 'action', action: 'refund', input: { amount: 1 } } })),
    );
    expect(runs).to.include({
      sentence: `Refund the order on the records of 3 items (${named as string} and 1 more), with amount "1".`,
      reversible: false,
    });
    expect(runs.after).to.include({ matched: 2, failed: 2, notFound: 1 });
  });

  it('names the person who is to be assigned, and nobody of another environment', async () => {
    const item = await newItem();
    const assigning = async (assignee: string): Promise<string> =>
      (await read(asked(await supervised.post('/bulk', { ids: [item], operation: { type: 'assign', assignee } }))))
        .sentence;
    expect(await assigning(person.id)).to.match(/^Assign 1 item \("itm_\w+" \("Item \d+"\)\) to "Ana"\.$/);
    await world.environment('elsewhere');
    const stranger = await world.person('operator', 'A name of elsewhere', { environments: ['elsewhere'] });
    expect(await assigning(stranger.id)).to.include(`) to "${stranger.id}".`);
  });

  it('shows the first items of a bulk, and to each reader the records that they see', async () => {
    await world.role('sorter', [
      { on: 'approvals', can: ['see'] },
      { on: 'inbox:mail', can: ['see'] },
      { on: 'resource:order', can: ['see'] },
    ]);
    const sorter = await world.person('sorter');
    const ids = await Promise.all(Array.from({ length: 12 }, () => newItem()));
    const about = async (id: string): Promise<string> => {
      const record = { resource: id === 'o1' ? 'order' : 'vault', id };
      return (await boss.post('/items', { inbox: 'mail', title: `About ${id}`, record })).body.item.id as string;
    };
    const named = [await about('o1'), await about('v1'), ...ids];
    const asking = await supervised.post('/bulk', { ids: named, operation: { type: 'assign', assignee: null } });
    const { now } = await read(asked(asking));
    expect(now.items).to.have.length(10);
    expect(now.more).to.equal(4);
    expect(now.items.map(({ id }: { id: string }) => id)).to.deep.equal(named.slice(0, 10));
    const order = { resource: 'order', id: 'o1', title: 'The first order' };
    expect(now.items[0]).to.deep.equal({
      id: named[0],
      inbox: 'mail',
      title: 'About o1',
      state: 'open',
      record: order,
    });
    expect(now.items[1].record.title).to.equal('Hidden treasure');
    const partly = (await read(asked(asking), sorter)).now.items;
    expect(partly[0].record).to.deep.equal(order);
    expect(partly[1].record).to.equal(null);

    await boss.post(`/items/${String(named[0])}/state`, { state: 'closed' });
    expect((await read(asked(asking))).now.items[0].state).to.equal('closed');
    expect((await boss.post(`/approvals/${asked(asking)}/reject`)).body.approval.now).to.equal(null);
  });

  it('tells a requester whose role has lost the target nothing of it', async () => {
    const grants = (more: object[]): object[] => [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'action:*', can: ['run'] },
      ...more,
    ];
    await world.role(
      'fading',
      grants([
        { on: 'resource:vault', can: ['see'] },
        { on: 'inbox:secret', can: ['*'] },
      ]) as never,
    );
    const fading = await world.agent('fading', { mode: 'supervised' });
    const item = await newItem('secret');
    const ids = [
      asked(await fading.post('/actions', { action: 'open', record: 'v1' })),
      asked(await fading.post(`/items/${item}/state`, { state: 'closed' })),
      asked(await fading.post('/bulk', { ids: [item], operation: { type: 'state', state: 'closed' } })),
    ];
    const roles = (await boss.get('/settings/roles?limit=200')).body.roles as { id: string; name: string }[];
    const role = roles.find(({ name }) => name === 'fading');
    const stream = await live(fading);
    expect((await boss.call('PATCH', `/settings/roles/${String(role?.id)}`, { grants: grants([]) })).status).to.equal(
      200,
    );
    const [run, state] = await Promise.all(ids.map((id) => read(id, fading)));
    expect(run).to.deep.include({ sentence: "Open on a record you can't see.", before: null, after: null });
    expect(state).to.deep.include({ sentence: `Set the state of a record you can't see to "closed".`, after: null });
    for (const id of ids) {
      expect((await boss.post(`/approvals/${id}/reject`)).status).to.equal(200);
      const text = JSON.stringify([await read(id, fading), await told(stream, id, 'rejected')]);
      expect(text).to.not.include('Hidden treasure').and.not.include('Item ');
    }
  });
});
