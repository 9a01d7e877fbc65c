/** Priorities in the console: shown where they are unusual, changed from the item and undone, filtered and sorted by, and only where the role may. */
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { loaded, useConsole, type ConsoleTest } from './support.ts';

describe('priorities in the console', () => {
  let ids: string[] = [];
  const service = useConsole({
    arrange: async ({ newItem }: ConsoleTest) => {
      ids = [];
      for (const title of ['Lost parcel', 'Late invoice']) ids.push(await newItem(title));
    },
  });
  const priorityOf = async (id: string): Promise<string> =>
    (await service().ana.get(`/items/${id}`)).body.item.priority as string;

  it('are changed from the item, shown in its row and its history, and taken back', async () => {
    const [id = ''] = ids;
    const tab = await service().open();
    const { page } = tab;
    await service().signIn(tab, 'ana@example.com', `/inbox/mail?item=${id}`);
    await loaded(page);
    await page.getByRole('button', { name: 'Priority: normal' }).click();
    await page.getByRole('dialog').getByRole('option', { name: 'urgent' }).click();
    await page.getByRole('button', { name: 'Priority: urgent' }).waitFor();
    await until('it is urgent', async () => (await priorityOf(id)) === 'urgent');
    await page.locator(`#row-${id} .tag`, { hasText: 'urgent' }).waitFor();
    await page.getByText('Ana Lind changed the priority from normal to urgent').waitFor();
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await until('it is as it was', async () => (await priorityOf(id)) === 'normal');
    await page.getByRole('button', { name: 'Priority: normal' }).waitFor();
    expect(await page.locator(`#row-${id} .tag`).count()).to.equal(0);
  });

  it('filter and sort the list, and leave it at once where another one is given', async () => {
    const [parcel = '', invoice = ''] = ids;
    await service().ana.call('PATCH', `/items/${invoice}`, { priority: 'high' });
    const tab = await service().open();
    const { page } = tab;
    await service().signIn(tab, 'ben@example.com', '/inbox/mail');
    await loaded(page);
    await page.getByLabel('Sort').selectOption({ label: 'Most urgent' });
    await page.waitForURL(/sort=priority/);
    await until(
      'the urgent one is first',
      async () => (await page.locator('.row-title').first().innerText()) === 'Late invoice',
    );
    await page.getByLabel('Priority', { exact: true }).selectOption('high');
    await page.locator(`#row-${parcel}`).waitFor({ state: 'detached' });
    expect(await page.locator('.row-title').allInnerTexts()).to.deep.equal(['Late invoice']);
    await service().ana.call('PATCH', `/items/${invoice}`, { priority: 'low' });
    await page.locator(`#row-${invoice}.left`).waitFor();
  });

  it('have no control where the role may not edit', async () => {
    const tab = await service().open();
    await service().signIn(tab, 'vera@example.com', `/inbox/mail?item=${ids[0] ?? ''}`);
    await loaded(tab.page);
    expect(await tab.page.getByRole('button', { name: 'Priority: normal' }).isDisabled()).to.equal(true);
  });
});
