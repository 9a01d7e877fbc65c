/** A service with its console in a real browser, for one test file: its people, and tabs in which they sign in. Used by the tests of this folder. */
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { buildConsole } from '../../shared/tools/services/buildConsole.mjs';
import type { FakeApp } from '../support/app.ts';
import { openTab, startBrowser, type Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { newWorld, type World, type WorldOptions } from '../support/world.ts';

/** Of everybody who signs in. */
export const password = 'correct horse battery';

/** Resolves once the page hears the live stream and has read what it shows: before, keys find nothing to act on. */
export const loaded = async (page: Page): Promise<void> => {
  await page.getByText(/^complete to /).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
};

/** Returns the place of each row and how many there are, as those hear it who do not see the list. */
export const placesOf = async (rows: Locator): Promise<(string | null)[][]> => {
  await rows.first().waitFor();
  return Promise.all(
    (await rows.all()).map(async (row) => [
      await row.getAttribute('aria-posinset'),
      await row.getAttribute('aria-setsize'),
    ]),
  );
};

interface ConsoleOptions {
  readonly manifest?: unknown;
  /** Returns variables of the service, and a database of its own. */
  readonly world?: () => Promise<Pick<WorldOptions, 'env' | 'database'>>;
  /** Of the app; those of replies and of blocks are there already. */
  readonly handlers?: Parameters<World['app']>[0];
  /** false: the test starts workers of its own. */
  readonly workers?: boolean;
  /** Runs before the first test: a `before` of the suite's own would run without a browser too. */
  readonly arrange?: (service: ConsoleTest) => Promise<void>;
}

export interface ConsoleTest {
  readonly world: World;
  readonly app: FakeApp;
  /** Ana Lind, an admin: `ana@example.com`. */
  readonly ana: Client;
  /** Ben Okoro, an operator: `ben@example.com`. */
  readonly ben: Client;
  /** Vera Holt, a viewer: `vera@example.com`. */
  readonly vera: Client;
  readonly origin: string;
  /** Opens a tab, which is closed after the last test. */
  open(options?: BrowserContextOptions): Promise<Tab>;
  /** Opens a path of `demo` in a tab where nobody is signed in, and signs in; returns when the page is complete. */
  signIn(tab: Tab, email: string, path: string): Promise<void>;
  /** Makes an item in `mail` and returns its id. */
  newItem(title: string, data?: object): Promise<string>;
}

const startConsole = async (
  browser: Browser,
  tabs: Tab[],
  { manifest = testManifest, handlers = {}, world: options, workers = true }: ConsoleOptions,
): Promise<ConsoleTest> => {
  await buildConsole();
  const world = await newWorld({ manifest, workers, ...(await options?.()) });
  const app = await world.app(
    { 'reply.send': () => ({}), 'item.blocks': () => ({ blocks: [], suggestedActions: [] }), ...handlers },
    { manifest },
  );
  const person = (role: string, name: string, email: string) => world.person(role, name, { email, password });
  const ana = await person('admin', 'Ana Lind', 'ana@example.com');
  const origin = `http://127.0.0.1:${String(world.port)}`;
  return {
    world,
    app,
    ana,
    ben: await person('operator', 'Ben Okoro', 'ben@example.com'),
    vera: await person('viewer', 'Vera Holt', 'vera@example.com'),
    origin,
    open: async (options = {}) => {
      const opened = await openTab(browser, options);
      tabs.push(opened);
      return opened;
    },
    signIn: async ({ page }, email, path) => {
      await page.goto(`${origin}/env/demo${path}`);
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await loaded(page);
    },
    newItem: async (title, data = { email: 'kim@example.com' }) => {
      const { body } = await ana.post('/items', { inbox: 'mail', title, data });
      return body.item.id as string;
    },
  };
};

/** Characters of what a page shows that are reported of a failed test. */
const shownMax = 600;

/** Adds to the error of a test what the pages that are open show. */
const describePages = async (tabs: readonly Tab[], error: Error): Promise<void> => {
  for (const { page, picture } of tabs) {
    if (page.isClosed()) continue;
    const path = new URL(page.url()).pathname;
    const shown = await page
      .locator('[role="alert"], [role="dialog"], main')
      .allInnerTexts()
      .catch((problem: unknown) => [String(problem)]);
    error.stack = `${error.stack ?? ''}\nA page of ${path}: ${shown.join(' | ').replace(/\s+/g, ' ').slice(0, shownMax)}`;
    await picture(`failed-${path.replace(/\W+/g, '-')}`).catch(() => undefined);
  }
};

/**
 * Starts the service and the browser before the tests of the suite, and stops them after; fails a test in which a page
 * reported anything. Without a browser the suite is skipped, which fails in CI. Returns what gives the service to the tests.
 */
export const useConsole = (options: ConsoleOptions = {}): (() => ConsoleTest) => {
  const tabs: Tab[] = [];
  let browser: Browser | undefined;
  let started: ConsoleTest | undefined;
  before(async function () {
    try {
      browser = await startBrowser();
    } catch (error) {
      if (process.env['CI'] === 'true') throw error;
      console.log(`    The console's tests are skipped: ${error instanceof Error ? error.message : String(error)}`);
      this.skip();
    }
    started = await startConsole(browser, tabs, options);
    await options.arrange?.(started);
  });
  after(async () => {
    for (const each of tabs) await each.close();
    await browser?.close();
    await started?.world.close();
  });
  afterEach(async function () {
    if (this.currentTest?.err !== undefined) await describePages(tabs, this.currentTest.err);
    expect(
      tabs.flatMap(({ reports }) => reports),
      'no page reports anything',
    ).to.deep.equal([]);
  });
  return () => {
    if (started === undefined) throw new Error('The console starts before the first test.');
    return started;
  };
};
