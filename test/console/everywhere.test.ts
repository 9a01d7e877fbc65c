/** Home, the app-offline banner, the palette, copying and printing in a real browser. */
import { expect } from 'chai';
import { never } from '../support/app.ts';
import type { Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { loaded, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  actions: [...testManifest.actions, { name: 'hold', label: 'Hold', resource: 'customer', background: true }],
  flags: [{ key: 'new_checkout', kind: 'boolean', default: false, resource: 'customer' }],
  pages: [{ name: 'overview', label: 'Overview', blocks: [{ type: 'text', text: 'Hello' }] }],
};

describe('what is everywhere in the console', () => {
  let mine = '';
  const of = useConsole({
    manifest,
    handlers: { 'action.run': never },
    arrange: async ({ world, ana, newItem }) => {
      mine = await newItem('Export fails with a timeout');
      await ana.post(`/items/${mine}/assign`, { assignee: ana.id });
      const bot = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      for (const title of ['One', 'Two']) await bot.post(`/items/${await newItem(title)}/state`, { state: 'closed' });
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park', fields: { email: 'kim@example.com' } }]);
      const { body } = await ana.post('/items', {
        inbox: 'refunds',
        title: 'Give it back',
        record: { resource: 'customer', id: 'cus_1' },
      });
      await ana.post('/bulk', { ids: [body.item.id], operation: { type: 'action', action: 'hold', input: {} } });
      await ana.post('/flags/new_checkout', {
        change: { rollout: 10, ramp: { to: 90, over: 3_600_000, every: 60_000 } },
      });
    },
  });
  let tab: Tab;

  it('shows on Home what waits for me, and what goes on by itself', async () => {
    tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ana@example.com', '');
    const lines = (title: string) => page.getByRole('region', { name: title }).locator('li');
    await lines('Mine').getByRole('link', { name: 'Export fails with a timeout' }).waitFor();
    await lines('Agents that ask')
      .filter({ hasText: /Triage bot.*2 requests wait/ })
      .waitFor();
    await lines('Ramps under way')
      .filter({ hasText: /new_checkout.*rising to 90 %/ })
      .waitFor();
    await lines('Bulks under way').getByRole('link', { name: 'Outcomes' }).waitFor();
    expect(await lines('To decide').count()).to.equal(2);
    await tab.picture('home-full-light-1440');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.picture('home-full-dark-1440');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('region', { name: 'Ramps under way' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'new_checkout' }).waitFor();
  });

  it('runs the commands of the screen and goes anywhere from the palette', async () => {
    const { page } = tab;
    const { origin, ana } = of();
    const palette = page.getByRole('dialog', { name: 'Go to' });
    const options = palette.getByRole('option');
    const type = async (words: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill(words);
    };
    await page.goto(`${origin}/env/demo/inbox/mail?item=${mine}`);
    await page.locator('.timeline').waitFor();
    await type('set state');
    await options.filter({ hasText: 'Set the state' }).getByText('w').waitFor();
    await tab.picture('palette-light-1440');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Set state' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const places: readonly (readonly [string, string, string])[] = [
      ['overview', 'Overview', '/pages/overview'],
      ['new_ch', 'new_checkout', '/flags/new_checkout'],
      ['kim', 'Kim Park', '/records/customer?record=cus_1'],
      ['ben ok', 'Ben Okoro', `/items?assignee=${of().ben.id}`],
      ['timeout', 'Export fails with a timeout', `/inbox/mail?show=all&item=${mine}`],
      ['upgr', 'Upgrade', '/runs?act=upgrade'],
    ];
    for (const [words, label, address] of places) {
      await type(words);
      await options.filter({ hasText: label }).first().click();
      await page.waitForURL(`${origin}/env/demo${address}`);
      if (address.includes('act=')) await page.keyboard.press('Escape');
    }
    expect((await ana.get(`/items/${mine}`)).body.item.state).to.equal('open');
  });

  it('finds what is open before what is closed, each kind under its heading, and an id before all', async () => {
    const { page } = tab;
    const { ana, newItem, origin } = of();
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await page.goto(`${origin}/env/demo/items`);
    await loaded(page);
    await newItem('Zebra still open');
    const done = await newItem('Zebra done long ago');
    await ana.post(`/items/${done}/state`, { state: 'closed' });
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill('zebra');
    await palette.getByRole('option', { name: /Zebra still open/ }).waitFor();
    await palette.getByRole('option', { name: /Zebra done long ago/ }).waitFor();
    await tab.picture('palette-found-light-1440');
    const lines = await palette.locator('li').allTextContents();
    const places = ['Items', 'Zebra still open', 'Closed items', 'Zebra done long ago'].map((text) =>
      lines.findIndex((line) => line.startsWith(text)),
    );
    expect(places).to.not.include(-1);
    expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
    await palette.getByRole('combobox').fill(done);
    await palette.getByText('With this id').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Zebra done long ago' }).waitFor();
  });

  it('offers in the palette what the role may do, and finds what it sees', async () => {
    const { origin, open, signIn } = of();
    const vera = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await signIn(vera, 'vera@example.com', `/inbox/mail?item=${mine}`);
    const { page } = vera;
    await page.locator('.timeline').waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('option', { name: /Search/ }).waitFor();
    const names = await palette.getByRole('option').allTextContents();
    for (const name of ['Assign', 'Close', 'Reply', 'Approvals', 'Agents', 'Audit', 'Upgrade'])
      expect(
        names.filter((text) => text.startsWith(name)),
        name,
      ).to.deep.equal([]);
    await palette.getByRole('combobox').fill('ben ok');
    await palette.getByText('Nothing has this name').waitFor();
    await palette.getByRole('combobox').fill('kim');
    await palette.getByRole('option', { name: /Kim Park/ }).waitFor();
    await vera.picture('palette-dark-390');
    expect(new URL(page.url()).origin).to.equal(origin);
    await vera.close();
  });

  it('copies what is shown and what was done as programs would ask for it, without a credential', async () => {
    const { page } = tab;
    const { world, origin, ana } = of();
    const bot = await world.agent('operator', { name: 'Copy bot' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    const copied = async (label: string): Promise<string> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill(label);
      await page.getByRole('option', { name: label }).click();
      await page
        .getByText(/^Copied: /)
        .first()
        .waitFor();
      const text = await page.evaluate<string>('navigator.clipboard.readText()');
      await page.getByRole('button', { name: 'Dismiss' }).last().click();
      return text;
    };
    const address = (line: string): string => /'([^']+)'/.exec(line)?.[1]?.slice(`${origin}/api/env/demo`.length) ?? '';
    const tool = async (text: string) =>
      (await bot.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: JSON.parse(text) })).body.result;
    const places: readonly (readonly [string, string, string])[] = [
      [`/inbox/mail?item=${mine}`, '.timeline', 'get_item'],
      ['/inbox/mail?assignee=none&sort=title', '.row', 'list_items'],
      ['/records/customer?record=cus_1', '.record', 'get_record'],
      ['/flags/new_checkout', '.flag', 'get_flag'],
      ['/pages/overview', '.page-blocks', 'get_page'],
    ];
    for (const [path, selector, name] of places) {
      await page.goto(`${origin}/env/demo${path}`);
      await page.locator(selector).first().waitFor();
      const line = await copied('Copy as curl: what is shown');
      expect(line)
        .to.include('"authorization: Bearer $CONSOLE_TOKEN"')
        .and.not.match(/cagt_|cses_|cookie/);
      expect((await bot.get(address(line))).status, line).to.equal(200);
      const call = await copied('Copy as MCP call: what is shown');
      expect(JSON.parse(call).name).to.equal(name);
      expect((await tool(call)).isError, call).to.not.equal(true);
    }
    await page.goto(`${origin}/env/demo/inbox/mail?item=${mine}`);
    await page.locator('.timeline').waitFor();
    await loaded(page);
    await page.keyboard.press('n');
    await page.getByLabel('Note for colleagues').fill("It's done");
    await page.keyboard.press('Control+Enter');
    await page.locator('.written.note', { hasText: "It's done" }).waitFor();
    await page.getByText('Note added.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).last().click();
    expect(await copied('Copy as curl: the last change')).to.include(`-d '{"text":"It'\\''s done"}'`);
    await tool(await copied('Copy as MCP call: the last change'));
    const { body } = await ana.get(`/items/${mine}`);
    const notes = body.timeline.filter(({ type }: { type: string }) => type === 'note');
    expect(notes.map(({ data }: { data: { text: string } }) => data.text)).to.deep.equal(["It's done", "It's done"]);
  });

  it('prints an item whole, and nothing that is pressed', async () => {
    const { page } = tab;
    const { origin, ana } = of();
    for (let n = 0; n < 25; n++) await ana.post(`/items/${mine}/notes`, { text: `Note ${String(n)}\n\nand more` });
    await page.goto(`${origin}/env/demo/inbox/mail?item=${mine}`);
    await page.locator('.written.note', { hasText: 'Note 24' }).waitFor();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const selector of ['.rail', '.list', '.composer', '.deeds'])
      expect(await page.locator(selector).first().isVisible(), selector).to.equal(false);
    expect(await page.getByRole('heading', { name: 'Export fails with a timeout' }).isVisible()).to.equal(true);
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.page, .detail, .detail-body')].filter((node) => node.scrollHeight > node.clientHeight + 1).length`,
    );
    expect(cut, 'parts that scroll').to.equal(0);
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).to.be.above(1500);
    await tab.picture('print-1440');
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  });

  it('says on every page that the app is offline, also to who comes later, until it is back', async () => {
    const { page } = tab;
    const { app, world, origin } = of();
    const banner = page.getByText(/^The customer’s app is offline/);
    expect(await banner.count()).to.equal(0);
    await app.close();
    await page.getByText(/is offline since \d/).waitFor();
    for (const path of ['', '/inbox/mail', '/flags']) {
      await page.goto(`${origin}/env/demo${path}`);
      await banner.waitFor();
    }
    await tab.picture('offline-light-1440');
    const back = await world.app({}, { manifest });
    await banner.waitFor({ state: 'detached' });
    await back.close();
    await banner.waitFor();
    await until('it is gone', async () => (await world.sql('select 1 from app_connections')).length === 0);
  });

  it('draws what is in sight of a list of 10,000 items', async () => {
    const { world, ana, open, signIn } = of();
    const { body } = await ana.post('/items', { inbox: 'bugs', title: 'Bug 0' });
    await world.sql(
      `insert into items select (jsonb_populate_record(one, jsonb_build_object('id', left(one.id, 25) || lpad(n::text, 5, '0'),
         'title', 'Bug ' || n, 'title_key', 'bug ' || n, 'last_seen', one.last_seen - n))).*
       from items one, generate_series(1, 10000) n where one.id = $1`,
      [body.item.id],
    );
    const long = await open();
    const { page } = long;
    await signIn(long, 'ana@example.com', '/inbox/bugs?show=all');
    await page.locator('.row', { hasText: 'Bug 12' }).first().waitFor();
    const drawn = (): Promise<number> => page.evaluate('document.querySelectorAll("*").length');
    const atFirst = await drawn();
    await page.evaluate(`(async () => {
      const list = document.querySelector('.rows');
      while (list.scrollHeight < 560_000) {
        list.scrollTop = list.scrollHeight;
        await new Promise(requestAnimationFrame);
      }
      list.scrollTop = list.scrollHeight;
    })()`);
    await page.getByText('Bug 10000', { exact: true }).waitFor();
    expect(await page.locator('.row').count()).to.be.within(10, 60);
    expect(await drawn()).to.be.below(atFirst * 1.5);
  });
});
