/** What helps to find things and to read no more than is needed: batches, tags, `fields`, and the names that may have been meant. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  ...testManifest,
  views: [
    ...testManifest.views,
    { name: 'ofAda', record: 'customer:ada', createdAfter: 1 },
    { name: 'ofVault', record: 'vault:v1' },
    { name: 'mailOrBugs', assignee: 'none,me' },
  ],
};

describe('finding items', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let ana: Client;
  const ids: Record<string, string> = {};

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    ana = documents.of(await world.person('clerk', 'Ana Lind'));
    await world.records('customer', [{ id: 'ada', title: 'Ada' }]);
    await world.records('vault', [{ id: 'v1', title: 'Vault' }]);
    const make = async (name: string, body: object): Promise<void> => {
      const reply = await admin.post('/items', { title: name, ...body });
      expect(reply.status, reply.text).to.equal(201);
      ids[name] = reply.body.item.id as string;
    };
    await make('own', { inbox: 'mail', record: { resource: 'customer', id: 'ada' }, tags: ['vip', 'late fee'] });
    await make('linked', { inbox: 'bugs', links: [{ resource: 'customer', id: 'ada' }], tags: ['vip'] });
    await make('other', { inbox: 'mail', record: { resource: 'vault', id: 'v1' }, tags: ['Billing'] });
    await make('hidden', { inbox: 'secret', record: { resource: 'customer', id: 'ada' }, tags: ['vip', 'hush'] });
    await make('vaultLink', { inbox: 'mail', links: [{ resource: 'vault', id: 'v1' }] });
    await world.settled();
  });
  after(() => world.close());

  const titles = (reply: Reply): string[] => (reply.body.items as { title: string }[]).map(({ title }) => title).sort();
  const found = async (query: string, client = clerk): Promise<string[]> => {
    const reply = await client.get(`/items?${query}`);
    expect(reply.status, `${query} ${reply.text}`).to.equal(200);
    return titles(reply);
  };
  const refused = (reply: Reply, status: number, path: string, message: string): void => {
    expect([reply.status, reply.body.details], reply.text).to.deep.equal([status, [{ path, message }]]);
  };

  describe('by record', () => {
    it('finds those of the record and those with a link to it', async () => {
      expect(await found('record=customer:ada')).to.deep.equal(['linked', 'own']);
      expect(await found('record=customer:ada', admin)).to.deep.equal(['hidden', 'linked', 'own']);
      expect(await found('record=vault:v1', admin)).to.deep.equal(['other', 'vaultLink']);
      expect(await found('record=customer:nosuch')).to.deep.equal([]);
      expect(await found('record=customer:ada&inbox=bugs')).to.deep.equal(['linked']);
    });

    it('knows no resource that the role doesn’t see, in views neither', async () => {
      const known = 'is not known here; known: customer';
      refused(await clerk.get('/items?record=vault:v1'), 404, 'record', known);
      refused(await clerk.get('/items?record=nosuch:v1'), 404, 'record', known);
      expect(await found('view=ofAda')).to.deep.equal(['linked', 'own']);
      expect((await clerk.get('/items?view=ofVault')).status).to.equal(404);
      expect(await found('view=ofVault', admin)).to.deep.equal(['other', 'vaultLink']);
      const names = ((await clerk.get('/views')).body.views as { name: string }[]).map(({ name }) => name);
      expect(names).to.include('ofAda').and.not.to.include('ofVault');
    });

    for (const record of ['customer', ':ada', 'customer:', '1x:ada', `customer:${'x'.repeat(201)}`, 'customer:a%00'])
      it(`refuses ${record.slice(0, 20)}`, async () => {
        expect((await clerk.get(`/items?record=${record}`)).status).to.equal(400);
      });
  });

  it('finds what any of several people has, or nobody', async () => {
    await admin.post(`/items/${ids['own'] ?? ''}/assign`, { assignee: ana.id });
    expect(await found(`assignee=${ana.id},per_01jd0000000000000000000000`)).to.deep.equal(['own']);
    expect(await found(`assignee=me,none`, ana)).to.deep.equal(['linked', 'other', 'own', 'vaultLink']);
    expect(await found('view=mailOrBugs', ana)).to.deep.equal(['linked', 'other', 'own', 'vaultLink']);
    expect((await clerk.get(`/items?assignee=me,${ana.id}`)).status).to.equal(400);
    expect((await clerk.get(`/items?assignee=nobody,${ana.id}`)).status).to.equal(400);
  });

  it('takes times from the first on and before the second', async () => {
    const { createdAt, lastSeen } = (await admin.get(`/items/${ids['linked'] ?? ''}`)).body.item;
    for (const [name, at] of [
      ['created', createdAt],
      ['seen', lastSeen],
    ] as const) {
      const inRange = (after: number, before: number): Promise<string[]> =>
        found(`${name}After=${String(after)}&${name}Before=${String(before)}&sort=title`, admin);
      expect(await inRange(at, at + 1)).to.include('linked');
      expect(await inRange(at - 1000, at)).not.to.include('linked');
      expect(await inRange(at + 1, at + 100_000)).not.to.include('linked');
      expect(await inRange(at + 100_000, at)).to.deep.equal([]);
    }
    for (const time of ['x', '-1', '1.5', '', '8640000000000001'])
      expect((await clerk.get(`/items?createdAfter=${time}`)).status, time).to.equal(400);
  });

  describe('batches', () => {
    const batch = (names: readonly string[], more = ''): Promise<Reply> =>
      clerk.get(`/items/batch?ids=${names.map((name) => ids[name] ?? name).join(',')}${more}`);
    const inOrder = (reply: Reply): string[] => (reply.body.items as { title: string }[]).map(({ title }) => title);

    it('have their order, each item once, without those that aren’t seen', async () => {
      const reply = await batch(['linked', 'hidden', 'nosuch', 'own', 'linked', 'itm_01jd0000000000000000000000']);
      expect(inOrder(reply)).to.deep.equal(['linked', 'own']);
      expect(reply.headers.get('x-live-offset')).to.be.a('string');
      expect(reply.body.items[0]).to.deep.equal((await clerk.get(`/items/${ids['linked'] ?? ''}`)).body.item);
      expect((await batch(['other'])).body.items[0].record).to.equal(null);
    });

    it('hold 1 to 100 ids', async () => {
      expect((await batch(Array.from({ length: 100 }, () => 'own'))).status).to.equal(200);
      expect((await batch(Array.from({ length: 101 }, () => 'own'))).status).to.equal(400);
      expect((await batch([])).status).to.equal(400);
      expect((await clerk.get('/items/batch')).status).to.equal(400);
    });
  });

  it('lists the most frequent tags of the inboxes that the role sees', async () => {
    const tags = async (query = '', client = clerk): Promise<object> => (await client.get(`/tags${query}`)).body.tags;
    expect(await tags()).to.deep.equal([
      { tag: 'vip', count: 2 },
      { tag: 'Billing', count: 1 },
      { tag: 'late fee', count: 1 },
    ]);
    expect(await tags('', admin))
      .to.deep.include({ tag: 'vip', count: 3 })
      .and.to.deep.include({ tag: 'hush', count: 1 });
    expect(await tags('?inbox=bugs')).to.deep.equal([{ tag: 'vip', count: 1 }]);
    expect(await tags('?q=b')).to.deep.equal([{ tag: 'Billing', count: 1 }]);
    expect(await tags('?q=FEE')).to.deep.equal([{ tag: 'late fee', count: 1 }]);
    expect(await tags('?q=hush')).to.deep.equal([]);
    await admin.post(`/items/${ids['linked'] ?? ''}/tags`, { remove: ['vip'], add: ['new'] });
    await world.settled();
    expect(await tags('?inbox=bugs')).to.deep.equal([{ tag: 'new', count: 1 }]);
  });

  describe('fields', () => {
    it('leave only the members that are named, and the id', async () => {
      const reply = await clerk.get('/items?fields=title,state&limit=1');
      expect(Object.keys(reply.body)).to.have.members(['items', 'cursor']);
      expect(Object.keys(reply.body.items[0])).to.have.members(['id', 'title', 'state']);
      const own = ids['own'] ?? '';
      const detail = await clerk.get(`/items/${own}?fields=tags`);
      expect(detail.body.item).to.deep.equal({ id: own, tags: ['late fee', 'vip'] });
      expect(detail.body).to.include.all.keys('timeline', 'linked', 'blocks');
      expect((await clerk.get(`/items/batch?ids=${own}&fields=id`)).body.items).to.deep.equal([{ id: own }]);
      const records = await clerk.get('/resources/customer/list?fields=title');
      expect(records.body.records).to.deep.equal([{ resource: 'customer', id: 'ada', title: 'Ada' }]);
      expect((await clerk.get('/inboxes?fields=label')).body.inboxes[0]).to.deep.equal({ name: 'bugs', label: 'bugs' });
    });

    it('go on with the same cursor', async () => {
      const { cursor } = (await clerk.get('/items?limit=1&fields=title')).body;
      expect((await clerk.get(`/items?limit=1&cursor=${cursor as string}`)).status).to.equal(200);
    });

    it('have to exist', async () => {
      const reply = await clerk.get('/items?fields=title,stat');
      expect([reply.status, reply.body.details[0].path]).to.deep.equal([400, 'fields']);
      expect(reply.body.details[0].message).to.match(/^must be among state, .*, not [a-z]+$/i);
      expect((await clerk.get('/items?fields=')).status).to.equal(400);
      expect((await clerk.get('/counts?fields=at')).status).to.equal(400);
    });
  });

  describe('unknown names', () => {
    it('answer with those that the role sees, nearest first', async () => {
      const names = 'is not known here; known: ';
      refused(await clerk.get('/items?inbox=mial'), 404, 'inbox', `${names}mail, bugs, refunds`);
      refused(await clerk.get('/people?inbox=bug'), 404, 'inbox', `${names}bugs, mail, refunds`);
      refused(await clerk.get('/resources/custmer/list'), 404, 'resource', `${names}customer`);
      refused(await clerk.get('/resources/vault/v1'), 404, 'resource', `${names}customer`);
      const view = await clerk.get('/items?view=opn');
      expect([view.status, view.body.details[0].path]).to.deep.equal([404, 'view']);
      expect(view.body.details[0].message)
        .to.match(/known: open, /)
        .and.not.to.include('secrets');
      refused(await admin.post('/actions', { action: 'upgrad', input: {} }), 404, 'action', `${names}upgrade`);
      refused(await clerk.post('/actions', { action: 'upgrade', input: {} }), 404, 'action', 'is not known here');
      refused(await clerk.post('/items', { inbox: 'secret', title: 'x' }), 404, 'inbox', `${names}bugs, mail, refunds`);
    });

    it('of parameters and members answer with those that exist, ten at most', async () => {
      const reply = await clerk.get('/items?asignee=none');
      expect(reply.status).to.equal(400);
      expect(reply.body.details[0].message).to.match(/^is not known here; known: assignee, /);
      expect(reply.body.details[0].message.split(', ')).to.have.length(10);
      const member = await clerk.post(`/items/${ids['own'] ?? ''}/snooze`, { untill: null, until: null });
      expect([member.status, member.body.details[0].path]).to.deep.equal([400, 'untill']);
      expect(member.body.details[0].message).to.match(/^is not known here; known: until/);
    });
  });
});
