/** The console on a phone: all places open from one line, and what waits for a decision is a touch away. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { useConsole } from './support.ts';

describe('the console on a narrow screen', () => {
  let tab: Tab;
  let page: Page;
  useConsole({
    arrange: async ({ world, newItem, open, signIn }) => {
      const item = await newItem('Where is my parcel');
      const bot = await world.agent('operator', { mode: 'supervised', name: 'Night bot' });
      expect((await bot.post(`/items/${item}/state`, { state: 'closed' })).status).to.equal(202);
      tab = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '');
    },
  });

  const menu = () => page.getByRole('button', { name: 'All places' });
  const places = () => page.getByRole('navigation', { name: 'Console' }).getByRole('list').first();
  const inMenu = (name: string) => places().getByRole('link', { name, exact: true });

  it('opens all places over the page, and closes them with the first that somebody goes to', async () => {
    expect(await inMenu('Settings').count()).to.equal(0);
    await menu().tap();
    await inMenu('Settings').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await tab.picture('places-light-390');
    await inMenu('Flags').tap();
    await page.getByRole('heading', { name: 'Flags', exact: true }).waitFor();
    expect(await inMenu('Settings').count()).to.equal(0);
    // The place where one is already closes them too.
    await menu().tap();
    await inMenu('Flags').tap();
    await until('they are closed', async () => (await menu().getAttribute('aria-expanded')) === 'false');
    expect(new URL(page.url()).pathname).to.equal('/env/demo/flags');
  });

  it('closes them by Escape, and by the Tab key behind their last control', async () => {
    await menu().tap();
    await inMenu('Settings').waitFor();
    await page.keyboard.press('Escape');
    await until('they are closed', async () => (await menu().getAttribute('aria-expanded')) === 'false');
    expect(await menu().evaluate((button) => button === button.ownerDocument.activeElement)).to.equal(true);
    await menu().tap();
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Tab');
    await until('they are closed', async () => (await menu().getAttribute('aria-expanded')) === 'false');
  });

  it('leads to what waits for a decision, and to the search', async () => {
    await page.getByRole('link', { name: 'Approvals 1' }).tap();
    await page.getByText('Where is my parcel').first().waitFor();
    expect(new URL(page.url()).pathname).to.equal('/env/demo/approvals');
    await page.getByRole('button', { name: 'Go to anything' }).tap();
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('combobox').fill('parcel');
    await palette.getByRole('option', { name: /Where is my parcel/ }).tap();
    await page.locator('.timeline').waitFor();
  });

  it('has the search in sight on a wide screen too, and no menu', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Go to anything' }).waitFor();
    expect(await menu().count()).to.equal(0);
    expect(await page.getByRole('link', { name: /^Approvals/ }).count()).to.equal(1);
  });
});
