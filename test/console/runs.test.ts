/** The runs page in a real browser: filters, live progress, taking back, running again, and what an unknown end means. */
import { expect } from 'chai';
import type { Handler } from '../support/app.ts';
import type { Tab } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import { testManifest } from '../support/manifest.ts';
import { useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  actions: [
    ...testManifest.actions,
    { name: 'export', label: 'Export', resource: 'customer', background: true },
    { name: 'refund', label: 'Refund', resource: 'customer', danger: 'high', reversible: false },
    { name: 'merge', label: 'Merge', resource: 'customer', approval: true },
    { name: 'open', label: 'Open vault', resource: 'vault' },
  ],
};

describe('the runs page', () => {
  let act: Handler = () => ({ message: 'Done.', blocks: [] });
  const of = useConsole({
    manifest,
    handlers: { 'action.run': (params) => act(params) },
    arrange: async ({ world, ben }) => {
      await world.records('customer', [{ id: 'cus_1', title: 'Lindgren AB', fields: { email: 'kim@example.com' } }]);
      await world.records('vault', [{ id: 'vlt_1', title: 'Vault' }]);
      await world.role('exporter', [
        { on: 'resource:customer', can: ['see'] },
        { on: 'action:export', can: ['run'] },
      ]);
      await ben.post('/actions', { action: 'export', record: 'cus_1' });
      await ben.post('/actions', { action: 'merge', record: 'cus_1', reason: 'Two of the same.' });
      await ben.post('/actions', { action: 'open', record: 'vlt_1' });
    },
  });
  let tab: Tab;
  const row = (text: string) => tab.page.locator('.run-row', { hasText: text });
  const run = async (action: string, more: object = {}): Promise<string> => {
    const { body } = await of().ana.post('/actions', { action, record: 'cus_1', ...more });
    return body.run as string;
  };

  it('lists the runs, and narrows the list by status and action in the address', async () => {
    tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ben@example.com', '/runs');
    await row('Export').getByText('Done').waitFor();
    expect(await page.locator('.run-row').count()).to.equal(3);
    await page.getByLabel('Status').selectOption('Waits for approval');
    await row('Export').waitFor({ state: 'detached' });
    await row('Merge').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).to.equal('pending');
    await page.getByLabel('Action').selectOption('Export');
    await page.getByText('No run matches these filters.').waitFor();
    await page.goBack();
    await row('Merge').waitFor();
    await page.getByLabel('Status').selectOption('Any status');
    await row('Open vault').waitFor();
  });

  it('opens a run with what was asked for, and takes back what has not begun', async () => {
    const { page } = tab;
    await row('Merge').click();
    await page.getByText('somebody has to approve it first').waitFor();
    await page.getByText('Two of the same.').waitFor();
    await tab.picture('run-pending-light-1440');
    await page.keyboard.press('c');
    await page.getByText('It was taken back before it began').waitFor();
    await row('Merge').getByText('Cancelled').waitFor();
    const { body } = await of().ben.get('/runs?action=merge');
    expect(body.runs[0].status).to.equal('cancelled');
    expect(await page.getByRole('button', { name: /Cancel run|Run again/ }).count()).to.equal(0);
  });

  it('announces new runs, and follows their progress in the list and beside it', async () => {
    const { page } = tab;
    const half = deferred();
    const ended = deferred<object>();
    act = ({ run: id }) => {
      of().app.notify('run.progress', { run: id, progress: 0.25, message: 'Reading orders' });
      void half.promise.then(() => of().app.notify('run.progress', { run: id, progress: 0.75 }));
      return ended.promise;
    };
    const before = await page.locator('.run-row').count();
    await run('export');
    await page.getByRole('button', { name: /1 new/ }).waitFor();
    expect(await page.locator('.run-row').count(), 'the list does not move').to.equal(before);
    await page.keyboard.press('l');
    const first = page.locator('.run-row').first();
    await first.getByText('25 %').waitFor();
    await first.click();
    await page.locator('.run-outcome').getByText('Reading orders').waitFor();
    half.resolve();
    await page.locator('.run-outcome').getByText('75 %').waitFor();
    await first.getByText('75 %').waitFor();
    await tab.picture('runs-light-1440');
    ended.resolve({ message: 'Exported.', blocks: [{ type: 'stat', title: 'Orders', value: 7, unit: null }] });
    await page.locator('.run-outcome').getByText('Exported.').waitFor();
    await page.locator('.run-outcome p.stat').waitFor();
    await first.getByText('Done').waitFor();
  });

  it('says what an unknown end means, and runs again only what is confirmed', async () => {
    const { page } = tab;
    act = () => ({ message: 5 });
    const id = await run('refund', { confirmed: true });
    await page.goto(`${of().origin}/env/demo/runs?status=unknown&run=${id}`);
    await page.getByText('it may have been done, and it may not').waitFor();
    await tab.picture('run-unknown-light-1440');
    await page.getByRole('button', { name: /^Run again/ }).waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Run Refund again?' });
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await dialog.getByText('Type cus_1 first.').waitFor();
    await dialog.getByLabel('Type cus_1 to go on').fill('cus_1');
    const given = deferred<{ attempt: number }>();
    act = (params) => {
      given.resolve(params as { attempt: number });
      return { message: 'It was done already.', blocks: [] };
    };
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('It was done already.').waitFor();
    expect((await given.promise).attempt).to.equal(2);
    await page.getByText('run 2 times').waitFor();
  });

  it('shows nothing of runs that the role does not see, and no control that it may not use', async () => {
    const { world, open, signIn, ana } = of();
    act = () => ({ message: 5 });
    const unknown = await run('refund', { confirmed: true });
    await world.person('exporter', 'Eli Moss', { email: 'eli@example.com', password: 'correct horse battery' });
    const eli = await open({ colorScheme: 'dark' });
    await signIn(eli, 'eli@example.com', `/runs?run=${unknown}`);
    await eli.page.getByText('This run does not exist, or your role does not see it.').waitFor();
    await eli.page.locator('.run-row', { hasText: 'Export' }).first().waitFor();
    expect(await eli.page.locator('.run-row', { hasText: /Refund|Open vault/ }).count()).to.equal(0);
    expect(await eli.page.getByLabel('Action').locator('option').allTextContents()).to.deep.equal([
      'Any action',
      'Export',
    ]);
    // Those who asked for a run see it, and may have lost the right to run it again.
    expect((await ana.get(`/runs/${unknown}`)).body.run.status).to.equal('unknown');
    await eli.picture('runs-dark-1440');
    await eli.close();
    const narrow = await open({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await signIn(narrow, 'ben@example.com', '/runs');
    await narrow.page.locator('.run-row').first().waitFor();
    await narrow.picture('runs-light-390');
    await narrow.page.locator('.run-row').first().click();
    await narrow.page.locator('.run-outcome').waitFor();
    await narrow.picture('run-light-390');
    await narrow.close();
  });
});
