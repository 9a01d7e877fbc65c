/** The specification of pages: blocks with live data, and parameters. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { codeOf, json, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: pages', () => {
  let shop: ShopWorld;
  before(async () => {
    shop = await newShopWorld();
  });
  after(() => shop.close());

  const page = async (customer: string): Promise<Reply['body']> =>
    ok(await shop.agent.get(`/pages/customer?params=${json({ customer })}`));

  it('GET /pages/:page returns the page’s blocks', async () => {
    expect((await page('c1')).blocks.map(({ type, title }: Record<string, string>) => [type, title])).to.deep.equal([
      ['record', 'Who'],
      ['stat', 'Bugs'],
    ]);
    expect(codeOf(await shop.agent.get('/pages/nosuch'))).to.equal('404 not_found');
  });

  it('GET /pages/:page returns blocks with live data', async () => {
    const { value } = (await page('c1')).blocks[1];
    await shop.item();
    await until('it is counted', async () => (await page('c1')).blocks[1].value === value + 1);
  });

  it('GET /pages/:page takes params: a JSON object of string values', async () => {
    expect((await page('c2')).blocks[0].record.title).to.equal('Bo Ek');
    expect(codeOf(await shop.agent.get(`/pages/customer?params=${json({ customer: 5 })}`))).to.equal('400 invalid');
    expect(codeOf(await shop.agent.get(`/pages/customer?params=${json(['c1'])}`))).to.equal('400 invalid');
  });

  it('a block has a type, a title and the members of its type', async () => {
    const [record, stat] = (await page('c1')).blocks;
    expect(record).to.have.all.keys('type', 'title', 'record');
    expect(stat).to.have.all.keys('type', 'title', 'value', 'unit', 'change');
    expect((await page('nobody')).blocks[0]).to.have.all.keys('type', 'title', 'error', 'code');
  });

  it('GET /pages/:page answers { page, blocks, at }', async () => {
    const body = await page('c1');
    expect(body).to.have.all.keys('page', 'blocks', 'at');
    expect(Math.abs(body.at - Date.now())).to.be.below(60_000);
  });
});
