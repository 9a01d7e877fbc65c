/** Saved views in the console: made of the filters that are set, opened by their address, shared, changed, deleted and undone. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { useConsole, type ConsoleTest } from './support.ts';

interface View {
  readonly id: string;
  readonly name: string;
  readonly query: object;
  readonly sort: string | null;
  readonly shared: boolean;
}

describe('saved views in the console', () => {
  let world: World;
  let ana: Client;
  let ben: Client;
  let origin: string;
  let open: ConsoleTest['open'];
  let tab: Tab;
  let page: Page;

  const service = useConsole({
    arrange: async (given) => {
      ({ world, ana, ben, origin, open } = given);
      for (const title of ['Late invoice', 'Wrong invoice', 'Lost parcel']) await given.newItem(title);
      const { body } = await ana.get('/items?inbox=mail&q=invoice');
      for (const { id } of body.items as { id: string }[]) await ana.post(`/items/${id}/tags`, { add: ['billing'] });
      await ana.post('/items', { inbox: 'bugs', title: 'An invoice is blank', tags: ['billing'] });
      tab = await open();
      ({ page } = tab);
    },
  });
  const views = async (client: Client): Promise<View[]> => (await client.get('/me/views')).body.views;
  const menuOf = (of: Page) => of.getByLabel('Show');
  const optionsOf = (of: Page, group: string) =>
    of.locator(`select[aria-label="Show"] optgroup[label="${group}"] option`);
  const titles = (): Promise<string[]> => page.locator('.row-title').allInnerTexts();
  const dialog = () => page.getByRole('dialog');

  it('keeps the filters and the order that are set, under an address of its own', async () => {
    await service().signIn(tab, 'ana@example.com', '/inbox/mail?tags=billing&sort=title');
    await page.getByRole('button', { name: 'Save view…' }).click();
    await dialog().getByLabel('Name').fill('Invoices');
    await tab.picture('view-save-light-1440');
    await dialog().getByRole('button', { name: 'Save view' }).click();
    await page.waitForURL(/\?view=viw_/);
    const [view] = await views(ana);
    expect(view).to.include({ name: 'Invoices', sort: 'title', shared: false });
    expect(view?.query).to.deep.equal({ state: ['open'], snoozed: false, tags: ['billing'] });
    expect(new URL(page.url()).search).to.equal(`?view=${view?.id ?? ''}`);
    await page.locator('.row-title', { hasText: 'Wrong invoice' }).waitFor();
    expect(await titles()).to.deep.equal(['Late invoice', 'Wrong invoice']);
    await page.reload();
    await page.locator('.row-title', { hasText: 'Wrong invoice' }).waitFor();
    expect(await titles()).to.deep.equal(['Late invoice', 'Wrong invoice']);
    await optionsOf(page, 'Yours').first().waitFor({ state: 'attached' });
    expect(await menuOf(page).inputValue()).to.equal(`view:${view?.id ?? ''}`);
    await tab.picture('view-open-light-1440');
  });

  it('is renamed and shared; a colleague’s open page shows it at once, and may not change it', async () => {
    const other = await open();
    await service().signIn(other, 'ben@example.com', '/items');
    expect(await optionsOf(other.page, 'Shared').count()).to.equal(0);
    await page.getByRole('button', { name: 'View…' }).click();
    await dialog().getByLabel('Name').fill('All invoices');
    await dialog().getByLabel('Shared with everyone who sees Mail').check();
    await tab.picture('view-change-light-1440');
    await dialog().getByRole('button', { name: 'Save changes' }).click();
    await optionsOf(other.page, 'Shared').filter({ hasText: 'All invoices' }).waitFor({ state: 'attached' });
    await menuOf(other.page).selectOption({ label: 'All invoices' });
    await other.page.locator('.row-title', { hasText: 'Wrong invoice' }).waitFor();
    await until('the list is the view’s', async () => (await other.page.locator('.row-title').count()) === 2);
    await other.page.getByRole('button', { name: 'View…' }).click();
    await other.page.getByRole('dialog').getByRole('heading', { name: 'Save view' }).waitFor();
    expect(await other.page.getByRole('button', { name: 'Delete All invoices' }).count()).to.equal(0);
    expect(await views(ben)).to.have.length(1);
    await other.page.keyboard.press('Escape');
    await other.close();
  });

  it('takes further filters when it is changed, and a copy of them when it is new', async () => {
    await page.getByRole('searchbox').fill('wrong');
    await page.waitForURL(/q=wrong/);
    await page.getByRole('button', { name: 'View…' }).click();
    await dialog().getByLabel('As a new view').check();
    await dialog().getByLabel('Name').fill('All invoices');
    await dialog().getByRole('button', { name: 'Save view' }).click();
    await dialog().getByText('You already have a view "All invoices".').waitFor();
    await dialog().getByLabel('Name').fill('Wrong ones');
    await dialog()
      .getByLabel(/^Shared with/)
      .uncheck();
    await dialog().getByRole('button', { name: 'Save view' }).click();
    await until('there are two', async () => (await views(ana)).length === 2);
    const wrong = (await views(ana)).find(({ name }) => name === 'Wrong ones');
    expect(wrong?.query).to.deep.equal({ state: ['open'], snoozed: false, tags: ['billing'], q: 'wrong' });
    expect(wrong).to.include({ sort: 'title', shared: false });
    await page.waitForURL(new RegExp(`view=${wrong?.id ?? ''}$`));
    await until('the list is the new view’s', async () => (await titles()).join() === 'Wrong invoice');
  });

  it('chooses what a bulk changes', async () => {
    await page.keyboard.press('*');
    await page.keyboard.press('w');
    await page.getByRole('option', { name: /waiting/ }).click();
    await page.getByRole('region', { name: 'Selection' }).getByText('Set to waiting: would change 1').waitFor();
    await page.keyboard.press('Escape');
  });

  it('is deleted, and back again by undo', async () => {
    const option = optionsOf(page, 'Yours').filter({ hasText: 'Wrong ones' });
    await page.getByRole('button', { name: 'View…' }).click();
    await dialog().getByRole('button', { name: 'Delete Wrong ones' }).click();
    await page.getByText('The view Wrong ones is deleted.').waitFor();
    await option.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).to.equal('');
    expect((await views(ana)).map(({ name }) => name)).to.deep.equal(['All invoices']);
    await page.keyboard.press('u');
    await option.waitFor({ state: 'attached' });
    expect((await views(ana)).map(({ name }) => name)).to.deep.equal(['All invoices', 'Wrong ones']);
  });

  it('says so where a view is gone', async () => {
    const [view] = await views(ana);
    await page.goto(`${origin}/env/demo/inbox/mail?view=${view?.id ?? ''}`);
    await page.locator('.row-title', { hasText: 'Wrong invoice' }).waitFor();
    await ana.call('DELETE', `/me/views/${view?.id ?? ''}`);
    await page.getByText('There is nothing here that you can see.').waitFor();
    expect(await world.sql('select name from saved_views')).to.deep.equal([{ name: 'Wrong ones' }]);
    for (const [name, options] of [
      ['view-dark-1440', { colorScheme: 'dark' }],
      ['view-light-390', { viewport: { width: 390, height: 844 } }],
    ] as const) {
      const small = await open(options);
      await service().signIn(small, 'ana@example.com', '/inbox/mail?tags=billing&overdue=1&sort=title');
      await small.page.getByRole('button', { name: 'Save view…' }).waitFor();
      await small.picture(`${name}-list`);
      await small.page.getByRole('button', { name: 'Save view…' }).click();
      await small.page.getByRole('dialog').waitFor();
      await small.picture(name);
      await small.close();
    }
  });
});
