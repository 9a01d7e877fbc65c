/** In the console one knows what one does: how an item ends, what is not done, what is still unsent, what is dangerous. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  resources: testManifest.resources.map((resource) =>
    resource.name === 'customer'
      ? {
          ...resource,
          fields: [
            { name: 'paid', label: 'Paid so far', type: 'money' },
            { name: 'plan', label: 'Plan', sort: true },
            { name: 'secret', label: 'Secret' },
          ],
        }
      : resource,
  ),
  actions: [
    ...testManifest.actions,
    { name: 'erase', label: 'Erase the account', resource: 'customer', danger: 'high' },
    {
      name: 'greet',
      label: 'Send a greeting',
      resource: 'customer',
      input: { type: 'object', properties: { times: { type: 'integer' } } },
    },
  ],
};

describe('knowing what one does in the console', () => {
  let tab: Tab;
  let page: Page;
  let refund = '';
  const ids: string[] = [];
  const of = useConsole({
    manifest,
    arrange: async ({ ana, world, newItem, open }) => {
      for (const title of ['Late invoice', 'Wrong sum', 'Lost parcel']) ids.push(await newItem(title));
      const { body } = await ana.post('/items', { inbox: 'refunds', title: 'Paid twice' });
      refund = body.item.id as string;
      await world.records('customer', [
        { id: 'c1', title: 'Kim', fields: { paid: 72, currency: 'EUR', plan: 'team', secret: 'no' } },
      ]);
      tab = await open();
      ({ page } = tab);
    },
  });
  const goTo = async (path: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo${path}`);
    await loaded(page);
  };
  const chooseAction = async (): Promise<void> => {
    await goTo('/records/customer?record=c1');
    await page.getByRole('button', { name: 'All actions' }).waitFor();
    await page.keyboard.press('d');
  };
  const row = (title: string) => page.locator('.row', { hasText: title });
  const item = async (id: string) => (await of().ana.get(`/items/${id}`)).body.item;

  before(() => of().signIn(tab, 'ana@example.com', '/inbox/mail'));

  it('asks how an item ends where it may end in several ways, also when only one can be reached', async () => {
    await goTo(`/inbox/refunds?item=${refund}`);
    await page.getByRole('button', { name: 'Close as…' }).waitFor();
    await page.keyboard.press('e');
    const picker = page.getByRole('dialog', { name: 'Close as' });
    await picker.waitFor();
    expect(await picker.getByRole('option').allTextContents()).to.have.length(2);
    expect(await picker.getByRole('option', { name: 'paid' }).getAttribute('aria-disabled')).to.equal('true');
    await tab.picture('close-as-light-1440');
    await page.keyboard.press('Escape');
    expect((await item(refund)).state).to.equal('requested');
    await page.keyboard.press('e');
    await picker.getByRole('option', { name: 'declined' }).click();
    await until('it is declined', async () => (await item(refund)).state === 'declined');
  });

  it('marks what has an unsent text in the list, until it is sent or taken away', async () => {
    const [first = ''] = ids;
    await goTo(`/inbox/mail?item=${first}`);
    const draft = row('Late invoice').locator('.row-draft');
    expect(await draft.count()).to.equal(0);
    await page.keyboard.press('n');
    await page.keyboard.type('Half of');
    await draft.waitFor();
    await page.reload();
    await loaded(page);
    expect(await draft.textContent()).to.equal('Draft');
    expect(await page.locator('.row-draft').count()).to.equal(1);
    await tab.picture('draft-light-1440');
    await page.keyboard.press('n');
    await page.keyboard.press('ControlOrMeta+Enter');
    await draft.waitFor({ state: 'detached' });
  });

  it('says that the server is away, and keeps what was not done until somebody decides', async () => {
    const [, , third = ''] = ids;
    await goTo(`/inbox/mail?item=${third}`);
    await page.context().setOffline(true);
    const banner = page.locator('.banner');
    await banner.filter({ hasText: /^The server can’t be reached; this page is as of / }).waitFor();
    await page.keyboard.press('n');
    await page.keyboard.type('To be sent later');
    await page.keyboard.press('ControlOrMeta+Enter');
    const problem = page.locator('.composer .problem');
    await problem.filter({ hasText: 'The server could not be reached. What you typed is kept' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    const failed = page.locator('.notice.failed', { hasText: 'Not done, set to closed' });
    await failed.waitFor();
    // Notices without a choice go by themselves, and make room for newer ones.
    await page.keyboard.press('u');
    await page.keyboard.press('u');
    await page.keyboard.press('u');
    await page.locator('.notice.done').first().waitFor();
    expect(await failed.count()).to.equal(1);
    await tab.picture('server-away-light-1440');
    await page.context().setOffline(false);
    await loaded(page);
    await banner.waitFor({ state: 'detached' });
    expect(await failed.count()).to.equal(1);
    await failed.getByRole('button', { name: 'Retry' }).click();
    await until('it is closed', async () => (await item(third)).state === 'closed');
    expect(await failed.count()).to.equal(0);
  });

  it('shows a long title whole on request', async () => {
    const title = `${'A long title that goes on and on. '.repeat(14)}The end.`;
    const id = await of().newItem(title);
    await goTo(`/inbox/mail?item=${id}`);
    const heading = page.locator('.detail h1');
    await heading.filter({ hasText: 'The end.' }).waitFor();
    const heightOf = async (): Promise<number> => (await heading.boundingBox())?.height ?? 0;
    const folded = await heightOf();
    await page.getByRole('button', { name: 'Show the whole title' }).click();
    expect(await heightOf()).to.be.above(folded);
    await page.getByRole('button', { name: 'Show less of it' }).click();
    expect(await heightOf()).to.equal(folded);
  });

  it('tells dangerous actions from others where one is chosen', async () => {
    await chooseAction();
    const options = page.locator('.picker').getByRole('option');
    await options.first().waitFor();
    expect(await page.locator('.picker-label.grave').allTextContents()).to.deep.equal(['Erase the account']);
    expect(await options.filter({ hasText: 'Erase the account' }).textContent()).to.include('high danger');
    await tab.picture('dangerous-light-1440');
    await page.keyboard.press('Escape');
  });

  it('shows the amounts and states of the record beside the input of an action', async () => {
    await chooseAction();
    await page.getByRole('option', { name: 'Send a greeting' }).click();
    const line = page.getByRole('dialog', { name: 'Send a greeting' }).locator('.record-line');
    expect(await line.textContent()).to.equal('Paid so far 72 EUR, Plan team');
    await tab.picture('record-line-light-1440');
    await page.keyboard.press('Escape');
  });

  it('shows the outcome of a dry run for the input alone that it was made with', async () => {
    await chooseAction();
    await page.getByRole('option', { name: 'Send a greeting' }).click();
    const sheet = page.getByRole('dialog', { name: 'Send a greeting' });
    const times = sheet.getByLabel('times');
    await times.fill('2');
    await sheet.getByRole('button', { name: 'Dry run' }).click();
    const outcome = sheet.locator('.dry-run');
    await outcome.waitFor();
    await times.fill('3');
    await outcome.waitFor({ state: 'detached' });
    await sheet.getByRole('button', { name: 'Dry run' }).click();
    await outcome.waitFor();
  });
});
