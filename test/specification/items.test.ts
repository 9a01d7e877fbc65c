/** The specification of items: listing them and reading one. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { codeOf, idsOf, newShopWorld, ok, tick, type ShopWorld } from './shopWorld.ts';

describe('specification: reading items', () => {
  let shop: ShopWorld;
  let [late, first, second, third, hidden] = ['', '', '', '', ''];

  const list = async (query: string): Promise<Reply['body']> => ok(await shop.agent.get(`/items${query}`));
  const listed = async (query: string): Promise<string[]> => idsOf((await list(query)).items);
  const occurred = async (key: string, user: string): Promise<void> => {
    await tick();
    ok(await shop.admin.post('/items', { inbox: 'mail', title: 'again', data: {}, key, user }));
  };
  const of = (...ids: string[]): string[] => ids;

  before(async () => {
    shop = await newShopWorld();
    const { agent, ana } = shop;
    late = await shop.item({ inbox: 'late', title: 'Delta waits', tags: ['urgent'] });
    await tick();
    first = await shop.item({
      inbox: 'mail',
      title: 'Charlie asks for money',
      tags: ['billing', 'urgent'],
      key: 'first',
    });
    await tick();
    second = await shop.item({ inbox: 'slow', title: 'alpha wants a discount', tags: ['billing'] });
    await tick();
    third = await shop.item({ inbox: 'mail', title: 'Bravo has a question', key: 'third', user: 'u1' });
    hidden = await shop.item({ inbox: 'secret', title: 'Hidden money', tags: ['urgent'] });
    for (const user of ['u2', 'u3']) await occurred('third', user);
    await occurred('first', 'u1');
    ok(await agent.post(`/items/${second}/assign`, { assignee: ana.id }));
    ok(await agent.post(`/items/${second}/snooze`, { until: Date.now() + 3_600_000 }));
    ok(await agent.post(`/items/${late}/state`, { state: 'waiting' }));
    ok(await agent.post(`/items/${third}/triage`, { answers: { spam: 'yes' }, close: true }));
  });
  after(() => shop.close());

  it('GET /items lists items, those with the newest activity first', async () => {
    expect(await listed('')).to.deep.equal([first, third, second, late]);
  });

  it('GET /items takes inbox: the items of that one inbox', async () => {
    expect(await listed('?inbox=mail')).to.deep.equal([first, third]);
    expect(codeOf(await shop.agent.get('/items?inbox=secret'))).to.equal('404 not_found');
  });

  it('GET /items without inbox lists every inbox that the role sees, and no other', async () => {
    expect(await listed(''))
      .to.have.members(of(late, first, second, third))
      .and.not.to.include(hidden);
    expect(idsOf(ok(await shop.admin.get('/items')).items)).to.include(hidden);
  });

  it('GET /items takes view: the name of a view defined in code', async () => {
    expect(await listed('?view=urgent')).to.have.members(of(late, first));
    expect(codeOf(await shop.agent.get('/items?view=nosuch'))).to.equal('404 not_found');
  });

  it('GET /items takes state: comma-separated, items in any of them', async () => {
    expect(await listed('?state=waiting')).to.deep.equal([late]);
    expect(await listed('?state=waiting,closed')).to.have.members(of(late, third));
  });

  it('GET /items takes tags: comma-separated, all are required', async () => {
    expect(await listed('?tags=billing')).to.have.members(of(first, second));
    expect(await listed('?tags=billing,urgent')).to.deep.equal([first]);
  });

  it('GET /items takes assignee=none: items that nobody has', async () => {
    expect(await listed('?assignee=none')).to.have.members(of(late, first, third));
  });

  it('GET /items takes assignee with a person’s id: items of that person', async () => {
    expect(await listed(`?assignee=${shop.ana.id}`)).to.deep.equal([second]);
  });

  it('GET /items takes search: words matched in the title', async () => {
    expect(await listed('?search=money')).to.deep.equal([first]);
    expect(await listed('?search=money%20charlie')).to.deep.equal([first]);
    expect(await listed('?search=money%20bravo')).to.deep.equal([]);
  });

  it('GET /items takes overdue=1: only items past their response time', async () => {
    expect(await listed('?overdue=1')).to.deep.equal([late]);
  });

  it('GET /items takes triaged=1: only items that triage closed', async () => {
    expect(await listed('?triaged=1')).to.deep.equal([third]);
  });

  it('GET /items takes snoozed=1: only snoozed items', async () => {
    expect(await listed('?snoozed=1')).to.deep.equal([second]);
  });

  describe('sort', () => {
    it('GET /items takes sort=lastSeen', async () => {
      expect(await listed('?sort=lastSeen')).to.deep.equal([late, second, third, first]);
    });

    it('GET /items takes sort=firstSeen', async () => {
      expect(await listed('?sort=firstSeen')).to.deep.equal([late, first, second, third]);
    });

    it('GET /items takes sort=occurrences', async () => {
      expect(
        (await list('?sort=occurrences')).items.map((item: { occurrences: number }) => item.occurrences),
      ).to.deep.equal([1, 1, 2, 3]);
      expect((await listed('?sort=occurrences')).slice(2)).to.deep.equal([first, third]);
    });

    it('GET /items takes sort=users', async () => {
      expect((await list('?sort=users')).items.map((item: { users: number }) => item.users)).to.deep.equal([
        0, 0, 1, 3,
      ]);
      expect((await listed('?sort=users')).slice(2)).to.deep.equal([first, third]);
    });

    it('GET /items takes sort=title', async () => {
      expect(await listed('?sort=title')).to.deep.equal([second, third, first, late]);
    });

    it('GET /items takes sort=due', async () => {
      expect(await listed('?sort=due')).to.deep.equal([late, first, second, third]);
    });

    it('GET /items takes a sort with a leading - for descending', async () => {
      for (const sort of ['lastSeen', 'firstSeen', 'occurrences', 'users', 'title']) {
        expect(await listed(`?sort=-${sort}`), sort).to.deep.equal((await listed(`?sort=${sort}`)).reverse());
      }
      expect(await listed('?sort=-due')).to.deep.equal([second, first, late, third]);
    });

    it('GET /items takes no other sort', async () => {
      expect(codeOf(await shop.agent.get('/items?sort=state'))).to.equal('400 invalid');
    });
  });

  it('GET /items takes cursor: passed back, it gets the next page', async () => {
    const page = await list('?limit=3');
    expect(page.cursor).to.be.a('string');
    const next = await list(`?limit=3&cursor=${encodeURIComponent(page.cursor as string)}`);
    expect([...idsOf(page.items), ...idsOf(next.items)]).to.deep.equal(await listed(''));
    expect(next.cursor).to.equal(null);
  });

  it('GET /items takes limit: the page size', async () => {
    expect(await listed('?limit=2')).to.have.length(2);
  });

  it('GET /items answers a page of items with the fields of an item', async () => {
    const { items } = await list('');
    for (const item of items)
      expect(item).to.include.all.keys(
        'id',
        'inbox',
        'title',
        'state',
        'record',
        'tags',
        'assignee',
        'occurrences',
        'users',
        'firstSeen',
        'lastSeen',
        'dueAt',
        'fields',
      );
  });

  it('GET /items answers { items, cursor }', async () => {
    expect(await list('')).to.have.all.keys('items', 'cursor');
    expect((await list('?limit=1')).cursor).to.be.a('string');
  });

  it('GET /items/:id returns one item with blocks, linked records, suggested actions, triage’s answers and timeline', async () => {
    const body = ok(await shop.agent.get(`/items/${third}`));
    expect(body.item.id).to.equal(third);
    expect(body).to.include.all.keys('blocks', 'linked', 'suggestedActions', 'triage', 'timeline');
  });
});
