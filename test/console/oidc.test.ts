/** People sign in to the console by a real OpenID Connect provider, of another site, and stay where they were. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { startOpenIdProvider, type OpenIdProvider } from '../support/openId.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole, type ConsoleTest } from './support.ts';

const byProvider = { name: 'Continue with Example Login' };

const atProvider = async (page: Page, account: string): Promise<void> => {
  await page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
  await page.getByLabel('Account').fill(account);
  await page.getByRole('button', { name: 'Continue' }).click();
};

/** Ends the fresh sign-in of every session. */
const makeStale = async ({ world }: ConsoleTest): Promise<void> => {
  await world.sql(`update tokens set fresh_until = 1 where kind = 'person'`);
  await world.sql('update revisions set n = n + 1');
  await world.deps.directory.refresh();
};

/** Makes an agent, which needs a fresh sign-in: signs in again in the window that opens, and waits for the agent's token. */
const makeAgentFreshly = async (page: Page): Promise<void> => {
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
};

describe('the console with OpenID Connect', () => {
  let provider: OpenIdProvider;
  const service = useConsole({
    world: async () => {
      provider = await startOpenIdProvider();
      provider.accounts.set('ana', { email: 'ana@example.com', email_verified: true });
      provider.accounts.set('nobody', { email: 'nobody@example.com', email_verified: true });
      return { env: provider.env };
    },
  });
  after(() => provider?.close());

  it('signs in at the provider and comes back to the page that was asked for', async () => {
    const tab = await service().open();
    const { page } = tab;
    await page.goto(`${service().origin}/env/demo/items?sort=due`);
    await page.getByRole('button', byProvider).waitFor();
    await tab.picture('oidc-sign-in');
    await page.getByRole('button', byProvider).click();
    await atProvider(page, 'ana');
    await loaded(page);
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
    await loaded(page);
    const { world } = service();
    await makeStale(service());
    await makeAgentFreshly(page);
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

describe('the console where nobody signs in by password', () => {
  let provider: OpenIdProvider;
  let tab: Tab;
  const service = useConsole({
    world: async () => {
      provider = await startOpenIdProvider('post');
      provider.accounts.set('ana', { email: 'ana@example.com', email_verified: true });
      return { env: { ...provider.env, OIDC_CLIENT_AUTH: 'post', PASSWORD_SIGN_IN: 'off' } };
    },
  });
  after(() => provider?.close());

  /** Counts the fields for passwords that a page ever had. */
  const watchPasswords = `
    window.passwords = 0;
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes)
          if (node instanceof Element)
            window.passwords += node.querySelectorAll('[type=password]').length + Number(node.matches('[type=password]'));
    }).observe(document, { childList: true, subtree: true });`;
  const passwords = (): Promise<number> => tab.page.evaluate('window.passwords');

  it('never shows a field for a password, and goes to the provider', async () => {
    tab = await service().open();
    const { page } = tab;
    await page.addInitScript(watchPasswords);
    await page.goto(`${service().origin}/env/demo/settings/account`);
    await page.getByRole('button', byProvider).waitFor();
    expect([await passwords(), await page.getByRole('textbox').count()]).to.deep.equal([0, 0]);
    expect(await page.getByRole('button').count()).to.equal(1);
    await tab.picture('oidc-only-sign-in');
    await page.getByRole('button', byProvider).click();
    await atProvider(page, 'ana');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.getByRole('region', { name: 'Times' }).waitFor();
    await until('the ways to sign in are known', () =>
      page.evaluate(`performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/sign-in/methods'))`),
    );
    expect([await passwords(), await page.getByRole('region', { name: 'Password' }).count()]).to.deep.equal([0, 0]);
  });

  it('makes people without asking for a password', async () => {
    const { page } = tab;
    await page.goto(`${service().origin}/env/demo/settings/people`);
    await page.getByRole('button', { name: 'New person' }).click();
    await page.getByText('They sign in by Example Login with this e-mail address.').waitFor();
    expect(await passwords()).to.equal(0);
    await page.keyboard.press('Escape');
  });

  it('opens the provider for the fresh sign-in that a call needs, and repeats the call', async () => {
    const { page } = tab;
    const { world } = service();
    await page.goto(`${service().origin}/env/demo/settings/agents`);
    await makeStale(service());
    await makeAgentFreshly(page);
    expect([await passwords(), provider.shown()]).to.deep.equal([0, 2]);
    expect(await world.sql('select name from agents')).to.deep.equal([{ name: 'Night shift' }]);
  });
});
