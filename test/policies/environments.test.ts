/** Environments are apart: token, cursor, id, key, ticket and offset of one are worth nothing in another. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { testManifest } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

/** The same in both, so that every name means something in each. */
const manifest = {
  ...testManifest,
  resources: testManifest.resources.map((resource) => ({
    ...resource,
    relations: [{ name: 'same', resource: resource.name, field: 'email' }],
  })),
  actions: [
    ...testManifest.actions,
    { name: 'greet', resource: 'customer', input: { type: 'object' } },
    { name: 'asked', resource: 'customer', approval: true, input: { type: 'object' } },
  ],
  pages: ['one', 'two'].map((name) => ({
    name,
    blocks: [
      { type: 'items', title: 'Items', source: 'items', query: {} },
      { type: 'table', title: 'Customers', source: 'records', query: { resource: 'customer' } },
      { type: 'record', title: 'Customer', source: 'records', query: { resource: 'customer', id: 'only_demo' } },
      { type: 'stat', title: 'Count', source: 'counts', query: { inbox: 'bugs', count: 'total' } },
      { type: 'table', title: 'Flags', source: 'flags' },
    ],
  })),
  flags: ['one', 'two'].map((key) => ({ key, kind: 'boolean', default: false })),
};

describe('environments', () => {
  let world: World;
  let documents: Documents;
  /** The same principal in both. */
  let demo: Client;
  let staging: Client;
  let item: string;
  let bulk: string;
  let run: string;
  let approval: string;
  let app: FakeApp;

  const refused = (reply: Reply, status: number, code: string): void => {
    expect([reply.status, reply.body.code], reply.text).to.deep.equal([status, code]);
  };
  const make = async (client: Client, more: object = {}): Promise<string> =>
    (await client.post('/items', { inbox: 'mail', title: client === demo ? 'of here' : 'of there', ...more })).body.item
      .id as string;

  before(async () => {
    world = await newWorld({ manifest });
    await world.environment('staging');
    documents = await readDocuments(world.base);
    const both = await world.agent('admin', { environments: ['*'] });
    demo = documents.of(both);
    staging = documents.of(world.elsewhere(both, 'staging'));
    item = await make(demo);
    for (let i = 0; i < 3; i++) await demo.post(`/items/${item}/notes`, { text: String(i) });
    bulk = (
      await demo.post('/bulk', {
        ids: [item, await make(demo), await make(demo)],
        operation: { type: 'tags', add: ['x'], remove: [] },
      })
    ).body.bulk.id;
    await make(staging);
    await world.records('customer', [
      { id: 'only_demo', title: 'Only in demo' },
      { id: 'both', title: 'Demo’s' },
    ]);
    await world.records(
      'customer',
      [
        { id: 'both', title: 'Staging’s' },
        { id: 'other', title: 'Other' },
      ],
      'staging',
    );
    app = await world.app({
      'action.run': () => ({ message: 'Of demo', blocks: [{ type: 'items', items: [{ id: item }] }] }),
    });
    for (const record of ['only_demo', 'both'])
      run = (await demo.post('/actions', { action: 'greet', record, item })).body.run;
    for (const record of ['only_demo', 'both'])
      approval = (await demo.post('/actions', { action: 'asked', record, item })).body.approval;
    await world.settled();
  });
  after(() => world.close());

  /** For each kind of id one of demo, and one that is nobody's. */
  const idsOf = (path: string): readonly [string, string] => {
    if (path.startsWith('/bulk')) return [bulk, 'blk_01jd0000000000000000000000'];
    if (path.startsWith('/runs')) return [run, 'run_01jd0000000000000000000000'];
    if (path.startsWith('/approvals')) return [approval, 'apr_01jd0000000000000000000000'];
    return path.startsWith('/resources') ? ['only_demo', 'nobodys'] : [item, 'itm_01jd0000000000000000000000'];
  };
  const named = (path: string, id: string): string =>
    path
      .replace('{resource}', 'customer')
      .replace('{relation}', 'same')
      .replace('{page}', 'one')
      .replace('{flag}', 'one')
      .replace('{id}', id);
  /** Roles, people and agents are the project's, and who signs in has no token yet. */
  const isProjects = (path: string): boolean =>
    path.startsWith('/settings') || path.startsWith('/sign-') || path.startsWith('/me');

  it('a token of one is as good as none in another, on every address, and says nothing of what is there', async () => {
    const stranger = await world.agent('admin');
    const there = world.elsewhere(stranger, 'staging');
    const nowhere = world.elsewhere(stranger, 'nosuch');
    for (const { method, path, body } of documents.operations) {
      // Whoever signs in has no token yet.
      if (path.startsWith('/sign-in') && path !== '/sign-in/fresh') continue;
      const target = named(path, idsOf(path)[0]);
      const [known, unknown] = [
        await there.call(method, target, body?.example),
        await nowhere.call(method, target, body?.example),
      ];
      refused(known, 404, 'not_found');
      expect(known.text).to.equal(unknown.text);
    }
  });

  it('an app key belongs to one', async () => {
    const app = await world.appKey('staging');
    expect((await app.post('/items', { inbox: 'mail', title: 'x' })).status).to.equal(201);
    refused(await world.elsewhere(app, 'demo').post('/items', { inbox: 'mail', title: 'x' }), 404, 'not_found');
  });

  it('an id of one is unknown in another, for every endpoint that takes one', async () => {
    const decider = documents.of(world.elsewhere(await world.person('admin'), 'staging'));
    for (const { method, path, body } of documents.operations) {
      if (!path.includes('{id}') || isProjects(path)) continue;
      // Only persons decide, which is checked first.
      const caller = /\/(approve|reject|answer)$/.test(path) ? decider : staging;
      const of = (id: string) => caller.call(method, named(path, id), body?.example);
      const [foreign, none] = [await of(idsOf(path)[0]), await of(idsOf(path)[1])];
      refused(foreign, 404, 'not_found');
      expect(foreign.text).to.equal(none.text);
    }
    expect((await demo.get(`/items/${item}`)).body.item.version).to.equal(5);
    expect((await demo.get(`/approvals/${approval}`)).body.approval.status).to.equal('pending');
    expect((await demo.get(`/runs/${run}`)).body.run).to.include({ status: 'succeeded', attempt: 1 });
  });

  it('a cursor of one is refused by another, on every list', async () => {
    await make(staging);
    await world.sql('update people set environments = $1', [['*']]);
    for (const name of ['Ada', 'Bo', 'Cy']) await world.person('operator', name);
    for (const path of [
      '/items',
      '/inboxes',
      '/views',
      '/people',
      '/audit',
      '/runs',
      '/approvals',
      '/actions',
      '/resources',
      '/resources/customer/list',
      '/pages',
      '/flags',
    ]) {
      const { cursor } = (await demo.get(`${path}?limit=1`)).body;
      expect(cursor, path).to.be.a('string');
      refused(await staging.get(`${path}?limit=1&cursor=${String(cursor)}`), 400, 'bad_cursor');
    }
    const timeline = (await demo.get(`/items/${item}/timeline?limit=1`)).body.cursor as string;
    refused(await staging.get(`/items/${await make(staging)}/timeline?limit=1&cursor=${timeline}`), 400, 'bad_cursor');
    const key = { key: 'occurs here' };
    const occurring = await make(demo, key);
    await make(demo, key);
    const occurrences = (await demo.get(`/items/${occurring}/occurrences?limit=1`)).body.cursor as string;
    refused(
      await staging.get(`/items/${await make(staging)}/occurrences?limit=1&cursor=${occurrences}`),
      400,
      'bad_cursor',
    );
    const results = (await demo.get(`/bulk/${bulk}/results?limit=1`)).body.cursor as string;
    const other = (
      await staging.post('/bulk', { ids: [await make(staging)], operation: { type: 'state', state: 'closed' } })
    ).body.bulk.id as string;
    refused(await staging.get(`/bulk/${other}/results?limit=1&cursor=${results}`), 400, 'bad_cursor');
  });

  it('lists, counts, searches, timelines and the audit log hold only what is their own', async () => {
    for (const query of [
      '?limit=200',
      '?search=of&limit=200',
      '?inbox=mail&limit=200',
      '?state=open&limit=200',
      '?assignee=none&limit=200',
    ]) {
      const own = new Set((await demo.get(`/items${query}`)).body.items.map(({ id }: { id: string }) => id));
      const theirs = (await staging.get(`/items${query}`)).body.items as { id: string }[];
      expect(theirs.length).to.be.above(0);
      expect(
        theirs.filter(({ id }) => own.has(id)),
        query,
      ).to.deep.equal([]);
    }
    expect((await staging.get('/items?search=here&count=1')).body).to.deep.include({ items: [], total: 0 });
    // Requests with this id are audited in that environment, as denied.
    const outcomes = async (client: Client): Promise<string[]> =>
      (await client.get(`/audit?target=${item}&limit=200`)).body.entries.map(
        ({ outcome }: { outcome: string }) => outcome,
      );
    expect(await outcomes(staging)).not.to.include('ok');
    expect(await outcomes(demo))
      .to.include('ok')
      .and.not.include('denied');
  });

  it('runs, requests and records are those of its own', async () => {
    const idsIn = async (path: string, list: string): Promise<string[]> =>
      ((await staging.get(path)).body[list] as { id: string }[]).map(({ id }) => id);
    expect(await idsIn('/runs?limit=200', 'runs')).not.to.include(run);
    expect(await idsIn('/approvals?limit=200', 'approvals')).not.to.include(approval);
    for (const path of [
      '/resources/customer?q=only',
      '/resources/customer/list?q=only',
      '/resources/customer/list?filters=%7B%22id%22%3A%22only_demo%22%7D',
    ]) {
      const { status, text } = await staging.get(path);
      expect(status === 200 ? text : '', path).not.to.include('only_demo');
    }
    expect((await staging.get('/resources/customer/both')).body).to.deep.include({ items: [], history: [] });
    expect((await staging.get('/resources/customer/both')).body.record.title).to.equal('Staging’s');
    expect((await demo.get('/resources/customer/both')).body.history).to.have.length.above(0);
  });

  it('an action of one takes no record and no item of another', async () => {
    refused(await staging.post('/actions', { action: 'greet', record: 'only_demo' }), 404, 'not_found');
    refused(await staging.post('/actions', { action: 'greet', record: 'both', item }), 404, 'not_found');
    const [none] = (await staging.post('/available', { refs: [{ resource: 'customer', id: 'only_demo' }] })).body
      .available as { actions: unknown[]; unavailable: unknown[] }[];
    expect([none?.actions, none?.unavailable]).to.deep.equal([[], []]);
    expect(
      (await staging.post('/actions', { action: 'greet', record: 'both' })).body,
      'the app of the other is not its own',
    ).to.have.property('queued', true);
    expect(
      app.received.filter(({ method, params }) => method === 'action.run' && params.record?.title === 'Staging’s'),
    ).to.deep.equal([]);
  });

  it('a page of one shows nothing of another', async () => {
    const { text, body } = await staging.get('/pages/one');
    expect(body.blocks).to.have.length(5);
    expect(text).not.to.include('Only in demo').and.not.to.include('of here').and.not.to.include(item);
    expect((await demo.get('/pages/one')).text)
      .to.include('Only in demo')
      .and.to.include('of here');
  });

  it('a flag of one has its own value and history in each', async () => {
    expect(
      (await demo.post('/flags/one', { change: { value: true, targets: { only_demo: false } } })).body.changed,
    ).to.equal(true);
    expect((await staging.get('/flags/one')).body.flag).to.deep.include({ value: false, targets: {} });
    expect((await staging.get('/flags/one/history')).body.entries).to.deep.equal([]);
    expect(
      (await staging.post('/ofrep/v1/evaluate/flags/one', { context: { targetingKey: 'x' } })).body.value,
    ).to.equal(false);
    expect((await demo.post('/ofrep/v1/evaluate/flags/one', { context: { targetingKey: 'x' } })).body.value).to.equal(
      true,
    );
  });

  it('an item’s key means another item in each', async () => {
    const [here, there] = [await make(demo, { key: 'same' }), await make(staging, { key: 'same' })];
    expect(here).not.to.equal(there);
    expect((await demo.get(`/items/${here}`)).body.item.occurrences).to.equal(1);
  });

  it('an idempotency key never replays the answer of another environment', async () => {
    const options = { headers: { 'idempotency-key': 'of-both' } };
    const body = { inbox: 'mail', title: 'only here' };
    const first = await demo.post('/items', body, options);
    const second = await staging.post('/items', body, options);
    refused(second, 422, 'idempotency_mismatch');
    expect(second.text).not.to.include(first.body.item.id);
  });

  it('a bulk finds no items of another', async () => {
    const made = (await staging.post('/bulk', { ids: [item], operation: { type: 'state', state: 'closed' } })).body.bulk
      .id as string;
    await world.settled();
    expect((await staging.get(`/bulk/${made}/results`)).body.results).to.deep.equal([
      { id: item, outcome: 'not_found', error: 'There is nothing here that you can see.', code: 'not_found' },
    ]);
    expect(
      (await staging.post('/bulk', { ids: [item], operation: { type: 'state', state: 'closed' }, dryRun: true })).body,
    ).to.include({ notFound: 1, wouldChange: 0 });
    expect((await demo.get(`/items/${item}`)).body.item.state).to.equal('open');
  });

  it('a record of one is not linked in another', async () => {
    await world.records('customer', [{ id: 'c9', title: 'Only in demo' }]);
    const record = { resource: 'customer', id: 'c9' };
    refused(await staging.post('/items', { inbox: 'mail', title: 'x', record }), 400, 'invalid');
    const id = await make(await world.appKey('staging'), { record });
    const { body } = await staging.get(`/items/${id}`);
    expect(body.item.record.title).to.equal(null);
    expect(JSON.stringify(body)).not.to.include('Only in demo');
  });

  it('a person without an environment is neither listed nor assigned there', async () => {
    const ana = await world.person('operator', 'Only Demo');
    await world.sql(`update people set environments = '{demo}' where id = $1`, [ana.id]);
    await world.revoke(await world.agent('viewer'));
    expect((await demo.get('/people?q=only')).body.people).to.have.length(1);
    expect((await staging.get('/people?q=only')).body.people).to.deep.equal([]);
    refused(await staging.post(`/items/${await make(staging)}/assign`, { assignee: ana.id }), 400, 'invalid');
    refused(await world.elsewhere(ana, 'staging').get('/items'), 404, 'not_found');
  });

  it('a stream hears nothing of another', async () => {
    const here = await openLive(demo);
    const there = await openLive(staging, '', staging.base);
    const [first, second] = [await make(demo), await make(staging)];
    const told = [
      (await demo.post('/actions', { action: 'greet', record: 'both' })).body.run,
      (await demo.post('/actions', { action: 'asked', record: 'both', input: { n: 2 } })).body.approval,
    ] as string[];
    for (const id of told) await here.next(id, (message) => message.run?.id === id || message.approval?.id === id);
    await here.next('its own item', (message) => message.item?.id === first);
    await there.next('its own item', (message) => message.item?.id === second);
    await world.settled();
    expect(JSON.stringify(here.messages)).not.to.include(second);
    for (const id of [first, ...told]) expect(JSON.stringify(there.messages)).not.to.include(id);
    expect((await staging.get('/changes')).text).not.to.include('Of demo');
    await here.close();
    await there.close();
  });

  it('an offset of one resets the stream of another, and brings no data', async () => {
    const offset = (await demo.get('/items')).headers.get('x-live-offset') ?? '';
    await make(demo);
    await world.settled();
    const { body } = await staging.get(`/changes?after=${offset}`);
    expect(body).to.deep.include({ changes: [], reset: 'epoch' });
    const live = await openLive(staging, `?after=${offset}`, staging.base);
    const reset = await live.next('a reset', (message) => message.type === 'reset');
    expect(reset.reason).to.equal('epoch');
    expect(live.messages.filter((message) => message.type === 'item')).to.deep.equal([]);
    await live.close();
  });

  it('a ticket of one opens no stream of another', async () => {
    const { ticket } = (await demo.post('/live/tickets')).body as { ticket: string };
    const bare = { ...staging, token: '' };
    const opened = async (base: string): Promise<string> =>
      openLive(bare, `?ticket=${ticket}`, base).then(
        async (live) => {
          await live.close();
          return 'opened';
        },
        (error: unknown) => String(error),
      );
    expect(await opened(staging.base)).to.include('401');
  });
});
