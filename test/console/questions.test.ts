/** Questions of agents in the console: they stand in the queue, are answered by a button, and stay on the item. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { useConsole } from './support.ts';

describe('questions in the console', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  let item = '';
  let id = '';
  const of = useConsole({
    arrange: async ({ world, newItem, open, signIn }) => {
      bot = await world.agent('operator', { name: 'Triage bot' });
      item = await newItem('Export fails');
      const question = {
        text: 'Is the outage over?',
        options: ['Yes', 'No', 'Not for all'],
        fallback: 'No',
        item,
        reason: 'Forty customers ask.',
      };
      id = String((await bot.post('/questions', question)).body.approval);
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/');
    },
  });

  it('stand among what one has to decide', async () => {
    await page.getByRole('link', { name: /Answer "Is the outage over\?"/ }).waitFor();
    const place = page.getByRole('navigation').getByRole('link', { name: /Approvals/ });
    expect(await place.textContent()).to.equal('Approvals1');
    await place.click();
    await page.locator('.request', { hasText: 'Answer "Is the outage over?"' }).click();
    await page.getByRole('heading', { name: 'Is the outage over?' }).waitFor();
    await page.getByText('without an answer: No').waitFor();
    expect(await page.getByRole('button', { name: /^(Approve|Reject)/ }).count()).to.equal(0);
    expect(await page.getByText('not yours to decide').count()).to.equal(0);
    await tab.picture('question-light-1440');
  });

  it('are answered by a digit that moves to an answer, and Enter', async () => {
    await page.keyboard.press('3');
    await page.keyboard.press('a');
    expect((await bot.get(`/approvals/${id}`)).body.approval.status).to.equal('pending');
    await page.keyboard.press('Enter');
    await page.getByText('Answered: Not for all').waitFor();
    await page.locator('.verdict').getByText('answered by Ana Lind').waitFor();
    expect((await bot.get(`/approvals/${id}`)).body.approval).to.include({ status: 'answered', answer: 'Not for all' });
    await tab.picture('question-answered-light-1440');
  });

  it('stay listed, and stand on their item with the answer', async () => {
    await page.getByLabel('Which requests').selectOption({ label: 'Questions answered' });
    await page.locator('.request', { hasText: 'answered by Ana Lind' }).waitFor();
    await page.goto(`${of().origin}/env/demo/items?show=all&item=${item}`);
    await page.getByText('Triage bot asked: Is the outage over?').waitFor();
    await page.getByText('answered by Ana Lind').first().waitFor();
    await page.getByText(': Not for all').first().waitFor();
    await tab.picture('question-timeline-light-1440');
  });
});
