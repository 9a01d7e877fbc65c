/** Requests that a person edits and approves in the console, and those that need several people. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useConsole } from './support.ts';

const input = {
  type: 'object',
  properties: { amount: { type: 'number', title: 'Amount' }, why: { type: 'string', title: 'Why' } },
};
const manifest = {
  ...testManifest,
  actions: [
    ...testManifest.actions,
    { name: 'credit', label: 'Give credit', approval: true, reversible: true, input },
    { name: 'both', label: 'Close the account', approval: { count: 2 }, reversible: true },
  ],
};

describe('editing a request in the console', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  const given: object[] = [];
  const of = useConsole({
    manifest,
    handlers: {
      'action.run': ({ input: sent }: { input: object }) => {
        given.push(sent);
        return { message: 'Done.', blocks: [] };
      },
    },
    arrange: async ({ world, open, signIn }) => {
      bot = await world.agent('operator', { mode: 'supervised', name: 'Billing bot' });
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/approvals');
    },
  });
  const open = async (approval: unknown): Promise<void> => {
    await page.goto(`${of().origin}/env/demo/approvals/${String(approval)}`);
    await page.locator('.decision h1').waitFor();
  };
  const statusOf = async (approval: unknown): Promise<string> =>
    (await of().ana.get(`/approvals/${String(approval)}`)).body.approval.status;
  const approved = (approval: unknown): Promise<unknown> =>
    until('it is approved', async () => (await statusOf(approval)) === 'approved');

  it('gives the app what was decided in place of what was asked for', async () => {
    const { approval } = (await bot.post('/actions', { action: 'credit', input: { amount: 100, why: 'Late.' } })).body;
    await open(approval);
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('dialog').getByLabel('Amount').fill('40');
    await tab.picture('edit-input-light-1440');
    await page.getByRole('button', { name: 'Approve as edited' }).click();
    await approved(approval);
    await until('it has run', () => Promise.resolve(given.length === 1));
    expect(given).to.deep.equal([{ amount: 40, why: 'Late.' }]);
  });

  it('sends the reply as it was edited', async () => {
    const item = await of().newItem('Where is it?');
    const { approval } = (await bot.post(`/items/${item}/reply`, { text: 'Dunno.' })).body;
    await open(approval);
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('dialog').getByLabel('Text').fill('It left today.');
    await page.getByRole('button', { name: 'Approve as edited' }).click();
    await approved(approval);
    const { timeline } = (await of().ana.get(`/items/${item}`)).body;
    expect(timeline.find(({ type }: { type: string }) => type === 'reply').data.text).to.equal('It left today.');
  });

  it('says who has approved what needs two, and waits for the other', async () => {
    const { approval } = (await bot.post('/actions', { action: 'both' })).body;
    await open(approval);
    await page.getByText('2 more people have to approve it').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('Your approval counts.').waitFor();
    await open(approval);
    await page.getByText('1 more person has to approve it').waitFor();
    await page.getByText('You have approved this').waitFor();
    await tab.picture('votes-light-1440');
    expect(await statusOf(approval)).to.equal('pending');
    expect((await of().ben.post(`/approvals/${String(approval)}/approve`)).status).to.equal(200);
    await approved(approval);
  });
});
