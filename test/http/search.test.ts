/** `GET /search` over HTTP: items and records at once, best first, with excerpts, and only what the role sees. */
import { expect } from 'chai';
import { never, type FakeApp } from '../support/app.ts';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { tooSlowly } from '../support/slowSearch.ts';
import { callTool } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'customer', source: 'stored', fields: [{ name: 'email', search: true }, { name: 'iban' }] },
    { name: 'vault', source: 'stored' },
    { name: 'order', source: 'app' },
    { name: 'parcel', source: 'app' },
  ],
  inboxes: [
    { name: 'mail', reply: { via: 'app' }, fields: { type: 'object', properties: { body: {} } } },
    { name: 'secret' },
  ],
};

describe('searching over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let app: FakeApp;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'resource:customer', can: ['see'] },
      { on: 'resource:order', can: ['see'] },
    ]);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    app = await world.app({ 'records.search': () => ({ records: [] }) });
    await app.request('records.put', {
      resource: 'customer',
      records: [
        {
          id: 'cus_1',
          title: 'Zelda Fox',
          subtitle: 'Platypus Ltd',
          fields: { email: 'zelda@fox.example', iban: 'lynx' },
        },
        { id: 'cus_2', title: 'Platypus', subtitle: null, fields: {} },
      ],
    });
    await app.request('records.put', { resource: 'vault', records: [{ id: 'v_1', title: 'Platypus vault' }] });
  });
  after(() => world.close());

  const make = async (body: object): Promise<string> => {
    const reply = await admin.post('/items', { inbox: 'mail', title: 'Untitled', ...body });
    expect(reply.status, reply.text).to.be.oneOf([200, 201]);
    return reply.body.item.id as string;
  };
  const ask = async (client: Client, query: Record<string, string>): Promise<Reply['body']> => {
    const reply = await client.get(`/search?${new URLSearchParams(query).toString()}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body;
  };
  const makeMany = async (n: number, body: object): Promise<string[]> => {
    const ids: string[] = [];
    for (let made = 0; made < n; made++) ids.push(await make(body));
    return ids;
  };
  interface Result {
    readonly type: 'item' | 'record';
    readonly item?: { readonly id: string };
    readonly record?: { readonly id: string };
    readonly matched: string;
  }
  const results = async (client: Client, q: string, more: Record<string, string> = {}): Promise<[string, string][]> =>
    ((await ask(client, { q, ...more })).results as Result[]).map(({ item, record, matched }) => [
      item?.id ?? record?.id ?? '',
      matched,
    ]);

  it('answers items and records, best first, with where each was found', async () => {
    const titled = await make({ title: 'The platypus bites' });
    const noted = await make({ title: 'Other' });
    await admin.post(`/items/${noted}/notes`, {
      text: `${'Long before. '.repeat(30)}A platypus! ${'After. '.repeat(60)}`,
    });
    const fielded = await make({ title: 'Third', data: { body: 'platypuses everywhere\n\u202eand more' } });
    await world.indexed();
    const found = await results(clerk, 'Platypus');
    expect(found.map(([id]) => id)).to.deep.equal(['cus_2', titled, 'cus_1', fielded, noted]);
    const texts = new Map(found);
    expect(texts.get('cus_2')).to.equal('Platypus');
    expect(texts.get('cus_1')).to.equal('Platypus Ltd');
    expect(texts.get(titled)).to.equal('The platypus bites');
    expect(texts.get(fielded)).to.equal('platypuses everywhere and more');
    expect(texts.get(noted)).to.match(/^….*A platypus! After\..*…$/);
    expect(texts.get(noted)?.length).to.be.at.most(200);
    expect((await results(clerk, 'platypus', { types: 'records' })).map(([id]) => id)).to.deep.equal([
      'cus_2',
      'cus_1',
    ]);
    expect((await results(clerk, 'platypus', { types: 'items', limit: '1' })).map(([id]) => id)).to.deep.equal([
      titled,
    ]);
    expect(await results(clerk, 'platypus gnu')).to.deep.equal([]);
    for (const asked of ['“Platypus”!', 'platypus?', '(platypus),', '¿platypus…?']) {
      const ids = (await results(clerk, asked)).map(([id]) => id);
      expect(ids, asked).to.have.members(found.map(([id]) => id));
    }
    expect(await results(clerk, 'platypus!gnu'), 'a sign within a word').to.deep.equal([]);
    expect(await results(clerk, 'lynx'), 'not a field for search').to.deep.equal([]);
  });

  it('finds the item whose title begins with the text, however many newer ones have its words', async () => {
    const title = 'Login fails: Invoice of May, part 2';
    const old = await make({ title });
    const hidden = (await admin.post('/items', { inbox: 'secret', title })).body.item.id as string;
    for (let n = 0; n < 12; n++) await make({ title: `Part 2 of May: invoice login fails of ${String(n)}` });
    for (const q of [title, 'LOGIN fails: invoice OF may'])
      expect((await results(clerk, q, { limit: '5' }))[0]?.[0], q).to.equal(old);
    expect(await results(clerk, title, { limit: '5' })).to.have.length(5);
    expect((await results(admin, title, { limit: '2' })).map(([id]) => id)).to.have.members([old, hidden]);
  });

  it('answers nothing of what the role doesn’t see', async () => {
    const hidden = await make({ inbox: 'secret', title: 'Numbat' });
    expect((await results(admin, 'numbat')).map(([id]) => id)).to.deep.equal([hidden]);
    expect(await results(clerk, 'numbat')).to.deep.equal([]);
    expect((await results(admin, 'platypus')).map(([id]) => id)).to.include('v_1');
    expect((await results(clerk, 'platypus')).map(([id]) => id)).not.to.include('v_1');
  });

  it('gives an app half a second for each resource, and names those that did not answer', async () => {
    const asked: string[] = [];
    app.handle('records.search', ({ resource, q }: { resource: string; q: string }) => {
      asked.push(resource);
      return resource === 'order' ? { records: [{ id: 'o_1', title: `Order of ${q}` }] } : never();
    });
    const answer = await ask(admin, { q: 'wombat' });
    expect(answer.incomplete).to.deep.equal(['parcel']);
    expect(answer.results.map(({ record, matched }: Result) => [record?.id, matched])).to.deep.equal([
      ['o_1', 'Order of wombat'],
    ]);
    expect(asked).to.have.members(['order', 'parcel']);
    expect((await ask(clerk, { q: 'wombat' })).incomplete, 'a resource that is not seen').to.deep.equal([]);
    await app.close();
    expect((await ask(admin, { q: 'platypus' })).incomplete).to.deep.equal(['order', 'parcel']);
  });

  it('says when the time was over before all items were searched, and goes on with a cursor until they are', async () => {
    const title = 'Echidna quoll bilby';
    const wanted = [await make({ title }), ...(await makeMany(6, { data: { body: title } }))];
    // So many that are newer that the first rows that are read hold none of them.
    await makeMany(110, { title: 'Nothing of the kind' });
    const first = await tooSlowly(world, () => ask(clerk, { q: title }));
    expect(first.results.map(({ item }: Result) => item?.id)).to.deep.equal([wanted[0]]);
    expect(first.incomplete).to.deep.equal(['items', 'order']);
    const seen = new Set<string | undefined>([wanted[0]]);
    let cursor = first.cursor as string | null;
    for (let n = 0; cursor !== null && n < 10; n++) {
      const next = await ask(clerk, { q: title, cursor });
      expect(next.incomplete, 'records were answered before').to.deep.equal(next.cursor === null ? [] : ['items']);
      for (const { item } of next.results as Result[]) seen.add(item?.id);
      ({ cursor } = next);
    }
    expect(cursor).to.equal(null);
    expect([...seen]).to.have.members(wanted);
    const other = await clerk.get(`/search?q=other&cursor=${encodeURIComponent(String(first.cursor))}`);
    expect(other.status).to.equal(400);
    expect(other.body.code).to.equal('bad_cursor');
    const whole = await ask(clerk, { q: title, types: 'items' });
    expect(whole).to.deep.include({ incomplete: [], cursor: null });
    expect(whole.results.map(({ item }: Result) => item?.id)).to.have.members(wanted);
  });

  it('says so to a model too, and how to go on', async () => {
    const title = 'Dunnart potoroo bandicoot';
    await make({ title });
    await makeMany(110, { title: 'Nothing of the kind' });
    const { body } = await tooSlowly(world, () => callTool(clerk, 'search', { q: title, types: ['items'] }));
    expect(body.incomplete).to.deep.equal(['items']);
    expect(body.hint).to.include('more may match');
    const { body: rest } = await callTool(clerk, 'search', { q: title, types: ['items'], cursor: body.cursor });
    expect(rest.results, JSON.stringify(rest)).to.have.length(1);
    expect(rest.hint ?? '').not.to.include('more may match');
  });

  it('names the parameter that is wrong', async () => {
    for (const [query, path] of [
      ['', 'q'],
      ['q=', 'q'],
      ['q=+', 'q'],
      ['q=%00', 'q'],
      [`q=${'a+'.repeat(11)}`, 'q'],
      ['q=a&types=flags', 'types.0'],
      ['q=a&limit=51', 'limit'],
    ] as const) {
      const reply = await clerk.get(`/search?${query}`);
      expect(reply.status, query).to.equal(400);
      expect(reply.body.details[0].path, query).to.equal(path);
    }
    expect((await clerk.get('/search?q=a&cursor=x')).body.code).to.equal('bad_cursor');
  });
});
