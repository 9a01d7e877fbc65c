/** The pages of records in a real browser: searching, browsing, and one record with everything around it. */
import { expect } from 'chai';
import type { Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { placesOf, useConsole } from './support.ts';

const hostile = '<img src=x onerror="window.hacked=1">';
const since = Date.UTC(2026, 0, 15, 12);

/** What the app answers of those that it serves. */
const payments = {
  records: [{ id: 'pay_1', title: 'Payment of 20 EUR', subtitle: 'card', fields: { customer: 'cus_000' } }],
  cursor: null,
};

const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      label: 'Customers',
      description: 'Companies with an account.',
      source: 'stored',
      fields: [
        { name: 'email', label: 'E-mail', type: 'text', search: true, filter: true },
        { name: 'seats', label: 'Seats', type: 'number', filter: true, sort: true },
        { name: 'vip', label: 'VIP', type: 'boolean', filter: true },
        { name: 'since', label: 'Customer since', type: 'time', filter: true, sort: true },
        { name: 'site', label: 'Site', type: 'link' },
      ],
      relations: [
        { name: 'orders', label: 'Orders', resource: 'order', field: 'customer' },
        { name: 'payments', label: 'Payments', resource: 'payment', field: 'customer' },
      ],
      blocks: [{ type: 'text', title: 'Account', text: 'Written to {{record.fields.email}}' }],
    },
    {
      name: 'order',
      label: 'Orders',
      source: 'stored',
      fields: [{ name: 'customer', filter: true }],
      relations: [{ name: 'customer', resource: 'customer', key: 'customer' }],
    },
    { name: 'payment', label: 'Payments', source: 'app', fields: [{ name: 'customer', filter: true }] },
    { name: 'vault', source: 'stored' },
  ],
  actions: [
    ...testManifest.actions,
    {
      name: 'close',
      label: 'Close account',
      resource: 'customer',
      when: { if: { field: 'record.fields.vip', op: 'ne', value: true }, otherwise: 'A VIP is closed by phone.' },
    },
    { name: 'greet', label: 'Greet', resource: 'customer' },
  ],
};

describe('the pages of records', () => {
  const of = useConsole({
    manifest,
    handlers: {
      'action.run': () => ({ message: 'Greeted.', blocks: [] }),
      'records.list': () => payments,
      'records.related': () => payments,
    },
    arrange: async ({ world, ana }) => {
      await world.role('clerk', [
        { on: 'resource:customer', can: ['see'] },
        { on: 'inbox:mail', can: ['see'] },
      ]);
      await world.person('clerk', 'Cleo Park', { email: 'cleo@example.com', password: 'correct horse battery' });
      const key = await world.appKey();
      const customers = Array.from({ length: 230 }, (_, n) => ({
        id: `cus_${String(n).padStart(3, '0')}`,
        title: n === 0 ? 'Lindgren AB' : n === 7 ? hostile : `Customer ${String(n).padStart(3, '0')}`,
        subtitle: n === 0 ? 'Team' : null,
        fields: {
          email: `c${String(n)}@example.com`,
          seats: n,
          vip: n % 100 === 0,
          since: since + n * 86_400_000,
          ...(n === 0 ? { site: 'https://lindgren.example', otherNumber: 5 } : {}),
          ...(n === 7 ? { site: 'javascript:window.hacked=1' } : {}),
        },
      }));
      await key.post('/resources/customer/records', { records: customers });
      const orders = Array.from({ length: 13 }, (_, n) => ({
        id: `ord_${String(n).padStart(2, '0')}`,
        title: `Order ${String(n).padStart(2, '0')}`,
        fields: { customer: 'cus_000' },
      }));
      await key.post('/resources/order/records', { records: orders });
      await ana.post('/items', {
        inbox: 'mail',
        title: 'A question of Lindgren',
        record: { resource: 'customer', id: 'cus_000' },
      });
    },
  });
  let tab: Tab;
  const titles = async (): Promise<string[]> => tab.page.locator('.row-title').allTextContents();

  it('searches all resources at once, and lists those to browse', async () => {
    tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ana@example.com', '/records');
    await page.getByRole('link', { name: 'Customers' }).waitFor();
    await page.getByText('Companies with an account.').waitFor();
    await tab.picture('records-light-1440');
    await page.getByLabel('Search all records').fill('lindgren');
    await page.getByRole('link', { name: 'Lindgren AB' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).to.equal('lindgren');
    await tab.picture('records-found-light-1440');
    await page.getByRole('link', { name: 'Lindgren AB' }).click();
    await page.getByRole('heading', { name: 'Lindgren AB' }).waitFor();
  });

  it('browses with filters by the types of fields, in any order, to the end', async () => {
    const { page } = tab;
    await page.goto(`${of().origin}/env/demo/records/customer`);
    await page.locator('.row').first().waitFor();
    await page.getByLabel('Sort').selectOption('Seats ↓');
    await until('the largest is first', async () => (await titles())[0] === 'Customer 229');
    const filter = async (field: string, comparison: string, value: string): Promise<void> => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Filter' });
      await dialog.getByLabel('Field').selectOption(field);
      await dialog.getByLabel('Comparison').selectOption(comparison);
      const control = dialog.getByLabel('Value');
      if (await control.evaluate((node) => node.tagName === 'SELECT')) await control.selectOption(value);
      else await control.fill(value);
      await page.getByRole('button', { name: 'Add filter' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await filter('Seats', 'at least', '50');
    await filter('Seats', 'at most', '100');
    await until('fewer are listed', async () => (await titles())[0] === 'Customer 100');
    await filter('VIP', 'is', 'Yes');
    await until('one is left', async () => (await titles()).length === 1);
    await tab.picture('records-filtered-light-1440');
    expect(JSON.parse(new URL(page.url()).searchParams.get('filters') ?? '')).to.deep.equal({
      seats: { gte: 50, lte: 100 },
      vip: { eq: true },
    });
    await page.getByRole('button', { name: 'Remove the filter VIP is yes' }).click();
    await page.getByRole('button', { name: 'Remove the filter Seats at most 100' }).click();
    await page.getByRole('button', { name: 'Remove the filter Seats at least 50' }).click();
    await filter('Customer since', 'from', '2026-08-30');
    await until('only late ones', async () => (await titles()).length <= 4);
    await page.getByRole('button', { name: /Remove the filter Customer since/ }).click();
    await until('all again', async () => (await titles()).length > 4);
    const list = page.locator('.rows');
    await until('the last one is reached', async () => {
      await list.evaluate((node) => node.scrollTo(0, node.scrollHeight));
      return (await titles()).includes('Lindgren AB');
    });
    await page.getByLabel('Search').fill('c7@');
    await until('the search narrows', async () => (await titles()).length === 1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: hostile }).waitFor();
    await page.getByText('javascript:window.hacked=1').waitFor();
    expect(await page.locator('a[href^="javascript"], .page img').count()).to.equal(0);
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
  });

  it('shows one record with its values, blocks, relations, items, actions and history', async () => {
    const { page } = tab;
    await page.goto(`${of().origin}/env/demo/records/customer?record=cus_000`);
    await page.getByRole('heading', { name: 'Lindgren AB' }).waitFor();
    await page.getByText('Written to c0@example.com').waitFor();
    // The list stands beside a record that was opened by its address.
    await page.locator('.row').first().waitFor();
    expect(await page.getByText('This could not be shown').count()).to.equal(0);
    const values = page.getByRole('region', { name: 'Values' });
    await values.getByRole('link', { name: 'https://lindgren.example' }).waitFor();
    await values.getByText('Other number').waitFor();
    const orders = page.getByRole('region', { name: 'Orders' });
    await orders.getByRole('link').first().waitFor();
    expect(await orders.getByRole('link').count()).to.equal(10);
    expect((await placesOf(orders.getByRole('listitem'))).at(-1), 'while more may come').to.deep.equal(['10', '-1']);
    await orders.getByRole('button', { name: 'Show more' }).click();
    await until('the rest came', async () => (await orders.getByRole('link').count()) === 13);
    expect((await placesOf(orders.getByRole('listitem'))).at(-1)).to.deep.equal(['13', '13']);
    await page.getByRole('region', { name: 'Payments' }).getByRole('link', { name: 'Payment of 20 EUR' }).waitFor();
    await page.getByRole('region', { name: 'Items' }).getByRole('link', { name: 'A question of Lindgren' }).waitFor();
    // A VIP: what does not apply has no button, and the list of all says why.
    expect(await page.getByRole('button', { name: 'Close account' }).count()).to.equal(0);
    await page.keyboard.press('d');
    await page
      .getByRole('option', { name: /Close account/ })
      .getByText('A VIP is closed by phone.')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Greet' }).click();
    const sheet = page.getByRole('dialog', { name: 'Greet' });
    await sheet.getByRole('button', { name: 'Greet', exact: false }).last().click();
    await sheet.getByText('Greeted.').waitFor();
    await sheet.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('region', { name: 'History' }).getByText('Greet: succeeded').waitFor();
    await tab.picture('record-light-1440');
    await orders.getByRole('link', { name: 'Order 00' }).click();
    await page.getByRole('heading', { name: 'Order 00' }).waitFor();
    await page.getByRole('region', { name: 'Customer' }).getByRole('link', { name: 'Lindgren AB' }).waitFor();
  });

  it('is the same world as the role sees, on a narrow screen and in the dark', async () => {
    const { open, signIn, origin } = of();
    const cleo = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });
    await signIn(cleo, 'cleo@example.com', '/records');
    await cleo.page.getByRole('link', { name: 'Customers' }).waitFor();
    expect(await cleo.page.locator('.found a').allTextContents()).to.deep.equal(['Customers']);
    await cleo.page.goto(`${origin}/env/demo/records/order`);
    await cleo.page.getByText('There is no such resource, or your role does not see it.').waitFor();
    await cleo.page.goto(`${origin}/env/demo/records/customer?record=cus_000`);
    await cleo.page.getByRole('heading', { name: 'Lindgren AB' }).waitFor();
    expect(await cleo.page.getByRole('region', { name: /Orders|Payments/ }).count()).to.equal(0);
    expect(await cleo.page.getByRole('button', { name: /Greet|All actions/ }).count()).to.equal(0);
    await cleo.picture('record-dark-390');
    await cleo.page.goto(`${origin}/env/demo/records/customer?record=nobody`);
    await cleo.page.getByText('This record does not exist any more, or your role does not see it.').waitFor();
    await cleo.close();
  });

  it('says that the app is offline where a resource is read from it, and shows the rest', async () => {
    const { page } = tab;
    const { app, world, origin } = of();
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
    await page.goto(`${origin}/env/demo/records/customer?record=cus_000`);
    await page.getByRole('heading', { name: 'Lindgren AB' }).waitFor();
    await page.getByRole('region', { name: 'Payments' }).getByRole('alert').waitFor();
    await page.getByRole('region', { name: 'Orders' }).getByRole('link').first().waitFor();
    await page.goto(`${origin}/env/demo/records/payment`);
    await page.getByRole('heading', { name: 'The service is not ready' }).waitFor();
    await tab.picture('records-offline-light-1440');
  });
});
