/** Comments on requests in the console: a decider asks, the requester answers, and the decision follows. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { useConsole } from './support.ts';

describe('comments on a request in the console', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  let id = '';
  const of = useConsole({
    arrange: async ({ world, newItem, open, signIn }) => {
      bot = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      id = String((await bot.post(`/items/${await newItem('Apple')}/state`, { state: 'closed' })).body.approval);
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', `/approvals/${id}`);
    },
  });
  const field = () => page.getByLabel('Ask or say something before it is decided');

  it('are sent by Enter, kept until then, and answered while one looks', async () => {
    await field().fill('Is it settled?');
    await page.reload();
    expect(await field().inputValue()).to.equal('Is it settled?');
    await field().press('Enter');
    await page.locator('.comment', { hasText: 'Is it settled?' }).waitFor();
    expect(await field().inputValue()).to.equal('');
    await bot.post(`/approvals/${id}/comments`, { text: 'Yes, since <b>noon</b>.' });
    await page.locator('.comment', { hasText: 'Yes, since <b>noon</b>.' }).waitFor();
    await tab.picture('comments-light-1440');
  });

  it('stay beside what was decided, and take no more', async () => {
    await of().ana.post(`/approvals/${id}/approve`);
    await field().waitFor({ state: 'detached' });
    expect(await page.locator('.comment').count()).to.equal(2);
  });
});
