/** Decisions in the console: which keys decide, what a request shows before it is decided, and what is said after. */
import axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      label: 'Customers',
      source: 'stored',
      relations: [{ name: 'orders', label: 'Orders', resource: 'order', field: 'customer' }],
    },
    {
      name: 'order',
      label: 'Orders',
      source: 'stored',
      fields: [
        { name: 'customer', filter: true },
        { name: 'total', label: 'Total', type: 'money' },
        { name: 'placedAt', label: 'Placed', type: 'time' },
        { name: 'currency', label: 'Currency' },
      ],
    },
  ],
  actions: [
    ...testManifest.actions,
    {
      name: 'refund',
      label: 'Refund',
      resource: 'order',
      reversible: false,
      input: {
        type: 'object',
        required: ['reason'],
        properties: {
          amount: { type: 'number', title: 'Amount to give back', description: 'Left out: all of it' },
          reason: { type: 'string' },
        },
      },
    },
  ],
} as const;

describe('decisions in the console', () => {
  let tab: Tab;
  let page: Page;
  let agent: Client;
  const of = useConsole({
    manifest,
    arrange: async ({ world, open, signIn }) => {
      await world.records('order', [
        {
          id: 'ord_1',
          title: 'Order 1',
          fields: { customer: 'cus_1', placedAt: 1_767_225_600_000, total: 252_010, currency: 'EUR' },
        },
        { id: 'ord_2', title: 'Order 2', fields: { customer: 'cus_1' } },
        { id: 'ord_3', title: 'Order 3', fields: { customer: 'cus_1' } },
      ]);
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park' }]);
      agent = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/approvals');
    },
  });

  /** Asks for an item to be closed; returns the ids of the item and of the request. */
  const askToClose = async (title: string) => {
    const item = await of().newItem(title);
    const { body } = await agent.post(`/items/${item}/state`, { state: 'closed' });
    return { item, approval: String(body.approval) };
  };
  const statusOf = async (approval: string): Promise<string> =>
    (await of().ana.get(`/approvals/${approval}`)).body.approval.status;
  const show = async (approval: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo/approvals/${approval}`);
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await loaded(page);
  };
  const confirmation = () => page.getByRole('group', { name: 'Confirm the approval' });

  it('takes what is typed after r as the note, rejects at Enter, and decides nothing else by it', async () => {
    const first = await askToClose('The first');
    const second = await askToClose('The second');
    await show(first.approval);
    await page.keyboard.type('rNeeds a human answer');
    const note = page.getByLabel('Reject with a note for Triage bot');
    expect(await note.inputValue()).to.equal('Needs a human answer');
    await tab.picture('approval-rejecting-light-1440');
    expect(await statusOf(first.approval)).to.equal('pending');
    await page.keyboard.press('Enter');
    await page.keyboard.type('a human');
    await until('it is rejected', async () => (await statusOf(first.approval)) === 'rejected');
    await page.getByRole('heading', { name: /The second/ }).waitFor();
    await page.keyboard.press('a');
    const { approval } = (await of().ana.get(`/approvals/${first.approval}`)).body;
    expect(approval.note).to.equal('Needs a human answer');
    expect(await statusOf(second.approval)).to.equal('pending');
    await show(second.approval);
    await page.keyboard.press('r');
    await page.getByLabel('Reject with a note for Triage bot').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Reject without a note? Enter once more rejects.').waitFor();
    expect(await statusOf(second.approval)).to.equal('pending');
    await page.keyboard.type('Why');
    await page.getByText('Reject without a note?').waitFor({ state: 'detached' });
    await page.getByLabel('Reject with a note for Triage bot').fill('');
    await page.keyboard.press('Enter');
    await page.getByText('Reject without a note?').waitFor();
    await page.keyboard.press('Enter');
    await until('it is rejected without a note', async () => (await statusOf(second.approval)) === 'rejected');
  });

  it('names the other requests on its record, those of bulks too, as they come and go', async () => {
    const input = { reason: 'Broken' };
    const ask = async (path: string, body: object): Promise<string> => {
      const { body: answer } = await agent.post(path, body);
      return String(answer.approval);
    };
    const refund = await ask('/actions', { action: 'refund', record: 'ord_1', input });
    await show(refund);
    const others = page.getByRole('region', { name: 'Also waiting on the same target' });
    expect(await others.count()).to.equal(0);
    const about = { data: { email: 'kim@example.com' }, record: { resource: 'order', id: 'ord_1' } };
    const made = await of().ana.post('/items', { inbox: 'mail', title: 'A broken order', ...about });
    const operation = { type: 'action', action: 'refund', input };
    const bulk = await ask('/bulk', { ids: [made.body.item.id], operation });
    await others.getByRole('link').waitFor();
    await tab.picture('approval-others-light-1440');
    await others.getByRole('link').click();
    await page.waitForURL(`**/approvals/${bulk}`);
    await others.getByRole('link', { name: /Refund/ }).waitFor();
    await of().ana.post(`/approvals/${refund}/reject`);
    await others.waitFor({ state: 'detached' });
    await of().ana.post(`/approvals/${bulk}/reject`);
  });

  it('does not confirm what can’t be undone by a second tap, nor by a key that is held down', async () => {
    const asked = await agent.post('/actions', { action: 'refund', record: 'ord_1', input: { reason: 'Twice' } });
    expect(asked.status, asked.text).to.equal(202);
    const approval = String(asked.body.approval);
    await show(approval);
    await page.keyboard.press('a');
    await page.keyboard.press('a');
    const button = confirmation().getByRole('button', { name: 'Approve it all the same', disabled: false });
    await button.waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    // A key that is pressed down again before it is up repeats.
    await page.getByRole('button', { name: /^Approve/ }).focus();
    await page.keyboard.down('Enter');
    await button.waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await statusOf(approval)).to.equal('pending');
    expect(await button.count()).to.equal(1);
    expect(await page.locator(':focus').textContent(), 'the first focus').to.include('Not yet');
    await page.keyboard.press('Control+Enter');
    await until('it is approved', async () => (await statusOf(approval)) === 'approved');
  });

  it('shows what is given away as the pages of records do, what is left out too', async () => {
    const asked = await agent.post('/actions', { action: 'refund', record: 'ord_1', input: { reason: 'Late' } });
    await show(String(asked.body.approval));
    const decision = page.locator('.decision');
    const fact = async (label: string): Promise<string | null> =>
      decision
        .locator('.fields > div')
        .filter({ has: page.getByText(label, { exact: true }) })
        .locator('dd')
        .textContent();
    expect(await fact('Total')).to.equal('252,010 EUR');
    expect(await fact('Placed')).to.match(/Jan 1/);
    expect(await fact('Amount to give back')).to.equal('left out');
    const leftOut = decision.getByText('Amount to give back: left out. Left out: all of it', { exact: true });
    expect(await leftOut.count()).to.equal(1);
    expect(await fact('Reason')).to.equal('Late');
    expect(await decision.getByText(/gave no reason/).count()).to.equal(0);
    // Nothing is given of the amount, so what it may be at most stands wherever one decides.
    expect(await decision.getByText('Order total 252,010 EUR', { exact: true }).count()).to.equal(1);
    expect(await page.locator('.request[aria-current=true]').textContent()).to.include('Order total 252,010 EUR');
    await tab.picture('approval-facts-light-1440');
    await decision.getByRole('button', { name: 'Approve' }).click();
    // A screen reader is told with the question what stands around it on the page.
    const alert = confirmation().getByRole('alert');
    await alert.getByText('Order total 252,010 EUR', { exact: true }).waitFor();
    await alert.getByText('Amount to give back: left out. Left out: all of it', { exact: true }).waitFor();
    const described = await confirmation()
      .getByRole('button', { name: 'Approve it all the same' })
      .getAttribute('aria-describedby');
    expect(await alert.getAttribute('id')).to.equal(described);
    await tab.picture('approval-confirmation-light-1440');
    await page.keyboard.press('Escape');
  });

  it('names the number that is asked for before the amounts of the record, in the queue and on Home too', async () => {
    const input = { amount: 5, reason: 'Scratched' };
    const asked = await agent.post('/actions', { action: 'refund', record: 'ord_1', input });
    await show(String(asked.body.approval));
    const figures = 'Amount to give back 5 · Order total 252,010 EUR';
    await page.locator('.decision').getByText(figures, { exact: true }).waitFor();
    await page.locator('.request[aria-current=true]').getByText(figures, { exact: true }).waitFor();
    await page.goto(`${of().origin}/env/demo/`);
    const waiting = page.getByRole('region', { name: 'To decide' });
    await waiting.getByText(figures, { exact: true }).waitFor();
    await waiting.getByText('Amount to give back: left out · Order total 252,010 EUR').first().waitFor();
    await tab.picture('home-to-decide-light-1440');
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.picture('home-to-decide-light-390');
    await page.setViewportSize({ width: 1440, height: 900 });
    await of().ana.post(`/approvals/${String(asked.body.approval)}/reject`);
  });

  it('shows signs that turn or hide what is around them by their numbers, to whoever decides', async () => {
    const reason = 'Pay \u202eRUE 001\u202c now';
    const input = { reason: 'Late\u200b\u{e0041}\u061c\u3164 \u{1f469}\u200d\u{1f4bb}' };
    const asked = await agent.post('/actions', { action: 'refund', record: 'ord_1', input, reason });
    await show(String(asked.body.approval));
    const decision = page.locator('.decision');
    expect(await decision.locator('blockquote').textContent()).to.equal('Pay [U+202E]RUE 001[U+202C] now');
    await decision
      .getByText('Late[U+200B][U+E0041][U+061C][U+3164] \u{1f469}\u200d\u{1f4bb}', { exact: true })
      .waitFor();
    expect(await decision.textContent()).to.match(/^[^\u202a-\u202e\u200b]*$/);
  });

  it('lists what has ended by how it did, and keeps the list in the address', async () => {
    const asked = await agent.post('/actions', { action: 'refund', record: 'ord_1', input: { reason: 'Ended' } });
    await show(String(asked.body.approval));
    await page.locator('.decision').getByRole('button', { name: 'Reject' }).click();
    await page.getByText(/^Rejected: /).waitFor();
    await page.getByLabel('Which requests').selectOption('Rejected');
    const rejected = page.locator('.request').filter({ hasText: 'Ended' });
    expect(await rejected.textContent()).to.match(/rejected by .+ (just now|ago)/);
    await rejected.click();
    await page
      .locator('.decision .verdict')
      .getByText(/^Rejected by/)
      .waitFor();
    expect(new URL(page.url()).search).to.equal('?status=rejected');
    await tab.picture('approvals-rejected-light-1440');
    await page.reload();
    await loaded(page);
    expect(await page.getByLabel('Which requests').inputValue()).to.equal('rejected');
    await page.getByLabel('Which requests').selectOption('Expired');
    await page.getByText('No request ended so').waitFor();
    await page.getByLabel('Which requests').selectOption('Waiting');
    expect(new URL(page.url()).search).to.equal('');
  });

  it('undoes an approved change of state', async () => {
    const { item, approval } = await askToClose('Close and open');
    const stateOf = async (): Promise<string> => (await of().ana.get(`/items/${item}`)).body.item.state;
    await show(approval);
    await page.keyboard.press('a');
    await page.getByText(/^Approved: /).waitFor();
    expect(await stateOf()).to.equal('closed');
    // Keys rest after a decision.
    await page.locator('html:not([data-keys])').waitFor();
    await page.keyboard.press('u');
    await until('it is open again', async () => (await stateOf()) === 'open');
    await page.goto(`${of().origin}/env/demo/items?show=all&item=${item}`);
    const closing = page.locator('.line').filter({ hasText: 'Triage bot' }).filter({ hasText: 'closed' });
    await closing.getByText('approved by Ana Lind').waitFor();
    await tab.picture('timeline-approved-light-1440');
  });

  it('shows what was written on its item, and marks what came in since it was asked for', async () => {
    const item = await of().newItem('Export fails', { email: 'kim@example.com', text: 'It *always* stops at 10 MB.' });
    await of().ana.post(`/items/${item}/notes`, { text: 'Known since May.' });
    const { body } = await agent.post(`/items/${item}/state`, { state: 'closed', reason: 'spam' });
    await show(String(body.approval));
    const decision = page.locator('.decision');
    await decision.getByRole('region', { name: 'Latest message' }).getByText('It *always* stops at 10 MB.').waitFor();
    await decision.getByRole('region', { name: 'Newest notes and replies' }).getByText('Known since May.').waitFor();
    const since = decision.locator('.since');
    expect(await since.count()).to.equal(0);
    await of().ana.post(`/items/${item}/notes`, { text: 'Customer called, keep it open!' });
    await of().ana.post(`/items/${item}/tags`, { add: ['vip'] });
    await since.getByText('2 entries since this was asked for').waitFor();
    await since.getByText('Customer called, keep it open!').waitFor();
    await since.getByText('Ana Lind added vip').waitFor();
    expect(await decision.getByText('Known since May.').count()).to.equal(1);
    await tab.picture('approval-item-since-light-1440');
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.picture('approval-item-since-light-390');
    await page.setViewportSize({ width: 1440, height: 900 });
    await of().ana.post(`/approvals/${String(body.approval)}/reject`);
  });

  it('takes back all that an approved change made of an item but its note, and says before what stays', async () => {
    const item = await of().newItem('Close with a note');
    const about = { state: 'closed', tags: { add: ['login'] }, note: 'Same as the known loop.' };
    const { body } = await agent.call('PATCH', `/items/${item}`, about);
    await show(String(body.approval));
    await page.getByText('Can be undone, but for its note').waitFor();
    await page.keyboard.press('a');
    const notice = page.locator('.notice', { hasText: 'Approved: ' });
    await notice.getByRole('button', { name: 'Undo state and tags' }).waitFor();
    await tab.picture('approval-notice-light-1440');
    expect((await notice.boundingBox())?.height).to.be.below(90);
    await page.locator('html:not([data-keys])').waitFor();
    await page.keyboard.press('u');
    await page.getByText('Taken back, but for the note: “Close with a note”').waitFor();
    const read = (await of().ana.get(`/items/${item}`)).body;
    expect([read.item.state, read.item.tags]).to.deep.equal(['open', []]);
    expect(read.timeline.some(({ type }: { type: string }) => type === 'note')).to.equal(true);
    const asked = await agent.post(`/items/${item}/reply`, { text: 'We are on it.' });
    await show(String(asked.body.approval));
    await page.getByText('Stays once it is done').waitFor();
    await of().ana.post(`/approvals/${String(asked.body.approval)}/reject`);
  });

  it('names who approved a run in the history of its record, and among the runs', async () => {
    const input = { reason: 'Arrived broken' };
    const { body } = await agent.post('/actions', { action: 'refund', record: 'ord_3', input });
    await of().ana.post(`/approvals/${String(body.approval)}/approve`);
    await page.goto(`${of().origin}/env/demo/records/order?record=ord_3`);
    const told = page.getByRole('region', { name: 'History' }).locator('.line', { hasText: 'Refund' });
    await told.getByText('approved by Ana Lind').waitFor();
    await tab.picture('record-approved-light-1440');
    await told.getByRole('link', { name: 'run' }).click();
    await page.locator('.detail').getByText('approved by Ana Lind').waitFor();
    await page.locator('.run-row', { hasText: 'ord_3' }).getByText('approved by Ana Lind').waitFor();
    await tab.picture('runs-approved-light-1440');
  });

  it('tells on the page of a customer what was done to one of their orders, as it goes on', async () => {
    await page.goto(`${of().origin}/env/demo/records/customer?record=cus_1`);
    const orders = page.getByRole('region', { name: 'Orders' });
    const third = orders.getByRole('listitem').filter({ hasText: 'Order 3' });
    await third.getByRole('button', { name: 'History of Order 3' }).click();
    await third.getByText('Triage bot asked for Refund').waitFor();
    await third.getByText('approved by Ana Lind').waitFor();
    const second = orders.getByRole('listitem').filter({ hasText: 'Order 2' });
    await second.getByRole('button', { name: 'History of Order 2' }).click();
    await second.getByText('Nothing has been done here yet.').waitFor();
    await tab.picture('record-related-history-light-1440');
    await of().ana.post('/actions', { action: 'refund', record: 'ord_2', input: { reason: 'Late' } });
    await second.getByText(/Ana Lind ran Refund/).waitFor();
    await page.evaluate(axe.source);
    const found: string = await page.evaluate(
      `axe.run(document).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])))`,
    );
    expect(JSON.parse(found)).to.deep.equal([]);
    await third.getByRole('button', { name: 'History of Order 3' }).click();
    await third.getByText('approved by Ana Lind').waitFor({ state: 'detached' });
  });

  it('shows the items of a bulk, and why some of them would not change', async () => {
    const record = { resource: 'order', id: 'ord_1' };
    const { body } = await of().ana.post('/items', { inbox: 'mail', title: 'Where is it?', record });
    const closed = await of().newItem('Closed by now');
    await of().ana.post(`/items/${closed}/state`, { state: 'closed' });
    const others = await Promise.all(Array.from({ length: 9 }, (_, n) => of().newItem(`Other ${String(n)}`)));
    const operation = { type: 'snooze', until: Date.now() + 86_400_000 };
    const asked = await agent.post('/bulk', { ids: [body.item.id, closed, ...others], operation });
    await show(String(asked.body.approval));
    const items = page.locator('.decision section', { has: page.getByRole('heading', { name: 'Items' }) });
    expect(await items.getByRole('listitem').count()).to.equal(11);
    await items.getByText('and 1 more').waitFor();
    await items.getByRole('link', { name: 'Order 1' }).waitFor();
    await page.getByText('1: A closed item can’t be snoozed; open it first.').waitFor();
    await tab.picture('approval-bulk-light-1440');
    await items.getByRole('link', { name: 'Where is it?' }).click();
    await page.locator('.detail-head h1', { hasText: 'Where is it?' }).waitFor();
  });

  it('binds an approval to what is on screen: what changed meanwhile is shown, and decided anew', async () => {
    const { world, ana } = of();
    const input = { amount: 1200, reason: 'Broken' };
    const { approval } = (await agent.post('/actions', { action: 'refund', record: 'ord_1', input })).body;
    await show(approval);
    await world.sql(`update records set fields = jsonb_set(fields, '{total}', '100') where id = 'ord_1'`);
    const approve = async (): Promise<void> => {
      await page.getByRole('button', { name: /^Approve/ }).click();
      await confirmation().getByRole('button', { name: 'Approve it all the same', disabled: false }).click();
    };
    await approve();
    const changed = page.getByRole('region', { name: 'Changed since you read it' });
    await changed.waitFor();
    expect(await changed.locator('tbody tr').allInnerTexts()).to.deep.equal(['Total\t252,010 EUR\t100 EUR']);
    await page.getByText('Nothing was approved: this has changed since you read it.').waitFor();
    await tab.picture('approval-changed-light-1440');
    expect(await statusOf(approval)).to.equal('pending');
    await approve();
    await until('it is approved', async () => (await statusOf(approval)) === 'approved');
    expect((await ana.get(`/approvals/${String(approval)}`)).body.approval.decidedBy.name).to.equal('Ana Lind');
    await world.sql(`update records set fields = jsonb_set(fields, '{total}', '252010') where id = 'ord_1'`);
  });

  it('says once, and of nobody, that a request can’t be approved any more', async () => {
    const bot = await of().world.agent('operator', { mode: 'supervised', name: 'Gone bot' });
    const { body } = await bot.post(`/items/${await of().newItem('Stale')}/state`, { state: 'closed' });
    const boss = await of().world.person('admin', 'Boss', { fresh: true });
    const revoked = await boss.call('DELETE', `/settings/agents/${bot.id}`);
    expect(revoked.status, revoked.text).to.be.below(300);
    const approval = String(body.approval);
    await show(approval);
    await page.keyboard.press('a');
    await page.getByText(/^Can’t be approved any more/).waitFor();
    const text = (await page.locator('.decision').textContent()) ?? '';
    expect(text.match(/no longer fits/g)).to.have.length(1);
    expect(text).not.to.include('by Ana Lind');
    await tab.picture('approval-stale-light-1440');
  });
});
