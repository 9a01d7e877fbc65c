/** Loosenings in the console: one key decides one of them, and that which the person has chosen. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { password, placesOf, useConsole } from './support.ts';

const names = ['refund', 'payout', 'credit', 'gift'] as const;

/** Declares the actions; `free`: those that nobody approves any more. */
const manifestOf = (free: readonly string[]) => ({
  ...testManifest,
  actions: [
    ...testManifest.actions,
    ...names.map((name) => ({ name, label: name, approval: !free.includes(name), input: { type: 'object' } })),
  ],
});

describe('loosenings in the console', () => {
  let tab: Tab;
  let page: Page;
  /** The decisions that the page has sent. */
  const sent: string[] = [];
  const of = useConsole({
    manifest: manifestOf([]),
    arrange: async ({ world, open, signIn }) => {
      await world.app({}, { manifest: manifestOf(['refund', 'payout', 'credit']) });
      tab = await open();
      ({ page } = tab);
      page.on('request', (request) => {
        const verb = /\/settings\/loosenings\/\w+\/(accept|refuse)$/.exec(request.url())?.[1];
        if (verb !== undefined) sent.push(verb);
      });
      await signIn(tab, 'ana@example.com', '/settings/loosenings');
    },
  });

  const lines = () => page.getByRole('region', { name: 'Waiting' }).getByRole('listitem');
  const nameOf = (text: string): string => text.replace(/^Action /, '');
  /** Returns the actions on the page, in their order. */
  const shown = async (): Promise<string[]> => (await lines().locator('strong').allTextContents()).map(nameOf);
  const current = async (): Promise<string[]> =>
    (await page.locator('.loosenings > li[aria-current="true"] strong').allTextContents()).map(nameOf);
  /** Resolves once so many wait on the page, and can be decided. */
  const ready = async (count: number): Promise<void> => {
    await until('so many wait', async () => (await lines().count()) === count);
    await lines().first().getByRole('button', { name: 'Loosen it', disabled: false }).waitFor();
  };
  const statuses = async (): Promise<Record<string, string>> => {
    const { body } = await of().ana.get('/settings/loosenings');
    const all = body.loosenings as { on: { name: string; member: string }; status: string }[];
    return Object.fromEntries(
      all.filter(({ on }) => on.member === 'approval').map(({ on, status }) => [on.name, status]),
    );
  };
  /** Presses a key within the page as soon as a line has left: before the list has settled, however slow the test is. */
  const pressWhenOneLeaves = (key: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const watch = new MutationObserver((changes) => {
        if (!changes.some(({ removedNodes }) => removedNodes.length > 0)) return;
        watch.disconnect();
        setTimeout(() => window.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}' })), 50);
      });
      watch.observe(document.querySelector('[aria-label="Waiting"] .loosenings'), { childList: true });
    })()`);

  it('decides one by a key that is held down and pressed again after a fresh sign-in', async () => {
    await ready(3);
    const [first = '', second = '', third = ''] = await shown();
    expect(await placesOf(lines())).to.deep.equal(['1', '2', '3'].map((place) => [place, '3']));
    expect(await current()).to.deep.equal([first]);
    of().world.clock.advance(16 * 60_000);
    await pressWhenOneLeaves('a');
    await page.keyboard.down('a');
    await page.keyboard.down('a');
    await page.keyboard.down('a');
    await page.keyboard.up('a');
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText(`Action ${first}: what is declared holds now.`).waitFor();
    await ready(2);
    expect(await current()).to.deep.equal([second]);
    expect(await statuses()).to.deep.equal({ [first]: 'accepted', [second]: 'waiting', [third]: 'waiting' });
  });

  it('sends nothing while a decision is under way, and takes the one that has followed, not one that has arrived', async () => {
    const [second = '', third = ''] = await shown();
    await of().world.app({}, { manifest: manifestOf(names) });
    await until('it is declared', async () => (await statuses())['gift'] === 'waiting');
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    await intercept(page, '**/accept', async (route) => {
      await isReleased;
      return route.continue();
    });
    sent.length = 0;
    // The list may settle anew, as the page reads everything again once something else is declared.
    await until('it is sent', async () => {
      await page.keyboard.press('a');
      return sent.length > 0;
    });
    await page.keyboard.press('a');
    await page.keyboard.press('r');
    release();
    await page.getByText(`Action ${second}: what is declared holds now.`).waitFor();
    await page.unroute('**/accept');
    await ready(2);
    expect(sent).to.deep.equal(['accept']);
    expect(await shown()).to.deep.equal(['gift', third]);
    expect(await current()).to.deep.equal([third]);
    await tab.picture('loosening-arrived-light-1440');
    await page.keyboard.press('r');
    await page.getByText(`Action ${third}: the stricter rule stays.`).waitFor();
    await ready(1);
    expect(await current()).to.deep.equal(['gift']);
    expect((await statuses())['gift']).to.equal('waiting');
    const decided = page.getByRole('region', { name: 'Decided' }).getByRole('listitem');
    expect(await placesOf(decided)).to.deep.equal(['1', '2', '3'].map((place) => [place, '3']));
  });
});
