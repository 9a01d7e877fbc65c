/** Pages over HTTP: blocks from every source with the caller's rights, and those that fail beside those that don't. */
import { expect } from 'chai';
import { connectApp, never, rpcError, type FakeApp } from '../support/app.ts';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';
import { grants, manifest } from './pagesManifest.ts';

interface Block {
  readonly type: string;
  readonly title: string | null;
  readonly [member: string]: unknown;
}

describe('pages over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let key: Client;
  let app: FakeApp | null = null;

  const connect = async (handlers: Parameters<typeof connectApp>[1]): Promise<FakeApp> => {
    app = await connectApp(key, { manifest, ...handlers });
    return app;
  };
  const blocksOf = async (path: string, client = clerk): Promise<readonly Block[]> => {
    const reply = await client.get(`/pages/${path}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.blocks as Block[];
  };
  const titled = (blocks: readonly Block[], title: string): Block => {
    const block = blocks.find((other) => other.title === title);
    if (block === undefined) throw new Error(`There is no block ${title}.`);
    return block;
  };
  const refused = (reply: Reply, paths: readonly string[]): void => {
    expect([reply.status, reply.body.code], reply.text).to.deep.equal([400, 'invalid']);
    expect(reply.body.details.map(({ path }: { path: string }) => path)).to.deep.equal(paths);
  };

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', grants);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    key = await world.appKey();
    await admin.post('/resources/customer/records', { records: [] });
    await key.post('/resources/customer/records', {
      records: [
        { id: 'c1', title: 'Ada', fields: { plan: 'team', seats: 3, more: { a: 1 } } },
        { id: 'c2', title: 'Bo', fields: { plan: 'free', seats: 9 } },
        { id: 'c3', title: 'Cy', fields: { plan: 'team', seats: 1 } },
      ],
    });
    await key.post('/resources/vault/records', { records: [{ id: 'v1', title: 'Gold', fields: { key: 'canary' } }] });
    for (const title of ['b', 'a', 'c']) await admin.post('/items', { inbox: 'mail', title });
    const { item } = (
      await admin.post('/items', { inbox: 'mail', title: 'd', record: { resource: 'vault', id: 'v1' } })
    ).body;
    await admin.post(`/items/${String(item.id)}/state`, { state: 'closed' });
    await admin.post('/items', { inbox: 'secret', title: 'canary' });
    await world.settled();
  });
  afterEach(async () => {
    await app?.close();
    app = null;
  });
  after(() => world.close());

  it('lists those that the role sees, with their parameters', async () => {
    const { pages, cursor } = (await clerk.get('/pages')).body;
    expect(cursor).to.equal(null);
    expect(pages.map(({ name }: { name: string }) => name)).to.deep.equal(['all', 'apps', 'failing', 'hiding', 'one']);
    expect(pages[0]).to.deep.equal({ name: 'all', label: 'All', description: null, params: [] });
    expect(pages[4]).to.deep.equal({
      name: 'one',
      label: 'one',
      description: null,
      params: [
        { name: 'customer', description: null, required: true },
        { name: 'plan', description: null, required: false },
        { name: 'since', description: null, required: false },
        { name: 'most', description: null, required: false },
      ],
    });
    const first = (await clerk.get('/pages?limit=2')).body;
    expect(
      (await clerk.get(`/pages?limit=200&cursor=${String(first.cursor)}`)).body.pages.map(
        ({ name }: { name: string }) => name,
      ),
    ).to.deep.equal(['failing', 'hiding', 'one']);
  });

  it('answers what is hidden as what doesn’t exist', async () => {
    const [hidden, none] = [await clerk.get('/pages/private'), await clerk.get('/pages/nothing')];
    expect([hidden.status, hidden.body.error]).to.deep.equal([404, none.body.error]);
    expect(JSON.stringify(hidden.body.details)).not.to.include('private');
    expect((await clerk.get('/pages/constructor')).status).to.equal(404);
    expect((await key.get('/pages/all')).status).to.equal(403);
  });

  it('makes blocks from every source of the service, in their order', async () => {
    const reply = await clerk.get('/pages/all');
    const { page, blocks, at } = reply.body;
    expect(page).to.deep.equal({ name: 'all', label: 'All', description: null, params: [] });
    expect(at).to.be.a('number');
    expect(reply.headers.get('x-live-offset')).to.be.a('string');
    expect(blocks.map(({ type }: Block) => type)).to.deep.equal([
      'text',
      'stat',
      'stat',
      'stat',
      'stat',
      'table',
      'items',
      'stat',
      'record',
      'table',
      'table',
      'actions',
      'link',
    ]);
    expect(titled(blocks, 'Mail')).to.deep.equal({ type: 'stat', title: 'Mail', value: 4, unit: null, change: null });
    expect(titled(blocks, 'Closed')).to.include({ value: 1 });
    const { active } = (await clerk.get('/counts')).body.inboxes.mail;
    expect(active.unassigned).to.be.within(1, 3);
    expect(titled(blocks, 'To take')).to.include({ value: active.unassigned });
    expect(titled(blocks, 'Late')).to.include({ value: active.overdue });
    expect(titled(blocks, 'Inboxes')).to.deep.include({
      columns: [
        { name: 'label', label: 'Inbox', type: 'text' },
        { name: 'total', label: 'Total', type: 'number' },
        { name: 'open', label: 'open', type: 'number' },
      ],
      rows: [
        { label: 'Mail', total: 4, open: 3 },
        { label: 'Bugs', total: 0, open: 0 },
      ],
    });
    expect((titled(blocks, 'Open')['items'] as { title: string }[]).map(({ title }) => title)).to.deep.equal([
      'a',
      'b',
    ]);
    expect(titled(blocks, 'How many are open')).to.include({ value: 3 });
    expect(titled(blocks, 'Ada')['record']).to.deep.include({
      resource: 'customer',
      id: 'c1',
      title: 'Ada',
      fields: { plan: 'team', seats: 3, more: { a: 1 } },
    });
    expect(titled(blocks, 'Customers')).to.deep.include({
      columns: [
        { name: 'title', label: 'Title', type: 'text' },
        { name: 'plan', label: 'Plan', type: 'text' },
        { name: 'seats', label: 'seats', type: 'number' },
        { name: 'more', label: 'more', type: 'text' },
      ],
      rows: [
        { title: 'Bo', plan: 'free', seats: 9, more: null },
        { title: 'Ada', plan: 'team', seats: 3, more: '{"a":1}' },
      ],
    });
  });

  it('shows of flags and actions what the role sees and may run', async () => {
    const seen = await blocksOf('all');
    await admin.post('/flags/dark', { change: { value: false } });
    expect(titled(await blocksOf('all'), 'Flags')['rows']).to.deep.equal([
      { flag: 'banner', kind: 'json', value: '{"text":"x"}' },
      { flag: 'dark', kind: 'boolean', value: false },
    ]);
    expect(titled(seen, 'Do')['actions']).to.deep.equal([
      { action: 'ping', label: 'ping', record: null, input: {} },
      { action: 'refund', label: 'Refund it', record: 'c1', input: {} },
    ]);
    expect((titled(await blocksOf('all', admin), 'Do')['actions'] as unknown[]).length).to.equal(4);
  });

  it('leaves out blocks about what the role doesn’t see, without a trace', async () => {
    const reply = await clerk.get('/pages/hiding');
    expect(reply.text).not.to.match(/Hidden|canary|Gold|vault|secret/i);
    expect(reply.body.blocks.map(({ title }: Block) => title)).to.deep.equal(['All', 'Everything']);
    expect(reply.body.blocks[0].rows.map(({ label }: { label: string }) => label)).to.deep.equal(['Mail', 'Bugs']);
    expect(reply.body.blocks[1].items.find(({ title }: { title: string }) => title === 'd').record).to.equal(null);
    expect((await blocksOf('hiding', admin)).map(({ type }) => type)).to.deep.equal([
      'stat',
      'items',
      'items',
      'record',
      'table',
      'table',
      'items',
    ]);
  });

  it('turns what fails into an error and brings the others', async () => {
    const blocks = await blocksOf(`failing?params=${encodeURIComponent('{"x":"javascript:alert(1)"}')}`);
    expect(blocks.map(({ type }) => type)).to.deep.equal(['error', 'error', 'error', 'error', 'stat']);
    expect(blocks.map((block) => block['code'])).to.deep.equal([
      'invalid',
      'not_found',
      'invalid',
      'app_error',
      undefined,
    ]);
    expect(blocks.slice(0, 4).map(({ title }) => title)).to.deep.equal(['Mine', 'Nobody', 'State', 'Link']);
    expect((await blocksOf('failing', await world.person('admin')))[0]).to.deep.include({ type: 'items', items: [] });
  });

  describe('parameters', () => {
    const page = (params: string): Promise<Reply> => clerk.get(`/pages/one?params=${encodeURIComponent(params)}`);

    it('fill the templates; an optional one that is absent does not filter', async () => {
      const blocks = (await page('{"customer":"c1"}')).body.blocks as Block[];
      expect(blocks[0]).to.deep.include({ type: 'record', title: 'Of c1' });
      expect(blocks[1]?.['rows']).to.have.length(3);
      expect(blocks[2]?.['text']).to.equal('Customer c1, plan .');
      const narrowed = (await page('{"customer":"c2","plan":"team"}')).body.blocks as Block[];
      expect(narrowed[1]?.['rows']).to.deep.equal([{ title: 'Ada' }, { title: 'Cy' }]);
    });

    it('are numbers where the query takes those', async () => {
      const seen = async (since: string, most: string): Promise<Block | undefined> =>
        ((await page(JSON.stringify({ customer: 'c1', since, most }))).body.blocks as Block[])[3];
      expect((await seen('0', '1'))?.['items']).to.have.length(1);
      expect((await seen('9000000000000', '1'))?.['items']).to.deep.equal([]);
      expect(await seen('yesterday', '1')).to.deep.include({ type: 'error', code: 'invalid' });
    });

    it('are texts, not templates, queries or code', async () => {
      const blocks = (await page(JSON.stringify({ customer: '{{params.plan}}', plan: '"; drop table records; --' })))
        .body.blocks as Block[];
      expect(blocks[2]?.['text']).to.equal('Customer {{params.plan}}, plan "; drop table records; --.');
      expect(blocks[0]).to.deep.include({ type: 'error', code: 'not_found' });
      expect(blocks[1]?.['rows']).to.deep.equal([]);
    });

    it('are refused unless they are a JSON object of declared texts, and whole', async () => {
      refused(await clerk.get('/pages/one'), ['params.customer']);
      refused(await page('{"plan":"x"}'), ['params.customer']);
      refused(await page('{"customer":"c1","a":"1","plan":2}'), ['params.a', 'params.plan']);
      refused(await page('{"customer":1}'), ['params.customer']);
      refused(await page('{"customer":{"a":"b"}}'), ['params.customer']);
      refused(await page('{"customer":null}'), ['params.customer']);
      refused(await page('{"customer":"a\\u0000"}'), ['params.customer']);
      refused(await page('{"customer":"\\ud800"}'), ['params.customer']);
      refused(await page('{"customer":"c1","__proto__":"x","constructor":"y"}'), [
        'params.__proto__',
        'params.constructor',
      ]);
      for (const text of ['', 'x', '[]', '"a"', 'null', '7', '{', `{"customer":"${'x'.repeat(9 * 1024)}"}`])
        refused(await page(text), ['params']);
      refused(await clerk.get('/pages/one?params={}&params={}'), ['params']);
      refused(await clerk.get('/pages/one?parms={}'), ['parms']);
      refused(await clerk.get(`/pages/all?params=${encodeURIComponent('{"a":"1"}')}`), ['params.a']);
    });
  });

  describe('blocks of the app', () => {
    const types = (blocks: readonly Block[]): string[] =>
      blocks.map(({ type, code }) => (type === 'error' ? String(code) : type));

    it('are app_offline while it is away, and the others come', async () => {
      expect(types(await blocksOf('apps'))).to.deep.equal(['app_offline', 'text', 'app_offline', 'app_offline']);
      expect((await blocksOf('apps'))[0]?.title).to.equal('Sales');
    });

    it('are asked for by page and place, with who asks', async () => {
      const fake = await connect({
        handlers: {
          'page.block': ({ block }) => ({
            block:
              block === 0
                ? { type: 'chart', kind: 'line', series: [{ name: 'a', points: [['Mon', 3]] }] }
                : { type: 'stat', title: 'Own', value: 7 },
          }),
          'records.list': () => ({ records: [{ id: 'p1', title: 'Payment', fields: { amount: 5 } }] }),
        },
      });
      const blocks = await blocksOf('apps');
      expect(blocks[0]).to.deep.equal({
        type: 'chart',
        title: 'Sales',
        kind: 'line',
        series: [{ name: 'a', points: [['Mon', 3]] }],
      });
      expect(blocks[2]?.['rows']).to.deep.equal([{ title: 'Payment', amount: 5 }]);
      expect(blocks[3]).to.deep.include({ type: 'stat', title: 'Own', value: 7 });
      const asked = fake.received.filter(({ method }) => method === 'page.block').map(({ params }) => params);
      expect(asked).to.have.deep.members([
        {
          page: 'apps',
          block: 0,
          title: 'Sales',
          params: {},
          actor: { type: 'agent', id: clerk.id, name: 'clerk agent' },
        },
        {
          page: 'apps',
          block: 3,
          title: null,
          params: {},
          actor: { type: 'agent', id: clerk.id, name: 'clerk agent' },
        },
      ]);
    });

    it('are errors when it fails or answers nonsense; only what it says of a refusal is passed on', async () => {
      const answers: readonly (readonly [() => unknown, string])[] = [
        [
          () => {
            throw rpcError(-32001, 'Sales are counted at night.');
          },
          'Sales are counted at night.',
        ],
        [
          () => {
            throw rpcError(-32603, 'secret stack trace');
          },
          'Something went wrong inside the app.',
        ],
        [
          () => {
            throw rpcError(-32601, 'no such method');
          },
          'not valid',
        ],
        ...[
          null,
          7,
          'x',
          [],
          {},
          { block: null },
          { block: [] },
          { block: { type: 'nonsense' } },
          { block: { type: 'chart' } },
          { block: { type: 'link', url: 'javascript:alert(1)' } },
          { block: { type: 'text', text: 'a\u0000' } },
        ].map((answer) => [() => answer, 'not valid'] as const),
      ];
      const fake = await connect({ handlers: { 'page.block': () => null, 'records.list': () => ({ records: 7 }) } });
      for (const [answer, message] of answers) {
        fake.handle('page.block', answer);
        const blocks = await blocksOf('apps');
        expect(types(blocks)).to.deep.equal(['app_error', 'text', 'app_error', 'app_error']);
        expect(String(blocks[0]?.['error'])).to.include(message);
        expect(JSON.stringify(blocks)).not.to.include('secret');
      }
    });

    it('show of items, records and actions what the role sees', async () => {
      const { items } = (await admin.get('/items')).body as { items: { id: string; title: string }[] };
      const fake = await connect({});
      const answer = async (block: unknown): Promise<Block> => {
        fake.handle('page.block', ({ block: place }) => ({ block: place === 0 ? block : { type: 'text', text: '' } }));
        return (await blocksOf('apps')).find(({ title }) => title === 'Sales') ?? { type: 'absent', title: null };
      };
      const seen = await answer({
        type: 'items',
        items: [
          ...items.map(({ id }) => ({ id, title: 'forged' })),
          { id: 'itm_01jd0000000000000000000000' },
          { id: 'nonsense' },
        ],
      });
      expect((seen['items'] as { title: string }[]).map(({ title }) => title)).to.have.members(['a', 'b', 'c', 'd']);
      expect((seen['items'] as object[])[0]).to.include.keys('version', 'fields', 'dueAt');
      expect(await answer({ type: 'record', record: { resource: 'vault', id: 'v1', title: 'Gold' } })).to.include({
        type: 'absent',
      });
      expect(
        await answer({ type: 'record', record: { resource: 'customer', id: 'c1', title: 'Ada' } }),
      ).to.deep.include({ type: 'record' });
      const actions = await answer({
        type: 'actions',
        actions: [
          { action: 'ping' },
          { action: 'never' },
          { action: 'unknown' },
          { action: 'unlock', record: 'v1' },
          { action: 'refund', record: 'c1', label: 'Give it back' },
        ],
      });
      expect((actions['actions'] as { label: string }[]).map(({ label }) => label)).to.deep.equal([
        'ping',
        'Give it back',
      ]);
    });

    it('are app_timeout when it doesn’t answer, all waiting at the same time', async () => {
      await connect({ handlers: { 'page.block': never, 'records.list': never } });
      expect(types(await blocksOf('apps'))).to.deep.equal(['app_timeout', 'text', 'app_timeout', 'app_timeout']);
    });
  });
});
