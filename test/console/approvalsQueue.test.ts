/** The queue of approvals by keyboard: which request opens after a decided one, and what typing on does to it. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  actions: [...testManifest.actions, { name: 'credit', label: 'Credit', approval: true }],
};

describe('the queue of approvals in the console', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  /** Those of the test, in the order of the queue. */
  let asked: readonly string[] = [];
  const of = useConsole({
    manifest,
    handlers: { 'action.run': () => ({ message: 'Done.', blocks: [] }) },
    arrange: async ({ world, open, signIn }) => {
      bot = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/approvals');
    },
  });
  const askFor = async (...titles: string[]): Promise<void> => {
    const ids: string[] = [];
    for (const title of titles) {
      const { body } = await bot.post(`/items/${await of().newItem(title)}/state`, { state: 'closed' });
      ids.push(String(body.approval));
    }
    asked = ids;
  };
  const idAt = (n: number): string => String(asked[n]);
  const statusOf = async (approval: string): Promise<string> =>
    (await of().ana.get(`/approvals/${approval}`)).body.approval.status;
  const rows = () => page.locator('.requests .request');
  const opened = (): string => new URL(page.url()).pathname.split('/').at(-1) ?? '';
  /** Opens one of those asked for, in a queue that has all of them. */
  const open = async (n: number): Promise<void> => {
    await page.goto(`${of().origin}/env/demo/approvals/${idAt(n)}`);
    await loaded(page);
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await rows()
      .nth(asked.length - 1)
      .waitFor();
  };
  /** Returns what opens after the one that is open. */
  const openedAfter = async (id: string): Promise<string> => {
    await until('another one is open', () => Promise.resolve(opened() !== id));
    const row = page.locator('.request[aria-current="true"] > span').first();
    await row.waitFor();
    await page.locator('.decision h1', { hasText: (await row.textContent()) ?? '' }).waitFor();
    return opened();
  };
  /** Resolves once keys act again that rest after a decision. */
  const awake = (): Promise<void> => page.locator('html:not([data-keys])').waitFor();
  const press = async (verb: 'approve' | 'reject'): Promise<void> => {
    await page.keyboard.press(verb === 'approve' ? 'a' : 'r');
    if (verb === 'approve') return;
    await page.getByLabel('Reject with a note for Triage bot').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Reject without a note?').waitFor();
    await page.keyboard.press('Enter');
  };
  /** Decides the one that is open; returns what opens. */
  const decide = async (verb: 'approve' | 'reject'): Promise<string> => {
    const id = opened();
    await awake();
    await press(verb);
    return openedAfter(id);
  };
  /** Holds the next answer to a decision back, which has been made by then; returns what lets it go. */
  const holdAnswer = async (): Promise<() => void> => {
    const gate = deferred<void>();
    await intercept(
      page,
      /\/approvals\/[^/]+\/(approve|reject)$/,
      async (route) => {
        const response = await route.fetch();
        await gate.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    return () => gate.resolve();
  };
  const endAll = async (): Promise<void> => {
    for (const id of asked) if ((await statusOf(id)) === 'pending') await of().ana.post(`/approvals/${id}/reject`, {});
  };
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await endAll();
  });

  it('opens one after the other, approved and rejected in turn', async () => {
    await askFor('One A', 'One B', 'One C', 'One D');
    await open(0);
    expect(await decide('approve')).to.equal(idAt(1));
    expect(await decide('reject')).to.equal(idAt(2));
    expect(await decide('approve')).to.equal(idAt(3));
    expect(await statusOf(idAt(3))).to.equal('pending');
  });

  it('opens the one before after the last', async () => {
    await askFor('Last A', 'Last B', 'Last C');
    await open(2);
    expect(await decide('reject')).to.equal(idAt(1));
    expect(await decide('approve')).to.equal(idAt(0));
  });

  for (const verb of ['approve', 'reject'] as const) {
    it(`opens the next one when the end is told before the answer: ${verb}`, async () => {
      await askFor('Told A', 'Told B', 'Told C');
      await open(0);
      const letGo = await holdAnswer();
      await press(verb);
      await until('it has left the queue', async () => (await rows().count()) === 2);
      letGo();
      expect(await openedAfter(idAt(0))).to.equal(idAt(1));
      expect(await decide(verb)).to.equal(idAt(2));
    });

    it(`opens the next one when the end is told long after the answer: ${verb}`, async () => {
      await askFor('Slow A', 'Slow B', 'Slow C');
      await open(1);
      const gate = deferred<void>();
      await intercept(page, /\/approvals\?(.*&)?status=pending/, async (route) => {
        await gate.promise;
        await route.continue();
      });
      expect(await decide(verb)).to.equal(idAt(2));
      expect(await decide(verb), 'not the one that is decided').to.equal(idAt(0));
      gate.resolve();
      await until('both have left the queue', async () => (await rows().count()) === 1);
    });
  }

  it('skips what has ended since the decision', async () => {
    await askFor('Gone A', 'Gone B', 'Gone C');
    await open(0);
    const letGo = await holdAnswer();
    await press('approve');
    await of().ana.post(`/approvals/${idAt(1)}/reject`, {});
    await until('both have left the queue', async () => (await rows().count()) === 1);
    letGo();
    expect(await openedAfter(idAt(0))).to.equal(idAt(2));
  });

  it('takes what is typed after a rejection without a note for no command', async () => {
    await askFor('Typed A', 'Typed B', 'Typed C', 'Typed D');
    await open(0);
    expect(await decide('approve')).to.equal(idAt(1));
    const letGo = await holdAnswer();
    await awake();
    await press('reject');
    await until('it has left the queue', async () => (await rows().count()) === 2);
    await page.keyboard.type('ujk', { delay: 50 });
    letGo();
    expect(await openedAfter(idAt(1))).to.equal(idAt(2));
    await page.keyboard.type('a yak, just as kept up as a jar', { delay: 90 });
    expect(opened()).to.equal(idAt(2));
    expect(await statusOf(idAt(2))).to.equal('pending');
    expect(await page.getByLabel(/^Reject with a note/).count()).to.equal(0);
    const { item } = (await of().ana.get(`/approvals/${idAt(0)}`)).body.approval;
    expect((await of().ana.get(`/items/${String(item)}`)).body.item.state).to.equal('closed');
    expect(await decide('approve')).to.equal(idAt(3));
  });

  it('rests its keys after a decision until none has been pressed for a second, and dims their hints', async () => {
    await askFor('Burst A', 'Burst B', 'Burst C');
    await open(0);
    await page.keyboard.press('a');
    expect(await openedAfter(idAt(0))).to.equal(idAt(1));
    await tab.picture('approvals-resting-light-1440');
    for (const key of 'aanjkru'.repeat(4)) {
      await page.keyboard.press(key);
      await page.evaluate(`new Promise((resolve) => setTimeout(resolve, 90))`);
    }
    expect(await page.locator('html').getAttribute('data-keys')).to.equal('resting');
    expect(opened()).to.equal(idAt(1));
    expect(await statusOf(idAt(1))).to.equal('pending');
    expect(await page.evaluate('document.activeElement.tagName'), 'n has opened no note').to.equal('MAIN');
    const { item } = (await of().ana.get(`/approvals/${idAt(0)}`)).body.approval;
    expect((await of().ana.get(`/items/${String(item)}`)).body.item.state).to.equal('closed');
    await awake();
    await page.keyboard.press('j');
    expect(await openedAfter(idAt(1))).to.equal(idAt(2));
  });

  it('keeps a note that was being typed while somebody else decides, and takes what is typed on for no command', async () => {
    await askFor('Raced A', 'Raced B');
    await open(0);
    await page.keyboard.type('rOnly the rest, please');
    await of()
      .world.person('admin', 'Priya Raman', { email: 'priya@example.com' })
      .then((priya) => priya.post(`/approvals/${idAt(0)}/approve`, {}));
    const unsent = page.getByRole('alert').filter({ hasText: 'Your note was not sent:' });
    await unsent.getByText('Only the rest, please', { exact: true }).waitFor();
    await page.getByText(/^Approved by Priya Raman/).waitFor();
    await page.keyboard.type('jkn');
    expect(opened()).to.equal(idAt(0));
    await tab.picture('approval-note-unsent-light-1440');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await unsent.getByRole('button', { name: 'Copy the note' }).click();
    await page.getByText('The note is copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal('Only the rest, please');
    await page.reload();
    await unsent.getByRole('button', { name: 'Forget it' }).click();
    await unsent.waitFor({ state: 'detached' });
  });

  it('skips nothing below requests that are not theirs to decide', async () => {
    const own = await of().ana.post('/actions', { action: 'credit', input: {} });
    expect(own.status, own.text).to.equal(202);
    await askFor('Below A', 'Below B', 'Below C', 'Below D');
    await open(0);
    expect(await decide('approve')).to.equal(idAt(1));
    expect(await decide('reject')).to.equal(idAt(2));
    expect(await decide('approve')).to.equal(idAt(3));
    expect(await decide('approve'), 'only their own is left').to.equal(String(own.body.approval));
  });
});
