/** What a person who decides reads of changes to many orders and of an undo, on a desktop and on a phone. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { ordersManifest, why } from './orders.ts';
import { loaded, useConsole } from './support.ts';

const manifest = ordersManifest({
  required: ['why'],
  properties: {
    why,
    also: {
      type: 'array',
      items: { enum: ['mail', 'call'], 'x-labels': { mail: 'Write a mail', call: 'Call them' } },
    },
  },
});

const ids = Array.from({ length: 12 }, (_, n) => `ord_${String(n + 10)}`);

describe('deciding in the console', () => {
  let tabs: readonly (readonly [Tab, string])[] = [];
  let agent: Client;
  const of = useConsole({
    manifest,
    arrange: async ({ world, open, signIn }) => {
      await world.records(
        'order',
        ids.map((id, n) => ({
          id,
          title: `INV-${String(n + 10)}`,
          fields: { total: 20.5 + n, unit: n === 0 ? 'GBP' : 'EUR', note: 'Nobody reads this.' },
        })),
      );
      agent = await world.agent('admin', { mode: 'supervised' });
      const desktop = await open({ viewport: { width: 1440, height: 900 } });
      const phone = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
      for (const tab of [desktop, phone]) await signIn(tab, 'ana@example.com', '');
      tabs = [
        [desktop, '1440'],
        [phone, '390'],
      ];
    },
  });
  const show = async (page: Page, id: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo/approvals/${id}`);
    await loaded(page);
    await page.locator('.decision h1').waitFor();
  };
  const section = (page: Page, heading: string) =>
    page.locator('.decision section', { has: page.getByRole('heading', { name: heading, exact: true }) });
  const operation = { type: 'action', action: 'refund_payment', input: { why: 'dup', also: ['mail', 'call'] } };
  const askFor = async (body: object): Promise<string> => {
    const reply = await agent.post('/bulk', body);
    expect(reply.status, reply.text).to.equal(202);
    return String(reply.body.approval);
  };

  it('shows the first records of a bulk with title and amount, whether it names them or their items', async () => {
    const { ana } = of();
    const items = await Promise.all(
      ids.slice(0, 2).map(async (id) => {
        const body = { inbox: 'mail', title: `About ${id}`, record: { resource: 'order', id } };
        return String((await ana.post('/items', body)).body.item.id);
      }),
    );
    const byRefs = await askFor({ refs: ids.map((id) => ({ resource: 'order', id })), operation });
    const byItems = await askFor({ ids: items, operation });
    for (const [tab, width] of tabs) {
      const { page } = tab;
      await show(page, byRefs);
      const records = section(page, 'Records');
      expect(await page.locator('.decision h1').innerText()).to.equal(
        'Refund payment on 12 records (order "ord_10" ("INV-10"), order "ord_11" ("INV-11"), order "ord_12" ("INV-12") and 9 more), with why "Charged twice", also "Write a mail, Call them".',
      );
      await section(page, 'Input').getByText('Write a mail, Call them').waitFor();
      await records.getByText('Order total 20.50 GBP').waitFor();
      const rows = await records.getByRole('listitem').allInnerTexts();
      expect(rows).to.have.length(11);
      expect([rows[0], rows[9], rows[10]]).to.deep.equal([
        'INV-10 · Order total 20.50 GBP',
        'INV-19 · Order total 29.50 EUR',
        'and 2 more',
      ]);
      await tab.picture(`deciding-refs-${width}`);
      await show(page, byItems);
      await section(page, 'Items').getByText('Order total 20.50 GBP').waitFor();
      expect(await section(page, 'Items').getByRole('listitem').allInnerTexts()).to.deep.equal([
        'About ord_10 · INV-10 · Order total 20.50 GBP',
        'About ord_11 · INV-11 · Order total 21.50 EUR',
      ]);
      await tab.picture(`deciding-items-${width}`);
    }
    const told = JSON.stringify((await callTool(of().ana, 'get_approval', { id: byRefs })).body);
    expect(told).to.include('"title":"INV-10"').and.include('20.5').and.not.include('Nobody reads');
  });

  it('names the records of a bulk whose amounts changed after they were read', async () => {
    const id = await askFor({ refs: ids.slice(2, 4).map((one) => ({ resource: 'order', id: one })), operation });
    for (const [{ page }, width] of tabs) {
      await show(page, id);
      await section(page, 'Records').getByText('INV-12').waitFor();
      await of().world.sql(`update records set fields = jsonb_set(fields, '{total}', '${width}') where id = 'ord_12'`);
      await page.getByRole('button', { name: /^Approve/ }).click();
      await page.getByRole('button', { name: 'Approve it all the same', disabled: false }).click();
      const changed = page.getByRole('region', { name: 'Changed since you read it' });
      await changed.waitFor();
      expect((await changed.locator('tbody tr').allInnerTexts()).join()).to.match(
        /^INV-12\tTotal .*EUR.*\tTotal .*EUR/,
      );
    }
  });

  it('says in the ledger and in the audit log what an input chose, in the words of its form', async () => {
    const { page } = tabs[0]?.[0] ?? (await of().open());
    await page.goto(`${of().origin}/env/demo/settings/activity`);
    await page.getByText('with why "Charged twice"').first().waitFor();
    await page.goto(`${of().origin}/env/demo/settings/audit?verb=bulk.create`);
    await page
      .getByRole('button', { name: /^Details/ })
      .first()
      .click();
    await page.getByRole('cell', { name: 'Why Charged twice, Also Write a mail, Call them' }).waitFor();
  });

  it('names all that an undo gives back, and takes an approved undo back itself', async () => {
    const { ana, newItem } = of();
    const item = await newItem('Parcel is late');
    const link = { resource: 'order', id: 'ord_10' };
    const change = { state: 'closed', tags: { add: ['late'] }, links: { add: [link] } };
    const { entries } = (await ana.call('PATCH', `/items/${item}`, change)).body;
    const asked = await agent.call('PATCH', `/items/${item}`, { undo: entries[0].id });
    expect(asked.status, asked.text).to.equal(202);
    const id = String(asked.body.approval);
    for (const [tab, width] of tabs) {
      const { page } = tab;
      await show(page, id);
      const said =
        'Change "Parcel is late": as it was before an earlier change: state "open", tags: remove "late", links: remove order "ord_10".';
      expect(await page.locator('.decision h1').innerText()).to.equal(said);
      await page.getByText('Can be undone', { exact: true }).waitFor();
      const names = await page.locator('.diff tbody th').allInnerTexts();
      expect(names).to.include.members(['State', 'Tags', 'Links']);
      expect(await page.locator('.diff tr', { hasText: 'Links' }).innerText()).to.include('order ord_10');
      expect(await page.locator('.decision').innerText()).not.to.include(entries[0].id);
      await tab.picture(`deciding-undo-${width}`);
    }
    const { page } = tabs[0]?.[0] ?? (await of().open());
    await show(page, id);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: /^Undo state, tags,? and links/ }).click();
    await until('it is closed again', async () => (await ana.get(`/items/${item}`)).body.item.state === 'closed');
  });
});
