/** What a page keeps of what it was told and what it has read: bounded, however much comes and however long it is open. */
import { expect } from 'chai';
import type { CDPSession, Page } from 'playwright-core';
import { intercept } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import { countObjects } from '../support/heap.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

const made = 1_000;
const atOnce = 25;

describe('the memory of the console', () => {
  const ids: string[] = [];
  const of = useConsole({
    arrange: async ({ newItem }) => {
      for (let n = 0; n < made; n += atOnce)
        ids.push(...(await Promise.all(Array.from({ length: atOnce }, (_, at) => newItem(`Item ${String(n + at)}`)))));
    },
  });

  const openPage = async (path: string): Promise<{ readonly page: Page; readonly devtools: CDPSession }> => {
    const tab = await of().open();
    await tab.page.clock.install();
    await of().signIn(tab, 'ana@example.com', path);
    return { page: tab.page, devtools: await tab.page.context().newCDPSession(tab.page) };
  };

  it('keeps nothing of a message beside the newest state of what it is about', async () => {
    const { page, devtools } = await openPage('/items?show=all');
    let heard = 0;
    page.on('websocket', (socket) => socket.on('framereceived', () => (heard += 1)));
    await page.reload();
    await loaded(page);
    const { ana, world } = of();
    /** Changes all items once; returns when the page has heard of each. */
    const change = async (tag: string): Promise<void> => {
      const operation = { type: 'tags', add: [tag], remove: [] };
      const before = heard;
      const { body } = await ana.post('/bulk', { ids, operation });
      await world.settled();
      await ana.post(`/bulk/${String(body.bulk.id)}/undo`);
      await world.settled();
      // An entry and a state of the item each, done and undone.
      await until('the page has heard of it', () => heard - before >= made * 4);
    };
    const start = await countObjects(devtools);
    await change('first');
    // Frames stand still meanwhile, so that the page is drawn once, before everything and after it.
    await page.clock.pauseAt(Date.now() + 1_000);
    await change('second');
    await page.clock.runFor(1_000);
    expect((await countObjects(devtools)) - start, 'objects of all items').to.be.below(made * 7.5);
    await page.clock.resume();
    const [objects, messages] = [await countObjects(devtools), heard];
    for (let round = 0; round < 3; round++) {
      await change(`tag-${String(round)}`);
      expect((await countObjects(devtools)) - objects, 'objects of some thousand messages').to.be.below(made * 2);
    }
    expect(heard - messages).to.be.least(made * 12);
  });

  it('reads an item anew that is left open, instead of keeping every entry, and loses none', async () => {
    const [id = ''] = ids;
    const { page } = await openPage(`/inbox/mail?show=all&item=${id}`);
    const entries = page.locator('.timeline .written.note');
    const notes = 450;
    // The first answer is held until everything has come, so that it is old when it arrives.
    const sent = deferred();
    await intercept(
      page,
      `**/items/${id}`,
      async (route) => {
        const response = await route.fetch();
        await sent.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    for (let n = 0; n < notes; n += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, (_, at) =>
          of().ana.post(`/items/${id}/notes`, { text: `Note ${String(n + at)}.` }),
        ),
      );
    await of().ana.post(`/items/${id}/notes`, { text: 'The last one.' });
    await page.getByText('The last one.').waitFor();
    sent.resolve();
    // The item may be read anew at this moment.
    await until('the oldest are left out', async () => (await entries.count()) < 310);
    const earlier = page.getByRole('button', { name: 'Show what happened earlier' });
    while (await earlier.isVisible()) {
      const first = await entries.first().textContent();
      await earlier.click();
      // An item that is read anew meanwhile begins with its newest entries again, and the button is pressed once more.
      await until('earlier ones are shown', async () => (await entries.first().textContent()) !== first, 3_000).catch(
        () => undefined,
      );
    }
    const texts = (await entries.locator('.prose').allTextContents()).map((text) => text.trim());
    expect(new Set(texts).size).to.equal(notes + 1);
    expect(texts.at(-1)).to.equal('The last one.');
  });

  it('forgets the items of a list some minutes after it was left', async () => {
    const { page, devtools } = await openPage('');
    const before = await countObjects(devtools);
    await page.getByRole('link', { name: 'All inboxes' }).click();
    await page.locator('.row').first().waitFor();
    const total = await page.evaluate<number>(`document.querySelector('.rows-all').offsetHeight`);
    expect(total).to.be.above(0);
    await until('the whole list is read', () =>
      page.evaluate<boolean>(`(() => {
        const rows = document.querySelector('.rows');
        rows.scrollTop = rows.scrollHeight;
        return rows.scrollHeight >= ${String(made * 56)};
      })()`),
    );
    const read = await countObjects(devtools);
    expect(read - before, 'objects of items').to.be.above(made * 3);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'What waits' }).waitFor();
    await until('they are forgotten', async () => {
      await page.clock.fastForward('02:00');
      return (await countObjects(devtools)) - before < made;
    });
  });
});
