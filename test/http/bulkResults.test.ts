/** Who gets results of items that they don't see: the author alone, of ids that were named, as those of ids without an item. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = { inboxes: [{ name: 'support' }, { name: 'errors' }, { name: 'fraud' }] } as const;
const authorGrants = ['support', 'errors'].map((name) => ({ on: `inbox:${name}`, can: ['*'] }));
const tags = { type: 'tags', add: ['seen'], remove: [] };
const unknown = 'itm_01jd0000000000000000000000';

describe('http: results of bulks', () => {
  let world: World;
  let admin: Client;
  let auditor: Client;

  beforeEach(async () => {
    world = await newWorld({ manifest, workers: false });
    await world.role('author', authorGrants);
    await world.role('auditor', [
      { on: 'inbox:support', can: ['see'] },
      { on: 'audit', can: ['see'] },
    ]);
    admin = await world.agent('admin');
    auditor = await world.agent('auditor');
  });
  afterEach(() => world.close());

  const item = async (inbox: string): Promise<string> =>
    (await admin.post('/items', { inbox, title: inbox })).body.item.id;
  /** A bulk that is cancelled before any of its items is begun. */
  const cancelled = async (client: Client, which: object): Promise<string> => {
    const { status, text, body } = await client.post('/bulk', { ...which, operation: tags });
    expect(status, text).to.equal(202);
    expect((await client.post(`/bulk/${String(body.bulk.id)}/cancel`)).status).to.equal(200);
    return body.bulk.id as string;
  };
  const idsOf = async (client: Client, bulk: string, query = ''): Promise<string[]> => {
    const { status, text, body } = await client.get(`/bulk/${bulk}/results?limit=200${query}`);
    expect(status, text).to.equal(200);
    return body.results.map(({ id }: { id: string }) => id);
  };
  const narrow = async (): Promise<void> => {
    await world.sql('update roles set grants = $1 where name = $2', [
      JSON.stringify(authorGrants.slice(0, 1)),
      'author',
    ]);
    await world.sql('update revisions set n = n + 1');
    await world.deps.directory.refresh();
  };

  it('that read like those of an id without an item go to the author and to who sees every inbox', async () => {
    const author = await world.agent('author');
    const [seen, hidden] = [await item('support'), await item('errors')];
    const ids = [seen, hidden, unknown];
    const bulk = await cancelled(author, { ids });
    for (const query of ['', '&outcome=cancelled']) {
      expect(await idsOf(auditor, bulk, query)).to.deep.equal([seen]);
      expect(await idsOf(author, bulk, query)).to.deep.equal(ids);
      expect(await idsOf(admin, bulk, query)).to.deep.equal(ids);
    }
    await narrow();
    expect(await idsOf(author, bulk), 'who has named them still knows them').to.deep.equal(ids);
  });

  it('of a bulk by query name no item any more that its author does not see', async () => {
    const author = await world.agent('author');
    const [seen, hidden, unseen] = [await item('support'), await item('errors'), await item('fraud')];
    const bulk = await cancelled(author, { query: {}, expect: 2 });
    expect((await idsOf(author, bulk)).sort()).to.deep.equal([seen, hidden].sort());
    expect(await idsOf(auditor, bulk)).to.deep.equal([seen]);
    await narrow();
    expect(await idsOf(author, bulk)).to.deep.equal([seen]);
    const all = await cancelled(admin, { query: {}, expect: 3 });
    expect((await idsOf(admin, all)).sort()).to.deep.equal([seen, hidden, unseen].sort());
    expect(await idsOf(auditor, all)).to.deep.equal([seen]);
  });
});
