/** The console while PostgreSQL or Redis is stopped: it says so, keeps what was typed, and is complete again afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import type { Tab } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

describe('the console while a server is away', () => {
  let dir = '';
  let postgres: PostgresServer | undefined;
  let redis: RedisServer | undefined;
  let tab: Tab;
  let [first, second] = ['', ''];
  const of = useConsole({
    world: async () => {
      dir = await mkdtemp(join(tmpdir(), 'console-away-'));
      // It is killed, and loses nothing that it has said is committed.
      postgres = await startPostgres({ dir, durable: false, settings: { synchronous_commit: 'on' } });
      redis = await startRedis({ dir });
      await migrateDatabase(postgres.ownerUrl, postgres.url);
      return {
        database: { url: postgres.url, ownerUrl: postgres.ownerUrl, drop: () => Promise.resolve() },
        env: { REDIS_URL: redis.url },
      };
    },
    arrange: async ({ newItem }) => {
      first = await newItem('First question');
      second = await newItem('Second question');
    },
  });
  after(async () => {
    await redis?.stop();
    await postgres?.stop('immediate');
    await rm(dir, { recursive: true, force: true });
  });
  const note = () => tab.page.getByLabel('Note for colleagues');

  it('says what was not done without PostgreSQL, and does it once it is back', async () => {
    tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ana@example.com', `/inbox/mail?item=${first}`);
    await page.locator('.timeline').waitFor();
    await page.keyboard.press('n');
    await note().fill('Half a sentence');
    await postgres?.stop('immediate');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('.composer').getByRole('alert').filter({ hasText: 'not available right now' }).waitFor();
    expect(await note().inputValue()).to.equal('Half a sentence');
    await note().press('Escape');
    await page.keyboard.press('e');
    const notice = page.locator('.notice.failed');
    await notice.filter({ hasText: /Not done, set to closed/ }).waitFor();
    await page.locator(`#row-${second}`).click();
    const problem = page.locator('.detail').getByRole('alert');
    await problem.filter({ hasText: 'The service is not ready' }).waitFor();
    await tab.picture('no-database-light-1440');
    await postgres?.restart();
    await problem.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Second question' }).waitFor();
    await page.locator(`#row-${first}`).click();
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('.written.note', { hasText: 'Half a sentence' }).waitFor();
  });

  it('that is opened without PostgreSQL begins by itself once it is back', async () => {
    const { page } = tab;
    await page.keyboard.press('n');
    await note().fill('Still here');
    await postgres?.stop('immediate');
    await page.reload();
    await page.getByRole('heading', { name: 'The service is not ready' }).waitFor();
    await tab.picture('no-database-start-light-1440');
    await postgres?.restart();
    await note().waitFor();
    expect(await note().inputValue()).to.equal('Still here');
    await note().fill('');
    await note().press('Escape');
  });

  it('goes on without Redis, and has missed nothing afterwards', async () => {
    const { page } = tab;
    const { ana, ben } = of();
    await redis?.stop();
    await page.keyboard.press('e');
    await until('it is closed', async () => (await ana.get(`/items/${first}`)).body.item.state === 'closed');
    await ben.post(`/items/${second}/notes`, { text: 'While Redis was away' });
    await page.locator(`#row-${second}`).click();
    await page.locator('.written.note', { hasText: 'While Redis was away' }).waitFor();
    await redis?.restart();
    await ben.post(`/items/${second}/notes`, { text: 'And after' });
    await page.locator('.written.note', { hasText: 'And after' }).waitFor();
    await loaded(page);
  });
});
