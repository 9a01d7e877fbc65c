/** The settings in the console: roles, people, app keys, environments and loosenings. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { clientOf, type Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import type { World } from '../support/world.ts';
import { password, useConsole, type ConsoleTest } from './support.ts';

const manifest = {
  ...testManifest,
  actions: [
    ...testManifest.actions,
    {
      name: 'refund',
      label: 'Refund',
      resource: 'customer',
      approval: true,
      danger: 'high',
      input: { type: 'object', properties: { amount: { type: 'integer', maximum: 100 } } },
    },
  ],
  flags: [{ key: 'new_checkout', kind: 'boolean', default: false }],
};

/** The same with less protection: no approval, and larger amounts. */
const looser = {
  ...manifest,
  actions: manifest.actions.map((action) =>
    action.name === 'refund'
      ? {
          ...action,
          approval: false,
          input: { type: 'object', properties: { amount: { type: 'integer', maximum: 500 } } },
        }
      : action,
  ),
};

describe('the settings in the console', () => {
  let world: World;
  let ana: Client;
  let open: ConsoleTest['open'];
  let tab: Tab;
  let page: Page;
  let at: (path: string) => string;

  const service = useConsole({
    manifest,
    arrange: async (given) => {
      ({ world, ana, open } = given);
      at = (path) => `${given.origin}/env/demo${path}`;
      tab = await open();
      ({ page } = tab);
    },
  });
  const confirmed = async (): Promise<void> => {
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
  };
  const list = async (path: string, name: string) =>
    (await ana.get(path)).body[name] as (Readonly<Record<string, unknown>> & { id: string; name: string })[];
  const preview = () => page.getByRole('region', { name: 'Preview' });

  it('makes a role as a matrix, shows what it would see, and asks for a fresh sign-in', async () => {
    await service().signIn(tab, 'ana@example.com', '/settings/roles');
    await page.getByRole('button', { name: 'New role' }).click();
    await page.getByLabel('Name').fill('Second line');
    await page.getByLabel('note: Mail').check();
    await page.getByLabel('everything: refunds').check();
    await page.getByLabel('run: Refund').check();
    expect(await page.getByLabel('see: Mail').isChecked()).to.equal(true);
    expect(await page.getByLabel('see: Mail').isDisabled()).to.equal(true);
    await preview().getByText('Mail (see, note), refunds (everything)').waitFor();
    await preview().getByText('Refund acts on customer, which it does not see').waitFor();
    await page.reload();
    await preview().getByText('Mail (see, note), refunds (everything)').waitFor();
    await page.getByLabel('see: All records').check();
    await preview().getByText('which it does not see').waitFor({ state: 'detached' });
    await tab.picture('role-new-light-1440');
    world.clock.advance(16 * 60_000);
    await page.getByRole('button', { name: 'Make the role' }).click();
    await confirmed();
    await page.getByText('There is a role Second line now.').waitFor();
    const made = (await list('/settings/roles', 'roles')).find(({ name }) => name === 'Second line');
    expect(made?.['grants']).to.deep.equal([
      { on: 'inbox:mail', can: ['note'] },
      { on: 'inbox:refunds', can: ['*'] },
      { on: 'action:refund', can: ['run'] },
      { on: 'resource:*', can: ['see'] },
    ]);
  });

  it('lets a person in, with a password that is kept nowhere', async () => {
    await page.goto(at('/settings/people'));
    await page.getByRole('button', { name: 'New person' }).click();
    const dialog = page.getByRole('dialog', { name: 'New person' });
    await dialog.getByLabel('Name').fill('Ida Moss');
    await dialog.getByLabel('E-mail').fill('ben@example.com');
    await dialog.getByLabel('Role').selectOption('Second line');
    await dialog.getByLabel('Password').fill(password);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.to.include(password);
    await dialog.getByRole('button', { name: 'Let them sign in' }).click();
    await dialog.getByText('There is already a person with the e-mail address ben@example.com.').waitFor();
    await dialog.getByLabel('E-mail').fill('ida@example.com');
    await dialog.getByRole('button', { name: 'Let them sign in' }).click();
    await page.getByText('Ida Moss may sign in now.').waitFor();
    const ida = await open();
    await service().signIn(ida, 'ida@example.com', '/inbox/mail');
    await ida.close();
  });

  it('says who has a role, and deletes it only when nobody has', async () => {
    await page
      .getByRole('row', { name: /Ida Moss/ })
      .getByRole('link', { name: 'Second line' })
      .click();
    await page.getByRole('region', { name: 'Who has it' }).getByText('Ida Moss').waitFor();
    await page.getByLabel('note: Mail').uncheck();
    await page.getByRole('button', { name: 'Change it for the 1 who has it' }).click();
    await page.getByText('Second line is changed.').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Second line' }).click();
    await page.getByText('is in use by 1 people and 0 agents; give them another one first.').waitFor();
    await page.goto(at('/settings/people'));
    await page.getByRole('link', { name: 'Ida Moss' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change Ida Moss' });
    await dialog.getByLabel('Role').selectOption('viewer');
    await dialog.getByRole('button', { name: 'Change Ida Moss' }).click();
    await page.getByText('Ida Moss is changed.').waitFor();
    expect(
      (await list('/settings/people', 'people')).find(({ name }) => name === 'Ida Moss')?.['role'],
    ).to.deep.include({
      name: 'viewer',
    });
  });

  it('shows a built-in role as it is, to be copied', async () => {
    await page.goto(at('/settings/roles'));
    await page.getByRole('link', { name: 'operator' }).click();
    await page.getByText('Built in: it can’t be changed, but copied.').waitFor();
    expect(await page.getByLabel('reply: All inboxes').isChecked()).to.equal(true);
    expect(await page.getByLabel('triage: All inboxes').isChecked()).to.equal(false);
    expect(await page.locator('.role-form input:enabled').count()).to.equal(0);
    await page.getByRole('button', { name: 'Make a copy' }).click();
    await page.getByRole('heading', { name: 'Copy of operator' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).to.equal('operator copy');
    expect(await page.getByLabel('change: All flags').isChecked()).to.equal(true);
  });

  it('keeps the last admin, and removes others', async () => {
    await page.goto(at('/settings/people'));
    await page.getByRole('button', { name: 'Remove Ana Lind' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove Ana Lind' }).click();
    await page.getByText('Ana Lind is the last admin of demo; make another person admin there first.').waitFor();
    await page.getByRole('button', { name: 'Remove Ida Moss' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove Ida Moss' }).click();
    await page.getByText('Ida Moss is removed.').waitFor();
    expect((await list('/settings/people', 'people')).map(({ name }) => name)).not.to.include('Ida Moss');
    await tab.picture('people-light-1440');
  });

  it('shows an app key once, with the line that starts the app', async () => {
    await page.goto(at('/settings/app-keys'));
    await page.getByRole('button', { name: 'New app key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop, Frankfurt');
    await page.getByRole('button', { name: 'Make app key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Shop, Frankfurt is ready' });
    const key = (await dialog.locator('pre').first().textContent()) ?? '';
    expect(key).to.match(/^capp_/);
    expect(await dialog.locator('pre').nth(2).textContent()).to.include(`APP_KEY='${key}' npm start`);
    const app = clientOf(world.base, key, 'app');
    expect((await app.post('/items', { inbox: 'mail', title: 'From the app' })).status).to.equal(201);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('button', { name: 'Revoke: Shop, Frankfurt' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke Shop, Frankfurt' }).click();
    await page.getByText('Shop, Frankfurt is revoked.').waitFor();
    expect((await app.get('/resources/customer/list')).status).to.equal(401);
    expect(await page.getByText(key).count()).to.equal(0);
  });

  it('makes an environment and changes what one demands', async () => {
    await page.goto(at('/settings/environments'));
    await page.getByRole('button', { name: 'New environment' }).click();
    await page.getByLabel('Name, as a part of its address').fill('acceptance');
    const newNames = page.getByRole('dialog').getByLabel(/^New names wait/);
    expect(await newNames.isChecked(), 'on from the start').to.equal(true);
    await page.getByRole('button', { name: 'Make environment' }).click();
    const acceptance = page.getByRole('region', { name: 'acceptance' });
    await acceptance.getByText('no app has declared anything yet').waitFor();
    expect(await acceptance.getByLabel(/^New names wait/).isChecked()).to.equal(true);
    await page
      .getByRole('region', { name: 'demo' })
      .getByLabel(/^Independent approval/)
      .click();
    await page.getByText('demo, independent approval: on now.').waitFor();
    const demo = (await list('/settings/environments', 'environments')).find(({ name }) => name === 'demo');
    expect(demo?.['independentApproval']).to.equal(true);
    await tab.picture('environments-light-1440');
  });

  it('says above each page that one person alone can decide, until there is a second', async () => {
    const [{ hash } = { hash: '' }] = await world.sql<{ hash: string }>(
      `select password_hash as hash from people where email = 'ben@example.com'`,
    );
    await world.sql(`update people set password_hash = null where email <> 'ana@example.com'`);
    await page.goto(at('').replace('/env/demo', '/env/acceptance'));
    const banner = page.getByText('One person alone can decide here');
    await banner.waitFor();
    await tab.picture('awaits-decider-light-1440');
    await world.sql(`update people set password_hash = $1 where email = 'ben@example.com'`, [hash]);
    await page.reload();
    await page.getByText(/^complete to /).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await banner.count()).to.equal(0);
    expect(await page.getByText('This could not be shown').count(), 'an environment without inboxes').to.equal(0);
    await page.goto(at('/settings/environments'));
  });

  it('announces loosenings where a manager looks, in words, and decides them by keyboard', async () => {
    await world.app({}, { manifest: looser });
    await page.goto(at(''));
    await page.getByRole('link', { name: 'Action refund: nobody approves it' }).click();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Loosenings 2' }).waitFor();
    const waiting = page.getByRole('region', { name: 'Waiting' }).getByRole('listitem');
    await waiting.filter({ hasText: 'amount: at most 100 → amount: at most 500' }).waitFor();
    await waiting.filter({ hasText: 'a person approves it → nobody approves it' }).waitFor();
    await tab.picture('loosenings-light-1440');
    await waiting.filter({ hasText: 'approves' }).getByRole('button', { name: 'Keep it strict' }).click();
    await page.getByText('Action refund: the stricter rule stays.').waitFor();
    await waiting.nth(1).waitFor({ state: 'detached' });
    await waiting.first().getByRole('button', { name: 'Loosen it', disabled: false }).waitFor();
    await page.keyboard.press('a');
    await page.getByText('Action refund: what is declared holds now.').waitFor();
    await page.getByText('Nothing waits').waitFor();
    const decided = page.getByRole('region', { name: 'Decided and noted' });
    await decided.getByText('refused by Ana Lind').waitFor();
    await decided.getByText('accepted by Ana Lind').waitFor();
    const loosenings = await list('/settings/loosenings', 'loosenings');
    expect(loosenings.map(({ status }) => status).filter((status) => status !== 'noted')).to.have.members([
      'accepted',
      'refused',
    ]);
  });

  it('erases a person once it was counted and confirmed, and says what became of it', async () => {
    await world.records('customer', [{ id: 'c_9', title: 'Kim Berg' }]);
    await ana.post('/items', { inbox: 'mail', title: 'Kim asks', record: { resource: 'customer', id: 'c_9' } });
    await page.goto(at('/settings/erasures'));
    await page.getByRole('button', { name: 'Erase a person' }).click();
    await page.getByLabel('What they are').selectOption('customer');
    await page.getByLabel('Id of their record').fill('c_9');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Erase Kim Berg (c_9)?' });
    await dialog.getByText(/1 stored record, 1 item, .* will be erased\. This can’t be undone\./).waitFor();
    await tab.picture('erasure-light-1440');
    expect(await list('/settings/erasures', 'erasures'), 'so far it was counted').to.deep.equal([]);
    await dialog.getByText('Kim asks').waitFor();
    await dialog.getByRole('button', { name: 'Erase for ever' }).click();
    await dialog.getByText('This is another id.').waitFor();
    await dialog.getByLabel('Type c_9 to erase it').fill('c_9');
    await dialog.getByRole('button', { name: 'Erase for ever' }).click();
    await page.getByText('customer c_9 is being erased.').waitFor();
    await page
      .getByRole('region', { name: 'Erasures' })
      .getByText(/^1 stored record, 1 item, .* erased/)
      .waitFor();
    await tab.picture('erasures-light-1440');
    expect((await ana.get('/items?search=kim&count=1')).body.total).to.equal(0);
  });

  it('finds who is to be erased by an e-mail, and says when there is nobody with an id', async () => {
    // By the app, so that it is found by its words.
    const { status } = await (
      await world.appKey()
    ).post('/resources/customer/records', {
      records: [{ id: 'c_10', title: 'Lea Roth', fields: { email: 'lea@example.com' } }],
    });
    expect(status).to.equal(200);
    await page.goto(at('/settings/erasures'));
    await page.getByRole('button', { name: 'Erase a person' }).click();
    await page.getByLabel('What they are').selectOption('customer');
    const id = page.getByLabel('Id of their record');
    await id.fill('lea@example.com');
    const offered = page.getByRole('list', { name: 'Found records' });
    await offered.getByRole('button', { name: /^Lea Roth/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('There is no customer with this id.').waitFor();
    await tab.picture('erasure-missing-light-1440');
    await page.getByRole('button', { name: 'Count all the same' }).click();
    const unknown = page.getByRole('dialog', { name: 'Erase lea@example.com?' });
    await unknown.getByText('There is no customer with this id. Nothing is found').waitFor();
    expect(await unknown.getByRole('button', { name: 'Erase for ever' }).isDisabled()).to.equal(true);
    await unknown.getByRole('checkbox').check();
    expect(await unknown.getByRole('button', { name: 'Erase for ever' }).isDisabled()).to.equal(false);
    await tab.picture('erasure-doubtful-light-1440');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Erase a person' }).click();
    await page.getByLabel('What they are').selectOption('customer');
    await id.fill('lea');
    await offered.getByRole('button', { name: /^Lea Roth/ }).click();
    expect(await id.inputValue()).to.equal('c_10');
    await page.getByText('This is Lea Roth.').waitFor();
    await page.getByRole('button', { name: 'Count what there is' }).click();
    const known = page.getByRole('dialog', { name: 'Erase Lea Roth (c_10)?' });
    await known.getByText('1 stored record will be erased.').waitFor();
    expect(await known.getByRole('button', { name: 'Erase for ever' }).getAttribute('class')).to.include('danger');
    expect(await known.getByRole('checkbox').count()).to.equal(0);
    await known.getByRole('button', { name: 'Cancel' }).click();
  });
});
