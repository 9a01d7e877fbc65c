/** A real browser for tests of the console: the system's Chromium, or the one fetched for this checkout. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page, type Route } from 'playwright-core';
import { findProgram } from '../services/systemPrograms.mjs';
import { patience } from './patience.ts';
import { until } from './until.ts';

/** The first is for root; the others keep the browser from calling its maker's hosts at every start. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** Starts the browser. Throws a StartFailure, which names the package, when there is none and none can be fetched. */
export const startBrowser = async (): Promise<Browser> => {
  const { command, env } = await findProgram('chromium');
  return chromium.launch({ executablePath: command, args: flags, env: { ...process.env, ...env } });
};

export interface Tab {
  readonly page: Page;
  /** What the page's policy refused, and what failed in its script. */
  readonly reports: string[];
  /** Keeps a picture of the page, where SCREENSHOTS names a folder. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a page of its own, with cookies of its own. */
export const openTab = async (browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(20_000 * patience);
  const page = await context.newPage();
  const reports: string[] = [];
  page.on('pageerror', (error) => void reports.push(String(error)));
  page.on('console', (message) => {
    if (/content security policy|trusted ?types/i.test(message.text())) reports.push(message.text());
  });
  return {
    page,
    reports,
    picture: async (name) => {
      const folder = process.env['SCREENSHOTS'];
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}.png`) });
    },
    close: () => context.close(),
  };
};

/** A path that every service answers, and no console asks for. */
const probe = '/health';

/**
 * Hands the page's requests to a path over to `handle`, from the next one on: what Playwright's own `route` has told the browser reaches
 * the page's part of it a moment later, so that now and then a request passes unseen. For a page that is loaded; `times`: the first ones only.
 */
export const intercept = async (
  page: Page,
  path: string | RegExp,
  handle: (route: Route) => unknown,
  options: { readonly times?: number } = {},
): Promise<void> => {
  let isSeen = false;
  const see = (route: Route): Promise<void> => {
    isSeen = true;
    return route.continue();
  };
  await page.route(`**${probe}`, see);
  await page.route(path, handle, options);
  await until('requests are seen', async () => {
    await page.evaluate(`fetch(${JSON.stringify(probe)}).then((answer) => answer.text())`);
    return isSeen;
  });
  await page.unroute(`**${probe}`, see);
};
