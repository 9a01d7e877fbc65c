/** The way of a refund in the console, on a desktop and on a phone: what who decides reads, what a decided request says, and where it stands afterwards. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { ordersManifest } from './orders.ts';
import { loaded, password, useConsole } from './support.ts';

const manifest = ordersManifest({
  required: ['reason'],
  properties: {
    amount: { type: 'number', description: 'In units of the order’s currency; absent: all of it' },
    reason: { type: 'string' },
  },
});

const title = 'Goodwill refund of 12.15 for Kim Park';

describe('a refund in the console', () => {
  let desktop: Tab;
  let phone: Tab;
  const tabs = (): readonly (readonly [Tab, string])[] => [
    [desktop, '1440'],
    [phone, '390'],
  ];
  const of = useConsole({
    manifest,
    handlers: { 'action.run': () => ({ message: 'Gave 27 EUR back.', blocks: [] }) },
    arrange: async ({ world, open, signIn }) => {
      const order = { customer: 'cus_1', placed: '2026-01-01', total: 27, unit: 'EUR', status: 'paid' };
      await world.records('order', [
        { id: 'ord_1', title: 'INV-1001', fields: order },
        { id: 'ord_2', title: 'INV-1002', fields: { ...order, status: 'past_due' } },
      ]);
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park' }]);
      // A decider may lack the right to run the action.
      await world.role('approver', [
        { on: 'inbox:mail', can: ['see'] },
        { on: 'resource:*', can: ['see'] },
        { on: 'approvals', can: ['see', 'decide'] },
      ]);
      await world.person('approver', 'Olga Brandt', { email: 'olga@example.com', password });
      desktop = await open();
      phone = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      await signIn(desktop, 'olga@example.com', '/approvals');
      await phone.page.goto(`${of().origin}/env/demo/approvals`);
      await phone.page.getByLabel('E-mail').fill('ana@example.com');
      await phone.page.getByLabel('Password').fill(password);
      await phone.page.getByRole('button', { name: 'Sign in' }).click();
      await phone.page.getByRole('heading', { name: 'Approvals' }).waitFor();
    },
  });
  const go = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo${path}`);
  };
  let item = '';
  const ask = async (record: string): Promise<string> => {
    const about = { data: { email: 'kim@example.com' }, record: { resource: 'order', id: record } };
    const made = await of().ana.post('/items', { inbox: 'mail', title, ...about });
    item = String(made.body.item.id);
    const input = { reason: 'other' };
    const { body } = await of().ben.post('/actions', { action: 'refund_payment', record, item, input });
    return String(body.approval);
  };
  const leftOut = 'Amount: left out. In units of the order’s currency; absent: all of it';
  let approval = '';

  it('says what its item is called and what a left out amount means, in the queue, on the request and before it is confirmed', async () => {
    approval = await ask('ord_1');
    for (const [tab, width] of tabs()) {
      const { page } = tab;
      await go(page, '/approvals');
      const row = page.locator('.request', { hasText: 'Refund payment' });
      await row.getByText(leftOut).waitFor();
      await row.getByText(`Item: ${title}`).waitFor();
      await row.getByText('Order total 27 EUR').waitFor();
      await tab.picture(`refund-queue-${width}`);
      await row.click();
      const request = page.locator('.decision');
      await request.getByText(leftOut).waitFor();
      await request.getByRole('link', { name: title }).waitFor();
      await request.getByRole('link', { name: 'INV-1001' }).waitFor();
      await request.getByText(/expires/).waitFor();
      await tab.picture(`refund-request-${width}`);
    }
    const { page } = desktop;
    await loaded(page);
    await page.getByLabel('Note for Ben Okoro').fill('Checked with the customer');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('group', { name: 'Confirm the approval' }).getByText(leftOut).waitFor();
    await desktop.picture('refund-confirmation-1440');
    await until('it is approved', async () => {
      await page.keyboard.press('Control+Enter');
      return (await of().ana.get(`/approvals/${approval}`)).body.approval.status === 'approved';
    });
  });

  it('says of a decided request who decided it, why and what it led to, and neither an expiry nor what is not known', async () => {
    await of().world.settled();
    await of().world.sql(`update records set fields = fields || '{"status":"refunded"}' where id = 'ord_1'`);
    const { page } = phone;
    await go(page, `/approvals/${approval}`);
    const outcome = page.getByRole('status').filter({ hasText: 'Approved by Olga Brandt' });
    await outcome.getByText('Checked with the customer').waitFor();
    await outcome.getByText('Gave 27 EUR back.').waitFor();
    await outcome.getByText('Done').waitFor();
    await page.getByRole('region', { name: 'What it changes' }).waitFor();
    await phone.picture('refund-decided-390');
    const text = (await page.locator('.decision').textContent()) ?? '';
    expect(text).not.to.include('expires');
    expect(text).not.to.include('not known');
    await outcome.getByRole('link', { name: 'Refund payment' }).click();
    await page.waitForURL('**/runs?run=*');
    await go(desktop.page, `/approvals/${approval}`);
    await desktop.page.getByText('Approved by Olga Brandt').waitFor();
    await desktop.page.getByText('It led to a run that your role does not see.').waitFor();
    await desktop.picture('refund-decided-1440');
  });

  it('tells in histories when it was asked for, decided and done, and through which item', async () => {
    const rejected = await ask('ord_2');
    await of().ana.post(`/approvals/${rejected}/reject`, { note: 'Not ours' });
    const { page } = phone;
    await go(page, `/items?show=all&item=${item}`);
    const request = page.locator('.line', { hasText: 'Ben Okoro asked for approval of Refund payment' });
    await request.getByText('rejected by Ana Lind just now: Not ours').waitFor();
    await request.getByRole('link', { name: 'request' }).waitFor();
    await page
      .locator('.line', { hasText: 'Ben Okoro asked for Refund payment' })
      .getByText('rejected just now')
      .waitFor();
    await phone.picture('refund-timeline-390');
    await go(page, '/records/order?record=ord_1');
    const done = page
      .getByRole('region', { name: 'History' })
      .locator('.line', { hasText: 'Ben Okoro asked for Refund payment' });
    await done.getByText('approved by Olga Brandt just now').waitFor();
    await done.getByText('done just now: Gave 27 EUR back.').waitFor();
    await done.getByRole('link', { name: title }).waitFor();
    await done.scrollIntoViewIfNeeded();
    await phone.picture('refund-history-390');
  });

  it('says of the orders of a customer what is declared of their dates, amounts and states', async () => {
    for (const [tab, width] of tabs()) {
      const { page } = tab;
      await go(page, '/records/customer?record=cus_1');
      const order = page.getByRole('region', { name: 'Orders' }).getByRole('listitem').filter({ hasText: 'INV-1002' });
      await order.getByText(/Total 27 EUR.*Status past_due.*Placed /).waitFor();
      await tab.picture(`refund-related-${width}`);
    }
  });

  it('names the action in each entry of the audit log that is about one', async () => {
    const { page } = phone;
    await go(page, '/settings/audit');
    for (const did of [
      'Run an action',
      'Begin an approved action',
      'Finish an action',
      'Ask for approval',
      'Approve a request',
    ])
      await page
        .getByRole('row', { name: new RegExp(`${did} Refund payment`) })
        .first()
        .waitFor();
    await phone.picture('refund-audit-390');
  });
});
