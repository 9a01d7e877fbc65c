/** Changes of flags that are taken back in the console: the end of a ramp, and what an agent asked for and a person approved. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  flags: [
    { key: 'greeting', kind: 'string', default: 'Hi' },
    { key: 'banner', kind: 'string', default: 'none' },
    { key: 'search', kind: 'boolean', default: false },
    { key: 'checkout', kind: 'boolean', default: false },
    { key: 'rising', kind: 'boolean', default: false },
    { key: 'part', kind: 'boolean', default: true },
    { key: 'beta', kind: 'boolean', default: false, resource: 'customer', description: 'The new pages.' },
    { key: 'payouts', kind: 'boolean', default: true, approval: true, danger: 'high', reasonRequired: true },
  ],
};

describe('taking back a change of a flag in the console', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  const of = useConsole({
    manifest,
    arrange: async ({ world, open, signIn }) => {
      bot = await world.agent('operator', { mode: 'supervised', name: 'Release bot' });
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/approvals');
    },
  });
  const flag = async (name: string) => (await of().ana.get(`/flags/${name}`)).body.flag;
  /** Has the agent ask for a change, and approves it at its page. */
  const approve = async (name: string, change: object, more: object = {}): Promise<void> => {
    const asked = await bot.post(`/flags/${name}`, { change, ...more });
    expect(asked.status, asked.text).to.equal(202);
    // As long as the page does not know how dangerous a flag is, it wants a second word.
    const read = page.waitForResponse((response) => response.url().endsWith(`/flags/${name}`));
    await page.goto(`${of().origin}/env/demo/approvals/${String(asked.body.approval)}`);
    await (await read).finished();
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await loaded(page);
    await page.keyboard.press('a');
  };
  /** Presses the key once keys act again, which rest after a decision. */
  const pressUndo = async (): Promise<void> => {
    await page.locator('html:not([data-keys])').waitFor();
    await page.keyboard.press('u');
  };
  const undo = () => page.locator('.notice').getByRole('button', { name: 'Undo' });

  it('is told in the words of the flag’s page before it is approved', async () => {
    const rows = page.locator('.decision .diff tbody tr');
    const show = async (change: object): Promise<readonly string[]> => {
      const { body } = await bot.post('/flags/beta', { change });
      await page.goto(`${of().origin}/env/demo/approvals/${String(body.approval)}`);
      await page.getByText('The new pages.').waitFor();
      const texts = await rows.first().locator('th, td').allTextContents();
      await tab.picture(`approval-flag-${texts[0] ?? ''}-light-1440`);
      await of().ana.post(`/approvals/${String(body.approval)}/reject`);
      return texts;
    };
    const off = 'off for everybody';
    expect(await show({ rollout: 5 })).to.deep.equal(['Rollout', off, off, 'on for 5 % of all customer records']);
    expect(await show({ value: true })).to.deep.equal(['Value', 'off', 'off', 'on']);
  });

  it('is taken back at once', async () => {
    await approve('greeting', { value: 'Welcome' });
    await page.getByText(/^Approved: .*greeting/).waitFor();
    await undo().waitFor();
    expect((await flag('greeting')).value).to.equal('Welcome');
    await tab.picture('approval-flag-undo-light-1440');
    await pressUndo();
    await page.getByText('greeting: taken back: value Hi → Welcome').waitFor();
    expect((await flag('greeting')).value).to.equal('Hi');
  });

  it('is taken back from another page as well', async () => {
    await approve('banner', { value: 'Sale' });
    await undo().waitFor();
    await page.getByRole('link', { name: 'All inboxes' }).click();
    await page.getByRole('heading', { name: 'All inboxes' }).waitFor();
    await pressUndo();
    await until('it is as before', async () => (await flag('banner')).value === 'none');
  });

  it('is taken back with the ramp that it began, whatever steps that has taken', async () => {
    await of().ana.post('/flags/search', { change: { rollout: 10 } });
    await approve('search', { ramp: { to: 50, over: 600_000, every: 60_000 } });
    await undo().waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('.flag-answer').getByText('on for 10 %').waitFor();
    of().world.clock.advance(60_000);
    await page.locator('.flag-answer').getByText('on for 14 %').waitFor();
    await pressUndo();
    await page.getByText('search: taken back: ').waitFor();
    await page.locator('.flag-answer').getByText('on for 10 %').waitFor();
    await tab.picture('approval-ramp-undo-light-1440');
    expect(await flag('search')).to.include({ rollout: 10, ramp: null });
  });

  it('stays where somebody has changed the flag since', async () => {
    await approve('greeting', { value: 'Ahoy' });
    await undo().waitFor();
    const changed = await of().ana.post('/flags/greeting', { change: { value: 'Moin' } });
    expect(changed.status, changed.text).to.equal(200);
    await pressUndo();
    // Which of the two it is depends on whether the page has heard of the change.
    await page.getByText(/^(greeting has been changed meanwhile|Somebody else changed greeting)/).waitFor();
    expect((await flag('greeting')).value).to.equal('Moin');
  });

  it('needs the confirmation and the approval that the flag wants, on the page of the flag', async () => {
    await approve('payouts', { value: false }, { confirmed: true, reason: 'Stop them.' });
    await page.getByRole('group', { name: 'Confirm the approval' }).waitFor();
    await page.getByRole('button', { name: 'Approve it all the same', disabled: false }).waitFor();
    await page.keyboard.press('Control+Enter');
    await undo().waitFor();
    await pressUndo();
    await page.waitForURL('**/flags/payouts');
    const dialog = page.getByRole('dialog', { name: 'payouts: taken back: value on → off' });
    await dialog.getByText('This flag wants a person’s approval').waitFor();
    await dialog.getByText('off → on').waitFor();
    await tab.picture('approval-flag-undo-asks-light-1440');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await flag('payouts')).value).to.equal(false);
  });

  it('lets a ramp that was ended go on as it was planned', async () => {
    const { ana, world, origin } = of();
    const ramp = { to: 50, over: 600_000, every: 60_000 };
    const begun = await ana.post('/flags/checkout', { change: { rollout: 20, ramp } });
    const { startedAt } = begun.body.flag.ramp;
    await page.goto(`${origin}/env/demo/flags/checkout`);
    await loaded(page);
    world.clock.advance(60_000);
    await page.getByRole('button', { name: 'End the ramp: stays at 23 %' }).click();
    await page.getByText('checkout: ramp ended, stays at 23 %').waitFor();
    await page.getByText('None: the rollout stays until somebody changes it.').waitFor();
    await page.getByLabel('Value without a rollout').waitFor();
    await tab.picture('ramp-ended-light-1440');
    expect(await flag('checkout')).to.include({ rollout: 23, ramp: null });
    await pressUndo();
    await page.getByText('checkout: taken back: ramp ended, stays at 23 %').waitFor();
    const { ramp: rest } = await flag('checkout');
    expect(rest).to.include({ from: 23, to: 50, startedAt: startedAt + 60_000, over: 540_000, every: 60_000 });
    world.clock.advance(60_000);
    await page.getByRole('button', { name: 'End the ramp: stays at 26 %' }).waitFor();
    // A rollout set by hand ends a ramp too.
    await page.getByLabel('Rollout in %').fill('5');
    await page.keyboard.press('Enter');
    await page.locator('.flag-answer').getByText('on for 5 %', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.locator('.flag-answer').getByText('on for 26 %, rising to 50 %').waitFor();
    expect((await flag('checkout')).ramp).to.include({ from: 26, startedAt: startedAt + 120_000, over: 480_000 });
    await approve('checkout', { ramp: null });
    await undo().last().waitFor();
    expect((await flag('checkout')).ramp).to.equal(null);
    await pressUndo();
    await until('it goes on', async () => (await flag('checkout')).ramp?.from === 26);
  });

  it('says that a value ends a ramp and its guard, before and after, and brings the ramp back from the history', async () => {
    const { ana, world, origin } = of();
    // oxlint-disable-next-line unicorn/no-thenable -- the API's own name
    const guard = { inbox: 'bugs', tag: null, above: 5, within: 60_000, then: 'rollback' };
    const ramp = { to: 50, over: 600_000, every: 60_000, guard };
    await ana.post('/flags/rising', { change: { ramp } });
    await page.goto(`${origin}/env/demo/flags/rising`);
    await loaded(page);
    await page.getByRole('combobox', { name: 'Value' }).selectOption('true');
    await page.getByText('Ends the ramp and its guard: from 0 % to everybody at once.').waitFor();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).to.equal(0);
    await tab.picture('flag-ends-ramp-light-1440');
    await page.getByRole('button', { name: 'Discard' }).click();
    for (const rollout of [5, 10]) {
      world.clock.advance(60_000);
      await page
        .locator('.flag-answer')
        .getByText(`on for ${String(rollout)} %`)
        .waitFor();
    }
    await page.getByRole('combobox', { name: 'Value' }).selectOption('true');
    await page.getByText('Ends the ramp and its guard: it stays on for 10 %.').waitFor();
    await page.getByLabel('Rollout in %').fill('');
    await page.getByText('Ends the ramp and its guard: from 10 % to everybody at once.').waitFor();
    await page.getByRole('button', { name: 'End the ramp and save' }).click();
    const notice = page.locator('.notice');
    await notice.getByText('rising: value on, ramp and guard ended (from 10 % to everybody)').waitFor();
    await page.locator('.flag-answer').getByText('on for everybody').waitFor();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByRole('button', { name: /^Back to before .*ramp ended/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('on → off', { exact: true }).waitFor();
    await dialog.getByText(/^none → to 50 % from .+; guard: more than 5 in bugs within 1 min/).waitFor();
    await tab.picture('flag-restore-ramp-light-1440');
    await dialog.getByRole('button', { name: 'Change the flag' }).click();
    await notice.getByText(/back to before .* its ramp goes on from 10 % to 50 %/).waitFor();
    const after = await flag('rising');
    expect(after).to.include({ value: false, rollout: 10 });
    expect(after.ramp).to.deep.include({ from: 10, to: 50, over: 480_000, every: 60_000, status: 'running', guard });
    await page.locator('.flag-answer').getByText('on for 10 %, rising to 50 %').waitFor();
  });

  it('says that a rollout ends which is taken away, and asks before a ramp of now ends by what is brought back', async () => {
    const { ana, origin } = of();
    await ana.post('/flags/part', { change: { rollout: 20 } });
    await page.goto(`${origin}/env/demo/flags/part`);
    await loaded(page);
    await page.getByLabel('Rollout in %').fill('');
    await page.getByText('Ends the rollout: from 20 % to everybody at once.').waitFor();
    await page.getByRole('button', { name: 'End the rollout and save' }).click();
    await page.locator('.notice').getByText('part: rollout ended (from 20 % to everybody)').waitFor();
    await ana.post('/flags/part', { change: { ramp: { to: 0, over: 600_000, every: 60_000 } } });
    await page.locator('.flag-answer').getByText('falling to 0 %').waitFor();
    await page.getByRole('button', { name: 'Back to before this change: rollout 20 % → none' }).click();
    const dialog = page.getByRole('dialog', { name: /ramp ended \(from 100 % to 20 %\)/ });
    await dialog.getByText(/^falling to 0 % by .+ → none$/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await flag('part')).ramp).to.include({ to: 0, status: 'running' });
  });

  it('offers no undo to who may decide, and not change flags', async () => {
    const { world, open, signIn } = of();
    await world.role('decider', [
      { on: 'approvals', can: ['*'] },
      { on: 'flag:*', can: ['see'] },
    ]);
    await world.person('decider', 'Dee Moss', { email: 'dee@example.com', password: 'correct horse battery' });
    const asked = await bot.post('/flags/banner', { change: { value: 'Closed' } });
    const other = await open();
    const read = other.page.waitForResponse((response) => response.url().endsWith('/flags/banner'));
    await signIn(other, 'dee@example.com', `/approvals/${String(asked.body.approval)}`);
    await (await read).finished();
    await other.page.getByRole('button', { name: /^Approve/ }).waitFor();
    await loaded(other.page);
    await other.page.keyboard.press('a');
    await other.page.getByRole('button', { name: 'Show', exact: true }).waitFor();
    expect(await other.page.getByRole('button', { name: 'Undo' }).count()).to.equal(0);
    await other.close();
  });
});
