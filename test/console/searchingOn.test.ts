/** Searches whose time is over before all items were searched: the palette and the list say so, and read on. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { tooSlowly } from '../support/slowSearch.ts';
import { loaded, useConsole } from './support.ts';

const words = 'Echidna quoll bilby';

describe('a search in the console that takes too long', () => {
  let tab: Tab;
  let page: Page;
  const of = useConsole({
    arrange: async ({ world, open, signIn, newItem }) => {
      await newItem(words);
      // Found by its fields alone, and so far down that the first rows that are read do not hold it.
      await newItem('The one that is wanted', { email: 'kim@example.com', body: words });
      for (let n = 0; n < 110; n += 1) await newItem(`Nothing of the kind ${String(n)}`);
      await world.indexed();
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '');
    },
  });

  it('offers in the palette to search on, in the list that reads on by itself', async () => {
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await tooSlowly(of().world, () => palette.getByRole('combobox').fill(words));
    const more = palette.getByRole('option', { name: /^More may match: search on/ });
    await more.waitFor();
    await palette.getByRole('option', { name: `${words} mail` }).waitFor();
    expect(await palette.getByRole('option', { name: /The one that is wanted/ }).count()).to.equal(0);
    await tab.picture('palette-search-on');
    await more.click();
    await page.locator('.rows [role="option"]', { hasText: 'The one that is wanted' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).to.equal(words);
  });

  it('shows of a list whose first page is empty that it searches on, and not that there is nothing', async () => {
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await intercept(page, '**/items?*cursor=*', async (route) => {
      await isReleased;
      return route.continue();
    });
    await tooSlowly(of().world, () =>
      page.goto(`${of().origin}/env/demo/items?show=all&q=${encodeURIComponent(words)}`),
    );
    await page.getByText('Nothing found so far. More may match: the search goes on.').waitFor();
    expect(await page.getByText('Empty', { exact: true }).count()).to.equal(0);
    await tab.picture('list-searches-on');
    release();
    await page.locator('.rows [role="option"]', { hasText: 'The one that is wanted' }).waitFor();
    await page.unroute('**/items?*cursor=*');
    await loaded(page);
    expect(await page.getByText('Nothing found so far').count()).to.equal(0);
  });
});
