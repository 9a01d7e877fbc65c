/** One's own account in the console: name, password, appearance and sessions. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { password, useConsole } from './support.ts';

describe('one’s own account in the console', () => {
  let tab: Tab;
  let page: Page;
  const service = useConsole({
    arrange: async (given) => {
      tab = await given.open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
      ({ page } = tab);
    },
  });
  const session = (opened: Page) => opened.getByRole('region', { name: 'Sessions' }).getByRole('listitem');

  it('changes the name, for colleagues too', async () => {
    await service().signIn(tab, 'ben@example.com', '/settings/account');
    await page.getByLabel('Name', { exact: true }).fill('Ben Adeyemi');
    await page.getByRole('button', { name: 'Change the name' }).click();
    await page.getByText('Your name is Ben Adeyemi now.').waitFor();
    const { body } = await service().ana.get('/people?inbox=mail');
    expect((body.people as { name: string }[]).map(({ name }) => name)).to.include('Ben Adeyemi');
  });

  it('keeps the appearance with the account, for a browser where none was chosen', async () => {
    await page.getByLabel('Light').check();
    await page.getByText('Kept with your account.').waitFor();
    const second = await service().open({ colorScheme: 'dark' });
    await service().signIn(second, 'ben@example.com', '/settings/account');
    expect(await second.page.evaluate('document.documentElement.dataset.theme')).to.equal('light');
    await second.picture('account-second-light-1440');
  });

  it('shows and reads times in the zone of the account, on every device', async () => {
    const id = await service().newItem('Call back in January');
    await service().ana.post(`/items/${id}/snooze`, { until: Date.UTC(2031, 0, 15, 12) });
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByText('Times are shown as in Asia/Tokyo.').waitFor();
    const second = await service().open({ timezoneId: 'America/New_York', locale: 'en-GB' });
    await service().signIn(second, 'ben@example.com', `/inbox/mail?show=snoozed&item=${id}`);
    await second.page.getByText('snoozed until 15 Jan 2031, 21:00').waitFor();
    await page.getByLabel('Time zone').selectOption('');
    await page.getByText(/^Times are shown as in (?!Asia)/).waitFor();
    await second.page.reload();
    await second.page.getByText('snoozed until 15 Jan 2031, 7:00').waitFor();
  });

  it('refuses a wrong password by the API’s sentence, and ends the other sessions with a new one', async () => {
    const ended = page.waitForResponse((answer) => answer.url().endsWith('/me/sessions'));
    await page.reload();
    await ended;
    await session(page).nth(2).waitFor();
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill('battery staple horse');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    expect(await page.getByLabel('New password').inputValue()).to.equal('battery staple horse');
    await page.getByLabel('Current password').fill(password);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password is another now.').waitFor();
    await session(page).nth(1).waitFor({ state: 'detached' });
    expect(await session(page).count()).to.equal(1);
  });

  it('ends a session, and signs out', async () => {
    const { origin, ana } = service();
    const other = await fetch(`${origin}/api/env/demo/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ben@example.com', password: 'battery staple horse' }),
    });
    const { token } = (await other.json()) as { token: string };
    const authorized = async () =>
      (await fetch(`${origin}/api/env/demo/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await authorized()).to.equal(200);
    await page.reload();
    await page.getByRole('button', { name: /^End it/ }).click();
    await page.getByText('The session has ended, everywhere.').waitFor();
    expect(await authorized()).to.equal(401);
    await tab.picture('account-dark-390');
    await page.getByRole('region', { name: 'Sessions' }).getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    expect((await ana.get('/me')).status).to.equal(200);
  });
});
