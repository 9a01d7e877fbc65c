/** People sign in to the console by a real OpenID Connect provider, of another site, and stay where they were. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startOpenIdProvider, type OpenIdProvider } from '../support/openId.ts';
import { useConsole } from './support.ts';

describe('the console with OpenID Connect', () => {
  let provider: OpenIdProvider;
  const service = useConsole({
    env: async () => {
      provider = await startOpenIdProvider();
      provider.accounts.set('ana', { email: 'ana@example.com', email_verified: true });
      provider.accounts.set('nobody', { email: 'nobody@example.com', email_verified: true });
      return provider.env;
    },
  });
  after(() => provider?.close());

  const atProvider = async (page: Page, account: string): Promise<void> => {
    await page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
    await page.getByLabel('Account').fill(account);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  const byProvider = { name: 'Continue with Example Login' };

  it('signs in at the provider and comes back to the page that was asked for', async () => {
    const tab = await service().open();
    const { page } = tab;
    await page.goto(`${service().origin}/env/demo/items?sort=due`);
    await page.getByRole('button', byProvider).waitFor();
    await tab.picture('oidc-sign-in');
    await page.getByRole('button', byProvider).click();
    await atProvider(page, 'ana');
    await page.getByText(/^complete to /).waitFor();
    expect(page.url()).to.equal(`${service().origin}/env/demo/items?sort=due`);
  });

  it('says in a sentence of its own why somebody is not let in', async () => {
    const { page } = await service().open();
    await page.goto(`${service().origin}/env/demo`);
    await page.getByRole('button', byProvider).click();
    await atProvider(page, 'nobody');
    await page.getByText('Nobody here has your e-mail address. Ask an admin to let you in.').waitFor();
    await page.goto(`${service().origin}/env/demo?signInProblem=<b>strange</b>`);
    await page.getByText('The sign-in has failed. Try again.').waitFor();
    expect(await page.getByText('strange').count()).to.equal(0);
  });

  it('opens a window for the fresh sign-in that a call needs, keeps what was typed, and repeats the call', async () => {
    const { page } = await service().open();
    await page.goto(`${service().origin}/env/demo/settings/agents`);
    await page.getByRole('button', byProvider).click();
    await atProvider(page, 'ana');
    await page.getByText(/^complete to /).waitFor();
    const { world } = service();
    await world.sql(`update tokens set fresh_until = 1 where kind = 'person'`);
    await world.sql('update revisions set n = n + 1');
    await world.deps.directory.refresh();
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByLabel('Name').fill('Night shift');
    await page.getByRole('button', { name: 'Make agent' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    const [window] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', byProvider).click()]);
    await atProvider(window, 'ana');
    await page
      .getByText(/^cagt_/)
      .first()
      .waitFor();
    const made = await world.sql('select name from agents where name = $1', ['Night shift']);
    expect(made).to.deep.equal([{ name: 'Night shift' }]);
  });

  it('lets somebody in without a password', async () => {
    const { page } = await service().open();
    await page.goto(`${service().origin}/env/demo/settings/people`);
    await page.getByRole('button', byProvider).click();
    await atProvider(page, 'ana');
    await page.getByRole('button', { name: 'New person' }).click();
    const form = page.getByRole('dialog');
    await form
      .getByText('They sign in by Example Login with this e-mail address, or with a password if they get one.')
      .waitFor();
    await form.getByLabel('Name').fill('Cleo Berg');
    await form.getByLabel('E-mail').fill('cleo@example.com');
    await form.getByLabel('Role').selectOption({ label: 'viewer' });
    await form.getByRole('button', { name: 'Let them sign in' }).click();
    await page.getByText('Cleo Berg').first().waitFor();
    const people = await service().world.sql('select password_hash from people where email = $1', ['cleo@example.com']);
    expect(people).to.deep.equal([{ password_hash: null }]);
  });
});
