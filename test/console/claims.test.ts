/** Claims in the console: who works on an item, taking it over, giving it back and claiming it. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { useConsole } from './support.ts';

describe('claims in the console', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  let id: string;
  const of = useConsole({
    arrange: async ({ world, open, signIn, newItem }) => {
      bot = await world.agent('operator', { name: 'Triage bot' });
      id = await newItem('Parcel lost');
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', `/inbox/mail?item=${id}`);
    },
  });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const holder = async (): Promise<string | null> =>
    (await of().ana.get(`/items/${id}`)).body.item.claim?.by.name ?? null;

  it('shows who works on an item as soon as they claim it; one takes it over, gives it back and claims it', async () => {
    await button('Claim').waitFor();
    await bot.post(`/items/${id}/claim`, {});
    await page.getByText(/^Triage bot works on this until/).waitFor();
    await tab.picture('claim-others-light-1440');
    await button('Take over').click();
    await page.getByText(/^You work on this until/).waitFor();
    expect(await holder()).to.match(/^Ana/);
    await page.getByText(/took it over from Triage bot/).waitFor();
    await tab.picture('claim-mine-light-1440');
    await button('Release').click();
    await button('Claim').waitFor();
    expect(await holder()).to.equal(null);
    await button('Claim').click();
    await page.getByText(/^You work on this until/).waitFor();
  });
});
