/** Flags in the console: what they are in words, changes of every part, ramps that one watches, and who decided. */
import { expect } from 'chai';
import type { Page, Request } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { loaded, useConsole, type ConsoleTest } from './support.ts';

const manifest = {
  ...testManifest,
  flags: [
    { key: 'new_checkout', kind: 'boolean', default: false, resource: 'customer', description: 'The new checkout.' },
    { key: 'ramped', kind: 'boolean', default: false },
    { key: 'payouts', kind: 'boolean', default: false, approval: true, danger: 'high', reasonRequired: true },
    { key: 'greeting', kind: 'string', default: 'Hello' },
    { key: 'many', kind: 'boolean', default: false },
    { key: 'limits', kind: 'boolean', default: false, danger: 'low', reasonRequired: true },
  ],
};

describe('flags in the console', () => {
  let world: World;
  let ana: Client;
  let ben: Client;
  let origin: string;
  let open: ConsoleTest['open'];
  let tab: Tab;
  let page: Page;
  /** The bodies of the changes that the page has sent. */
  const sent: unknown[] = [];

  const service = useConsole({
    manifest,
    arrange: async (given) => {
      ({ world, ana, ben, origin, open } = given);
      tab = await open();
      ({ page } = tab);
      page.on('request', (request) => {
        if (request.method() === 'POST' && /\/flags\/\w+$/.test(request.url()) && !request.url().includes('ofrep'))
          sent.push(request.postDataJSON());
      });
    },
  });
  const flag = async (name: string) => (await ana.get(`/flags/${name}`)).body.flag;
  const goTo = async (name: string): Promise<void> => {
    await page.goto(`${origin}/env/demo/flags/${name}`);
    await page.getByRole('region', { name: 'History' }).waitFor();
    await loaded(page);
  };
  const part = (name: string) => page.getByRole('region', { name });
  const answer = () => page.locator('.flag-answer');
  const lastSent = () => sent.at(-1);

  it('says of each in words what it is, and finds it', async () => {
    await service().signIn(tab, 'ana@example.com', '/flags');
    await page.getByRole('button', { name: 'new_checkout off for everybody' }).waitFor();
    await page.getByRole('button', { name: 'greeting Hello' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('check');
    await page.getByRole('button', { name: /^greeting/ }).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'new_checkout' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/env/demo/flags/new_checkout');
  });

  it('sends only what was changed, and undoes it', async () => {
    await goTo('new_checkout');
    await page.getByLabel('Rollout in %').fill('35');
    await page.keyboard.press('Enter');
    await answer().getByText('on for 35 % of all customer records').waitFor();
    expect(lastSent()).to.deep.equal({ change: { rollout: 35 } });
    expect((await flag('new_checkout')).rollout).to.equal(35);
    await page.keyboard.press('Escape');
    await page.locator('h1').first().click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await answer().getByText('off for everybody').waitFor();
    expect(await flag('new_checkout')).to.include({ rollout: null, value: false });
  });

  it('builds rules, and says for one id what decides', async () => {
    await goTo('new_checkout');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Field 1').fill('plan');
    await page.getByLabel('Comparison 1').selectOption('in');
    await page.getByLabel('Value 1').fill('team, enterprise');
    await page.getByRole('button', { name: 'Add a line' }).click();
    await page.getByLabel('Field 2').fill('seats');
    await page.getByLabel('Comparison 2').selectOption('gte');
    await page.getByLabel('Value 2').fill('10');
    await page.getByRole('button', { name: 'Save the rule' }).click();
    await part('Rules').getByText('1. When plan is one of team, enterprise and seats is at least 10: on').waitFor();
    expect((await flag('new_checkout')).rules).to.deep.equal([
      {
        when: {
          all: [
            { field: 'plan', op: 'in', value: ['team', 'enterprise'] },
            { field: 'seats', op: 'gte', value: 10 },
          ],
        },
        value: true,
      },
    ]);
    await part('Targets').getByLabel('Id').fill('cus_7');
    await part('Targets').getByLabel('Is').selectOption('false');
    await part('Targets').getByRole('button', { name: 'Add target' }).click();
    await part('Targets').getByRole('button', { name: 'Remove cus_7' }).waitFor();
    expect(lastSent()).to.deep.equal({ change: { targets: { cus_7: false } } });
    const attempt = async (id: string, attributes: string): Promise<void> => {
      await part('Try an id').getByLabel('customer id').fill(id);
      await part('Try an id').getByLabel('Attributes, one a line').fill(attributes);
      await part('Try an id').getByRole('button', { name: 'Try' }).click();
    };
    await attempt('cus_1', 'plan = team\nseats = 12');
    await part('Try an id').getByText('on, decided by rule 1').waitFor();
    await attempt('cus_7', 'plan = team\nseats = 12');
    await part('Try an id').getByText('off, decided by its target').waitFor();
    await attempt('cus_1', 'plan = free');
    await part('Try an id').getByText('off, decided by the value for everybody').waitFor();
    await tab.picture('flag-light-1440');
    await part('Targets').getByRole('button', { name: 'Remove cus_7' }).click();
    await until('the target is gone', async () => Object.keys((await flag('new_checkout')).targets).length === 0);
  });

  it('keeps what was typed when a colleague was faster', async () => {
    await goTo('greeting');
    await page.getByLabel('Value', { exact: true }).fill('Good day');
    let isFirst = true;
    await intercept(page, '**/flags/greeting', async (route) => {
      if (route.request().method() !== 'POST' || !isFirst) return route.continue();
      isFirst = false;
      await ben.post('/flags/greeting', { change: { value: 'Hi' } });
      return route.continue();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else changed greeting a moment ago').waitFor();
    await answer().getByText('Hi').waitFor();
    await page.getByText('It became Hi meanwhile. Saving replaces that.').waitFor();
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).to.equal('Good day');
    await page.reload();
    await page.getByRole('button', { name: 'Save' }).click();
    await answer().getByText('Good day').waitFor();
    await page.unroute('**/flags/greeting');
  });

  it('restores what was before a change', async () => {
    await goTo('greeting');
    await part('History').getByRole('button', { name: 'Back to before this change: value Hi → Good day' }).click();
    await answer().getByText('Hi', { exact: true }).waitFor();
    await page.locator('.notice').getByText('greeting: back to before “value Hi → Good day”').waitFor();
    expect((await flag('greeting')).value).to.equal('Hi');
  });

  it('shows a ramp move, and its guard roll it back', async () => {
    await goTo('ramped');
    await page.getByRole('button', { name: 'Start a ramp' }).click();
    await page.getByLabel('To in %').fill('50');
    await page.getByLabel('Over', { exact: true }).fill('10');
    await page.getByLabel('Over: unit').selectOption('minutes');
    await page.getByLabel('A step every', { exact: true }).fill('1');
    await page.getByLabel('Guard').selectOption('bugs');
    await page.getByLabel('More than').fill('2');
    await page.getByText('Nothing came there in the last 10 min, which counts too.').waitFor();
    const tag = page.getByLabel('Only tagged (empty: all)');
    await tag.fill('misspelt');
    await page.getByText('No item there has the tag “misspelt”: the guard counts nothing until one has.').waitFor();
    await tab.picture('ramp-tag-light-1440');
    await tag.fill('');
    await page.getByRole('button', { name: 'Start the ramp' }).click();
    await answer()
      .getByText(/rising to 50 % by/)
      .waitFor();
    for (const rollout of [5, 10, 15]) {
      world.clock.advance(60_000);
      await answer()
        .getByText(new RegExp(`^on for ${String(rollout)} %`))
        .waitFor();
    }
    await part('Ramp').getByText('step 3 of 10').waitFor();
    await tab.picture('ramp-light-1440');
    for (const title of ['One', 'Two', 'Three', 'Four']) await ana.post('/items', { inbox: 'bugs', title });
    await part('Ramp').getByText('rolled back to 0 % by its guard').waitFor();
    await part('History').getByText('the guard rolled it back').waitFor();
    expect(await flag('ramped')).to.include({ rollout: 0 });
    const steps = part('History').getByText('The ramp took 3 steps: rollout 0 % → 15 %');
    expect(await part('History').getByText('rollout 5 % → 10 %').isVisible()).to.equal(false);
    await steps.click();
    await part('History').getByText('rollout 5 % → 10 %').waitFor();
    await page.getByRole('button', { name: 'Start a ramp' }).click();
    await page.getByLabel('Guard').selectOption('bugs');
    await page.getByLabel('More than').fill('3');
    await page
      .getByText('At least 4 came there in the last 10 min, which counts too: the ramp would be rolled back at once.')
      .waitFor();
    await tab.picture('ramp-guard-light-1440');
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('asks for reason, confirmation and approval where a flag wants them', async () => {
    await goTo('payouts');
    await page.getByRole('button', { name: 'Start a ramp' }).click();
    await page.getByRole('button', { name: 'Start the ramp' }).click();
    const plan = page.getByRole('dialog', { name: 'payouts: ramp to 100 % over 2 h' });
    await plan.getByText(/^none → to 100 % from .+ to .+, a step every 10 min$/).waitFor();
    expect(await plan.getByRole('term').allTextContents()).to.not.include('ramp.over');
    await plan.getByRole('button', { name: 'Cancel' }).click();
    await part('Ramp').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('combobox', { name: 'Value' }).selectOption('true');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'payouts: value on' });
    await dialog.getByText('This flag wants a person’s approval').waitFor();
    await dialog.getByText('off → on').waitFor();
    await dialog.getByLabel('Reason').fill('Finance agreed.');
    await dialog.getByLabel('Type payouts to confirm').fill('payouts');
    await tab.picture('flag-confirm-light-1440');
    await page.keyboard.press('Enter');
    await page.getByText('Asked for: value on.').waitFor();
    expect((await flag('payouts')).value).to.equal(false);
    const waiting = part('Waits for a decision');
    await waiting.getByText(/^Ana Lind asked for this: /).waitFor();
    await waiting.getByText('Finance agreed.').waitFor();
    await page.getByRole('button', { name: 'payouts off for everybody · 1 change waits for a decision' }).waitFor();
    await tab.picture('flag-waiting-light-1440');
    const [request] = (await ben.get('/approvals')).body.approvals;
    expect(await waiting.getByRole('link', { name: 'Show the request' }).getAttribute('href')).to.equal(
      `/env/demo/approvals/${String(request.id)}`,
    );
    expect(request.reason).to.equal('Finance agreed.');
    await ben.post(`/approvals/${String(request.id)}/approve`, {});
    await answer().getByText('on for everybody').waitFor();
    await waiting.waitFor({ state: 'detached' });
    await part('History').getByText('approved by Ben Okoro').waitFor();
  });

  it('tells a ramp that is asked for in words, and the danger of its flag, to whoever decides', async () => {
    const ramp = { to: 50, over: 7_200_000, every: 600_000 };
    const asked = await ben.post('/flags/payouts', { change: { ramp }, confirmed: true, reason: 'Slowly.' });
    expect(asked.status, asked.text).to.equal(202);
    await page.goto(`${origin}/env/demo/approvals/${String(asked.body.approval)}`);
    const decision = page.locator('.decision');
    await decision.getByText(/^to 50 % from .+ to .+, a step every 10 min$/).waitFor();
    expect(await decision.textContent()).to.not.match(/[{}]|7,200,000/);
    await decision.getByText('High danger', { exact: true }).waitFor();
    await tab.picture('approval-ramp-light-1440');
    await ben.post(`/approvals/${String(asked.body.approval)}/cancel`, {});
  });

  it('asks for the confirmation of an undo on the page of its flag, and keeps the reason until it is made', async () => {
    await goTo('limits');
    const dialog = (change: string) => page.getByRole('dialog', { name: `limits: ${change}` });
    await page.getByRole('combobox', { name: 'Value' }).selectOption('true');
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog('value on').getByText('off → on').waitFor();
    await dialog('value on').getByLabel('Reason').fill('Support agreed.');
    await page.keyboard.press('Enter');
    await answer().getByText('on for everybody').waitFor();
    await page.getByRole('button', { name: /^greeting/ }).click();
    await page.getByRole('heading', { name: 'greeting' }).waitFor();
    await page.keyboard.press('u');
    const undo = dialog('taken back: value on');
    await undo.getByText('on → off').waitFor();
    expect(new URL(page.url()).pathname).to.equal('/env/demo/flags/limits');
    await undo.getByLabel('Reason').fill('It was too early.');
    let isRefused = false;
    await intercept(page, '**/flags/limits', async (route) => {
      if (isRefused || route.request().method() !== 'POST' || route.request().postDataJSON().dryRun === true)
        return route.continue();
      isRefused = true;
      const body = JSON.stringify({ error: 'Too many requests.', code: 'rate_limited' });
      return route.fulfill({ status: 429, contentType: 'application/json', body });
    });
    await page.keyboard.press('Enter');
    await undo.getByRole('alert').filter({ hasText: 'Too many requests.' }).waitFor();
    expect(await undo.getByLabel('Reason').inputValue()).to.equal('It was too early.');
    const theirs = { change: { targets: { cus_1: true } }, confirmed: true, reason: 'The first customer.' };
    expect((await ben.post('/flags/limits', theirs)).status).to.equal(200);
    await page.keyboard.press('Enter');
    await undo.getByRole('alert').filter({ hasText: 'Somebody else changed limits a moment ago.' }).waitFor();
    await undo.getByText('on → off').waitFor();
    expect(await undo.getByLabel('Reason').inputValue()).to.equal('It was too early.');
    await tab.picture('flag-undo-conflict-light-1440');
    await page.keyboard.press('Enter');
    await answer().getByText('off for everybody').waitFor();
    await undo.waitFor({ state: 'detached' });
    expect(await flag('limits')).to.deep.include({ value: false, targets: { cus_1: true } });
    await part('History').getByText('It was too early.').waitFor();
    await page.unroute('**/flags/limits');
  });

  it('offers an undo again that was refused for now', async () => {
    await goTo('greeting');
    await page.getByLabel('Value', { exact: true }).fill('Welcome');
    await page.getByRole('button', { name: 'Save' }).click();
    // What the stream tells may come before the answer, without which there is nothing to undo.
    await page.locator('.notice').getByText('value Welcome').waitFor();
    await page.getByRole('button', { name: /^new_checkout/ }).click();
    await page.getByRole('heading', { name: 'new_checkout' }).waitFor();
    await intercept(page, '**/flags/greeting', (route) => route.fulfill({ status: 503, body: '' }));
    await page.keyboard.press('u');
    await page.locator('.notice.failed').waitFor();
    expect((await flag('greeting')).value).to.equal('Welcome');
    await page.unroute('**/flags/greeting');
    await page.keyboard.press('u');
    await until('it is undone', async () => (await flag('greeting')).value === 'Hi');
  });

  it('undoes no value that a colleague has changed since', async () => {
    await goTo('greeting');
    await page.getByLabel('Value', { exact: true }).fill('Good day');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.notice').getByText('value Good day').waitFor();
    expect((await ben.post('/flags/greeting', { change: { value: 'Dear customer' } })).status).to.equal(200);
    await answer().getByText('Dear customer').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('h1').first().click();
    await page.keyboard.press('u');
    await page.getByText('greeting has been changed meanwhile').waitFor();
    expect((await flag('greeting')).value).to.equal('Dear customer');
  });

  it('keeps 10,000 targets searchable, and sends only the one that is added or removed', async () => {
    const targets = Object.fromEntries(Array.from({ length: 9_999 }, (_, n) => [`org_${String(n)}`, n % 2 === 0]));
    const made = await ana.post('/flags/many', { change: { targets } });
    expect(made.status, made.text).to.equal(200);
    await goTo('many');
    const lines = part('Targets').getByRole('listitem');
    await part('Targets').getByText('9,949 more: search for them.').waitFor();
    await part('History')
      .getByText(/and 9,991 more/)
      .waitFor();
    expect(await lines.count()).to.equal(50);
    const search = part('Targets').getByLabel('Search targets');
    await search.fill('ORG_777');
    await part('Targets').getByText('more: search').waitFor({ state: 'detached' });
    expect((await lines.allTextContents()).map((line) => line.replace(/(on|off).*$/, '')).toSorted()).to.deep.equal([
      'org_777',
      ...Array.from({ length: 10 }, (_, n) => `org_777${String(n)}`),
    ]);
    await tab.picture('targets-light-1440');
    await search.fill('');
    const asked: string[] = [];
    const note = (request: Request): void => {
      const { pathname } = new URL(request.url());
      if (pathname.includes('/flags')) asked.push(`${request.method()} ${pathname.replace(/^.*\/demo/, '')}`);
    };
    page.on('request', note);
    await part('Targets').getByLabel('Id').fill('a_new_one');
    await part('Targets').getByLabel('Is').selectOption('false');
    await part('Targets').getByRole('button', { name: 'Add target' }).click();
    await lines.first().getByText('a_new_one').waitFor();
    expect(lastSent()).to.deep.equal({ change: { targets: { a_new_one: false } } });
    await part('Targets').getByRole('heading').getByText('10,000').waitFor();
    expect(await lines.count()).to.equal(50);
    await search.fill('org_4321');
    await part('Targets').getByRole('button', { name: 'Remove org_4321' }).click();
    await lines.first().waitFor({ state: 'detached' });
    expect(lastSent()).to.deep.equal({ change: { targets: { org_4321: null } } });
    // The console undoes a change only after the answer to the change.
    await page.getByText('org_4321 is no target any more').first().waitFor();
    await page.keyboard.press('u');
    await part('Targets').getByRole('button', { name: 'Remove org_4321' }).waitFor();
    expect(lastSent()).to.deep.equal({ change: { targets: { org_4321: false } } });
    page.off('request', note);
    expect(
      asked.filter((each) => each.startsWith('GET') && !each.endsWith('/history')),
      'flags are not read again',
    ).to.deep.equal([]);
    expect((await flag('many')).targets).to.deep.equal({ ...targets, a_new_one: false });
  });

  it('lets those look who may not change', async () => {
    const vera = await open();
    await service().signIn(vera, 'vera@example.com', '/flags/new_checkout');
    await vera.page.getByText('Your role can read this, not change it.').waitFor();
    await vera.page.getByRole('region', { name: 'History' }).waitFor();
    const names = await vera.page.locator('.flag').getByRole('button').allTextContents();
    expect(names.filter((name) => !name.includes('Flags'))).to.deep.equal(['Try']);
    await vera.close();
  });
});
