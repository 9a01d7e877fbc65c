/** Environments are apart: token, cursor, id, key, ticket and offset of one are worth nothing in another. */
import { expect } from 'chai';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { newWorld, type World } from '../support/world.ts';

describe('environments', () => {
  let world: World;
  let documents: Documents;
  /** The same principal in both. */
  let demo: Client;
  let staging: Client;
  let item: string;
  let bulk: string;

  const refused = (reply: Reply, status: number, code: string): void => {
    expect([reply.status, reply.body.code], reply.text).to.deep.equal([status, code]);
  };
  const make = async (client: Client, more: object = {}): Promise<string> => (await client.post('/items', { inbox: 'mail', title: client === demo ? 'of here' : 'of there', ...more })).body.item.id as string;

  before(async () => {
    world = await newWorld();
    await world.environment('staging');
    documents = await readDocuments(world.base);
    const both = await world.agent('admin', { environments: ['*'] });
    demo = documents.of(both);
    staging = documents.of(world.elsewhere(both, 'staging'));
    item = await make(demo);
    for (let i = 0; i < 3; i++) await demo.post(`/items/${item}/notes`, { text: String(i) });
    bulk = (await demo.post('/bulk', { ids: [item, await make(demo), await make(demo)], operation: { type: 'tags', add: ['x'], remove: [] } })).body.bulk.id;
    await make(staging);
    await world.settled();
  });
  after(() => world.close());

  it('a token of one is as good as none in another, on every address, and says nothing of what is there', async () => {
    const stranger = await world.agent('admin');
    const there = world.elsewhere(stranger, 'staging');
    const nowhere = world.elsewhere(stranger, 'nosuch');
    for (const { method, path, body } of documents.operations) {
      const target = path.replace('{id}', path.startsWith('/bulk') ? bulk : item);
      const [known, unknown] = [await there.call(method, target, body?.example), await nowhere.call(method, target, body?.example)];
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
    for (const { method, path, body } of documents.operations) {
      if (!path.includes('{id}')) continue;
      const of = (id: string) => staging.call(method, path.replace('{id}', id), body?.example);
      const [foreign, none] = path.startsWith('/bulk') ? [await of(bulk), await of('blk_01jd0000000000000000000000')] : [await of(item), await of('itm_01jd0000000000000000000000')];
      refused(foreign, 404, 'not_found');
      expect(foreign.text).to.equal(none.text);
    }
    expect((await demo.get(`/items/${item}`)).body.item.version).to.equal(5);
  });

  it('a cursor of one is refused by another, on every list', async () => {
    await make(staging);
    await world.sql('update people set environments = $1', [['*']]);
    for (const name of ['Ada', 'Bo', 'Cy']) await world.person('operator', name);
    for (const path of ['/items', '/inboxes', '/views', '/people', '/audit']) {
      const { cursor } = (await demo.get(`${path}?limit=1`)).body;
      expect(cursor, path).to.be.a('string');
      refused(await staging.get(`${path}?limit=1&cursor=${String(cursor)}`), 400, 'bad_cursor');
    }
    const timeline = (await demo.get(`/items/${item}/timeline?limit=1`)).body.cursor as string;
    refused(await staging.get(`/items/${await make(staging)}/timeline?limit=1&cursor=${timeline}`), 400, 'bad_cursor');
    const results = (await demo.get(`/bulk/${bulk}/results?limit=1`)).body.cursor as string;
    const other = (await staging.post('/bulk', { ids: [await make(staging)], operation: { type: 'state', state: 'closed' } })).body.bulk.id as string;
    refused(await staging.get(`/bulk/${other}/results?limit=1&cursor=${results}`), 400, 'bad_cursor');
  });

  it('lists, counts, searches, timelines and the audit log hold only what is their own', async () => {
    for (const query of ['?limit=200', '?search=of&limit=200', '?inbox=mail&limit=200', '?state=open&limit=200', '?assignee=none&limit=200']) {
      const own = new Set((await demo.get(`/items${query}`)).body.items.map(({ id }: { id: string }) => id));
      const theirs = (await staging.get(`/items${query}`)).body.items as { id: string }[];
      expect(theirs.length).to.be.above(0);
      expect(theirs.filter(({ id }) => own.has(id)), query).to.deep.equal([]);
    }
    expect((await staging.get('/items?search=here&count=1')).body).to.deep.include({ items: [], total: 0 });
    // What was tried there with this id is written there, as denied.
    const outcomes = async (client: Client): Promise<string[]> => (await client.get(`/audit?target=${item}&limit=200`)).body.entries.map(({ outcome }: { outcome: string }) => outcome);
    expect(await outcomes(staging)).not.to.include('ok');
    expect(await outcomes(demo)).to.include('ok').and.not.include('denied');
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
    const made = (await staging.post('/bulk', { ids: [item], operation: { type: 'state', state: 'closed' } })).body.bulk.id as string;
    await world.settled();
    expect((await staging.get(`/bulk/${made}/results`)).body.results).to.deep.equal([{ id: item, outcome: 'not_found', error: 'There is nothing here that you can see.', code: 'not_found' }]);
    expect((await staging.post('/bulk', { ids: [item], operation: { type: 'state', state: 'closed' }, dryRun: true })).body).to.include({ notFound: 1, wouldChange: 0 });
    expect((await demo.get(`/items/${item}`)).body.item.state).to.equal('open');
  });

  it('a record of one is not linked in another', async () => {
    await world.records('customer', [{ id: 'c9', title: 'Only in demo' }]);
    const id = await make(staging, { record: { resource: 'customer', id: 'c9' } });
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
    await here.next('its own item', (message) => message.item?.id === first);
    await there.next('its own item', (message) => message.item?.id === second);
    await world.settled();
    expect(JSON.stringify(here.messages)).not.to.include(second);
    expect(JSON.stringify(there.messages)).not.to.include(first);
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
    const opened = async (base: string): Promise<string> => openLive(bare, `?ticket=${ticket}`, base).then(async (live) => {
      await live.close();
      return 'opened';
    }, (error: unknown) => String(error));
    expect(await opened(staging.base)).to.include('401');
  });
});
