/** Archives in the console: where the past ends, it says so. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { useConsole } from './support.ts';

describe('archives in the console', () => {
  let tab: Tab;
  let page: Page;
  let id: string;

  const service = useConsole({
    arrange: async ({ open, newItem, world }) => {
      tab = await open();
      ({ page } = tab);
      id = await newItem('An item of long ago');
      await world.sql('update items set created_at = 0 where id = $1', [id]);
      // As after a month was archived.
      await world.sql(
        `insert into archives (starts, ends, name, file, bytes, sha256, events, first_at, last_at, chains, archived_at)
         values (0, 1, '2026-01', '/archives/events-2026-01.jsonl.gz', 1, '', 1, 0, $1, '[]', 0)`,
        [Date.UTC(2026, 0, 31, 12)],
      );
      await world.sql('update revisions set n = n + 1');
    },
  });
  const note = () => page.getByText(/What happened before .*2026.* may be archived/);

  it('says at the end of a timeline and of the audit log that what is older may be archived', async () => {
    await service().signIn(tab, 'ana@example.com', `/inbox/mail?item=${id}`);
    await note().waitFor();
    await tab.picture('archived-light-1440');
    await page.goto(new URL('/env/demo/settings/audit', page.url()).href);
    await note().waitFor();
    expect(await note().count()).to.equal(1);
  });
});
