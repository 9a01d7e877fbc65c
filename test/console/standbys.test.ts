/** The console where a standby serves lists, and another process answers than the one that made a change: it shows one's own changes at once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Request } from 'playwright-core';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { clientOf } from '../support/http.ts';
import { holdPublishersSql, startReplication, type Replication } from '../support/standby.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

const lagMs = 60_000;

const isList = (url: string): boolean => /\/api\/env\/demo\/items\?/.test(url);
const seenIn = (request: Request): Promise<string | null> => request.headerValue('x-live-offset');

describe('the console beside a standby', () => {
  let dir = '';
  let replication: Replication | undefined;
  const of = useConsole({
    world: async () => {
      dir = await mkdtemp(join(tmpdir(), 'console-standby-'));
      replication = await startReplication(dir, 1);
      const { primary, standbys } = replication;
      await migrateDatabase(primary.ownerUrl, primary.url);
      return {
        database: { url: primary.url, ownerUrl: primary.ownerUrl, drop: () => Promise.resolve() },
        env: { DATABASE_READ_URL: standbys[0]?.url ?? '', READ_LAG_MS: String(lagMs) },
      };
    },
  });
  after(async () => {
    await replication?.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** While the standby replays nothing and nobody publishes, only the offset of one's change tells of it. */
  const untold = async (work: () => Promise<void>): Promise<void> => {
    const standby = (text: string) => replication?.standbys[0]?.sql<Record<string, unknown>>(text);
    const hold = (time: string): Promise<unknown> => of().world.sql(holdPublishersSql(time));
    await hold('9000000000000000');
    const [row] = await of().world.sql<{ wal: string }>('select pg_current_wal_insert_lsn()::text as wal');
    await until('the standby has caught up', async () => {
      const [found] = (await standby(`select pg_last_wal_replay_lsn() >= '${row?.wal ?? ''}' as there`)) ?? [];
      return found?.['there'];
    });
    await standby('select pg_wal_replay_pause()');
    await until('it is paused', async () => {
      const [found] = (await standby('select pg_get_wal_replay_pause_state() as state')) ?? [];
      return found?.['state'] === 'paused';
    });
    try {
      await work();
    } finally {
      await standby('select pg_wal_replay_resume()');
      await hold('0');
    }
  };

  it('reads what one has just changed, and tells the newest place of the stream afterwards', async () => {
    const { world, ana, newItem, open, signIn } = of();
    const [changed, kept] = [await newItem('Closed by Ana'), await newItem('Still open')];
    await world.settled();
    const second = await world.api();
    const there = clientOf(second.base(), ana.token, ana.id);
    const listedThere = async (): Promise<string> => (await there.get('/items?inbox=mail&state=open')).text;
    const tab = await open();
    const { page } = tab;
    await page.clock.install();
    let told = '';
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's own messages
        told = (JSON.parse(String(payload)) as { offset: string }).offset;
      }),
    );
    const { port } = new URL(second.base());
    await page.route(
      (url) => isList(url.href),
      (route, request) => {
        const url = new URL(request.url());
        url.port = port;
        return route.continue({ url: url.href });
      },
    );
    await signIn(tab, 'ana@example.com', `/inbox/mail?item=${changed}`);
    const list = (): Promise<Request> => page.waitForRequest((request) => isList(request.url()));
    const row = page.locator(`#row-${changed}`);
    await row.waitFor();
    await page.getByRole('heading', { name: 'Closed by Ana' }).waitFor();
    await untold(async () => {
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().method() === 'PATCH'),
        page.keyboard.press('e'),
      ]);
      const offset = await answer.headerValue('x-live-offset');
      expect(offset).to.match(/^\S{22}$/);
      await answer.finished();
      // The page has its turn, in which it reads the answer, before a further request of it.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await until('who tells nothing reads what was', async () => (await listedThere()).includes('Closed by Ana'));
      const [request] = await Promise.all([list(), page.keyboard.press('l')]);
      expect(await seenIn(request)).to.equal(offset);
      await row.waitFor({ state: 'detached' });
      await page.locator(`#row-${kept}`).waitFor();
    });
    await world.settled();
    // Every standby that serves has the change by then; the silence makes the page open its stream again.
    await page.clock.fastForward(lagMs + 1_000);
    await loaded(page);
    await newItem('By somebody else');
    await page.getByRole('button', { name: /1 new/ }).waitFor();
    const newest = told;
    const [request] = await Promise.all([list(), page.keyboard.press('l')]);
    expect([newest, told]).to.include(await seenIn(request));
    await page.getByText('By somebody else').waitFor();
  });

  it('is told a place by every change, also one without items', async () => {
    const { ana } = of();
    const { status, headers } = await ana.post('/bulk', {
      query: { inbox: 'mail' },
      operation: { type: 'tags', add: ['seen'] },
    });
    expect(status).to.be.below(300);
    expect(headers.get('x-live-offset')).to.match(/^\S{22}$/);
    expect((await ana.get('/me')).headers.get('x-live-offset')).to.equal(null);
  });
});
