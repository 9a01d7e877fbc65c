/** Background jobs in the console: what waits and why, found, and tried now by button and key, while real faults come and go. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { closeDeps, openDeps } from '../../shared/deps.ts';
import { createWorkerProcess } from '../../workers/workerProcess.ts';
import { rpcError } from '../support/app.ts';
import type { Tab } from '../support/browser.ts';
import { clientOf } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'asked', triage: { rules: [], app: true } }],
  actions: [...testManifest.actions, { name: 'renew', label: 'Renew', resource: 'customer', background: true }],
};

describe('jobs in the console', () => {
  let tab: Tab;
  let page: Page;
  /** Another API process: what it accepts goes to the app by a job, as it has not the app's socket. */
  let far = '';
  let stopWorkers = (): Promise<void> => Promise.resolve();
  let triage = (): unknown => {
    throw rpcError(-32_001, 'The model is out of credit.', { retryable: false });
  };
  let act = (): Promise<null> => Promise.resolve(null);
  const handlers = { 'triage.answer': () => triage(), 'action.run': () => act() };

  // Before the service stops, whose hook comes after this one.
  after(() => stopWorkers());
  const service = useConsole({
    manifest,
    handlers,
    workers: false,
    arrange: async ({ world, open }) => {
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park' }]);
      far = (await world.api()).base();
      tab = await open();
      ({ page } = tab);
    },
  });

  const startWorkers = async (): Promise<void> => {
    const { config, clock } = service().world;
    const deps = await openDeps(config, 'workers', clock);
    const crew = createWorkerProcess(deps);
    await crew.start();
    stopWorkers = async () => {
      stopWorkers = () => Promise.resolve();
      await crew.stop();
      await closeDeps(deps);
    };
  };
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const renew = async (client = clientOf(far, service().ana.token, service().ana.id)): Promise<string> =>
    (await client.post('/actions', { action: 'renew', record: 'cus_1' })).body.run as string;

  it('says that no worker runs, and empties by itself once one does', async () => {
    const run = await renew();
    await service().signIn(tab, 'ana@example.com', '/settings/jobs');
    await row('Renew: customer cus_1').getByText('if it stays like this, no worker runs').waitFor();
    expect(await page.getByRole('button', { name: /^Try now/ }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'Renew: customer cus_1' }).getAttribute('href')).to.include(run);
    await startWorkers();
    await page.getByText('All work is done.').waitFor();
  });

  it('tries all again whose error contains a text, and says first how many these are', async () => {
    const refuse = triage;
    for (const title of ['One', 'Two']) await service().ana.post('/items', { inbox: 'asked', title });
    await row('Triage: Two').getByText('Failed').waitFor();
    await page.getByRole('button', { name: '2 failed' }).click();
    await page.getByLabel('Error contains').fill('Nowhere');
    await page.getByText('No job fits these filters').waitFor();
    await page.getByLabel('Error contains').fill('OUT of credit');
    await row('Triage: Two').waitFor();
    await page.getByLabel('Given up').selectOption('in the last hour');
    await page.waitForURL(/[?&]since=\d+/);
    await page.reload();
    await row('Triage: One').waitFor();
    expect(await page.getByLabel('Error contains').inputValue()).to.equal('OUT of credit');
    await page.getByRole('button', { name: 'Count them' }).click();
    await page.getByRole('button', { name: 'Discard 2' }).waitFor();
    await tab.picture('jobs-selected-light-1440');
    triage = () => ({ answers: { kind: 'delivery' } });
    await page.getByRole('button', { name: 'Try 2 again' }).click();
    await page.getByText('Tried again: 2.').waitFor();
    await page.getByText('No job fits these filters').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('All work is done.').waitFor();
    triage = refuse;
  });

  it('says why one was given up, and tries it again by key, also where the pointer rests on the rows', async () => {
    const { body } = await service().ana.post('/items', { inbox: 'asked', title: 'Where is my order?' });
    await row('Triage: Where is my order?').getByText('The app doesn’t triage: The model is out of credit.').waitFor();
    await row('Triage: Where is my order?').getByText('Failed').waitFor();
    await page.keyboard.press('j');
    await page.locator('tr[aria-current="true"]').waitFor();
    await tab.picture('jobs-failed-light-1440');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.picture('jobs-failed-dark-1440');
    await page.emulateMedia({ colorScheme: 'light' });
    await row('Triage: Where is my order?').hover();
    let answer: (answers: unknown) => void = () => undefined;
    triage = () => new Promise((end) => (answer = end));
    await page.keyboard.press('r');
    await page.getByText('Tried now: Triage: Where is my order?.').waitFor();
    await row('Triage: Where is my order?').getByText('Running').waitFor();
    answer({ answers: { kind: 'delivery' } });
    await page.getByText('All work is done.').waitFor();
    const item = (await service().ana.get(`/items/${String(body.item.id)}`)).body;
    expect(item.triage.answers).to.have.length(1);
  });

  it('tells of a run that the app has, and has no job, what it waits for', async () => {
    let answer: (result: null) => void = () => undefined;
    act = () => new Promise((end) => (answer = end));
    const run = await renew();
    await until('the app has it', async () => {
      const { body } = await service().ana.get(`/settings/jobs?about=${run}`);
      return body.jobs.length === 0;
    });
    await page.goto(`${service().origin}/env/demo/settings/jobs?about=${run}`);
    await page.getByText('The app has had it for').waitFor();
    expect(await page.getByRole('link', { name: run }).getAttribute('href')).to.include(`runs?run=${run}`);
    await tab.picture('jobs-none-light-1440');
    answer(null);
    act = () => Promise.resolve(null);
    await page.getByText('It has ended: succeeded.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('All work is done.').waitFor();
  });

  it('says what waits for the app and for its turn, filters by state and finds a run by its id', async () => {
    await service().app.close();
    // The process that had the socket knows at once that it is offline.
    await renew(service().ana);
    const second = await renew(service().ana);
    await row('The app is offline').waitFor();
    await row('an earlier run of the same record').waitFor();
    await tab.picture('jobs-waiting-light-1440');
    await page.getByRole('button', { name: '1 in turn' }).click();
    await row('The app is offline').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('state')).to.equal('inLine');
    await page.reload();
    await row('an earlier run of the same record').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await row('The app is offline').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(second);
    await row('The app is offline').waitFor({ state: 'detached' });
    await row('an earlier run of the same record').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Kind').selectOption('Reply');
    await page.getByText('No job fits these filters.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'Renew: customer cus_1' }).nth(1).click();
    await page.waitForURL(`**/runs?run=${second}`);
    await service().world.app(handlers, { manifest });
    await page.goto(`${service().origin}/env/demo/settings/jobs`);
    await page.getByText('All work is done.').waitFor();
  });

  it('tries one by its button that waits for its next try', async () => {
    let isBack = false;
    triage = () => {
      if (!isBack) throw rpcError(-32_001, 'Not now.', { retryable: true });
      return { answers: { kind: 'delivery' } };
    };
    await service().ana.post('/items', { inbox: 'asked', title: 'And mine?' });
    // Long after the retry that the worker has set.
    await until('it waits for its next try', async () => {
      const put = await service().world.sql(
        `update staged_jobs set due_at = due_at + 3600000
         where name = 'triageItem' and last_error is not null and enqueued_at is null and lease_until is null returning id`,
      );
      return put.length > 0;
    });
    isBack = true;
    await row('And mine?').getByText('It failed, and is tried again when it is due.').waitFor();
    await page.getByRole('button', { name: 'Try now Triage: And mine?' }).click();
    await page.getByText('Tried now: Triage: And mine?.').waitFor();
    await page.mouse.move(0, 0);
    await page.getByText('All work is done.').waitFor();
  });

  it('is for who manages settings alone', async () => {
    const other = await service().open();
    await service().signIn(other, 'ben@example.com', '/settings/jobs');
    await other.page.getByText('Your role may not see this').waitFor();
    expect(await other.page.getByRole('link', { name: 'Jobs' }).count()).to.equal(0);
    expect(await other.page.getByRole('button', { name: /^Try now/ }).count()).to.equal(0);
    await other.close();
  });
});
