/** Somebody who uses the console in a real browser while it is measured. Used by the suite `console`. */
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { hashPassword } from '../../../shared/accounts/passwords.ts';
import { newId } from '../../../shared/platform/ids.ts';
import type { Database } from '../database.ts';
import { probe } from './probe.ts';

export interface Visitor {
  /** Of the person who is signed in. */
  readonly id: string;
  readonly origin: string;
  /** Opens a tab with nothing in its cache; `slower` divides the speed of its processor. */
  open(slower?: number): Promise<Tab>;
}

export interface Tab {
  readonly page: Page;
  readonly devtools: CDPSession;
  /** Frames that came over its socket. */
  messages(): number;
  close(): Promise<void>;
}

const viewport = { width: 1440, height: 900 };
const password = 'correct horse battery';

const signIn = async (context: BrowserContext, origin: string, email: string): Promise<void> => {
  const page = await context.newPage();
  await page.goto(`${origin}/env/demo`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(/^complete to /).waitFor();
  await page.close();
};

/** Makes an admin and signs them in. */
export const openVisitor = async (browser: Browser, { sql }: Database, origin: string): Promise<Visitor> => {
  const id = newId('per');
  const email = `${id}@example.com`;
  await sql(
    `insert into people (id, email, name, role, environments, password_hash, created_at)
     select $1, $2, 'Bench Visitor', id, '{*}', $3, 0 from roles where name = 'admin'`,
    [id, email, await hashPassword(password)],
  );
  await sql('update revisions set n = n + 1');
  const first = await browser.newContext({ viewport });
  await signIn(first, origin, email);
  const storageState = await first.storageState();
  await first.close();
  return {
    id,
    origin,
    open: async (slower = 1) => {
      const context = await browser.newContext({ viewport, storageState });
      context.setDefaultTimeout(120_000);
      const page = await context.newPage();
      await page.addInitScript(probe);
      const devtools = await context.newCDPSession(page);
      if (slower > 1) await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
      let messages = 0;
      page.on('websocket', (socket) => socket.on('framereceived', () => (messages += 1)));
      return { page, devtools, messages: () => messages, close: () => context.close() };
    },
  };
};
