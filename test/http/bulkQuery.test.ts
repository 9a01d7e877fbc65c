/** Bulks by query, lists of bulks, and many ids in one body. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { clerkGrants } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const tags = { type: 'tags', add: ['seen'], remove: [] };

describe('bulks by query', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let person: Client;

  before(async () => {
    world = await newWorld();
    await world.role('clerk', clerkGrants);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
    person = await world.person('operator', 'Ana Lind');
  });
  after(() => world.close());

  const make = async (inbox: string, count: number, more: object = {}): Promise<string[]> => {
    const made: string[] = [];
    for (let n = 0; n < count; n++) {
      const reply = await admin.post('/items', { inbox, title: `Item ${String(n)}`, ...more });
      expect(reply.status, reply.text).to.equal(201);
      made.push(reply.body.item.id as string);
    }
    return made;
  };
  const codeOf = ({ status, body }: Reply): string => `${String(status)} ${String(body?.code)}`;
  const pathOf = ({ body }: Reply): string => body.details?.[0]?.path as string;
  const changedBy = async (reply: Reply): Promise<string[]> => {
    expect(reply.status, reply.text).to.equal(202);
    const { id } = reply.body.bulk as { id: string };
    await until('it is done', async () => (await admin.get(`/bulk/${id}`)).body.bulk.finishedAt !== null);
    const { results } = (await admin.get(`/bulk/${id}/results?limit=200`)).body;
    return (results as { id: string; outcome: string }[])
      .filter(({ outcome }) => outcome === 'changed')
      .map((result) => result.id)
      .sort();
  };

  it('are refused to a read-only agent before anything is counted', async () => {
    const readonly = await world.agent('clerk', { mode: 'readonly' });
    for (const body of [
      { query: { inbox: 'mail' }, expect: 999, operation: tags },
      { query: { inbox: 'mail' }, expect: 999, operation: tags, dryRun: true },
    ]) {
      const reply = await readonly.post('/bulk', body);
      expect([codeOf(reply), reply.body.details], reply.text).to.deep.equal(['403 forbidden', undefined]);
    }
  });

  it('change what matches and is seen, with every filter of the list as JSON', async () => {
    const mail = await make('mail', 5, { tags: ['q'] });
    const secret = await make('secret', 2, { tags: ['q'] });
    await admin.post(`/items/${String(mail[0])}/state`, { state: 'closed' });
    await admin.post(`/items/${String(mail[1])}/assign`, { assignee: person.id });
    await admin.post(`/items/${String(mail[2])}/snooze`, { until: Date.now() + 3_600_000 });
    const matches = async (client: Client, query: object): Promise<string[]> =>
      changedBy(await client.post('/bulk', { query, operation: { ...tags, add: [`t${String(Math.random())}`] } }));
    expect(await matches(clerk, { tags: ['q'] })).to.deep.equal([...mail].sort());
    expect(await matches(admin, { tags: ['q'] })).to.deep.equal([...mail, ...secret].sort());
    expect(await matches(clerk, { tags: ['q'], state: ['closed'] })).to.deep.equal([mail[0]]);
    expect(await matches(clerk, { tags: ['q'], assignee: [person.id] })).to.deep.equal([mail[1]]);
    expect(await matches(clerk, { tags: ['q'], snoozed: true })).to.deep.equal([mail[2]]);
    expect(await matches(clerk, { tags: ['q'], snoozed: false, inbox: 'mail' })).to.have.length(4);
    expect(await matches(clerk, { view: 'open', tags: ['q'] })).to.have.length(3);
    expect(await matches(clerk, { search: 'item 3', tags: ['q'] })).to.deep.equal([mail[3]]);
    const [paying] = await make('mail', 1, { data: { plan: 'team', email: 'ana@example.com' } });
    expect(await matches(clerk, { fields: { plan: 'team' } })).to.deep.equal([paying]);
    expect(await matches(clerk, { q: 'ana@example.com' })).to.deep.equal([paying]);
  });

  it('are done at once where nothing matches', async () => {
    const reply = await clerk.post('/bulk', { query: { tags: ['nobody has this'] }, operation: tags });
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body.bulk).to.include({ status: 'done', total: 0, done: 0 });
    expect(reply.body.bulk.finishedAt).to.be.a('number');
    const supervised = await world.agent('clerk', { mode: 'supervised' });
    const asked = await supervised.post('/bulk', { query: { tags: ['nobody has this'] }, operation: tags });
    expect([asked.status, asked.body.bulk?.status]).to.deep.equal([202, 'done']);
    expect((await clerk.post(`/bulk/${String(reply.body.bulk.id)}/undo`)).status).to.equal(409);
  });

  it('do nothing when another number of items matches than the caller saw, and say how many', async () => {
    await make('bugs', 20, { tags: ['twenty'] });
    const query = { tags: ['twenty'] };
    const off = await admin.post('/bulk', { query, operation: tags, expect: 18 });
    expect(codeOf(off)).to.equal('409 conflict');
    expect(off.body.details).to.deep.equal([{ path: 'matched', message: '20' }]);
    expect((await admin.post('/bulk', { query, operation: tags, expect: 22 })).status).to.equal(409);
    expect(codeOf(await admin.post('/bulk', { query, operation: tags, expect: 0 }))).to.equal('409 conflict');
    for (const expected of [20, 21, 20])
      expect((await admin.post('/bulk', { query, operation: tags, expect: expected, dryRun: true })).status).to.equal(
        200,
      );
    expect(await changedBy(await admin.post('/bulk', { query, operation: tags, expect: 20 }))).to.have.length(20);
    const all = (await admin.get('/items?count=1')).body.total as number;
    const everything = await admin.post('/bulk', { query: {}, operation: tags, expect: all, dryRun: true });
    expect(everything.body).to.include({ matched: all, would: 'run', pending: false });
  });

  it('refuse what is no query, and an empty one without a number', async () => {
    const [id] = await make('mail', 1);
    for (const [body, path] of [
      [{ query: {} }, 'expect'],
      [{ query: { fields: {} } }, 'expect'],
      [{ query: { search: ' ' } }, 'query.search'],
      [{}, 'ids'],
      [{ ids: [id], query: { inbox: 'mail' } }, 'query'],
      [{ ids: [id], expect: 1 }, 'expect'],
      [{ query: { inbox: 'mail' }, expect: -1 }, 'expect'],
      [{ query: { inbox: 'mail', sort: 'title' } }, 'query.sort'],
      [{ query: { limit: 5 } }, 'query.limit'],
      [{ query: { state: 'open' } }, 'query.state'],
      [{ query: { state: ['nosuch'] } }, 'query.state'],
      [{ query: { overdue: '1' } }, 'query.overdue'],
      [{ query: { assignee: ['me'] } }, 'query.assignee'],
      [{ query: { search: 'a b c d e f g h i j k' } }, 'query.search'],
      [{ query: { fields: { nosuch: 'x' } } }, 'query.fields.nosuch'],
      [{ query: ['mail'] }, 'query'],
      [{ query: null }, 'query'],
    ] as const) {
      const reply = await clerk.post('/bulk', { ...body, operation: tags });
      expect(codeOf(reply), JSON.stringify(body)).to.equal('400 invalid');
      expect(pathOf(reply), JSON.stringify(body)).to.equal(path);
    }
    for (const query of [{ inbox: 'secret' }, { inbox: 'nosuch' }, { view: 'secrets' }, { view: 'nosuch' }])
      expect(codeOf(await clerk.post('/bulk', { query, operation: tags }))).to.equal('404 not_found');
    const misspelt = await clerk.post('/bulk', { query: { inbox: 'mial' }, operation: tags });
    expect(misspelt.body.details).to.deep.equal([
      { path: 'query.inbox', message: 'is not known here; known: mail, bugs, refunds' },
    ]);
    const unknown = await clerk.post('/bulk', { ids: [id], operation: { type: 'action', action: 'nosuch' } });
    expect([codeOf(unknown), pathOf(unknown)]).to.deep.equal(['404 not_found', 'operation.action']);
  });

  it('freeze what matched when they were asked for, also until a person approves', async () => {
    const [first] = await make('mail', 1, { tags: ['frozen'] });
    const supervised = await world.agent('clerk', { mode: 'supervised' });
    const asked = await supervised.post('/bulk', {
      query: { tags: ['frozen'] },
      operation: { type: 'state', state: 'closed' },
    });
    expect(asked.status, asked.text).to.equal(202);
    expect(asked.body).to.include({ pending: true });
    const [later] = await make('mail', 1, { tags: ['frozen'] });
    expect((await person.post(`/approvals/${String(asked.body.approval)}/approve`)).status).to.equal(200);
    expect(await changedBy(asked)).to.deep.equal([first]);
    expect((await admin.get(`/items/${String(later)}`)).body.item.state).to.equal('open');
  });

  it('are listed newest first by status, one’s own, and all for those who see the audit log', async () => {
    const listed = async (client: Client, query = ''): Promise<{ id: string; status: string; by: { id: string } }[]> =>
      (await client.get(`/bulk${query}`)).body.bulks;
    const all = await listed(admin, '?limit=200');
    expect(all.map(({ id }) => id)).to.deep.equal(
      all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    expect(new Set(all.map(({ by }) => by.id)).size).to.be.above(1);
    const own = await listed(clerk, '?limit=200');
    expect(own.map(({ id }) => id)).to.deep.equal(all.filter(({ by }) => by.id === clerk.id).map(({ id }) => id));
    expect((await listed(admin, '?status=done&limit=200')).every(({ status }) => status === 'done')).to.equal(true);
    expect(await listed(admin, '?status=running')).to.deep.equal([]);
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await admin.get(`/bulk?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...(page.body.bulks as { id: string }[]).map(({ id }) => id));
      cursor = page.body.cursor as string | null;
    }
    expect(paged).to.deep.equal(all.map(({ id }) => id));
    expect(codeOf(await admin.get('/bulk?status=nosuch'))).to.equal('400 invalid');
    expect((await admin.get(`/bulk?cursor=${'x'}`)).status).to.equal(400);
  });

  it('take 100,000 ids in a body of up to 4 MiB, and no more', async () => {
    const unknown = (n: number): string => `itm_01jd0000000000000${String(n).padStart(9, '0')}`;
    const ids = Array.from({ length: 100_000 }, (_, n) => unknown(n));
    const many = await admin.post('/bulk', { ids, operation: tags });
    expect(many.status, many.text.slice(0, 300)).to.equal(202);
    expect(many.body.bulk.total).to.equal(100_000);
    expect((await admin.post(`/bulk/${String(many.body.bulk.id)}/cancel`)).status).to.equal(200);
    const more = await admin.post('/bulk', { ids: [...ids, unknown(100_000)], operation: tags });
    expect([codeOf(more), pathOf(more)]).to.deep.equal(['400 invalid', 'ids']);
    const large = await admin.post('/bulk', { ids: ids.map((id) => id.padEnd(45, '0')), operation: tags });
    expect(codeOf(large)).to.equal('413 too_large');
    expect(codeOf(await admin.post('/items', { inbox: 'mail', title: 'x'.repeat(1024 * 1024) }))).to.equal(
      '413 too_large',
    );
  });

  it('of more than 100,000 items are refused with their number', async () => {
    await world.sql(
      `insert into items (env, id, version, inbox, title, title_key, state, closed, links, tags, occurrences, users, first_seen, last_seen, fields, triaged, created_at, updated_at, terms)
       select i.env, 'itm_01jd' || lpad(to_hex(n), 22, '0'), 1, 'refunds', 'Many', 'many', 'requested', false, '[]', '{}', 1, 0, n, n, '{}', false, 1, 1, ''
       from generate_series(1, 100001) as n cross join (select distinct env from items) i`,
    );
    await world.sql('vacuum analyze items');
    /** Asks again where a busy machine did not find so many items within the time of a read. */
    const ask = (body: object): Promise<Reply> =>
      until('they are found in time', async () => {
        const reply = await admin.post('/bulk', body);
        return codeOf(reply) === '422 too_broad' ? undefined : reply;
      });
    const reply = await ask({ query: { inbox: 'refunds' }, operation: tags });
    expect(codeOf(reply)).to.equal('422 too_many');
    expect(pathOf(reply)).to.equal('matched');
    expect(Number(reply.body.details[0].message)).to.be.at.least(100_001);
    const dry = await ask({
      query: { inbox: 'refunds', state: ['requested'], overdue: true },
      operation: tags,
      dryRun: true,
    });
    expect(dry.body.matched).to.equal(0);
    await world.sql("delete from items where id = 'itm_01jd' || lpad(to_hex(1), 22, '0')");
    const most = await ask({ query: { inbox: 'refunds' }, operation: tags, expect: 100_000 });
    expect(most.status, most.text).to.equal(202);
    expect(most.body.bulk.total).to.equal(100_000);
    expect((await admin.post(`/bulk/${String(most.body.bulk.id)}/cancel`)).status).to.equal(200);
  });
});
