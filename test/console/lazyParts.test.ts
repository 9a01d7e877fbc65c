/** Parts of the page that can't be loaded: without a connection, and in a tab from before a deploy. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { consoleFolder } from '../../shared/tools/services/buildConsole.mjs';
import type { Tab } from '../support/browser.ts';
import { loaded, useConsole } from './support.ts';

/** Of an open item, which is not loaded with the list. */
const part = /\/assets\/ItemDetail-[^/]+\.js$/;

describe('a part of the console that is loaded later', () => {
  let first = '';
  const of = useConsole({
    arrange: async ({ newItem }) => {
      await newItem('Second question');
      first = await newItem('First question');
    },
  });
  let tab: Tab;

  /** Resolves once the part has been asked for before it is needed, and could not be had. */
  const notPreloaded = (page: Page): Promise<unknown> =>
    page.waitForEvent('requestfailed', (request) => part.test(request.url()));
  /** Marks the page, so that a reload is noticed. */
  const mark = (page: Page): Promise<void> => page.evaluate('void (window.isMarked = true)');
  const isMarked = (page: Page): Promise<boolean> => page.evaluate('window.isMarked === true');

  /** From now on there is another build: parts of this one are gone for the page that asks until it has been reloaded. */
  const deploy = async (page: Page): Promise<() => number> => {
    let documents = 0;
    await page.unroute(part);
    await page.route(/\/env\/demo/, async (route) => {
      if (!route.request().headers()['accept']?.includes('text/html')) return route.continue();
      if (route.request().resourceType() === 'document') documents += 1;
      const response = await route.fetch();
      const text = await response.text();
      return route.fulfill({ response, body: text.replace(/assets\/main-(\w+)\.js/g, 'assets/main-$1NEW.js') });
    });
    await page.route(/\/assets\/main-\w+NEW\.js$/, (route) =>
      route.continue({ url: route.request().url().replace('NEW', '') }),
    );
    await page.route(part, (route) =>
      documents > 0 ? route.continue() : route.continue({ url: `${of().origin}/assets/gone.js` }),
    );
    return () => documents;
  };

  it('changes nothing while it is not needed; then says that it could not be loaded, and tries again', async () => {
    tab = await of().open();
    const { page } = tab;
    await page.route(part, (route) => route.abort('connectionfailed'));
    const failed = notPreloaded(page);
    await of().signIn(tab, 'ana@example.com', '/inbox/mail');
    await failed;
    await mark(page);
    await page.getByRole('searchbox').fill('question');
    await page.locator('.row').first().waitFor();
    await page.getByRole('searchbox').press('Escape');
    await page.locator('.row').first().click();
    const problem = page.getByRole('alert').filter({ hasText: 'This part could not be loaded' });
    await problem.getByText('What you typed is kept.').waitFor();
    await tab.picture('part-failed-light-1440');
    await problem.getByRole('button', { name: 'Try again' }).click();
    await problem.waitFor();
    await page.unroute(part);
    await problem.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.timeline').waitFor();
    expect(await isMarked(page), 'the page was not reloaded').to.equal(true);
  });

  it('of an earlier build reloads the page once, and what was typed is still there', async () => {
    const { page } = tab;
    await page.keyboard.press('r');
    await page.getByLabel('Reply to the customer').fill('Half a sentence');
    await page.keyboard.press('Escape');
    await page.route(part, (route) => route.abort('connectionfailed'));
    const failed = notPreloaded(page);
    await page.goto(`${of().origin}/env/demo/inbox/mail`);
    await loaded(page);
    await failed;
    await mark(page);
    const documents = await deploy(page);
    await page.locator(`#row-${first}`).click();
    await page.locator('.timeline').waitFor();
    expect(documents()).to.equal(1);
    expect(await isMarked(page)).to.equal(false);
    expect(await page.getByLabel('Reply to the customer').inputValue()).to.equal('Half a sentence');
    await page.getByLabel('Reply to the customer').fill('');
  });

  it('of an earlier build asks before it reloads a page in which somebody types', async () => {
    const { page } = await of().open();
    const typing = { page, reports: [], picture: tab.picture, close: tab.close };
    const palette = /\/assets\/Palette-[^/]+\.js$/;
    await page.route(palette, (route) => route.abort('connectionfailed'));
    const failed = page.waitForEvent('requestfailed', (request) => palette.test(request.url()));
    await of().signIn(typing, 'ben@example.com', `/inbox/mail?item=${first}`);
    await failed;
    await page.locator('.timeline').waitFor();
    await mark(page);
    await deploy(page);
    // Before the former answer, not in its place: at no time can the part be had.
    await page.route(palette, (route) => route.continue({ url: `${of().origin}/assets/gone.js` }));
    await page.keyboard.press('r');
    await page.getByLabel('Reply to the customer').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('I am still typing');
    await page.keyboard.press('Control+k');
    await page.getByRole('alert').getByText('The console has been updated').waitFor();
    expect(await isMarked(page)).to.equal(true);
    await page.unroute(palette);
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.locator('.timeline').waitFor();
    expect(await isMarked(page)).to.equal(false);
    expect(await page.getByLabel('Reply to the customer').inputValue()).to.equal('I am still typing');
  });

  it('has at most 80 KB', () => {
    const assets = join(consoleFolder, 'assets');
    const sizes = readdirSync(assets)
      .filter((name) => name.endsWith('.js.gz') && !name.startsWith('main-'))
      .map((name) => ({ name, bytes: statSync(join(assets, name)).size }));
    expect(sizes.length).to.be.greaterThan(20);
    expect(sizes.filter(({ bytes }) => bytes > 80_000)).to.deep.equal([]);
  });
});
