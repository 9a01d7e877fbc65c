/** Supervision of agents in the console: ledger, reads, modes, revocation and tokens. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import { clientOf, type Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { password, useConsole, type ConsoleTest } from './support.ts';

describe('agents in the console', () => {
  let world: World;
  let ana: Client;
  let open: ConsoleTest['open'];
  let tab: Tab;
  let page: Page;
  let bot: Client;
  let other: Client;
  let item: string;

  const service = useConsole({
    arrange: async (given) => {
      ({ world, ana, open } = given);
      tab = await open();
      ({ page } = tab);
      item = await given.newItem('Export fails with a timeout');
      bot = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      other = await world.agent('operator', { name: 'Night watch' });
      const viewer = await world.agent('viewer', { name: 'Reader' });
      await bot.post(`/items/${item}/state`, { state: 'closed', reason: 'A duplicate.' });
      await other.post(`/items/${item}/tags`, { add: ['export'] });
      await viewer.post(`/items/${item}/state`, { state: 'closed' });
      const late = await world.agent('operator', { name: 'Late bot' });
      await late.post(`/items/${item}/notes`, { text: 'Late' }, { headers: { 'if-match': '"99"' } });
    },
  });
  const acts = (opened: Page) => opened.getByRole('region', { name: 'Acts' });
  /** Lines of a verb of the API, which its words have as their title; or with a text. */
  const line = (opened: Page, text: string) =>
    acts(opened).locator(
      'tbody tr',
      /^[a-z]+\.[a-z]+$/i.test(text) ? { has: opened.locator(`[title="${text}"]`) } : { hasText: text },
    );

  it('shows what all agents do in one ledger, what waits and what was refused marked', async () => {
    await service().signIn(tab, 'ana@example.com', '/settings/activity');
    await line(page, 'Reader').getByText('refused').waitFor();
    await line(page, 'Triage bot').getByText('waits for a person').waitFor();
    await line(page, 'Triage bot').getByText('A duplicate.').waitFor();
    await line(page, 'Night watch').getByText('done').waitFor();
    await line(page, 'Late bot').getByText('It had read an older version of this item.').waitFor();
    await tab.picture('activity-light-1440');
    await line(page, 'Triage bot').getByRole('link', { name: 'Triage bot' }).click();
    await page.getByRole('heading', { name: 'Triage bot', level: 1 }).waitFor();
    expect(await line(page, 'Night watch').count()).to.equal(0);
  });

  it('shows what waits for a person as waiting and never as done, be it an item, a run or a bulk', async () => {
    const asked = await bot.post('/actions', { action: 'upgrade', input: {} });
    expect(asked.status, asked.text).to.equal(202);
    const bulk = await bot.post('/bulk', { ids: [item], operation: { type: 'tags', add: ['bulky'] } });
    expect(bulk.body, bulk.text).to.include({ pending: true });
    await page.goto(`${service().origin}/env/demo/settings/agents/${bot.id}`);
    for (const verb of ['action.run', 'bulk.create']) await line(page, verb).getByText('waits for a person').waitFor();
    expect(await line(page, 'approval.request').filter({ hasText: 'waits for a person' }).count()).to.equal(3);
    expect(await acts(page).getByText('done', { exact: true }).count()).to.equal(0);
    await tab.picture('agent-waits-light-1440');
    await ana.post(`/approvals/${String(asked.body.approval)}/reject`, {});
    await ana.post(`/approvals/${String(bulk.body.approval)}/approve`, {});
    await line(page, 'action.run').getByText('was asked for').waitFor();
    await line(page, 'bulk.create').getByText('was asked for').waitFor();
    expect(await acts(page).getByText('waits for a person').count()).to.equal(1);
  });

  it('announces what an agent does, and moves nothing until it is asked for', async () => {
    await page.goto(`${service().origin}/env/demo/settings/agents/${other.id}`);
    await line(page, 'item.tags').waitFor();
    await acts(page).hover();
    await other.post(`/items/${item}/notes`, { text: 'Called them.', reason: 'They asked.' });
    await page.getByRole('button', { name: /1 new, show it/ }).waitFor();
    expect(await acts(page).locator('tbody tr').count()).to.equal(1);
    await page.keyboard.press('l');
    await line(page, 'They asked.').waitFor();
    expect(await acts(page).locator('tbody tr').first().textContent()).to.include('Write a note');
    await line(page, 'item.note')
      .getByRole('button', { name: /^Details/ })
      .click();
    await acts(page)
      .getByText(/request /)
      .waitFor();
  });

  it('shows what an agent reads while somebody watches, and nothing of it before or after', async () => {
    const reads = page.getByRole('region', { name: 'Reads' });
    await page.goto(`${service().origin}/env/demo/settings/agents/${other.id}`);
    await other.get('/items?inbox=mail&q=before');
    await page.getByRole('button', { name: 'Show reads' }).waitFor();
    await page.keyboard.press('r');
    await page.getByText('Watching', { exact: true }).waitFor();
    await page.getByText('Nothing read yet').waitFor();
    await other.get('/items?inbox=mail&q=export');
    await other.get(`/items/${item}`);
    await other.get('/audit');
    await bot.get('/counts');
    await reads
      .locator('tr', { has: page.locator('[title="audit.list"]') })
      .getByText('forbidden')
      .waitFor();
    await reads
      .locator('tr', { has: page.locator('[title="item.get"]') })
      .getByRole('link', { name: 'Export fails with a timeout' })
      .waitFor();
    expect(await reads.locator('tbody tr').allTextContents()).to.have.length(3);
    expect(await reads.locator('tr', { has: page.locator('[title="item.list"]') }).textContent()).to.include(
      'q=export',
    );
    await tab.picture('reads-light-1440');
    await page.keyboard.press('r');
    await reads.waitFor({ state: 'detached' });
  });

  it('follows an agent, but not under the pointer', async () => {
    await page.mouse.move(4, 4);
    await page.keyboard.press('f');
    await other.post(`/items/${item}/tags`, { add: ['followed'] });
    await line(page, 'followed').waitFor();
    await acts(page).hover();
    await other.post(`/items/${item}/tags`, { add: ['held'] });
    await page.getByRole('button', { name: /1 new, show it/ }).waitFor();
    expect(await line(page, 'held').count()).to.equal(0);
    await page.mouse.move(4, 4);
    await line(page, 'held').waitFor();
    await page.keyboard.press('f');
    await tab.picture('agent-light-1440');
  });

  it('stops an agent by one key', async () => {
    await page.keyboard.press('o');
    await page.getByText('Night watch is read-only now.').waitFor();
    expect((await other.post(`/items/${item}/notes`, { text: 'No.' })).status).to.equal(403);
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Make it supervised' }).click();
    await page.getByText('Night watch is supervised now.').waitFor();
    expect((await other.post(`/items/${item}/notes`, { text: 'May I?' })).status).to.equal(202);
  });

  it('asks before the second of two keys loosens what the first one has stopped, also before that is answered', async () => {
    const answered = deferred();
    await intercept(
      page,
      `**/settings/agents/${other.id}`,
      async (route) => {
        await answered.promise;
        await route.fallback();
      },
      { times: 1 },
    );
    await page.keyboard.press('o');
    await page.keyboard.press('s');
    const confirm = page.getByRole('button', { name: 'Make it supervised' });
    await confirm.waitFor();
    answered.resolve();
    const statusOfNote = async (): Promise<number> =>
      (await other.post(`/items/${item}/notes`, { text: 'May I?' })).status;
    await until('it is stopped', async () => (await statusOfNote()) === 403);
    await confirm.click();
    await until('it is supervised', async () => (await statusOfNote()) === 202);
  });

  it('changes an agent, and sends only what is another', async () => {
    await page.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change Night watch' });
    await dialog.getByLabel('Name').fill('Day watch');
    await dialog.getByLabel('Works until').fill('2099-01-01T12:00');
    await dialog.getByRole('button', { name: 'Change Night watch' }).click();
    await page.getByRole('heading', { name: 'Day watch', level: 1 }).waitFor();
    const { body } = await ana.get(`/audit?verb=agent.update&target=${other.id}&limit=1`);
    expect(Object.keys(body.entries[0].after as object)).to.include('expiresAt');
    expect(body.entries[0].after).to.include({ name: 'Day watch', mode: 'supervised' });
  });

  it('shows all that an agent has asked for and waits, and how the rest has ended', async () => {
    const ask = async (n: number): Promise<string> =>
      (await other.post(`/items/${item}/tags`, { add: [`asked ${String(n)}`] })).body.approval as string;
    const asked: string[] = [];
    for (let n = 0; n < 8; n++) asked.push(await ask(n));
    expect((await ana.post(`/approvals/${asked[0] ?? ''}/reject`, { note: 'Not now.' })).status).to.equal(200);
    expect((await ana.post(`/items/${item}/tags`, { add: ['asked 1'] })).status).to.equal(200);
    expect((await ana.post(`/approvals/${asked[1] ?? ''}/approve`)).body.code).to.equal('stale');
    await page.reload();
    const list = page.getByRole('region', { name: 'What it asked for' });
    await list.getByText(/^rejected by Ana Lind .*: Not now\.$/).waitFor();
    await list.getByText(/^out of date/).waitFor();
    // One more waits since it may only ask.
    expect(await list.getByText(/^waits, asked/).count()).to.equal(7);
    expect(await list.getByText(/^rejected by/).count()).to.equal(1);
  });

  it('revokes an agent after a confirmation', async () => {
    await page.keyboard.press('Backspace');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke Day watch' }).click();
    await until('it is revoked', async () => {
      const { body } = await ana.get('/settings/agents');
      return !(body.agents as { id: string }[]).some(({ id }) => id === other.id);
    });
    await page.getByText('Day watch is revoked.').waitFor();
  });

  it('shows whoever may only see the audit log what an agent did, without a control', async () => {
    await world.role('auditor', [
      { on: 'inbox:*', can: ['see'] },
      { on: 'audit', can: ['see'] },
    ]);
    await world.person('auditor', 'Ida Moss', { email: 'ida@example.com', password });
    const ida = await open();
    await service().signIn(ida, 'ida@example.com', `/settings/agents/${bot.id}`);
    await line(ida.page, 'A duplicate.').waitFor();
    expect(await ida.page.getByRole('button', { name: /Revoke|Supervised|New token/ }).count()).to.equal(0);
    expect(
      await ida.page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents(),
    ).to.deep.equal(['What agents do', 'Audit', 'Your account']);
    await ida.page.goto(`${service().origin}/env/demo/settings/agents`);
    await ida.page.getByText('It needs settings: manage.').waitFor();
    await ida.close();
    const ben = await open();
    await service().signIn(ben, 'ben@example.com', '/settings/audit');
    await ben.page.getByText('Everybody with the role admin has it, and can grant it: Ana Lind.').waitFor();
    await ben.close();
  });

  it('gives an agent a new token, shown once, while the old one works on', async () => {
    await page.goto(`${service().origin}/env/demo/settings/agents/${bot.id}`);
    world.clock.advance(16 * 60_000);
    await page.getByRole('button', { name: 'New token…' }).click();
    await page.getByLabel('The old token').selectOption('works for 1 hour more');
    await page.getByRole('button', { name: 'Make a new token' }).click();
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'The new token of Triage bot' });
    const token = (await dialog.locator('pre').first().textContent()) ?? '';
    expect(token).to.match(/^cagt_/);
    const parts = await dialog.locator('pre').allTextContents();
    expect(parts.filter((part) => part.includes(token)).length).to.equal(3);
    expect(parts.some((part) => part.includes('mcpServers') && part.includes('/mcp'))).to.equal(true);
    await tab.picture('token-light-1440');
    await page.keyboard.press('Escape');
    expect(await dialog.count()).to.equal(1);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText(token).count()).to.equal(0);
    const me = async (client: Client) => (await client.get('/me')).status;
    expect([await me(bot), await me(clientOf(world.base, token, 'Triage bot'))]).to.deep.equal([200, 200]);
    world.clock.advance(3_600_001);
    expect([await me(bot), await me(clientOf(world.base, token, 'Triage bot'))]).to.deep.equal([401, 200]);
  });
});
