/** The audit log in the console: filters that stand in the address, what each act changed, and a file of it. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useConsole, type ConsoleTest } from './support.ts';

const manifest = {
  ...testManifest,
  resources: [...testManifest.resources, { name: 'order', label: 'Orders', source: 'stored' }],
  actions: [...testManifest.actions, { name: 'greet', label: 'Greet', resource: 'order' }],
};

describe('the audit log in the console', () => {
  let ana: Client;
  let ben: Client;
  let origin: string;
  let open: ConsoleTest['open'];
  let tab: Tab;
  let page: Page;
  let id: string;

  const service = useConsole({
    manifest,
    handlers: { 'action.run': () => ({ message: 'Greeted.', blocks: [] }) },
    arrange: async (given) => {
      ({ ana, ben, origin, open } = given);
      const key = await given.world.appKey();
      await key.post('/resources/order/records', {
        records: [
          { id: '1234', title: 'Order of Kim' },
          { id: '1235', title: 'Order of Lea' },
          { id: '1236', title: 'Order of nobody' },
          { id: '1237', title: 'Order of Kim, returned' },
        ],
      });
      tab = await open();
      ({ page } = tab);
      id = await given.newItem('=HYPERLINK("http://example.com")');
      await ben.post(`/items/${id}/state`, { state: 'closed', reason: '=1+1, "twice"' });
      await given.vera.post(`/items/${id}/state`, { state: 'open' });
    },
  });
  const target = () => page.getByLabel('To what (title, name or id)');
  /** Entries of a verb of the API, which its words have as their title; or with a text. */
  const ofVerb = (verb: string) => ({ has: page.locator(`:is([title="Only ${verb}"], [title="${verb}"])`) });
  const row = (text: string) =>
    page.locator('tbody tr', /^[a-z]+\.[a-z]+$/i.test(text) ? ofVerb(text) : { hasText: text });

  it('shows who did what, refusals too, and narrows it by a click', async () => {
    await service().signIn(tab, 'ana@example.com', '/settings/audit');
    await row('item.create').first().waitFor();
    expect(await row('refused').count()).to.equal(1);
    await row('item.create').getByRole('button', { name: '=HYPERLINK("http://example.com")' }).waitFor();
    await row('refused').getByRole('button', { name: 'Vera Holt' }).click();
    await row('Ben Okoro').first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('actor')).to.equal(service().vera.id);
    await page.goBack();
    await row('Ben Okoro').first().waitFor();
    await target().fill(id);
    await page.getByLabel('Did').fill('item.state');
    await page.keyboard.press('Enter');
    await row('item.create').first().waitFor({ state: 'detached' });
    await row('item.state').nth(1).waitFor();
    expect(await row('item.state').count()).to.equal(2);
    await page.reload();
    await row('item.state').first().waitFor();
    await until(
      'it is called by its title',
      async () => (await target().inputValue()) === '=HYPERLINK("http://example.com")',
    );
    expect(new URL(page.url()).searchParams.get('target')).to.equal(id);
  });

  it('finds an item by its title, completed as it is typed, or by the words that only it has', async () => {
    const late = await service().newItem('The parcel of Kim is late');
    await service().newItem('The parcel of Lea is lost');
    await page.goto(`${origin}/env/demo/settings/audit`);
    await row('item.create').first().waitFor();
    await target().fill('parcel kim');
    await page.locator('datalist option[value="The parcel of Kim is late"]').waitFor({ state: 'attached' });
    await target().fill('the parcel of kim is late');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/settings/audit?target=${late}`);
    await until('one is left', async () => (await page.locator('tbody tr').count()) === 1);
    await until('it is called so', async () => (await target().inputValue()) === 'The parcel of Kim is late');
    await tab.picture('audit-item-light-1440');
    await target().fill('parcel late');
    await page.getByLabel('Who (name or id)').fill('ana');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('actor') === ana.id);
    expect(new URL(page.url()).searchParams.get('target')).to.equal(late);
    await row('item.create').waitFor();
  });

  it('finds what was done to a record by its id or title, and leads there from its page', async () => {
    await ben.post('/actions', { action: 'greet', record: '1234', input: {} });
    await ben.post('/actions', { action: 'greet', record: '1235', input: {} });
    await page.goto(`${origin}/env/demo/settings/audit`);
    await row('item.create').first().waitFor();
    await target().fill('order:1234');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('record') === 'order:1234');
    await row('action.run').first().waitFor();
    const runs = await page.locator('tbody tr').count();
    await target().fill('Order of Lea');
    await page.locator('datalist option[value="Order of Lea (order:1235)"]').waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('record') === 'order:1235');
    expect(await target().inputValue()).to.equal('order:1235');
    // Of several that have the words, the one that is called so.
    for (const [words, record] of [
      ['order of kim', 'order:1234'],
      ['1236', 'order:1236'],
    ] as const) {
      await target().fill(words);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.searchParams.get('record') === record);
    }
    await page.goto(`${origin}/env/demo/records/order?record=1234`);
    await page.getByRole('link', { name: 'Audit log of this' }).click();
    await row('action.run').first().waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(runs);
    await tab.picture('audit-record-light-1440');
    await page.goto(`${origin}/env/demo/settings/audit?record=order%3A1236`);
    await page.getByText('No action was run on this record.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await row('item.create').first().waitFor();
  });

  it('is a click away from an item for those who may see it', async () => {
    await page.goto(`${origin}/env/demo/inbox/mail?show=all&item=${id}`);
    await page.getByRole('link', { name: 'Audit log of this' }).click();
    await page.waitForURL(`**/settings/audit?target=${id}`);
    await row('item.create').waitFor();
    const other = await open();
    await service().signIn(other, 'ben@example.com', `/inbox/mail?show=all&item=${id}`);
    await other.page.locator('.side').getByText(id).waitFor();
    expect(await other.page.getByRole('link', { name: 'Audit log of this' }).count()).to.equal(0);
    await other.page.goto(`${origin}/env/demo/records/order?record=1234`);
    await other.page.getByRole('region', { name: 'History' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Audit log of this' }).count()).to.equal(0);
    await other.close();
  });

  it('takes a name for who did it, and words for what was done', async () => {
    await page.goto(`${origin}/env/demo/settings/audit`);
    await row('item.create').first().waitFor();
    const who = page.getByLabel('Who (name or id)');
    await page.locator('datalist option[value="Vera Holt"]').waitFor({ state: 'attached' });
    await who.fill('ben okoro');
    await page.getByLabel('Did').fill('Set the state');
    await page.keyboard.press('Enter');
    await row('Vera Holt').first().waitFor({ state: 'detached' });
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('actor'), searchParams.get('verb')]).to.deep.equal([service().ben.id, 'item.state']);
    await page.reload();
    await row('Ben Okoro').first().waitFor();
    expect(await who.inputValue()).to.equal('Ben Okoro');
    await page.goBack();
    await row('item.create').first().waitFor();
  });

  it('calls what is kept in the settings by its name', async () => {
    const { id: agent } = await service().world.agent('viewer', { name: 'Night bot' });
    const boss = await service().world.person('admin', 'Ana Boss', { fresh: true });
    const { status, text } = await boss.call('PATCH', `/settings/agents/${agent}`, { mode: 'readonly' });
    expect(status, text).to.equal(200);
    await page.goto(`${origin}/env/demo/settings/audit?target=${agent}`);
    await row('Ana').getByRole('button', { name: 'Night bot' }).waitFor();
    await page.goBack();
    await row('item.state').first().waitFor();
  });

  it('opens what an act changed: before and after', async () => {
    await row('Ben Okoro').getByRole('button', { name: 'Details: Set the state of an item' }).click();
    const change = page.getByRole('table', { name: 'Before and after' });
    expect(await change.locator('tr', { hasText: 'state' }).first().locator('td').allTextContents()).to.deep.equal([
      'open',
      'closed',
    ]);
    await tab.picture('audit-light-1440');
  });

  it('narrows it to a kind of who did it, in the address', async () => {
    await page.goto(`${origin}/env/demo/settings/audit`);
    await row('item.create').first().waitFor();
    const agent = await service().world.agent('admin', { name: 'Night watch' });
    await agent.post(`/items/${id}/tags`, { add: ['late'] });
    await page.getByLabel('Done by').selectOption({ label: 'agents' });
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await row('item.create').first().waitFor({ state: 'detached' });
    await row('Night watch').waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(1);
    expect(new URL(page.url()).search).to.equal('?actorKind=agent');
    await page.reload();
    await row('Night watch').waitFor();
    expect(await page.getByLabel('Done by').inputValue()).to.equal('agent');
  });

  it('announces what fits the filters and came since, and moves nothing until it is asked for', async () => {
    await ben.post(`/items/${id}/notes`, { text: 'Of no agent.' });
    const agent = await service().world.agent('admin', { name: 'Day watch' });
    for (const tag of ['one', 'two']) await agent.post(`/items/${id}/tags`, { add: [tag] });
    await page.getByRole('button', { name: '2 new, show them' }).waitFor();
    await tab.picture('audit-new-light-1440');
    expect(await page.locator('tbody tr').count()).to.equal(1);
    await page.keyboard.press('l');
    await row('Day watch').nth(1).waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(3);
    await page.getByRole('button', { name: /new, show/ }).waitFor({ state: 'detached' });
  });

  it('finds what was done by a part of its words, and says at the field what nothing or nobody is called', async () => {
    const bot = await service().world.agent('operator', { mode: 'supervised', name: 'Reopen bot' });
    const asked = await bot.post(`/items/${id}/state`, { state: 'open', reason: 'It is not solved.' });
    const approved = await ana.post(`/approvals/${String(asked.body.approval)}/approve`, {});
    expect(approved.status, approved.text).to.equal(200);
    await page.goto(`${origin}/env/demo/settings/audit`);
    await row('item.create').first().waitFor();
    const [who, did] = [page.getByLabel('Who (name or id)'), page.getByLabel('Did')];
    await did.fill('Approve');
    await page.keyboard.press('Enter');
    await row('approval.approve').waitFor();
    expect(new URL(page.url()).searchParams.get('verb')).to.equal('approval.approve');
    await until('it is called so', async () => (await did.inputValue()) === 'Approve a request');
    await did.fill('Aprove');
    await page.keyboard.press('Enter');
    const problem = page.getByRole('alert');
    await problem.getByText('Nothing that can be done is called “Aprove”.').waitFor();
    await tab.picture('audit-unknown-verb-light-1440');
    await problem.getByRole('button', { name: 'Approve a request' }).waitFor();
    await did.fill('');
    await who.fill('Veera');
    await page.keyboard.press('Enter');
    await problem.getByText('Nobody is called “Veera” here.').waitFor();
    await problem.getByRole('button', { name: 'Vera Holt' }).click();
    await page.waitForURL((url) => url.searchParams.get('actor') === service().vera.id);
    await row('refused').first().waitFor();
    expect(new URL(page.url()).searchParams.get('verb')).to.equal(null);
    await page.goto(`${origin}/env/demo/settings/audit?verb=item.resurrect`);
    await page.getByText('Nothing was done under this name').waitFor();
  });

  it('shows today, yesterday and the last days by a click', async () => {
    await page.goto(`${origin}/env/demo/settings/audit`);
    await row('item.create').first().waitFor();
    const days = page.getByRole('group', { name: 'Time' });
    await days.getByRole('button', { name: 'Yesterday' }).click();
    await page.getByText('Nothing found').waitFor();
    const { searchParams } = new URL(page.url());
    expect(Number(searchParams.get('to')) - Number(searchParams.get('from'))).to.be.within(82_800_000, 90_000_000);
    await days.getByRole('button', { name: 'Today' }).click();
    await row('item.create').first().waitFor();
    expect(new URL(page.url()).searchParams.get('to')).to.equal(null);
    await days.getByRole('button', { name: 'Today', pressed: true }).waitFor();
    await days.getByRole('button', { name: 'Last 7 days' }).click();
    await days.getByRole('button', { name: 'Last 7 days', pressed: true }).waitFor();
    await row('item.create').first().waitFor();
  });

  it('says of each act when it was, what was asked for, who approved it, and of which bulk it is', async () => {
    const bulk = await ana.post('/bulk', { ids: [id], operation: { type: 'tags', add: ['bulky'] } });
    await service().world.settled();
    await page.goto(`${origin}/env/demo/settings/audit`);
    const bot = row('Reopen bot');
    await bot.filter(ofVerb('approval.request')).getByText('state: =HYPERLINK("http://example.com")').waitFor();
    await bot.filter(ofVerb('item.state')).getByText('approved by Ana Lind').waitFor();
    await row('approval.approve').getByText('state: =HYPERLINK("http://example.com")').waitFor();
    expect(await bot.first().locator('td').first().textContent()).to.match(/\d{4}.*\d:\d\d:\d\d/);
    const tags = row('item.tags')
      .filter({ hasText: 'with many others' })
      .getByRole('link', { name: 'with many others' });
    expect(await tags.getAttribute('href')).to.include(`/bulks/${String(bulk.body.bulk.id)}`);
    await bot.getByRole('button', { name: 'Details: Set the state of an item' }).click();
    const change = page.getByRole('table', { name: 'Before and after' });
    await change.locator('tr', { hasText: 'Approved by' }).getByText('Ana Lind', { exact: true }).waitFor();
    expect(await change.getByText('per_').count()).to.equal(0);
    await tab.picture('audit-marks-light-1440');
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.picture('audit-marks-light-390');
    await page.setViewportSize({ width: 1440, height: 900 });
    const { id: agent } = (await ana.get('/settings/agents')).body.agents.find(
      ({ name }: { name: string }) => name === 'Reopen bot',
    );
    await page.goto(`${origin}/env/demo/settings/agents/${String(agent)}`);
    await row('item.state').getByText('approved by Ana Lind').waitFor();
    expect(await page.getByText('approvedBy').count()).to.equal(0);
    await tab.picture('agent-approved-light-1440');
  });

  it('chooses a time, in the person’s own zone', async () => {
    await page.goto(`${origin}/env/demo/settings/audit?to=${String(Date.now() - 3_600_000)}`);
    await page.getByText('Nothing found').waitFor();
    expect(await page.getByLabel('Before').inputValue()).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
    await page.getByRole('button', { name: 'Show all' }).click();
    await row('item.state').first().waitFor();
  });

  it('saves all of it as a file that no spreadsheet runs', async () => {
    for (let n = 0; n < 210; n++) await ana.post(`/items/${id}/notes`, { text: `Note ${String(n)}` });
    await page.reload();
    await page.getByRole('button', { name: 'Show earlier entries' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    const lines = text.trim().split('\r\n');
    const entries: unknown[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await ana.get(`/audit?limit=200${cursor === null ? '' : `&cursor=${cursor}`}`);
      entries.push(...(body.entries as unknown[]));
      cursor = body.cursor as string | null;
    } while (cursor !== null);
    expect(lines.length).to.equal(entries.length + 1);
    expect(download.suggestedFilename()).to.match(/^audit-demo-\d{4}-\d\d-\d\d\.csv$/);
    expect(lines[0]).to.include('actor_name,actor_role,verb');
    expect(text).to.include(`"'=1+1, ""twice"""`);
    expect(text).not.to.match(/(^|,)[=+@]/m);
  });

  it('is closed to those who may not see it', async () => {
    const vera = await open();
    await service().signIn(vera, 'vera@example.com', '/settings/audit');
    await vera.page.getByText('Your role may not see this').waitFor();
    await vera.page.getByText('It needs audit: see.').waitFor();
    expect(await vera.page.getByRole('link', { name: 'Audit' }).count()).to.equal(0);
    await vera.close();
  });
});
