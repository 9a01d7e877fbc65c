/** What people type in the console is theirs until it has been sent: over a reload, in another tab, and when it is too long. */
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, password, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'strict', label: 'Strict', reasonRequired: true, reply: { via: 'app' } }],
};

describe('what is typed in the console', () => {
  let item = '';
  let address = '';
  const of = useConsole({
    manifest,
    arrange: async ({ ana }) => {
      const { body } = await ana.post('/items', { inbox: 'strict', title: 'Why not', reason: 'A test.' });
      item = body.item.id as string;
      address = `/inbox/strict?item=${item}`;
    },
  });
  let tab: Tab;
  const text = () => tab.page.getByLabel('Reply to the customer');
  const reason = () => tab.page.getByLabel('Reason');
  const then = () => tab.page.getByLabel('Then');

  it('is kept with its reason and the state that follows, and forgotten once it is sent', async () => {
    tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ana@example.com', address);
    await text().fill('It is done.');
    await reason().fill('They asked for it.');
    await then().selectOption('closed');
    await page.reload();
    await loaded(page);
    expect([await text().inputValue(), await reason().inputValue(), await then().inputValue()]).to.deep.equal([
      'It is done.',
      'They asked for it.',
      'closed',
    ]);
    await text().press('Control+Enter');
    await until('it is closed', async () => (await of().ana.get(`/items/${item}`)).body.item.state === 'closed');
    await page.locator('.written.reply', { hasText: 'It is done.' }).waitFor();
    await page.reload();
    await loaded(page);
    expect([await text().inputValue(), await reason().inputValue(), await then().inputValue()]).to.deep.equal([
      '',
      '',
      '',
    ]);
  });

  it('goes on behind what was kept, and is seen and sent out of its preview', async () => {
    const { page } = tab;
    const { body } = await of().ana.post('/items', { inbox: 'strict', title: 'Where is it', reason: 'A test.' });
    const id = body.item.id as string;
    await page.goto(`${of().origin}/env/demo/inbox/strict?item=${id}`);
    await loaded(page);
    // The focus moves within the event, so that the next character goes into the text.
    const focused = await page.evaluate(`(() => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true, cancelable: true }));
      return document.activeElement.tagName;
    })()`);
    expect(focused).to.equal('TEXTAREA');
    await page.keyboard.type('It is on');
    await page.reload();
    await loaded(page);
    await page.keyboard.press('r');
    await page.keyboard.type(' its **way**');
    expect(await text().inputValue()).to.equal('It is on its **way**');
    const preview = page.getByRole('region', { name: 'Preview' });
    await page.getByRole('button', { name: 'Preview' }).click();
    await preview.getByText('It is on its way').waitFor();
    await page.keyboard.press('r');
    await preview.waitFor({ state: 'detached' });
    await page.keyboard.type('.');
    expect(await text().inputValue()).to.equal('It is on its **way**.');
    await reason().fill('They asked.');
    await page.getByRole('button', { name: 'Preview' }).click();
    await preview.waitFor();
    await page.keyboard.press('Control+Enter');
    await page.locator('.written.reply', { hasText: 'It is on its way.' }).waitFor();
    await page.goto(`${of().origin}/env/demo${address}`);
    await loaded(page);
  });

  it('is kept whole when it is too long, with a word on by how much', async () => {
    const { page } = tab;
    await text().fill('x'.repeat(65_536 + 1_234));
    await page.getByText('1,234 characters too long').waitFor();
    expect((await text().inputValue()).length).to.equal(65_536 + 1_234);
    await reason().fill('y'.repeat(2_001));
    await page.getByText('1 character too long').waitFor();
    expect(await page.getByRole('button', { name: 'Send reply' }).isDisabled()).to.equal(true);
    await tab.picture('too-long-light-1440');
    await reason().fill('');
    await text().fill('');
    expect(await page.getByText('too long').count()).to.equal(0);
  });

  it('is followed by another note after a note, and by another reply after a reply', async () => {
    const { page } = tab;
    const note = () => page.getByLabel('Note for colleagues');
    await page.getByRole('tab', { name: 'Note' }).click();
    await note().fill('Not for the customer.');
    await reason().fill('To know.');
    await tab.picture('composer-note-light-1440');
    await note().press('Control+Enter');
    await page.locator('.written.note', { hasText: 'Not for the customer.' }).waitFor();
    expect(await note().inputValue()).to.equal('');
    await page.getByRole('button', { name: 'Add note' }).waitFor();
    expect(await text().count()).to.equal(0);
    await page.getByRole('tab', { name: 'Reply' }).click();
    await text().fill('For the customer.');
    await reason().fill('To tell.');
    await text().press('Control+Enter');
    await page.locator('.written.reply', { hasText: 'For the customer.' }).waitFor();
    await page.getByRole('button', { name: 'Send reply' }).waitFor();
    expect(await note().count()).to.equal(0);
  });

  it('is warned of where a place of a template is not filled in, and of the recipient that the app chooses', async () => {
    const { page } = tab;
    await page.locator('.composer').getByText('The app chooses the recipient; the item has no address.').waitFor();
    await text().fill('Dear {{name}}, it is done.');
    const alert = page.locator('.composer').getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).to.equal('The reply has {{name}}, which nothing fills in: it is sent as it is.');
    await tab.picture('composer-unfilled-light-1440');
    await text().fill('Dear Ana, it is done.');
    await alert.waitFor({ state: 'detached' });
    await text().fill('');
  });

  it('is said once to be kept when the server can’t be reached', async () => {
    const { page } = tab;
    await text().fill('Never mind.');
    await reason().fill('None.');
    await intercept(page, /\/reply$/, (route) => route.abort('connectionfailed'));
    await page.getByRole('button', { name: 'Send reply' }).click();
    const alert = page.locator('.composer').getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).to.equal('The server could not be reached. What you typed is kept; try again.');
    await page.unroute(/\/reply$/);
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.locator('.written.reply', { hasText: 'Never mind.' }).waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  it('stands in every tab as it is typed, and is gone from all once it is sent', async () => {
    const { page } = tab;
    const second = await page.context().newPage();
    await second.goto(page.url());
    await loaded(second);
    const there = second.getByLabel('Reply to the customer');
    await text().fill('From the first tab');
    await until('the second tab has it', async () => (await there.inputValue()) === 'From the first tab');
    await reason().fill('Why not.');
    await text().press('Control+Enter');
    await second.locator('.written.reply', { hasText: 'From the first tab' }).waitFor();
    await until('it is gone there', async () => (await there.inputValue()) === '');
    await second.close();
  });

  describe('when the session ends meanwhile', () => {
    const end = async (): Promise<void> => {
      const { world, ana } = of();
      await world.sql("delete from tokens where principal = $1 and kind = 'person'", [ana.id]);
      await world.sql('update revisions set n = n + 1');
      await tab.page.getByText('Your session has ended').waitFor();
    };
    const signInAgain = async (): Promise<void> => {
      const { page } = tab;
      await page.keyboard.type('ana@example.com');
      await page.keyboard.press('Tab');
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
    };
    const focused = (field: Locator): Promise<boolean> =>
      until('the focus is back', () => field.evaluate((node) => node === node.ownerDocument.activeElement));

    it('goes on at the caret, and what was selected is selected', async () => {
      const { page } = tab;
      await text().fill('The parcel is on way.');
      await page.evaluate(`document.activeElement.setSelectionRange(17, 17)`);
      await end();
      await tab.picture('sign-in-again-light-1440');
      await signInAgain();
      await text().waitFor();
      await focused(text());
      await page.keyboard.type('its ');
      expect(await text().inputValue()).to.equal('The parcel is on its way.');
      await page.evaluate(`document.activeElement.setSelectionRange(4, 10, 'backward')`);
      await end();
      await signInAgain();
      await text().waitFor();
      await focused(text());
      await tab.picture('signed-in-again-light-1440');
      await page.keyboard.type('letter');
      expect(await text().inputValue()).to.equal('The letter is on its way.');
      await text().fill('');
    });

    it('goes on in a note, and in a field of the list', async () => {
      const { page } = tab;
      await page.keyboard.press('Escape');
      await page.keyboard.press('n');
      const note = page.getByLabel('Note for colleagues');
      await page.keyboard.type('Half a sen');
      await end();
      await signInAgain();
      await focused(note);
      await page.keyboard.type('tence');
      expect(await note.inputValue()).to.equal('Half a sentence');
      await note.fill('');
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      await end();
      await signInAgain();
      await focused(page.getByRole('searchbox'));
    });

    it('leaves the focus where the person has put it by then', async () => {
      const { page } = tab;
      await text().fill('Not now');
      await end();
      const gate = deferred<void>();
      await intercept(page, /\/api\/env\/demo\/items\/itm_\w+(\?|$)/, async (route) => {
        await gate.promise;
        await route.continue();
      });
      await signInAgain();
      await page.getByRole('searchbox').click();
      gate.resolve();
      await text().waitFor();
      await page.keyboard.type('Why');
      expect(await page.getByRole('searchbox').inputValue()).to.equal('Why');
      expect(await text().inputValue()).to.equal('Not now');
      await page.goto(`${of().origin}/env/demo${address}`);
      await text().fill('');
    });
  });

  it('is the person’s own: whoever signs in next does not see it', async () => {
    const { page } = tab;
    await text().fill('For Ana’s eyes only');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await of().signIn(tab, 'ben@example.com', address);
    expect(await text().inputValue()).to.equal('');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await of().signIn(tab, 'ana@example.com', address);
    expect(await text().inputValue()).to.equal('For Ana’s eyes only');
    await text().fill('');
  });
});
