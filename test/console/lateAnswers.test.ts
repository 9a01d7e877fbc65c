/** Answers that come when the person has gone on: they neither lead away from what is on screen nor are lost. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, password, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  actions: [
    ...testManifest.actions,
    {
      name: 'credit',
      label: 'Credit',
      resource: 'customer',
      approval: true,
      input: { type: 'object', properties: { amount: { type: 'number' } } },
    },
    {
      name: 'hold',
      label: 'Hold',
      resource: 'customer',
      input: { type: 'object', properties: { why: { type: 'string' } } },
    },
  ],
};

/** Holds the next request of a path back; returns the function that lets it go. */
const holdBack = async (page: Page, path: RegExp): Promise<() => void> => {
  const gate = deferred<void>();
  await intercept(
    page,
    path,
    async (route) => {
      await gate.promise;
      await route.continue();
    },
    { times: 1 },
  );
  return () => gate.resolve();
};

describe('answers that come late', () => {
  let tab: Tab;
  let page: Page;
  let bot: Client;
  const of = useConsole({
    manifest,
    handlers: { 'action.run': () => ({ message: 'Done.', blocks: [] }) },
    arrange: async ({ world, open, signIn }) => {
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park', fields: { email: 'kim@example.com' } }]);
      bot = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      tab = await open();
      ({ page } = tab);
      await signIn(tab, 'ana@example.com', '/approvals');
    },
  });
  const goTo = async (path: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo${path}`);
    await loaded(page);
  };
  const askToClose = async (title: string): Promise<string> => {
    const { body } = await bot.post(`/items/${await of().newItem(title)}/state`, { state: 'closed' });
    return String(body.approval);
  };
  const statusOf = async (approval: string): Promise<string> =>
    (await of().ana.get(`/approvals/${approval}`)).body.approval.status;
  const heading = (title: string) => page.locator('.decision').getByRole('heading', { level: 1, name: title });

  describe('to a decision', () => {
    it('leave the request that is on screen by then where it is, with its keys', async () => {
      const [first, second] = [await askToClose('Late A'), await askToClose('Late B')];
      await goTo(`/approvals/${first}`);
      await heading('Late A').waitFor();
      const letGo = await holdBack(page, /\/approve$/);
      await page.keyboard.press('a');
      await page.keyboard.press('j');
      await heading('Late B').waitFor();
      letGo();
      await page.getByText(/^Approved: .*Late A/).waitFor();
      expect(new URL(page.url()).pathname).to.match(new RegExp(`${second}$`));
      await page.keyboard.press('a');
      await until('the second is approved', async () => (await statusOf(second)) === 'approved');
    });

    it('do not lead back to the approvals, and say elsewhere that it failed', async () => {
      const approval = await askToClose('Left behind');
      await goTo(`/approvals/${approval}`);
      await heading('Left behind').waitFor();
      const gate = deferred<void>();
      await intercept(page, /\/approve$/, async (route) => {
        await gate.promise;
        await route.fulfill({ status: 503, json: { error: 'Try again later.', code: 'unavailable' } });
      });
      await page.keyboard.press('a');
      await page.getByRole('link', { name: 'All inboxes' }).click();
      await page.locator('.rows').waitFor();
      gate.resolve();
      await page.getByText(/^Not decided: .*Left behind/).waitFor();
      expect(new URL(page.url()).pathname).to.equal('/env/demo/items');
      await page.unroute(/\/approve$/);
      expect(await statusOf(approval)).to.equal('pending');
    });
  });

  describe('to a reply', () => {
    const text = () => page.getByLabel('Reply to the customer');

    it('clear what was sent, keep what is typed elsewhere, and move the focus from nowhere', async () => {
      const [first, second] = [await of().newItem('Answer me'), await of().newItem('Me too')];
      await goTo(`/inbox/mail?item=${first}`);
      await text().fill('Here you are.');
      const letGo = await holdBack(page, /\/reply$/);
      await text().press('Control+Enter');
      await page.getByRole('button', { name: 'Send reply', disabled: true }).waitFor();
      expect(await text().getAttribute('readonly')).to.equal('');
      await page.locator('.row', { hasText: 'Me too' }).click();
      await page.getByRole('heading', { name: 'Me too' }).waitFor();
      await text().fill('Not yet');
      letGo();
      await page.getByText('The reply is on its way.').waitFor();
      expect(await text().inputValue()).to.equal('Not yet');
      await text().pressSequentially(' done');
      expect(await text().inputValue()).to.equal('Not yet done');
      expect((await of().ana.get(`/items/${second}`)).body.item.state).to.equal('open');
      await page.locator('.row', { hasText: 'Answer me' }).click();
      await page.locator('.written.reply', { hasText: 'Here you are.' }).waitFor();
      expect(await text().inputValue()).to.equal('');
      const { timeline } = (await of().ana.get(`/items/${first}`)).body as { timeline: { type: string }[] };
      expect(timeline.filter(({ type }) => type === 'reply')).to.have.length(1);
    });

    it('are told on another item when it was not sent, and stand at the text again', async () => {
      const first = await of().newItem('Not sent');
      await of().newItem('Next one');
      await goTo(`/inbox/mail?item=${first}`);
      await text().fill('Never arrives.');
      const gate = deferred<void>();
      await intercept(page, /\/reply$/, async (route) => {
        await gate.promise;
        await route.fulfill({ status: 503, json: { error: 'Try again later.', code: 'unavailable' } });
      });
      await text().press('Control+Enter');
      await page.locator('.row', { hasText: 'Next one' }).click();
      await page.getByRole('heading', { name: 'Next one' }).waitFor();
      gate.resolve();
      await page.getByText(/^The reply to “Not sent” was not sent/).waitFor();
      await page.unroute(/\/reply$/);
      await page.locator('.row', { hasText: 'Not sent' }).click();
      await page.locator('.composer').getByRole('alert').waitFor();
      expect(await text().inputValue()).to.equal('Never arrives.');
      await text().fill('');
    });
  });

  describe('to an action', () => {
    it('forget what was typed for it, which another sheet would send again', async () => {
      const { body } = await of().ana.post('/items', {
        inbox: 'mail',
        title: 'Hold it',
        record: { resource: 'customer', id: 'cus_1' },
      });
      await goTo(`/inbox/mail?item=${String(body.item.id)}`);
      const sheet = page.getByRole('dialog', { name: 'Hold' });
      const open = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Run an action' }).waitFor();
        await page.keyboard.press('d');
        await page.getByRole('combobox', { name: 'Run an action' }).fill('Hold');
        await page.keyboard.press('Enter');
        await sheet.waitFor();
      };
      await open();
      await sheet.getByLabel(/why/i).fill('Once');
      const letGo = await holdBack(page, /\/actions$/);
      await page.keyboard.press('Control+Enter');
      await sheet.getByRole('button', { name: /^Running/, disabled: true }).waitFor();
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
      await open();
      await sheet.getByRole('button', { name: /^Running/, disabled: true }).waitFor();
      letGo();
      await sheet.getByRole('button', { name: /^Hold/, disabled: false }).waitFor();
      await until('it is forgotten', async () => (await sheet.getByLabel(/why/i).inputValue()) === '');
      await page.keyboard.press('Escape');
      const { runs } = (await of().ana.get('/runs?action=hold')).body as { runs: object[] };
      expect(runs).to.have.length(1);
    });
  });

  describe('of what an open request is about', () => {
    it('are read anew when it changes', async () => {
      const item = await of().newItem('Moves on');
      const { body } = await bot.post(`/items/${item}/state`, { state: 'closed' });
      const approval = String(body.approval);
      await goTo(`/approvals/${approval}`);
      await heading('Moves on').waitFor();
      const read = page.waitForResponse((response) => response.url().endsWith(`/approvals/${approval}`));
      await of().ana.post(`/items/${item}/state`, { state: 'waiting' });
      await read;
      await page.locator('.decision').getByText('waiting').first().waitFor();
    });

    it('want a second word from who may decide an action without knowing it', async () => {
      const { world } = of();
      await world.role('decider', [
        { on: 'approvals', can: ['*'] },
        { on: 'resource:customer', can: ['see'] },
      ]);
      await world.person('decider', 'Dee Moss', { email: 'dee@example.com', password });
      const asked = await bot.post('/actions', { action: 'credit', record: 'cus_1', input: { amount: 5 } });
      expect(asked.status, asked.text).to.equal(202);
      const approval = String(asked.body.approval);
      const other = await of().open();
      await of().signIn(other, 'dee@example.com', `/approvals/${approval}`);
      await other.page.getByRole('button', { name: /^Approve/ }).waitFor();
      await other.page.keyboard.press('a');
      await other.page.getByRole('group', { name: 'Confirm the approval' }).waitFor();
      expect(await statusOf(approval)).to.equal('pending');
    });

    it('are all in the queue, also those that wait longest of many', async () => {
      await goTo('/flags');
      const oldest = await askToClose('Waits longest');
      const items = await Promise.all(Array.from({ length: 205 }, (_, n) => of().newItem(`Many ${String(n)}`)));
      for (const id of items) await bot.post(`/items/${id}/tags`, { add: ['many'], remove: [] });
      await goTo('/approvals');
      await page
        .locator('.requests')
        .getByRole('button', { name: /Waits longest/ })
        .waitFor();
      await page
        .locator('.requests')
        .getByRole('button', { name: /Many 204/ })
        .waitFor();
      expect(await statusOf(oldest)).to.equal('pending');
    });
  });

  describe('to the question for the rows of a list', () => {
    const row = (title: string) => page.locator('.row', { hasText: title });
    const title = (text: string) => page.locator('.detail').getByRole('heading', { level: 1, name: text });
    const selected = (text: string) => page.locator('.row[aria-checked="true"]', { hasText: text });
    /** Reads the list anew with `l`, and waits until no row is there. */
    const readAnew = async (path: RegExp): Promise<() => void> => {
      const letGo = await holdBack(page, path);
      await page.keyboard.press('l');
      await page.locator('.list [aria-busy="true"]').waitFor();
      return letGo;
    };
    const items = /\/items\?/;

    it('are followed by the keys that were pressed before, from where one was', async () => {
      for (const each of ['Row one', 'Row two', 'Row three', 'Row four', 'Row five'])
        await of().ana.post('/items', { inbox: 'bugs', title: each });
      await goTo('/inbox/bugs');
      await row('Row three').click();
      await title('Row three').waitFor();
      let letGo = await readAnew(items);
      await page.keyboard.press('j');
      letGo();
      await title('Row two').waitFor();
      letGo = await readAnew(items);
      await page.keyboard.press('k');
      await page.keyboard.press('k');
      letGo();
      await title('Row four').waitFor();
      await page.keyboard.press('k');
      await title('Row five').waitFor();
    });

    it('select what x was pressed for, and change nothing that was open before', async () => {
      await goTo('/inbox/bugs');
      await row('Row five').click();
      await title('Row five').waitFor();
      const letGo = await readAnew(items);
      for (const key of ['j', 'x', 'j', 'j', 'X', 'e']) await page.keyboard.press(key);
      letGo();
      await title('Row two').waitFor();
      await page.getByRole('region', { name: 'Selection' }).getByText('3 selected').waitFor();
      for (const each of ['Row four', 'Row three', 'Row two']) await selected(each).waitFor();
      expect((await of().ana.get('/items?inbox=bugs&state=closed')).body.items).to.deep.equal([]);
      await page.keyboard.press('Escape');
    });

    it('leave the list and the words alone that the person has gone on to', async () => {
      await goTo('/inbox/bugs');
      await row('Row five').click();
      await title('Row five').waitFor();
      let letGo = await readAnew(items);
      await page.keyboard.press('j');
      await page.keyboard.press('/');
      await page.keyboard.type('Row');
      letGo();
      await row('Row two').waitFor();
      await title('Row five').waitFor();
      expect(await page.getByRole('searchbox').inputValue()).to.equal('Row');
      await goTo('/inbox/bugs');
      letGo = await readAnew(items);
      await page.keyboard.press('j');
      await page.getByRole('link', { name: 'All inboxes' }).click();
      letGo();
      await row('Row two').waitFor();
      await page.getByText('Nothing is chosen').waitFor();
    });

    it('are followed by them in the list of runs and in that of records too', async () => {
      for (const why of ['first', 'second']) {
        const asked = await of().ana.post('/actions', { action: 'hold', record: 'cus_1', input: { why } });
        expect(asked.status, asked.text).to.equal(200);
      }
      await goTo('/runs');
      const letGo = await readAnew(/\/runs\?/);
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      letGo();
      await page.locator('.detail').getByText('first').waitFor();
      await goTo('/flags');
      const letRecordsGo = await holdBack(page, /\/resources\/customer\/list/);
      await page.goto(`${of().origin}/env/demo/records/customer`);
      await page.locator('.list [aria-busy="true"]').waitFor();
      await page.keyboard.press('j');
      letRecordsGo();
      await page.locator('.detail').getByRole('heading', { name: 'Kim Park' }).waitFor();
    });
  });

  it('lead to the environment that is chosen, from any page', async () => {
    const { world } = of();
    await world.environment('staging');
    await goTo('/inbox/mail');
    await page.getByLabel('Environment').selectOption('staging');
    await page.waitForURL(/\/env\/staging$/);
    await loaded(page);
  });
});
