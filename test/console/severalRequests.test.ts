/** Several requests that a person selects in the queue and decides together. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  actions: [...testManifest.actions, { name: 'wipe', label: 'Wipe everything', approval: true, reversible: false }],
};

describe('several requests in the console', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  const of = useConsole({
    manifest,
    handlers: { 'action.run': () => ({ message: 'Done.', blocks: [] }) },
    arrange: async ({ world, open, signIn }) => {
      bot = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/approvals');
    },
  });
  const closing = async (title: string): Promise<string> =>
    String((await bot.post(`/items/${await of().newItem(title)}/state`, { state: 'closed' })).body.approval);
  const statusOf = async (approval: string): Promise<string> =>
    (await of().ana.get(`/approvals/${approval}`)).body.approval.status;
  const box = (title: string) => page.getByRole('checkbox', { name: new RegExp(`Select: .*${title}`) });
  const dialog = () => page.getByRole('dialog');

  it('are approved together, with one note', async () => {
    const ids = [await closing('Apple'), await closing('Pear'), await closing('Plum')];
    await box('Apple').check();
    await box('Plum').check();
    await page.getByText('2 requests selected').waitFor();
    await tab.picture('several-chosen-light-1440');
    await page.getByRole('button', { name: 'Approve…' }).click();
    await dialog().getByLabel('Note for those who asked').fill('Both are settled.');
    expect(await dialog().getByRole('listitem').count()).to.equal(2);
    await tab.picture('several-dialog-light-1440');
    await dialog().getByRole('button', { name: 'Approve 2 requests' }).click();
    await page.getByText('Approved: 2 requests').waitFor();
    expect(await Promise.all(ids.map(statusOf))).to.deep.equal(['approved', 'pending', 'approved']);
    expect((await bot.get(`/approvals/${String(ids[0])}`)).body.approval.note).to.equal('Both are settled.');
    await box('Apple').waitFor({ state: 'detached' });
    expect(await page.getByText(/requests? selected/).count()).to.equal(0);
    await of().ana.post(`/approvals/${String(ids[1])}/reject`);
  });

  it('are selected by key, and say which can’t be undone before they are approved', async () => {
    const { body } = await bot.post('/actions', { action: 'wipe', confirmed: true });
    const other = await closing('Quince');
    await box('Wipe everything').waitFor();
    await box('Quince').waitFor();
    for (const key of ['j', 'x', 'j', 'x']) {
      await page.keyboard.press(key);
      await page.locator('.decision').waitFor();
    }
    await page.getByText('2 requests selected').waitFor();
    await page.getByRole('button', { name: 'Reject…' }).click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await dialog().getByText('Can’t be undone').waitFor();
    await tab.picture('several-final-light-1440');
    await page.keyboard.press('Enter');
    await dialog().getByRole('button', { name: 'Approve 2 requests' }).click();
    await page.getByText('Approved: 2 requests').waitFor();
    await until('both are approved', async () =>
      (await Promise.all([body.approval, other].map(statusOf))).every((status) => status === 'approved'),
    );
    await page.goto(`${of().origin}/env/demo/approvals`);
  });

  it('that can’t be decided stay, and say why', async () => {
    const ids = [await closing('Walnut'), await closing('Hazelnut')];
    await box('Walnut').check();
    await box('Hazelnut').check();
    await page.getByRole('button', { name: 'Reject…' }).click();
    await dialog().getByRole('button', { name: 'Reject 2 requests' }).waitFor();
    await of().ben.post(`/approvals/${String(ids[0])}/approve`);
    await dialog().getByRole('button', { name: 'Reject 2 requests' }).click();
    await dialog().getByText('1 request not decided').waitFor();
    await dialog().getByText('This approval is approved.').waitFor();
    await tab.picture('several-left-light-1440');
    await dialog().getByRole('button', { name: 'Close' }).click();
    expect(await Promise.all(ids.map(statusOf))).to.deep.equal(['approved', 'rejected']);
    await until('nothing waits', async () => (await page.locator('.requests .request').count()) === 0);
  });
});
