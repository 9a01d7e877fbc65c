/** Amounts with their currency, dates, and what an input says for forms: in the manifest, in sentences, pages and tools. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { moneyManifest as manifest } from '../support/moneyManifest.ts';
import { callTool, listTools } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

describe('amounts, dates and what an input says for forms', () => {
  let world: World;
  let admin: Client;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
    const order = (id: string, fields: object) => ({ id, title: id, fields });
    const records = [
      order('o1', { total: 1_209.5, fee: 3, bare: 7, unit: 'GBP', due: '2026-03-01' }),
      order('o2', { total: 12, unit: 'euros', due: '2026-01-31' }),
    ];
    const reply = await (await world.appKey()).post('/resources/order/records', { records });
    expect(reply.status, reply.text).to.equal(200);
  });
  after(() => world.close());

  const sentence = async (body: object): Promise<string> => {
    const asked = await admin.post('/actions', body);
    expect(asked.status, asked.text).to.equal(202);
    return (await admin.get(`/approvals/${String(asked.body.approval)}`)).body.approval.sentence;
  };

  it('stand with their currency in the sentence of a request: of the declaration, the input or the record', async () => {
    const input = { amount: 20.5, tip: 1, why: 'dup' };
    expect(await sentence({ action: 'refund', record: 'o1', input })).to.equal(
      'Refund on order "o1" ("o1"), with amount "20.5 GBP", tip "1 EUR", why "Charged twice".',
    );
    expect(await sentence({ action: 'refund', record: 'o2', input: { amount: 9 } }), 'no known code').to.include(
      'amount "9".',
    );
    expect(await sentence({ action: 'pay', input: { sum: 7, code: 'SEK' } })).to.equal(
      'Pay, with sum "7 SEK", code "SEK".',
    );
    expect(await sentence({ action: 'pay', input: { sum: 7, code: 'much more' } })).to.include('sum "7"');
  });

  it('stand with that of each record in the sentence about many', async () => {
    const ids: string[] = [];
    for (const id of ['o1', 'o2']) {
      const made = await admin.post('/items', { inbox: 'claims', title: id, record: { resource: 'order', id } });
      ids.push(made.body.item.id);
    }
    const operation = { type: 'action', action: 'refund', input: { amount: 5, tip: 1 } };
    const { approval } = (await admin.post('/bulk', { ids, operation })).body as { approval: string };
    expect((await admin.get(`/approvals/${approval}`)).body.approval.sentence).to.equal(
      'Refund on the records of 2 items (order "o1" ("o1"), order "o2" ("o2")), with amount "5 in the currency of each record", tip "1 EUR".',
    );
  });

  it('are declared for whoever reads records, and stand with their currency in pages and in tools', async () => {
    const { resources } = (await admin.get('/resources')).body as {
      resources: { name: string; fields: Reply['body'][] }[];
    };
    const fields = resources.find(({ name }) => name === 'order')?.fields ?? [];
    expect(fields.map(({ type, currency }) => [type, currency])).to.deep.equal([
      ['money', { field: 'unit' }],
      ['money', 'CHF'],
      ['money', null],
      [null, null],
      ['date', null],
    ]);
    expect((await admin.get('/resources/order/o1')).body.record.fields.total, 'a number over HTTP').to.equal(1_209.5);
    const { blocks } = (await admin.get('/pages/orders')).body as {
      blocks: { rows: object[]; columns: { type: string }[] }[];
    };
    expect(blocks[0]?.rows, 'by the day').to.deep.equal([
      { total: 12, fee: null, due: '2026-01-31' },
      { total: '1209.5 GBP', fee: '3 CHF', due: '2026-03-01' },
    ]);
    expect(blocks[0]?.columns.map(({ type }) => type)).to.deep.equal(['money', 'money', 'date']);
    const { body } = await callTool(admin, 'get_record', { resource: 'order', id: 'o1' });
    expect(body.record.fields).to.include({ total: '1209.5 GBP', fee: '3 CHF', bare: 7, due: '2026-03-01' });
    const listed = await callTool(admin, 'list_resources');
    expect(listed.reply.text).to.include('money (currency in unit)').and.to.include('money (CHF)');
  });

  it('are explained to models with the tool of the action', async () => {
    const tool = (await listTools(admin)).find(({ name }) => name === 'action_refund');
    const { properties = {} } = (tool?.inputSchema ?? {}) as { properties?: Record<string, { description?: string }> };
    expect(properties['amount']?.description).to.equal(
      'What is given back. In the currency that unit says, as 12.5 for twelve and a half.',
    );
    expect(properties['tip']?.description).to.equal('In EUR, as 12.5 for twelve and a half.');
    expect(properties['to']?.description).to.equal('A customer’s id.');
    expect(properties['why']?.description).to.equal('dup: Charged twice; late: Came late');
  });

  it('are filtered and sorted by their number, and dates by the day', async () => {
    const ids = async (query: string): Promise<string[]> =>
      ((await admin.get(`/resources/order/list?${query}`)).body.records as { id: string }[]).map(({ id }) => id);
    expect(await ids('sort=-total')).to.deep.equal(['o1', 'o2']);
    expect(await ids('sort=due')).to.deep.equal(['o2', 'o1']);
    const from = encodeURIComponent(JSON.stringify({ due: { gte: '2026-02-01' } }));
    expect(await ids(`filters=${from}`)).to.deep.equal(['o1']);
  });
});
