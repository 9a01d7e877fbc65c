/** What goes wrong while somebody works in the console, and what the page says: nothing typed is lost, and nothing is shown that is not there. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { Gate } from '../support/gate.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, password, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  actions: [
    ...testManifest.actions,
    {
      name: 'import',
      label: 'Import',
      input: { type: 'object', properties: { rows: { type: 'string', title: 'Rows' } } },
    },
  ],
};

describe('the console when something goes wrong', () => {
  let mail = '';
  let secret = '';
  let tab: Tab;
  const gate = { current: null as Gate | null };
  const of = useConsole({
    manifest,
    arrange: async ({ ana, newItem, world }) => {
      await newItem('Other question');
      mail = await newItem('First question');
      const { body } = await ana.post('/items', { inbox: 'secret', title: 'Not for everybody' });
      secret = body.item.id as string;
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park', fields: { email: 'kim@example.com' } }]);
    },
  });
  after(() => gate.current?.close());

  const text = (page: Page) => page.getByLabel('Reply to the customer');
  const setRole = async (name: string): Promise<void> => {
    await of().world.sql('update people set role = (select id from roles where name = $1) where id = $2', [
      name,
      of().ben.id,
    ]);
    await of().world.sql('update revisions set n = n + 1');
  };

  it('says that the role has changed, takes its controls away, and keeps what was typed for when they are back', async () => {
    tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ben@example.com', `/inbox/mail?item=${mail}`);
    await text(page).fill('Half a sentence');
    await setRole('viewer');
    await page.getByText('Your role is viewer now').waitFor();
    await page.locator('.deeds .button').first().waitFor({ state: 'detached' });
    await text(page).waitFor({ state: 'detached' });
    await tab.picture('role-narrowed-light-1440');
    await setRole('operator');
    await page.getByText('Your role is operator now').waitFor();
    await text(page).waitFor();
    expect(await text(page).inputValue()).to.equal('Half a sentence');
    await text(page).fill('');
  });

  it('says that an open item is gone once the role does not see it any more, and shows nothing of it', async () => {
    const { page } = tab;
    await page.goto(`${of().origin}/env/demo/items?show=all&item=${secret}`);
    await loaded(page);
    await page.getByRole('heading', { name: 'Not for everybody' }).waitFor();
    const see = (inbox: string) => ({ on: `inbox:${inbox}`, can: ['see', 'note'] });
    await of().world.role('clerk', [see('mail')]);
    await setRole('clerk');
    await page.getByText('This item does not exist any more, or your role does not see it.').waitFor();
    await page.getByText('Not for everybody').first().waitFor({ state: 'detached' });
    await tab.picture('item-gone-light-1440');
    await setRole('operator');
    await page.getByRole('heading', { name: 'Not for everybody' }).waitFor();
  });

  it('says that an open record is gone once the app has deleted it', async () => {
    const { page } = tab;
    await page.goto(`${of().origin}/env/demo/records/customer?record=cus_1`);
    await page.getByRole('heading', { name: 'Kim Park' }).waitFor();
    await loaded(page);
    await of().world.sql("delete from records where id = 'cus_1'");
    await page.reload();
    await page.getByText('This record does not exist any more, or your role does not see it.').waitFor();
  });

  it('says that a body is too large, and keeps it', async () => {
    const { page } = tab;
    // Three bytes a character: the more there are, the longer the browser takes to draw them.
    const rows = `${'漢'.repeat(999)}\n`.repeat(360);
    await page.goto(`${of().origin}/env/demo/items`);
    await loaded(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('Import');
    await page.getByRole('option', { name: /Import/ }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Rows').fill(rows);
    await sheet.getByRole('button', { name: 'Import' }).click();
    await sheet.getByText('The body is larger than 1 MiB').waitFor();
    await tab.picture('too-large-light-1440');
    expect((await sheet.getByLabel('Rows').inputValue()).length).to.equal(rows.length);
    await sheet.getByLabel('Rows').fill('a,b');
    await sheet.getByRole('button', { name: 'Import' }).click();
    await page.getByText('The body is larger').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  it('asks to sign in when another tab has signed out, and goes on with what was typed', async () => {
    const { page } = tab;
    await page.goto(`${of().origin}/env/demo/inbox/mail?item=${mail}`);
    await loaded(page);
    await text(page).fill('Half a sentence');
    const second = await page.context().newPage();
    await second.goto(`${of().origin}/env/demo`);
    await loaded(second);
    await second.getByRole('button', { name: 'Sign out' }).click();
    await second.getByLabel('E-mail').waitFor();
    await page.getByText('Your session has ended. What you typed is kept').waitFor();
    await page.getByLabel('E-mail').fill('ben@example.com');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await text(page).waitFor();
    expect(await text(page).inputValue()).to.equal('Half a sentence');
    await loaded(second);
    await second.close();
  });

  it('is the other person’s page at once when somebody else signs in in another tab', async () => {
    const { page } = tab;
    const second = await page.context().newPage();
    await second.goto(`${of().origin}/env/demo`);
    await loaded(second);
    await second.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await second.getByLabel('E-mail').fill('ana@example.com');
    await second.getByLabel('Password').fill(password);
    await second.keyboard.press('Enter');
    await page.getByText('Ana Lind').first().waitFor();
    await text(page).waitFor();
    expect(await text(page).inputValue(), 'the draft is Ben’s').to.equal('');
    await second.close();
  });

  it('shows one’s own change in every tab', async () => {
    const { page } = tab;
    const second = await page.context().newPage();
    await second.goto(page.url());
    await loaded(second);
    await page.keyboard.press('n');
    await page.getByLabel('Note for colleagues').fill('Seen by both tabs');
    await page.keyboard.press('Control+Enter');
    await second.locator('.written.note', { hasText: 'Seen by both tabs' }).waitFor();
    await second.close();
  });

  it('says that the server is slow, waits for it, and gives up after a minute', async () => {
    gate.current = new Gate(new URL(of().origin));
    const { origin } = new URL(await gate.current.listen());
    const { page } = tab;
    await page.clock.install();
    await page.goto(`${origin}/env/demo/inbox/mail`);
    await loaded(page);
    gate.current.hold();
    await page.locator('.row').first().click();
    await page.locator('.detail [aria-busy="true"]').first().waitFor();
    await page.clock.runFor(6_000);
    await page.locator('.detail').getByText('The server is slow to answer').waitFor();
    await tab.picture('slow-light-1440');
    gate.current.release();
    await page.locator('.timeline').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Note for colleagues').fill('Into the void');
    gate.current.hold();
    await page.keyboard.press('Control+Enter');
    await page.clock.runFor(61_000);
    await page.getByText('The server has not answered for 60 seconds').waitFor();
    expect(await page.getByLabel('Note for colleagues').inputValue()).to.equal('Into the void');
    gate.current.release();
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('.written.note', { hasText: 'Into the void' }).waitFor();
    await page.reload();
    await page.locator('.written.note', { hasText: 'Into the void' }).waitFor();
    expect(await page.locator('.written.note', { hasText: 'Into the void' }).count(), 'it was added once').to.equal(1);
  });
});

describe('the console under a rate limit', () => {
  let item = '';
  const of = useConsole({
    // A token has 60 requests at once, and then one a second.
    world: () => Promise.resolve({ env: { RATE_LIMIT: '1', RATE_BURST: '60' } }),
    arrange: async ({ newItem }) => {
      item = await newItem('First question');
    },
  });

  it('says for how long to wait, keeps what was typed, and goes on', async () => {
    const tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ana@example.com', `/inbox/mail?item=${item}`);
    await page.locator('.timeline').waitFor();
    // Other tabs of the same person take what the limit gives.
    await page.evaluate(`void (window.flood = (async () => {
      while (!window.isOver) window.isLimited = (await fetch('/api/env/demo/me')).status === 429;
    })())`);
    await until('the limit is reached', () => page.evaluate<boolean>('window.isLimited === true'));
    const note = page.getByLabel('Note for colleagues');
    const refusal = page.getByRole('alert').filter({ hasText: /Too many requests; wait for \d+ seconds?\./ });
    let text = '';
    // Now and then a note takes the one request that each second gives.
    for (let tries = 1; (await refusal.count()) === 0; tries++) {
      text = `Too soon ${String(tries)}.`;
      if (!(await note.isVisible())) await page.keyboard.press('n');
      await note.fill(text);
      await page.getByRole('button', { name: 'Add note' }).click();
      await refusal
        .or(page.locator('.written.note', { hasText: text }))
        .first()
        .waitFor();
    }
    await tab.picture('rate-limited-light-1440');
    expect(await note.inputValue()).to.equal(text);
    await page.evaluate('(window.isOver = true) && window.flood');
    await until('the note is taken', async () => {
      await page.evaluate("document.querySelector('.composer.note .button.main')?.click()");
      return (await page.locator('.written.note', { hasText: text }).count()) === 1;
    });
  });
});
