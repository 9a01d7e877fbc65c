/** What the console shows of what is going on while one works: which rows have left, where nothing is, that there is no network, and where one was. */
import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

describe('the place where one works in the console', () => {
  let tab: Tab;
  let page: Page;
  const ids: string[] = [];
  const of = useConsole({
    arrange: async ({ ana, newItem, open }) => {
      for (const title of ['Late invoice', 'Wrong sum', 'Lost parcel', 'Broken link', 'Slow page'])
        ids.push(await newItem(title));
      await ana.post('/items', {
        inbox: 'mail',
        title: 'A question of Kim',
        data: { email: 'kim@example.com', body: 'Where is my invoice?' },
      });
      tab = await open();
      ({ page } = tab);
    },
  });
  const goTo = async (path: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo${path}`);
    await loaded(page);
  };
  const row = (title: string) => page.locator('.row', { hasText: title });
  const openTitle = () => page.locator('.detail h1');
  const focused = (): Promise<string> =>
    page.evaluate(`document.activeElement.className || document.activeElement.tagName`);

  it('strikes a row only when a filter that it can tell keeps it out, never for words of a view', async () => {
    await of().signIn(tab, 'ana@example.com', '/inbox/mail');
    const { body } = await of().ana.post('/me/views', {
      name: 'Invoices',
      inbox: 'mail',
      query: { state: ['open'], q: 'invoice' },
    });
    await goTo(`/inbox/mail?view=${body.view.id as string}`);
    await row('Late invoice').waitFor();
    await row('A question of Kim').waitFor();
    expect(await page.locator('.row.left').count()).to.equal(0);
    const [late = ''] = ids;
    await of().ana.post(`/items/${late}/state`, { state: 'closed' });
    await page.locator('.row.left', { hasText: 'Late invoice' }).waitFor();
    expect(await page.locator('.row.left').count()).to.equal(1);
    await tab.picture('view-left-light-1440');
    await of().ana.post(`/items/${late}/state`, { state: 'open' });
    await page.locator('.row.left').waitFor({ state: 'detached' });
  });

  it('says where nothing is, in the frame and with ways to go on', async () => {
    for (const [path, title] of [
      ['/inbox/nope', 'There is no inbox nope that you can see'],
      ['/nope', 'There is no such page'],
      ['/runs/run_x', 'There is no such page'],
    ] as const) {
      await goTo(path);
      await page.getByRole('heading', { name: title }).waitFor();
      expect(await page.getByRole('navigation', { name: 'Console' }).isVisible(), path).to.equal(true);
    }
    await tab.picture('no-page-light-1440');
    await page.getByRole('link', { name: 'all inboxes', exact: true }).click();
    await row('Late invoice').waitFor();
  });

  it('says at once that there is no network, and no longer when it is back', async () => {
    await goTo('/inbox/mail');
    const connection = page.locator('.connection');
    await page.context().setOffline(true);
    await connection.filter({ hasText: /^offline, complete to / }).waitFor();
    expect(await page.locator('.connection.complete').count()).to.equal(0);
    await tab.picture('offline-light-1440');
    await page.context().setOffline(false);
    await loaded(page);
    await intercept(page, '**/api/env/demo/items/**', (route) => route.abort('connectionrefused'));
    await row('Lost parcel').click();
    await connection.filter({ hasText: /^offline/ }).waitFor();
    await page.unroute('**/api/env/demo/items/**');
    await loaded(page);
  });

  it('comes back to an item whose change failed, says what was not done, and does it on retry', async () => {
    const [, , id = ''] = ids;
    await goTo(`/inbox/mail?item=${id}`);
    await openTitle().filter({ hasText: 'Lost parcel' }).waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('e');
    const notice = page.locator('.notice.failed');
    await notice.waitFor();
    expect(await notice.locator('> span').textContent()).to.equal(
      'Not done, set to closed: “Lost parcel”. The server could not be reached.',
    );
    await openTitle().filter({ hasText: 'Lost parcel' }).waitFor();
    await tab.picture('not-done-light-1440');
    await page.context().setOffline(false);
    await loaded(page);
    await notice.getByRole('button', { name: 'Retry' }).click();
    await until('it is closed', async () => (await of().ana.get(`/items/${id}`)).body.item.state === 'closed');
    await page.locator('.notice', { hasText: 'Set to closed: “Lost parcel”' }).waitFor();
    await page.keyboard.press('u');
    await until('it is open', async () => (await of().ana.get(`/items/${id}`)).body.item.state === 'open');
  });

  it('shows the item again that undo brings back, and says what was undone', async () => {
    const [, , id = ''] = ids;
    await goTo(`/inbox/mail?item=${id}`);
    await openTitle().filter({ hasText: 'Lost parcel' }).waitFor();
    await page.keyboard.press('s');
    await page.getByRole('option', { name: /^Tomorrow morning/ }).click();
    await until('the next one is open', async () => (await openTitle().textContent()) !== 'Lost parcel');
    await page.locator('.notice', { hasText: 'Snoozed until' }).waitFor();
    await page.keyboard.press('u');
    await openTitle().filter({ hasText: 'Lost parcel' }).waitFor();
    await page.locator('.notice', { hasText: 'Snooze undone: “Lost parcel”' }).waitFor();
  });

  it('explains a dry run that finds fewer than are selected, and forgets those that are changed', async () => {
    await goTo('/inbox/mail');
    await row('Slow page').waitFor();
    const foot = page.getByRole('region', { name: 'Selection' });
    await page.keyboard.press('*');
    await foot.getByText('All 6 that match are selected').waitFor();
    // One leaves while nobody hears of it.
    await intercept(page, '**/api/env/demo/bulk', async (route) => {
      await of().world.sql(`update items set snoozed_until = 9000000000000 where title = 'Slow page'`);
      await route.continue();
    });
    await page.keyboard.press('e');
    await foot.getByText('Set to closed: would change 5 of 6, 1 no longer match').waitFor();
    await tab.picture('selection-fewer-light-1440');
    await page.unroute('**/api/env/demo/bulk');
    await page.keyboard.press('Enter');
    await foot.getByText(/done: 5 changed/).waitFor();
    await page.locator('.row.left').nth(4).waitFor();
    expect(await page.locator('.row[aria-checked="true"].left').count()).to.equal(0);
    await foot.getByRole('button', { name: 'Undo all' }).click();
    await foot.getByText(/^Undo an earlier bulk\s+done: 5 changed$/).waitFor();
    await of().world.sql('update items set snoozed_until = null');
  });

  describe('in a list whose number the counts of the inbox do not tell', () => {
    const texts = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'].map((text) => `Case ${text}`);
    const made: string[] = [];
    /** The number in the head of the list. */
    const total = (n: number) => page.locator('.list-title .total', { hasText: new RegExp(`^${String(n)} open$`) });
    const isState = async (id: string, state: string): Promise<void> => {
      await until(`it is ${state}`, async () => (await of().ana.get(`/items/${id}`)).body.item.state === state);
    };
    const undo = async (): Promise<void> => {
      await page.locator('.notice', { hasText: 'Set to closed' }).first().waitFor();
      await page.keyboard.press('u');
    };

    it('has the number of the list follow what is closed, undone and changed by others', async () => {
      const { ana } = of();
      for (const title of texts) made.push((await ana.post('/items', { inbox: 'bugs', title })).body.item.id as string);
      const [waiting = '', snoozed = '', third = ''] = made;
      await ana.post(`/items/${waiting}/state`, { state: 'waiting' });
      await ana.post(`/items/${snoozed}/snooze`, { until: 9_000_000_000_000 });
      const [eighth = '', seventh = ''] = [...made].reverse();
      await goTo('/inbox/bugs');
      await total(6).waitFor();
      await page.keyboard.press('j');
      await openTitle().filter({ hasText: 'Case Eight' }).waitFor();
      await page.keyboard.press('e');
      await total(5).waitFor();
      await undo();
      await total(6).waitFor();
      await openTitle().filter({ hasText: 'Case Eight' }).waitFor();
      await page.keyboard.press('e');
      await openTitle().filter({ hasText: 'Case Seven' }).waitFor();
      await page.keyboard.press('e');
      await isState(seventh, 'closed');
      await total(4).waitFor();
      await undo();
      await isState(seventh, 'open');
      await page.keyboard.press('u');
      await isState(eighth, 'open');
      await total(6).waitFor();
      await ana.post(`/items/${third}/state`, { state: 'closed' });
      await total(5).waitFor();
      await ana.post(`/items/${third}/state`, { state: 'open' });
      await total(6).waitFor();
    });

    it('undoes the last change by the key also before it is answered, and never the one before it', async () => {
      const [eighth = '', seventh = ''] = [...made].reverse();
      await goTo('/inbox/bugs');
      await page.keyboard.press('j');
      await openTitle().filter({ hasText: 'Case Eight' }).waitFor();
      await page.keyboard.press('e');
      await isState(eighth, 'closed');
      await page.locator('.notice', { hasText: 'Case Eight' }).waitFor();
      const answered = deferred();
      const held = async (route: Route): Promise<void> => {
        const response = await route.fetch();
        await answered.promise;
        await route.fulfill({ response });
      };
      await openTitle().filter({ hasText: 'Case Seven' }).waitFor();
      await intercept(page, `**/items/${seventh}`, held, { times: 1 });
      await page.keyboard.press('e');
      await isState(seventh, 'closed');
      await page.keyboard.press('u');
      answered.resolve();
      await isState(seventh, 'open');
      expect((await of().ana.get(`/items/${eighth}`)).body.item.state).to.equal('closed');
      await page.keyboard.press('u');
      await isState(eighth, 'open');
      await total(6).waitFor();
    });

    it('has it follow what changes no count of the inbox', async () => {
      const { ana } = of();
      const [, , third = '', fourth = ''] = made;
      await ana.post(`/items/${third}/tags`, { add: ['late'] });
      await goTo('/inbox/bugs?tags=late');
      await total(1).waitFor();
      await ana.post(`/items/${fourth}/tags`, { add: ['late'] });
      await total(2).waitFor();
      await ana.post(`/items/${fourth}/tags`, { remove: ['late'] });
      await total(1).waitFor();
    });

    it('goes on from the item that was open when Escape closed it, while its row is there', async () => {
      await goTo('/inbox/bugs');
      const closes = async (title: string): Promise<void> => {
        await openTitle().filter({ hasText: title }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByText('Nothing is chosen').waitFor();
      };
      await row('Case Five').click();
      await closes('Case Five');
      await page.keyboard.press('j');
      await closes('Case Four');
      await page.getByText('Press j for the next item').waitFor();
      await page.keyboard.press('k');
      await closes('Case Five');
      const [, , , , fifth = ''] = made;
      await of().ana.post(`/items/${fifth}/state`, { state: 'closed' });
      await page.locator('.row.left', { hasText: 'Case Five' }).waitFor();
      await page.keyboard.press('k');
      await closes('Case Six');
      await row('Case Five').click();
      await closes('Case Five');
      await page.keyboard.press('l');
      await row('Case Five').waitFor({ state: 'detached' });
      // All rows go while the list is read again.
      await row('Case Eight').waitFor();
      await page.getByText('Press j for the first item').waitFor();
      await page.keyboard.press('j');
      await openTitle().filter({ hasText: 'Case Eight' }).waitFor();
    });
  });

  it('covers no control by notices, of which there are two at most', async () => {
    for (const [width, height] of [
      [1440, 900],
      [1000, 700],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await goTo(`/inbox/mail?item=${ids[1] ?? ''}`);
      await page.getByLabel('Reply to the customer').fill('A long reply');
      await page.locator('.detail h1').click();
      for (let n = 0; n < 3; n++) {
        await page.keyboard.press('t');
        await page
          .getByRole('dialog')
          .getByRole('combobox')
          .fill(`tag-${String(width)}-${String(Math.random()).slice(2, 6)}`);
        await page.keyboard.press('Enter');
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await openTitle().waitFor();
      }
      const notices = page.locator('.notice');
      await notices.nth(1).waitFor();
      expect(await notices.count()).to.equal(2);
      const covered = await page.evaluate<string[]>(`(() => {
        const notices = document.querySelector('.notices').getBoundingClientRect();
        return [...document.querySelectorAll('.composer *, .detail-head button, .selection *')]
          .filter((each) => each.matches('button, select, textarea'))
          .filter((each) => {
            const { left, right, top, bottom } = each.getBoundingClientRect();
            return right > notices.left && left < notices.right && bottom > notices.top && top < notices.bottom;
          })
          .map((each) => each.textContent);
      })()`);
      expect(covered, String(width)).to.deep.equal([]);
      await tab.picture(`notices-light-${String(width)}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('takes the focus of a search that is left to the list, also where that is drawn later', async () => {
    await goTo('/inbox/mail');
    await row('Late invoice').waitFor();
    const answered = deferred();
    await intercept(page, '**/api/env/demo/items?*q=*', async (route) => {
      await answered.promise;
      await route.fallback();
    });
    await page.keyboard.press('/');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await until('the page has the focus', async () => (await page.evaluate('document.activeElement.id')) === 'content');
    answered.resolve();
    await row('Wrong sum').waitFor();
    await until('the list has the focus', async () => (await focused()) === 'rows');
  });

  it('keeps the focus where one works: on the list, after links, searches, replies and dialogs', async () => {
    await goTo('');
    await page.keyboard.press('Tab');
    expect(await focused()).to.equal('skip');
    await page.getByRole('link', { name: /^Mail/ }).click();
    await row('Late invoice').waitFor();
    await page.keyboard.press('j');
    expect(await focused()).to.equal('rows');
    await page.keyboard.press('/');
    await page.keyboard.type('in');
    await page.keyboard.press('Enter');
    await until('the search is left', async () => (await focused()) === 'rows');
    await goTo('/inbox/mail');
    await row('Late invoice').waitFor();
    await page.keyboard.press('j');
    await openTitle().waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('Note for colleagues').fill('A note at the end.');
    await page.keyboard.press('Control+Enter');
    const entry = page.locator('.written.note', { hasText: 'A note at the end.' });
    await entry.waitFor();
    await until('the focus is back', async () => (await focused()) === 'rows');
    await until('the entry is in sight', () =>
      page.evaluate<boolean>(`document.querySelector('.written.note').getBoundingClientRect().bottom <= innerHeight`),
    );
    await page.keyboard.press('a');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await until('the focus is back', async () => (await focused()) === 'rows');
    // All in one task, as those who know the keys type faster than a frame is drawn.
    const typedInto = await page.evaluate<string | null>(`(async () => {
      const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      press('t');
      await Promise.resolve();
      return document.activeElement.getAttribute('role');
    })()`);
    expect(typedInto).to.equal('combobox');
    await page.keyboard.press('Escape');
    await until('the focus is back', async () => (await focused()) === 'rows');
  });
});
