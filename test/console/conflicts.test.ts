/** Two who act on the same at the same time: both are shown, and it is a person who decides. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

describe('two who change the same in the console', () => {
  let tab: Tab;
  let id = '';
  const of = useConsole({
    arrange: async ({ newItem, open }) => {
      await newItem('Second question');
      id = await newItem('First question');
      tab = await open();
    },
  });
  const item = async () => (await of().ana.get(`/items/${id}`)).body.item;
  const notice = () => tab.page.locator('.notice').filter({ hasText: '“First question” was changed by Ben Okoro' });
  const facts = async (): Promise<string[]> => notice().locator('dl > div').allTextContents();
  const assignee = () => tab.page.locator('.facts').getByRole('button', { name: /^Assignee/ });

  /** What somebody else does before the page's next change arrives. */
  let meanwhile: (() => Promise<unknown>) | null = null;
  /** Takes the item by key; what `theirs` changes is there before that arrives. */
  const takeAfter = async (theirs: () => Promise<unknown>): Promise<void> => {
    const { page } = tab;
    meanwhile = theirs;
    await page.keyboard.press('a');
    await page.getByRole('option', { name: /^Me / }).waitFor();
    await page.keyboard.press('Enter');
  };
  const assign = (to: string | null) => of().ben.post(`/items/${id}/assign`, { assignee: to });

  it('shows theirs and mine when my change was refused, theirs holding meanwhile', async () => {
    const { page } = tab;
    await of().signIn(tab, 'ana@example.com', `/inbox/mail?item=${id}`);
    await page.locator('.timeline').waitFor();
    await intercept(page, `**/items/${id}`, async (route) => {
      const theirs = route.request().method() === 'PATCH' ? meanwhile : null;
      if (theirs !== null) meanwhile = null;
      await theirs?.();
      return route.continue();
    });
    await takeAfter(() => assign(of().ben.id));
    await notice().waitFor();
    expect(await facts()).to.deep.equal(['TheirsAssigned to Ben Okoro', 'MineAssigned to Ana Lind']);
    await assignee().getByText('Ben Okoro').waitFor();
    await page.locator(`#row-${id}`).getByTitle('Ben Okoro').waitFor();
    expect((await item()).assignee).to.equal(of().ben.id);
    await tab.picture('conflict-light-1440');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.picture('conflict-dark-1440');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 844 });
    await tab.picture('conflict-light-390');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('leaves theirs at one key', async () => {
    await tab.page.keyboard.press('h');
    await notice().waitFor({ state: 'detached' });
    expect((await item()).assignee).to.equal(of().ben.id);
    await assignee().getByText('Ben Okoro').waitFor();
  });

  it('does mine at another, unless it has become something that I have not seen', async () => {
    const { page } = tab;
    await takeAfter(() => assign(null));
    await notice().waitFor();
    expect(await facts()).to.deep.equal(['TheirsUnassigned', 'MineAssigned to Ana Lind']);
    await assign(of().vera.id);
    await assignee().getByText('Vera Holt').waitFor();
    await page.keyboard.press('y');
    await until('the newest is shown', async () => (await facts())[0] === 'TheirsAssigned to Vera Holt');
    expect((await item()).assignee, 'nothing is replaced that was not shown').to.equal(of().vera.id);
    await page.keyboard.press('y');
    await until('mine is done', async () => (await item()).assignee === of().ana.id);
    await assignee().getByText('Ana Lind').waitFor();
    await notice().waitFor({ state: 'detached' });
    await page.getByText('Assigned to Ana Lind: “First question”').waitFor();
  });

  it('asks nothing when both wanted the same', async () => {
    const { page } = tab;
    await assign(null);
    await assignee().getByText('Nobody').waitFor();
    await takeAfter(() => assign(of().ana.id));
    await page.getByText('Assigned to Ana Lind: “First question”, by Ben Okoro a moment ago').waitFor();
    expect(await notice().count()).to.equal(0);
  });

  it('sends it again by itself when they changed something else', async () => {
    await assign(null);
    await assignee().getByText('Nobody').waitFor();
    await takeAfter(() => of().ben.post(`/items/${id}/tags`, { add: ['theirs'] }));
    await until('mine is done', async () => (await item()).assignee === of().ana.id);
    expect((await item()).tags).to.deep.equal(['theirs']);
    expect(await notice().count()).to.equal(0);
  });

  it('tells of a reply that came while one wrote, over a reload too, and sends the own one only after that', async () => {
    const { page } = tab;
    const text = page.getByLabel('Reply to the customer');
    const told = page.getByRole('alert').filter({ hasText: 'Ben Okoro replied while you were writing' });
    const replies = async (): Promise<string[]> => {
      const { body } = await of().ana.get(`/items/${id}/timeline`);
      const entries = body.entries as { type: string; data: { text: string } }[];
      return entries.flatMap(({ type, data }) => (type === 'reply' ? [data.text] : []));
    };
    await text.fill('It is mended.');
    await of().ben.post(`/items/${id}/reply`, { text: 'We look into it.' });
    await told.waitFor();
    await page.reload();
    await loaded(page);
    await told.waitFor();
    await text.press('Control+Enter');
    await told.filter({ hasText: 'Not sent' }).waitFor();
    await tab.picture('answered-light-1440');
    expect(await replies()).to.deep.equal(['We look into it.']);
    await page.getByRole('button', { name: /^Send it too/ }).click();
    await told.waitFor({ state: 'detached' });
    await until('both are there', async () => (await replies()).length === 2);
    expect(await replies()).to.deep.equal(['It is mended.', 'We look into it.']);
    await of().ana.post(`/items/${id}/reply`, { text: 'From another tab.' });
    await page.locator('.written.reply', { hasText: 'From another tab.' }).waitFor();
    await text.fill('One more thing.');
    await text.press('Control+Enter');
    await until('one’s own reply is no other’s', async () => (await replies()).length === 4);
  });

  it('never sends a reply twice whose answer was lost, and tells of it whoever has changed the text since', async () => {
    const { page } = tab;
    const lost = await of().newItem('Lost answer');
    const replies = async (): Promise<string[]> => {
      const { body } = await of().ana.get(`/items/${lost}/timeline`);
      const entries = body.entries as { type: string; data: { text: string } }[];
      return entries.flatMap(({ type, data }) => (type === 'reply' ? [data.text] : []));
    };
    const text = page.getByLabel('Reply to the customer');
    const told = page.getByRole('alert').filter({ hasText: 'A reply of yours has gone out' });
    await page.goto(`${of().origin}/env/demo/inbox/mail?item=${lost}`);
    await loaded(page);
    await intercept(
      page,
      /\/reply$/,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await text.fill('Your money is on its way.');
    await text.press('Control+Enter');
    await page.getByText(/could not be reached/).waitFor();
    await told.waitFor();
    await page.reload();
    await loaded(page);
    await told.waitFor();
    expect(await text.inputValue()).to.equal('Your money is on its way.');
    await text.press('Control+Enter');
    await told.filter({ hasText: 'Not sent' }).waitFor();
    // The same text is the same message, also after the reload.
    await page.getByRole('button', { name: /^Send it too/ }).click();
    await page.getByText('The reply is on its way.').waitFor();
    expect(await replies()).to.deep.equal(['Your money is on its way.']);
    expect(await text.inputValue()).to.equal('');
    await text.fill('And it has arrived.');
    expect(await told.count()).to.equal(0);
    await text.press('Control+Enter');
    await until('another one is sent', async () => (await replies()).length === 2);
  });

  it('lets one of two decisions at the same moment hold, and tells the other who decided', async () => {
    const agent = await of().world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
    const other = await of().open();
    const asked = await agent.post(`/items/${id}/state`, { state: 'closed', reason: 'A duplicate.' });
    const approval = String(asked.body.approval);
    const pages: readonly Page[] = [tab.page, other.page];
    await tab.page.goto(`${of().origin}/env/demo/approvals/${approval}`);
    await loaded(tab.page);
    await of().signIn(other, 'ben@example.com', `/approvals/${approval}`);
    let held = 0;
    let release = (): void => undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    for (const page of pages) {
      await page.getByRole('button', { name: /^Approve/ }).waitFor();
      await intercept(page, /\/approvals\/[^/]+\/(approve|reject)$/, async (route) => {
        held += 1;
        if (held === pages.length) release();
        await both;
        await route.continue();
      });
    }
    await other.page.keyboard.press('r');
    await other.page.keyboard.press('Enter');
    await other.page.getByText('Reject without a note?').waitFor();
    await Promise.all([tab.page.keyboard.press('a'), other.page.keyboard.press('Enter')]);
    await both;
    const decided = await until('it is decided', async () => {
      const { body } = await of().ana.get(`/approvals/${approval}`);
      return body.approval.status === 'pending' ? null : body.approval;
    });
    const isAna = decided.decidedBy.id === of().ana.id;
    expect(decided.status).to.equal(isAna ? 'approved' : 'rejected');
    const [won, lost] = isAna ? [tab, other] : [other, tab];
    await won.page.getByText(isAna ? /^Approved: / : /^Rejected: /).waitFor();
    await lost.page.getByText(isAna ? 'Approved by Ana Lind' : 'Rejected by Ben Okoro').waitFor();
    await lost.page
      .getByRole('alert')
      .filter({ hasText: /was faster: (approved|rejected) .*Your decision changed nothing/ })
      .waitFor();
    const buttons = lost.page.getByRole('button', { name: /^(Approve|Reject)/ });
    await until('nothing is left to decide', async () => (await buttons.count()) === 0);
    await lost.picture('decided-by-other-light-1440');
    expect((await item()).state).to.equal(isAna ? 'closed' : 'open');
  });
});
