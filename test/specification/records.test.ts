/** The specification of records: searching, browsing, one record's page, and what it is related to. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { codeOf, idsOf, json, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: records', () => {
  let shop: ShopWorld;
  before(async () => {
    shop = await newShopWorld();
  });
  after(() => shop.close());

  const read = async (path: string): Promise<Reply['body']> => ok(await shop.agent.get(`/resources/${path}`));

  it('GET /resources/:resource?q= searches records of the resource', async () => {
    expect(idsOf((await read('customer?q=ada')).records)).to.deep.equal(['c1']);
    expect(idsOf((await read('customer?q=bo@example.com')).records)).to.deep.equal(['c2']);
    expect((await read('customer?q=nobody')).records).to.deep.equal([]);
  });

  it('GET /resources/:resource/list browses records, with q and filters, a JSON object', async () => {
    expect(idsOf((await read('order/list')).records)).to.deep.equal(['o1', 'o2']);
    expect(idsOf((await read('order/list?q=2')).records)).to.deep.equal(['o2']);
    expect(idsOf((await read(`order/list?filters=${json({ status: 'paid' })}`)).records)).to.deep.equal(['o1']);
    expect(codeOf(await shop.agent.get(`/resources/order/list?filters=${json(['paid'])}`))).to.equal('400 invalid');
  });

  it('GET /resources/:resource/list has a cursor for paging', async () => {
    const page = await read('order/list?limit=1');
    expect(idsOf(page.records)).to.deep.equal(['o1']);
    const next = await read(`order/list?limit=1&cursor=${encodeURIComponent(page.cursor as string)}`);
    expect([idsOf(next.records), next.cursor]).to.deep.equal([['o2'], null]);
  });

  it('GET /resources/:resource/:id answers the record', async () => {
    expect((await read('customer/c1')).record).to.deep.include({
      resource: 'customer',
      id: 'c1',
      title: 'Ada Byron',
      fields: { email: 'ada@example.com', plan: 'team' },
    });
    expect(codeOf(await shop.agent.get('/resources/customer/nobody'))).to.equal('404 not_found');
  });

  it('GET /resources/:resource/:id answers the record’s items', async () => {
    const id = await shop.item({ record: { resource: 'customer', id: 'c1' } });
    expect(idsOf((await read('customer/c1')).items)).to.deep.equal([id]);
  });

  it('GET /resources/:resource/:id answers the record’s history', async () => {
    await shop.app();
    const { run } = ok(
      await shop.agent.post('/actions', { action: 'receipt', record: 'o1', input: { email: 'ada@example.com' } }),
    );
    const { history } = await read('order/o1');
    expect(history[0]).to.include({ type: 'action' });
    expect(history[0].data).to.include({ run, action: 'receipt', status: 'succeeded' });
  });

  it('GET /resources/:resource/:id/related/:relation answers the records related through it', async () => {
    expect(idsOf((await read('customer/c1/related/orders')).records)).to.deep.equal(['o1', 'o2']);
    expect((await read('customer/c2/related/orders')).records).to.deep.equal([]);
    expect(codeOf(await shop.agent.get('/resources/customer/c1/related/nosuch'))).to.equal('404 not_found');
  });

  it('the record endpoints answer { records, cursor }, and of one record its blocks, items, history and actions', async () => {
    for (const path of ['order?q=1', 'order/list', 'customer/c1/related/orders'])
      expect(await read(path), path).to.have.all.keys('records', 'cursor');
    expect(await read('order/o1')).to.have.all.keys('record', 'blocks', 'items', 'history', 'historyCursor', 'actions');
  });

  it('filters has for each field a value, a list of values, or conditions', async () => {
    const filtered = async (filters: object): Promise<string[]> =>
      idsOf((await read(`order/list?filters=${json(filters)}`)).records);
    expect(await filtered({ status: 'open' })).to.deep.equal(['o2']);
    expect(await filtered({ status: ['open', 'paid'] })).to.deep.equal(['o1', 'o2']);
    expect(await filtered({ status: { ne: 'open' }, customer: 'c1' })).to.deep.equal(['o1']);
    expect(codeOf(await shop.agent.get(`/resources/order/list?filters=${json({ nosuch: 1 })}`))).to.equal(
      '400 invalid',
    );
  });

  it('a record has resource, id, title, subtitle, fields and updatedAt, in every answer', async () => {
    for (const path of ['order?q=1', 'order/list', 'customer/c1/related/orders']) {
      const { records } = await read(path);
      expect(records[0], path).to.have.all.keys('resource', 'id', 'title', 'subtitle', 'fields', 'updatedAt');
    }
  });
});
