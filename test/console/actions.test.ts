/** The action sheet in a real browser: its form, what it refuses, and every end that an action can have. */
import { expect } from 'chai';
import { never, rpcError, type Handler } from '../support/app.ts';
import { intercept, type Tab } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useConsole } from './support.ts';

const hostile = '<img src=x onerror="window.hacked=1">';

const refund = {
  name: 'refund',
  label: 'Refund',
  description: `Gives money back. ${hostile}`,
  resource: 'customer',
  danger: 'high',
  reversible: false,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['amount', 'kind'],
    properties: {
      amount: { type: 'number', exclusiveMinimum: 0, maximum: 1000, description: 'In euros' },
      parts: { type: 'integer', default: 1 },
      kind: { enum: ['duplicate', 'outage'] },
      email: { type: 'string', format: 'email', maxLength: 320 },
      note: { type: 'string', maxLength: 2000, title: 'Note to the bank' },
      notify: { type: 'boolean', default: true },
      on: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      orders: { type: 'array', items: { type: 'string' }, maxItems: 3 },
      address: { $ref: '#/$defs/address' },
      extra: { type: ['string', 'number', 'object'] },
    },
    $defs: {
      address: { type: 'object', required: ['street'], properties: { street: { type: 'string', maxLength: 100 } } },
    },
  },
  defaults: { email: '{{record.fields.email}}' },
  when: {
    if: { field: 'record.fields.plan', op: 'eq', value: 'team' },
    otherwise: 'Only customers on the team plan are refunded.',
  },
} as const;

const manifest = {
  ...testManifest,
  resources: [
    { name: 'customer', label: 'Customers', source: 'stored', fields: [{ name: 'email', search: true }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: testManifest.inboxes.map((inbox) =>
    inbox.name === 'mail'
      ? { ...inbox, suggest: [{ action: 'refund', input: { amount: 12.5 }, reason: 'They were charged twice.' }] }
      : inbox,
  ),
  actions: [
    refund,
    { name: 'hold', label: 'Hold', resource: 'customer', danger: 'low', reasonRequired: true },
    { name: 'export', label: 'Export', resource: 'customer', background: true },
    { name: 'merge', label: 'Merge', resource: 'customer', approval: true },
    { name: 'rotate', label: 'Rotate keys', resource: 'customer', freshSignIn: true },
    { name: 'reindex', label: 'Rebuild index', input: { type: 'object' } },
  ],
};

describe('the action sheet', () => {
  /** What the app does with a run now. */
  let act: Handler = () => ({ message: 'Done.', blocks: [] });
  const of = useConsole({
    manifest,
    handlers: { 'action.run': (params) => act(params) },
    arrange: async ({ world }) => {
      await world.records('customer', [
        { id: 'cus_1', title: 'Lindgren AB', fields: { email: 'kim@example.com', plan: 'team' } },
        { id: 'cus_2', title: 'Free Ltd', fields: { plan: 'free' } },
      ]);
    },
  });
  let tab: Tab;
  let item: string;
  const newItem = async (record: string, title = 'Charged twice'): Promise<string> => {
    const { body } = await of().ana.post('/items', {
      inbox: 'mail',
      title,
      data: { email: 'kim@example.com' },
      record: { resource: 'customer', id: record },
    });
    return body.item.id as string;
  };
  const open = (id: string, to = tab): Promise<unknown> =>
    to.page.goto(`${of().origin}/env/demo/inbox/mail?item=${id}`);
  const sheet = (name: string) => tab.page.getByRole('dialog', { name });
  /** Opens an action from the list of all. */
  const choose = async (label: string): Promise<void> => {
    await tab.page.getByRole('button', { name: 'Run an action' }).waitFor();
    await tab.page.keyboard.press('d');
    await tab.page.getByRole('combobox', { name: 'Run an action' }).fill(label);
    await tab.page.keyboard.press('Enter');
    await sheet(label).waitFor();
  };
  const called = () => of().app.received.filter(({ method }) => method === 'action.run');

  it('fills in the form, tries it out, wants a typed confirmation, and sends what was typed as its types', async () => {
    const { signIn, app } = of();
    tab = await of().open();
    item = await newItem('cus_1');
    await signIn(tab, 'ben@example.com', `/inbox/mail?item=${item}`);
    const { page } = tab;
    const actions = page.getByRole('region', { name: 'Actions' });
    await actions.getByText('They were charged twice.').waitFor();
    await tab.picture('item-actions-light-1440');
    await actions.getByRole('button', { name: 'Refund' }).click();
    const form = sheet('Refund');
    await form.getByLabel('Amount').waitFor();
    expect(await form.getByLabel('Amount').inputValue()).to.equal('12.5');
    expect(await form.getByLabel('Email').inputValue()).to.equal('kim@example.com');
    expect(await form.getByLabel('Parts').inputValue()).to.equal('1');
    expect(await form.getByLabel('Notify').inputValue()).to.equal('true');
    await form.getByLabel('Kind').selectOption('Outage');
    await form.getByLabel('Note to the bank').fill('Two\nlines');
    await form.getByLabel('Notify').selectOption('No');
    await form.getByLabel(/^On /).fill('2026-12-24');
    await form.getByLabel(/^At /).fill('2026-12-24T09:30');
    await form.getByRole('button', { name: 'Add orders' }).click();
    await form.getByRole('textbox', { name: 'Orders 1' }).fill('ord_1');
    await form.getByRole('button', { name: 'Add orders' }).click();
    await form.getByRole('textbox', { name: 'Orders 2' }).fill('ord_2');
    await form.getByLabel('Street').fill('Storgatan 1');
    await form.getByLabel('Extra').fill('{"a":[1]}');
    await form.getByRole('button', { name: 'Dry run' }).click();
    await form.getByText('It would run now.').waitFor();
    expect(called()).to.have.length(0);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: of().origin });
    const copied = async (label: string, notice: string): Promise<string> => {
      await form.getByRole('button', { name: label }).click();
      await page.getByText(notice).waitFor();
      return page.evaluate<string>('navigator.clipboard.readText()');
    };
    expect(await copied('Copy as curl', 'Copied: a curl line'))
      .to.include('/api/env/demo/actions')
      .and.include('"amount":12.5');
    const call = JSON.parse(await copied('Copy as MCP call', 'Copied: a call of a tool')) as {
      name: string;
      arguments: Record<string, unknown>;
    };
    expect(call.arguments).to.include({ record: 'cus_1', item, amount: 12.5 });
    const bot = await of().world.agent('operator', { name: 'Copy bot' });
    const listed = await bot.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const tools = listed.body.result.tools as { name: string; inputSchema: { properties: object } }[];
    expect(tools.find(({ name }) => name === call.name)?.inputSchema.properties).to.include.keys(
      Object.keys(call.arguments),
    );
    const run = form.getByRole('button', { name: 'Refund', exact: false }).last();
    expect(await run.isDisabled(), 'not before the record is typed').to.equal(true);
    await tab.picture('sheet-light-1440');
    await form.getByLabel('Type cus_1 to go on').fill('cus_1');
    act = () => ({
      message: 'Refunded 12.50 EUR.',
      blocks: [
        { type: 'text', title: 'Receipt', text: hostile },
        { type: 'actions', title: null, actions: [{ action: 'hold', label: 'Hold', record: 'cus_1', input: {} }] },
      ],
    });
    await run.click();
    await form.getByText('Refunded 12.50 EUR.').waitFor();
    await form.getByText(hostile).first().waitFor();
    await tab.picture('sheet-done-light-1440');
    expect(called().map(({ params }) => params.input)).to.deep.equal([
      {
        amount: 12.5,
        parts: 1,
        kind: 'outage',
        email: 'kim@example.com',
        note: 'Two\nlines',
        notify: false,
        on: '2026-12-24',
        at: await page.evaluate(() => new Date('2026-12-24T09:30').toISOString()),
        orders: ['ord_1', 'ord_2'],
        address: { street: 'Storgatan 1' },
        extra: { a: [1] },
      },
    ]);
    expect(app.received.find(({ method }) => method === 'action.run')?.params.item.id ?? null).to.equal(item);
    await form.getByRole('button', { name: 'Hold' }).click();
    await sheet('Hold').getByLabel('Reason, for the history').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.line', { hasText: 'Refund: succeeded' }).waitFor();
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
  });

  it('says what is wrong at its field, what the app refuses in the app’s words, and keeps what was typed', async () => {
    const { page } = tab;
    act = () => {
      throw rpcError(-32001, 'The card has expired.');
    };
    await choose('Refund');
    const form = sheet('Refund');
    await form.getByLabel('Amount').fill('a lot');
    await form.getByLabel('Kind').selectOption('Duplicate');
    await form.getByLabel('Type cus_1 to go on').fill('cus_1');
    const run = form.getByRole('button', { name: 'Refund', exact: false }).last();
    await run.click();
    await form.getByText('Amount is not a number').waitFor();
    await form.getByLabel('Amount').fill('5000');
    await form.getByLabel('Extra').fill('{"a":');
    await run.click();
    await form.getByText('Extra is not JSON').waitFor();
    await form.getByLabel('Extra').fill('');
    await run.click();
    await form.getByText('Amount must be <= 1000', { exact: true }).waitFor();
    await form.locator('[aria-invalid="true"]:focus').waitFor();
    // The mouse is over the button: its words stay readable.
    const colour = "getComputedStyle(document.querySelector('.sheet .button.danger')).backgroundColor";
    await run.hover();
    const hovered = await page.evaluate(colour);
    await form.getByLabel('Amount').hover();
    expect(await page.evaluate(colour)).to.equal(hovered);
    await tab.picture('sheet-problem-light-1440');
    await form.getByLabel('Amount').fill('7');
    await run.click();
    await form.getByText('The app refused: The card has expired.').waitFor();
    await page.reload();
    await choose('Refund');
    await form.getByText('This is what you had typed before.').waitFor();
    expect(await form.getByLabel('Amount').inputValue()).to.equal('7');
    await form.getByRole('button', { name: 'As JSON' }).click();
    expect(JSON.parse(await form.getByLabel('Input').inputValue())).to.include({ amount: 7, kind: 'duplicate' });
    await form.getByRole('button', { name: 'As a form' }).click();
    await form.getByRole('button', { name: 'Begin afresh' }).click();
    expect(await form.getByLabel('Kind').inputValue()).to.equal('');
    await page.keyboard.press('Escape');
  });

  it('says why an action does not apply', async () => {
    const { page } = tab;
    await open(await newItem('cus_2'));
    await page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Refund' }).click();
    await sheet('Refund').getByText('Only customers on the team plan are refunded.').waitFor();
    expect(await sheet('Refund').getByLabel('Amount').count()).to.equal(0);
    await page.keyboard.press('Escape');
    await open(item);
  });

  it('wants a tick for low danger, and the reason that an action wants', async () => {
    act = () => ({ message: 'Held.', blocks: [] });
    await choose('Hold');
    const form = sheet('Hold');
    const run = form.getByRole('button', { name: 'Hold', exact: false }).last();
    expect(await run.isDisabled()).to.equal(true);
    await form.getByLabel('I have checked that this is right.').check();
    await form.getByLabel('Reason, for the history').fill('Asked by the customer.');
    await run.click();
    await form.getByText('Held.').waitFor();
    const { runs } = (await of().ben.get('/runs?action=hold')).body;
    expect(runs[0]).to.include({ status: 'succeeded', reason: 'Asked by the customer.', record: 'cus_1', item });
    await tab.page.keyboard.press('Escape');
  });

  it('follows a background run, shows an end that is not known as that, and runs it again', async () => {
    const half = deferred();
    const ended = deferred<object>();
    act = ({ run }) => {
      of().app.notify('run.progress', { run, progress: 0.25, message: 'Reading orders' });
      void half.promise.then(() =>
        of().app.notify('run.progress', { run, progress: 0.75, message: 'Writing the archive' }),
      );
      return ended.promise;
    };
    await choose('Export');
    const form = sheet('Export');
    await form.getByRole('button', { name: 'Export', exact: false }).last().click();
    await form.getByText('Reading orders').waitFor();
    await form.getByText('25 %').waitFor();
    half.resolve();
    await form.getByText('75 %').waitFor();
    await tab.picture('sheet-running-light-1440');
    // No valid answer: what the app did is not known.
    ended.resolve({ message: 5 });
    await form.getByText('it may have been done, and it may not').waitFor();
    act = () => ({ message: 'Exported.', blocks: [] });
    await form.getByRole('button', { name: 'Run again' }).click();
    await sheet('Run Export again?').getByRole('button', { name: 'Run again' }).click();
    await form.getByText('Exported.').waitFor();
    await form.getByRole('button', { name: 'Close' }).click();
    await form.waitFor({ state: 'detached' });
  });

  it('does once what is sent again because its answer was lost', async () => {
    const { page } = tab;
    act = () => ({ message: 'Held once.', blocks: [] });
    const before = called().length;
    await choose('Hold');
    const form = sheet('Hold');
    await form.getByLabel('I have checked that this is right.').check();
    await form.getByLabel('Reason, for the history').fill('Asked again.');
    await intercept(
      page,
      '**/actions',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    const run = form.getByRole('button', { name: 'Hold', exact: false }).last();
    await run.click();
    await form.getByText('The server could not be reached. What you typed is kept; try again.').waitFor();
    expect(called()).to.have.length(before + 1);
    await run.click();
    await form.getByText('Held once.').waitFor();
    expect(called()).to.have.length(before + 1);
    await page.keyboard.press('Escape');
  });

  it('waits for an approval, and can be taken back', async () => {
    await choose('Merge');
    const form = sheet('Merge');
    await form.getByRole('button', { name: 'Ask for approval' }).click();
    await form.getByText('Waits for approval').waitFor();
    await form.getByText('somebody has to approve it first').waitFor();
    const pending = await of().ana.get('/approvals?status=pending');
    const request = pending.body.approvals[0] as { id: string; record: string };
    const screen = await tab.page.context().newPage();
    await screen.goto(new URL(`/env/demo/approvals/${request.id}`, tab.page.url()).href);
    const about = screen.locator('.decision h2 a');
    await about.waitFor();
    expect(await about.getAttribute('href')).to.include(`record=${request.record}`);
    await screen.close();
    await form.getByRole('button', { name: 'Cancel run' }).click();
    await form.getByText('nothing was done.').first().waitFor();
    await form.getByText('Cancelled', { exact: true }).waitFor();
    await tab.page.keyboard.press('Escape');
  });

  it('runs an action again by itself after the sign-in that it wants', async () => {
    of().world.clock.advance(16 * 60_000);
    act = () => ({ message: 'Rotated.', blocks: [] });
    await choose('Rotate keys');
    const form = sheet('Rotate keys');
    await form.getByRole('button', { name: 'Rotate keys', exact: false }).last().click();
    const confirm = sheet('Confirm that it is you');
    await confirm.getByLabel('Password').fill('correct horse battery');
    await tab.page.keyboard.press('Enter');
    await form.getByText('Rotated.').waitFor();
    await tab.page.keyboard.press('Escape');
  });

  it('runs an action without a record from the palette, and queues it while the app is offline', async () => {
    const { page } = tab;
    const { app, world } = of();
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
    await page.keyboard.press('g');
    await page.getByRole('combobox', { name: 'Go to' }).fill('Rebuild index');
    await page.getByRole('option', { name: /Rebuild index/ }).waitFor();
    await page.keyboard.press('Enter');
    const form = sheet('Rebuild index');
    await form.getByLabel('Input').fill('{"region":"eu"}');
    await form.getByRole('button', { name: 'Rebuild index', exact: false }).last().click();
    await form.getByText('Queued', { exact: true }).waitFor();
    await form.getByText('the app is offline', { exact: false }).waitFor();
    await tab.picture('sheet-queued-light-1440');
    act = () => ({ message: 'Rebuilt.', blocks: [] });
    await world.app({ 'action.run': (params) => act(params) }, { manifest });
    await form.getByText('Rebuilt.').waitFor();
    await form.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(new URL(page.url()).searchParams.get('act')).to.equal(null);
  });

  it('has no control for an action that the role may not run', async () => {
    const vera = await of().open({ colorScheme: 'dark' });
    await of().signIn(vera, 'vera@example.com', `/inbox/mail?item=${item}`);
    await vera.page.locator('.timeline').waitFor();
    await vera.page.locator('.side').getByRole('link', { name: 'Lindgren AB' }).waitFor();
    expect(await vera.page.getByRole('region', { name: 'Actions' }).count()).to.equal(0);
    await vera.page.keyboard.press('d');
    expect(await vera.page.getByRole('dialog').count()).to.equal(0);
    await vera.close();
  });

  it('is worked on a narrow screen, and in the dark', async () => {
    act = never;
    const narrow = await of().open({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });
    await of().signIn(narrow, 'ben@example.com', `/inbox/mail?item=${item}`);
    await narrow.page.getByRole('region', { name: 'Actions' }).getByRole('button', { name: 'Refund' }).click();
    await narrow.page.getByRole('dialog', { name: 'Refund' }).getByLabel('Amount').waitFor();
    await narrow.picture('sheet-dark-390');
    await narrow.close();
  });

  it('keeps what is typed when the session ends meanwhile', async () => {
    const { ben, world, origin } = of();
    const { page } = tab;
    await page.goto(`${origin}/env/demo/inbox/mail?item=${item}`);
    await choose('Refund');
    await sheet('Refund').getByLabel('Note to the bank').fill('Half a sentence');
    await world.sql("delete from tokens where principal = $1 and kind = 'person'", [ben.id]);
    await world.sql('update revisions set n = n + 1');
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('E-mail').fill('ben@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await choose('Refund');
    expect(await sheet('Refund').getByLabel('Note to the bank').inputValue()).to.equal('Half a sentence');
  });
});
