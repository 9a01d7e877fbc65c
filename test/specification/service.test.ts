/** The specification of the service: one API for people and agents, its roles, its records of what was done, and its address. */
import { expect } from 'chai';
import { request, type Client, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { codeOf, idsOf, json, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: what the service does', () => {
  let shop: ShopWorld;
  let item = '';
  let hidden = '';
  before(async () => {
    shop = await newShopWorld();
    await shop.app();
    [item, hidden] = [await shop.item({ title: 'Seen' }), await shop.item({ inbox: 'secret', title: 'Hidden' })];
  });
  after(() => shop.close());

  const reads = [
    '/items',
    '/inboxes',
    '/views',
    '/resources',
    '/resources/order/list',
    '/actions',
    '/pages',
    '/flags',
    '/approvals',
  ];

  it('agents use the same HTTP API as people, with the same answers for the same role', async () => {
    for (const path of reads) expect((await shop.agent.get(path)).text, path).to.equal((await shop.ana.get(path)).text);
    ok(await shop.agent.post(`/items/${item}/tags`, { add: ['by agent'], remove: [] }));
    ok(await shop.ana.post(`/items/${item}/tags`, { add: ['by person'], remove: [] }));
  });

  it('an agent is a token bound to a role', async () => {
    const me = ok(await shop.agent.get('/me'));
    expect(me.principal).to.include({ type: 'agent', id: shop.agent.id, name: 'Clerk bot' });
    expect(me.role.name).to.equal('clerk');
    expect(ok(await shop.admin.get('/me')).role.name).to.equal('admin');
  });

  it('an agent sees exactly what its role sees', async () => {
    expect(idsOf(ok(await shop.agent.get('/items')).items))
      .to.include(item)
      .and.not.to.include(hidden);
    for (const path of [`/items/${hidden}`, '/resources/vault/v1', '/flags/banner']) {
      expect(codeOf(await shop.agent.get(path)), path).to.equal('404 not_found');
      ok(await shop.admin.get(path));
    }
  });

  it('an agent may run exactly what its role allows', async () => {
    expect(codeOf(await shop.agent.post('/actions', { action: 'forbidden' }))).to.equal('404 not_found');
    ok(await shop.admin.post('/actions', { action: 'forbidden' }));
    ok(await shop.agent.post('/actions', { action: 'ping' }));
    const viewer = await shop.world.agent('viewer');
    expect(codeOf(await viewer.post(`/items/${item}/state`, { state: 'closed' }))).to.equal('403 forbidden');
  });

  /** Everything that the specification lets an agent change, done once on a new item. */
  const doAll = async (): Promise<string> => {
    const { agent, ana } = shop;
    const id = ok(await agent.post('/items', { inbox: 'mail', title: 'All of it', data: {} }), 201).item.id as string;
    ok(await agent.post(`/items/${id}/assign`, { assignee: ana.id }));
    ok(await agent.post(`/items/${id}/tags`, { add: ['done'], remove: [] }));
    ok(await agent.post(`/items/${id}/snooze`, { until: Date.now() + 3_600_000 }));
    ok(await agent.post(`/items/${id}/notes`, { text: 'Noted.' }), 201);
    ok(await agent.post(`/items/${id}/reply`, { subject: 'Hello', text: 'Hello.' }), 202);
    ok(await agent.post('/actions', { action: 'ping', item: id }));
    ok(await agent.post(`/items/${id}/state`, { state: 'closed' }));
    return id;
  };

  it('everything that an agent does is recorded in the history under its name', async () => {
    const { timeline } = ok(await shop.agent.get(`/items/${await doAll()}`));
    const done = timeline.filter(
      ({ actor }: Reply['body']) => actor.type === 'agent' && actor.id === shop.agent.id && actor.name === 'Clerk bot',
    );
    expect(done.map(({ type }: { type: string }) => type)).to.include.members([
      'created',
      'assigned',
      'tags',
      'snoozed',
      'note',
      'reply',
      'action',
      'state',
    ]);
    ok(await shop.agent.post('/actions', { action: 'receipt', record: 'o1', input: { email: 'ada@example.com' } }));
    expect(ok(await shop.agent.get('/resources/order/o1')).history[0].actor).to.include({
      type: 'agent',
      id: shop.agent.id,
      name: 'Clerk bot',
    });
    ok(await shop.agent.post('/flags/told', { change: { value: true } }));
    expect(ok(await shop.agent.get('/flags/told/history')).entries[0].by).to.include({
      type: 'agent',
      id: shop.agent.id,
      name: 'Clerk bot',
    });
  });

  it('everything that an agent does is recorded in the audit log under its name', async () => {
    const id = await doAll();
    const { run } = ok(await shop.agent.post('/actions', { action: 'ping' }));
    const { approval } = ok(await shop.agent.post('/actions', { action: 'write_off', record: 'o1' }), 202);
    ok(await shop.agent.post('/flags/checkout', { change: { value: true } }));
    for (const [target, least] of [
      [id, 7],
      [run, 1],
      [approval, 1],
      ['checkout', 1],
    ] as const) {
      const { entries } = ok(await shop.admin.get(`/audit?target=${String(target)}&actor=${shop.agent.id}`));
      expect(
        entries.length,
        `${String(target)} ${JSON.stringify(entries.map(({ verb }: { verb: string }) => verb))}`,
      ).to.be.at.least(least);
      for (const entry of entries)
        expect(entry.actor).to.deep.include({ type: 'agent', id: shop.agent.id, name: 'Clerk bot' });
    }
  });

  it('the service manages items, records, actions, pages, flags, approvals and a live stream', async () => {
    ok(await shop.agent.get(`/items/${item}`));
    ok(await shop.agent.get('/resources/order/o1'));
    ok(await shop.agent.post('/actions', { action: 'ping' }));
    ok(await shop.agent.get(`/pages/customer?params=${json({ customer: 'c1' })}`));
    ok(await shop.agent.get('/flags/told'));
    ok(await shop.agent.get('/approvals'));
    const stream = await openLive(shop.agent);
    await stream.close();
  });

  it('all request and response bodies are JSON', async () => {
    const wrong = { headers: { 'content-type': 'text/plain' } };
    const replies: Reply[] = [
      ...(await Promise.all(reads.map((path) => shop.agent.get(path)))),
      await shop.agent.post(`/items/${item}/notes`, { text: 'x' }),
      await shop.agent.get('/nosuch'),
      await shop.agent.post(`/items/${item}/notes`, { text: 'x' }, wrong),
      await shop.agent.post(`/items/${item}/notes`, undefined, { raw: 'text=x' }),
    ];
    for (const reply of replies) expect(reply.headers.get('content-type'), reply.text).to.match(/^application\/json/);
    expect(replies.slice(-2).map(({ status }) => status)).to.deep.equal([415, 400]);
  });

  it('every list answers its entries under their plural, and a cursor that is null on the last page', async () => {
    for (const path of [
      '/items',
      '/inboxes',
      '/views',
      '/people',
      '/resources',
      '/actions',
      '/runs',
      '/pages',
      '/flags',
      '/approvals',
    ]) {
      const body = ok(await shop.admin.get(path));
      expect(body, path).to.have.all.keys(path.slice(1), 'cursor');
      expect(body[path.slice(1)], path).to.be.an('array');
      expect(body.cursor, path).to.equal(null);
    }
  });

  it('every path is below the address of one environment, <scheme>://<host>/api/env/<environment>', async () => {
    expect(shop.world.base).to.match(/^http:\/\/[\d.:]+\/api\/env\/demo$/);
    ok(await request('GET', `${shop.world.base}/items`, undefined, shop.agent.token));
    expect(
      (await request('GET', shop.world.base.replace('/api/env/demo', '/items'), undefined, shop.agent.token)).status,
    ).to.equal(404);
  });

  it('all endpoints act on the environment of their address only', async () => {
    await shop.world.environment('staging');
    const here = await shop.world.agent('admin', { environments: ['*'] });
    const there: Client = shop.world.elsewhere(here, 'staging');
    const id = ok(await there.post('/items', { inbox: 'bugs', title: 'There', data: {} }), 201).item.id as string;
    expect(codeOf(await here.get(`/items/${id}`))).to.equal('404 not_found');
    expect(codeOf(await there.get(`/items/${item}`))).to.equal('404 not_found');
    expect(idsOf(ok(await there.get('/items')).items)).to.deep.equal([id]);
  });
});
