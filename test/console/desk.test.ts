/** What people read and reach at the desk: amounts with their currency, safe first focus, words instead of names, and nothing that is cut, at three widths. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { verbTexts } from '../../api/console/audit/verbTexts.ts';
import { clockTime, dateAndClock, exactTime, whenTime } from '../../api/console/ui/time.ts';
import { endpoints } from '../../api/endpoints.ts';
import type { Tab } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { ordersManifest, why } from './orders.ts';
import { loaded, placesOf, useConsole } from './support.ts';

const manifest = ordersManifest({
  properties: {
    zone: { type: 'string', maxLength: 20 },
    amount: { type: 'number', format: 'money', currency: { field: 'unit' } },
    to: { type: 'string', 'x-resource': 'customer' },
    why,
    fee: { type: 'number', format: 'money', currency: 'CHF' },
  },
});

const widths = [1440, 1024, 390] as const;

describe('the desk', () => {
  const tabs = new Map<number, Tab>();
  let item = '';
  const of = useConsole({
    manifest,
    arrange: async ({ world, open, signIn, newItem }) => {
      const fields = { total: 1_209, unit: 'GBP', placed: '2026-01-31' };
      await (
        await world.appKey()
      ).post('/resources/order/records', { records: [{ id: 'ord_1', title: 'INV-1', fields }] });
      await (
        await world.appKey()
      ).post('/resources/customer/records', {
        records: [
          { id: 'cus_1', title: 'Kim Park' },
          { id: 'cus_2', title: 'Lea Sand' },
        ],
      });
      for (let n = 0; n < 3; n += 1) item = await newItem(`Where is parcel ${String(n)}`);
      await of().ana.post(`/items/${item}/state`, { state: 'closed' });
      for (const width of widths) {
        const tab = await open({
          viewport: { width, height: 844 },
          colorScheme: width === 1024 ? 'dark' : 'light',
          locale: 'en-GB',
        });
        await signIn(tab, 'ana@example.com', '');
        tabs.set(width, tab);
      }
    },
  });
  const at = (width: (typeof widths)[number]): Tab => {
    const tab = tabs.get(width);
    if (tab === undefined) throw new Error('There is a tab for each width.');
    return tab;
  };
  const go = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo${path}`);
    await loaded(page);
  };
  /** Returns whether an element is wholly inside another one, or inside the page. */
  const isInside = async (inner: Locator, outer?: Locator): Promise<boolean> => {
    const box = await inner.boundingBox();
    const frame =
      outer === undefined ? { x: 0, width: await inner.page().evaluate('innerWidth') } : await outer.boundingBox();
    if (box === null || frame === null) return false;
    return box.x >= frame.x - 0.5 && box.x + box.width <= frame.x + Number(frame.width) + 0.5;
  };

  it('has the fields of a form in their order, amounts with their currency, labels for values, and a picker for records', async () => {
    const tab = at(1440);
    const { page } = tab;
    await go(page, '/records/order?record=ord_1');
    await page.getByText('1,209 GBP').first().waitFor();
    await page.getByText('31 Jan 2026').first().waitFor();
    await page.getByRole('button', { name: 'Refund payment' }).first().click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel(/^Amount .*GBP$/).fill('20.5');
    await sheet.getByLabel(/^Fee .*CHF$/).fill('1');
    const labels = await sheet.locator('.field label > span:first-child > span[dir="auto"]').allTextContents();
    expect(labels).to.deep.equal(['Zone', 'Amount', 'To', 'Why', 'Fee']);
    await sheet.getByLabel('Why').selectOption({ label: 'Charged twice' });
    await sheet.locator('input[name="to"]').pressSequentially('kim');
    await sheet.getByRole('button', { name: 'Kim Park cus_1' }).click();
    await sheet.getByText('This is Kim Park.').waitFor();
    expect(await sheet.locator('input[name="to"]').inputValue()).to.equal('cus_1');
    await tab.picture('desk-form-1440');
    await sheet.getByRole('button', { name: 'Ask for approval' }).click();
    await until(
      'it is asked for',
      async () => (await of().ana.get('/approvals?status=pending')).body.approvals.length === 1,
    );
    const [{ input }] = (await of().ana.get('/approvals?status=pending')).body.approvals as [{ input: object }];
    expect(input).to.deep.equal({ amount: 20.5, to: 'cus_1', why: 'dup', fee: 1 });
  });

  it('says amount and currency wherever it is decided, puts the focus on what does nothing, and keeps the amount in the notice', async () => {
    const reason = 'a long story '.repeat(12);
    const asked = async (): Promise<string> =>
      (
        await of().ben.post('/actions', {
          action: 'refund_payment',
          record: 'ord_1',
          input: { zone: reason.slice(0, 20), amount: 20.5, why: 'dup' },
          reason,
        })
      ).body.approval as string;
    for (const width of widths) {
      const tab = at(width);
      const { page } = tab;
      const id = await asked();
      await go(page, `/approvals/${id}`);
      const request = page.locator('.decision');
      await request.getByText('20.50 GBP').first().waitFor();
      await request.getByText('Charged twice', { exact: true }).waitFor();
      expect(await page.locator('.request', { hasText: '20.50 GBP' }).count(), 'the queue').to.be.at.least(
        width === 390 ? 0 : 1,
      );
      await page.keyboard.press('a');
      const confirm = page.getByRole('group', { name: 'Confirm the approval' });
      await confirm.getByText('20.50 GBP').waitFor();
      const focused = page.locator(':focus');
      expect(await focused.textContent(), 'the first focus').to.include('Not yet');
      await tab.picture(`desk-confirm-${String(width)}`);
      await page.keyboard.press('Enter');
      await confirm.waitFor({ state: 'detached' });
      expect((await of().ana.get(`/approvals/${id}`)).body.approval.status, 'Enter holds back').to.equal('pending');
      await page.keyboard.press('a');
      await until('it is approved', async () => {
        await page.keyboard.press('Control+Enter');
        return (await of().ana.get(`/approvals/${id}`)).body.approval.status === 'approved';
      });
      const notice = page.locator('.notice', { hasText: '20.5 GBP' });
      await notice.waitFor();
      expect(await isInside(notice), 'the notice').to.equal(true);
      await tab.picture(`desk-notice-${String(width)}`);
    }
    await of().world.settled();
    const { page } = at(1440);
    await go(page, '/runs');
    await page.locator('.run-row').first().click();
    await page.getByRole('region', { name: 'Input' }).getByText('20.50 GBP').waitFor();
  });

  it('names what was done in words, and never by the name of the API', async () => {
    const tab = at(1440);
    await go(tab.page, '/settings/audit');
    const rows = tab.page.getByRole('region', { name: 'Entries' });
    await rows.getByText('Ask for approval').first().waitFor();
    const verbs = ['approval.request', 'approval.approve', 'action.run', 'item.create', 'item.state'];
    const text = (await rows.textContent()) ?? '';
    for (const verb of verbs) expect(text).not.to.include(verb);
    const more = await rows
      .getByRole('button', { name: /^Details/ })
      .first()
      .getAttribute('aria-label');
    expect(more).not.to.match(/\w\.\w/);
    await tab.picture('desk-audit-1440');
    const unnamed = endpoints.flatMap(({ audit }) => (audit === null || audit.verb in verbTexts ? [] : [audit.verb]));
    expect(unnamed, 'verbs without words').to.deep.equal([]);
  });

  it('writes the time of day alike everywhere', () => {
    for (const at of [Date.UTC(2026, 10, 28, 9, 4, 7), Date.UTC(2024, 0, 3, 19, 59), Date.now()]) {
      const [, clock = ''] = /(\d{1,2}:\d\d):\d\d/.exec(clockTime(at)) ?? [];
      expect(clock).not.to.equal('');
      for (const text of [whenTime(at), dateAndClock(at), exactTime(at)])
        expect(text, clockTime(at)).to.match(new RegExp(`(?<!\\d)${clock}(?!\\d)`));
    }
  });

  it('has the open section of the settings in sight on a phone', async () => {
    const tab = at(390);
    const { page } = tab;
    await go(page, '/settings/account');
    const open = page.locator('.settings > nav [aria-current="page"]');
    const names = await page.locator('.settings > nav a').allTextContents();
    expect(names.length).to.be.at.least(8);
    expect(await isInside(open), 'as it opens').to.equal(true);
    await tab.picture('desk-settings-390');
    for (const name of names) {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true }).click();
      await until(name, async () => (await open.textContent()) === name);
      expect(await isInside(open), name).to.equal(true);
    }
  });

  it('shows each filter whole, at every width', async () => {
    for (const width of widths) {
      const tab = at(width);
      const { page } = tab;
      for (const path of [
        '/inbox/mail',
        '/items?show=all',
        '/runs',
        '/approvals',
        '/records/order',
        '/settings/audit',
        '/settings/jobs',
        '/flags',
      ]) {
        await go(page, path);
        const controls = page.locator('main :is(.list-head, .list-filters, form) :is(select, input, button, label)');
        for (const control of await controls.all()) {
          if (!(await control.isVisible())) continue;
          const list = page.locator('main .list').first();
          const frame = (await list.count()) > 0 && (await list.isVisible()) ? list : undefined;
          const what = `${path} at ${String(width)}: ${(await control.getAttribute('aria-label')) ?? (await control.textContent()) ?? ''}`;
          expect(await isInside(control, frame), what).to.equal(true);
        }
        if (path === '/inbox/mail') await tab.picture(`desk-inbox-${String(width)}`);
      }
    }
  });

  it('announces what is new beside the rows, not over them', async () => {
    for (const width of widths) {
      const { page } = at(width);
      await go(page, '/inbox/mail');
      await page.locator('.rows [role="option"]').first().waitFor();
      const before = await page.locator('.rows [role="option"]').first().boundingBox();
      await of().newItem(`Come while one reads at ${String(width)}`);
      const announced = page.locator('.announcement').getByRole('button');
      await announced.waitFor();
      const [button, row] = [
        await announced.boundingBox(),
        await page.locator('.rows [role="option"]').first().boundingBox(),
      ];
      expect(row, 'rows stay').to.deep.equal(before);
      expect((button?.y ?? 0) + (button?.height ?? 0), `at ${String(width)}`).to.be.at.most(row?.y ?? 0);
      expect(await isInside(announced, page.locator('main .list').first())).to.equal(true);
      await at(width).picture(`desk-new-${String(width)}`);
    }
  });

  it('tells each row’s place and how many there are to those who do not see the list', async () => {
    const { page } = at(1440);
    await go(page, '/records/customer');
    expect(await placesOf(page.locator('.rows [role="option"]'))).to.deep.equal([
      ['1', '2'],
      ['2', '2'],
    ]);
    await go(page, '/items?show=all');
    const items = await placesOf(page.locator('.rows [role="option"]'));
    expect(items.map(([place]) => place)).to.deep.equal(items.map((_, n) => String(n + 1)));
    expect(new Set(items.map(([, size]) => size))).to.deep.equal(new Set([String(items.length)]));
    await go(page, '/runs');
    const runs = await placesOf(page.locator('ul.requests > li'));
    expect(runs.map(([place]) => place)).to.deep.equal(runs.map((_, n) => String(n + 1)));
    await go(page, '/approvals?status=approved');
    expect((await placesOf(page.locator('ul.requests > li')))[0]).to.deep.equal(['1', '3']);
    for (const path of ['', '/records', '/flags', '/pages', '/approvals', '/bulks', '/settings/account']) {
      await go(page, path);
      const lists = await page.locator('main ul').all();
      for (const list of lists) {
        const rows = list.locator('> li');
        const size = await rows.count();
        if (size === 0) continue;
        const places = await placesOf(rows);
        expect(
          places.map(([place]) => place),
          path,
        ).to.deep.equal(places.map((_, n) => String(n + 1)));
        expect(
          places.every(([, all]) => Number(all) >= size || all === '-1'),
          path,
        ).to.equal(true);
      }
    }
  });
});
