/** The app's pages in a real browser, and everything else that apps, people and customers write: none of it is read as HTML. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { intercept, type Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useConsole } from './support.ts';

/** Runs as script, loads from elsewhere or leads astray wherever it is read as HTML, or Markdown is trusted. */
const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=1</script>',
  '![pixel](https://evil.example/pixel.png)',
  '[click](javascript:window.hacked=1)',
  '[click](data:text/html,<script>window.hacked=1</script>)',
  '[click](<javascript:window.hacked=1>)',
  '[click]: javascript:window.hacked=1',
  '<javascript:window.hacked=1>',
  '<a href="javascript:window.hacked=1">here</a>',
  '**<svg onload=window.hacked=1>**',
  '`<iframe srcdoc="<script>parent.hacked=1</script>">`',
  '| <style>*{display:none}</style> | b |\n|---|---|\n| <object data=x> | [x](vbscript:1) |',
  '\u202Etxt.exe <style>*{display:none}</style>',
  '__proto__ **constructor** [toString](constructor)',
];
const [picture = '', script = ''] = hostile;
const all = hostile.join('\n\n');
/** More levels than a parser has stack for. */
const deep = `${'>'.repeat(15_000)} **deep**`;

const manifest = {
  ...testManifest,
  actions: [...testManifest.actions, { name: 'hack', label: picture, input: { type: 'object' } }],
  inboxes: testManifest.inboxes.map((inbox) =>
    inbox.name === 'mail' ? { ...inbox, blocks: [{ type: 'text', title: picture, text: all }] } : inbox,
  ),
  pages: [
    {
      name: 'overview',
      label: 'Overview',
      description: 'How the day goes.',
      blocks: [
        { type: 'stat', title: 'Open', source: 'app' },
        { type: 'chart', title: 'Sales', source: 'app' },
        { type: 'chart', title: 'Requests', source: 'app' },
        { type: 'text', title: 'About', text: 'Read **this** first:\n\n- one\n- two' },
        { type: 'table', title: 'Plans', source: 'app' },
        { type: 'items', title: 'Newest', source: 'items', query: { inbox: 'mail' } },
        { type: 'record', title: 'Customer', source: 'records', query: { resource: 'customer', id: 'cus_1' } },
        { type: 'actions', title: 'Do', source: 'app' },
        { type: 'fields', title: 'Facts', source: 'app' },
        { type: 'link', title: 'More', source: 'app' },
        { type: 'stat', title: 'Broken', source: 'app' },
      ],
    },
    {
      name: 'customer',
      label: 'One customer',
      params: [{ name: 'customer', required: true }, { name: 'plan' }],
      blocks: [{ type: 'text', text: 'Customer {{params.customer}}, plan {{params.plan}}.' }],
    },
    {
      name: 'hostile',
      label: picture,
      description: script,
      blocks: hostile.map((text) => ({ type: 'text', title: text.slice(0, 200), text })).concat([]),
    },
    { name: 'served', label: 'Served', blocks: Array.from({ length: 6 }, () => ({ type: 'text', source: 'app' })) },
  ],
};

/** The app's contents of the blocks of `overview`, by place. */
const overview: Readonly<Record<number, unknown>> = {
  0: { type: 'stat', title: 'Open', value: 1234, unit: 'items', change: -3 },
  1: {
    type: 'chart',
    title: 'Sales',
    kind: 'bar',
    series: [
      {
        name: 'Team',
        points: [
          ['Mon', 3],
          ['Tue', 5],
          ['Wed', 2],
        ],
      },
      {
        name: 'Solo',
        points: [
          ['Mon', 1],
          ['Wed', 4],
        ],
      },
    ],
  },
  2: {
    type: 'chart',
    title: 'Requests',
    kind: 'line',
    series: ['EU', 'US'].map((name, n) => ({
      name,
      points: Array.from({ length: 24 }, (_, hour) => [
        Date.UTC(2026, 10, 20, hour),
        Math.round(50 + 40 * Math.sin(hour / 4 + n)),
      ]),
    })),
  },
  4: {
    type: 'table',
    title: 'Plans',
    columns: [
      { name: 'plan', label: 'Plan', type: 'text' },
      { name: 'price', label: 'Price', type: 'money' },
    ],
    rows: [
      { plan: 'Team', price: 1200 },
      { plan: 'Solo', price: 9 },
    ],
  },
  7: {
    type: 'actions',
    title: 'Do',
    actions: [{ action: 'upgrade', label: 'Upgrade to team', record: null, input: { plan: 'team' } }],
  },
  8: { type: 'fields', title: 'Facts', fields: [{ label: 'Live', value: true, type: 'boolean' }] },
  9: { type: 'link', title: 'More', url: 'https://status.example/', label: 'Status page' },
};

/** Hostile in every member that has text. */
const served: readonly unknown[] = [
  {
    type: 'table',
    title: picture,
    columns: [{ name: 'a', label: picture, type: 'text' }],
    rows: [{ a: 'javascript:window.hacked=1' }, { a: picture }],
  },
  {
    type: 'chart',
    title: picture,
    kind: 'line',
    series: [
      {
        name: picture,
        points: [
          [picture, 1],
          [script, 2],
        ],
      },
    ],
  },
  {
    type: 'fields',
    title: script,
    fields: [
      { label: picture, value: picture, type: 'text' },
      { label: script, value: script, type: 'person' },
    ],
  },
  { type: 'link', title: picture, url: 'https://example.com/"><script>window.hacked=1</script>', label: picture },
  { type: 'stat', title: picture, value: picture, unit: '<b>x</b>', change: 1 },
  { type: 'text', title: picture, text: all },
];

/** Returns the elements that nothing written by others may bring. */
const brought = (page: Page): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('#console :is(img, iframe, script, style, object, embed, svg[onload], [onerror], a[href]:not(.skip))')]
      .map((node) => node.getAttribute('href') ?? node.outerHTML)
      .filter((text) => !/^(https:|mailto:|\\/)/.test(text))`,
  );

describe('the pages of the app, and what others wrote', () => {
  let figure = 1;
  const of = useConsole({
    manifest,
    handlers: {
      'page.block': ({ page, block }: { page: string; block: number }) => {
        if (page === 'served') return { block: served[block] };
        if (block === 0) return { block: { ...(overview[0] as object), value: 1233 + figure } };
        return { block: overview[block] ?? { type: 'stat', value: {} } };
      },
      'action.run': () => ({ message: picture, blocks: served }),
    },
    arrange: async ({ world, newItem }) => {
      await newItem('Export fails with a timeout');
      await world.records('customer', [
        { id: 'cus_1', title: 'Kim Park', fields: { email: 'kim@example.com' } },
        {
          id: 'cus_2',
          title: picture,
          fields: Object.fromEntries(hostile.map((text, at) => [`f${String(at)}`, text])),
        },
      ]);
      await world.role('reader', [{ on: 'page:customer', can: ['see'] }]);
      await world.person('reader', 'Rea Der', { email: 'rea@example.com', password: 'correct horse battery' });
    },
  });
  let tab: Tab;
  const region = (title: string) => tab.page.locator('.block', { hasText: title }).first();

  it('shows every type of block; one that fails says so in its place', async () => {
    tab = await of().open();
    const { page } = tab;
    await of().signIn(tab, 'ana@example.com', '/pages');
    await page.getByRole('link', { name: 'Pages' }).waitFor();
    await page.getByText('How the day goes.').waitFor();
    await page.getByRole('button', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).to.equal('/env/demo/pages/overview');
    await region('Open').getByText('1,234 items -3').waitFor();
    await region('About').locator('li', { hasText: 'two' }).waitFor();
    await region('About').locator('strong', { hasText: 'this' }).waitFor();
    await region('Plans').getByRole('cell', { name: '1,200' }).waitFor();
    await region('Newest').getByRole('link', { name: 'Export fails with a timeout' }).waitFor();
    await region('Customer').getByRole('link', { name: 'Kim Park' }).waitFor();
    await region('Facts').getByText('Yes').waitFor();
    await region('More').getByRole('link', { name: 'Status page' }).waitFor();
    await page.locator('.block.error', { hasText: 'Broken' }).locator('.problem').waitFor();
    await region('Do').getByRole('button', { name: 'Upgrade to team' }).click();
    await page.getByRole('dialog', { name: /Upgrade/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('draws charts of lines and bars, and has their values as a table', async () => {
    const { page } = tab;
    const chart = region('Sales');
    await chart.locator('canvas').waitFor();
    expect(await chart.locator('.chart-legend li').allTextContents()).to.deep.equal(['Team', 'Solo']);
    await chart.scrollIntoViewIfNeeded();
    const drawn = await page.evaluate<number>(`(() => {
      const canvas = document.querySelector('.chart canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(Array.from({ length: data.length / 4 }, (_, at) => data.slice(at * 4, at * 4 + 3).join())).size;
    })()`);
    expect(drawn, 'colours').to.be.above(3);
    await chart.locator('.u-over').hover();
    await chart.locator('.chart-legend strong').first().waitFor();
    await chart.getByText('As a table').click();
    await chart.getByRole('row', { name: 'Tue 5 –' }).waitFor();
    await region('Requests').locator('canvas').waitFor();
    await tab.picture('page-light-1440');
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.picture('page-dark-1440');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('reads a page again by hand, and says from when it is', async () => {
    const { page } = tab;
    figure = 2;
    await page.keyboard.press('l');
    await region('Open').getByText('1,235 items').waitFor();
    figure = 3;
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/pages/overview')),
      page.getByRole('button', { name: 'Read again' }).click(),
    ]);
    await region('Open').getByText('1,236 items').waitFor();
    const { at } = (await answer.json()) as { readonly at: number };
    const time = await page.evaluate<string>(
      `new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format(${String(at)})`,
    );
    await page.getByText(`as of ${time}`).waitFor();
  });

  it('keeps what stands there, and says from when it is, while a page can’t be read', async () => {
    const { page } = tab;
    await intercept(page, '**/pages/overview*', (route) => route.abort());
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText(/What stands here is from \d/).waitFor();
    await region('Open').getByText('1,236 items').waitFor();
    await page.unroute('**/pages/overview*');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText(/What stands here is from/).waitFor({ state: 'detached' });
  });

  it('has the parameters of a page in the address, and asks for those that it needs', async () => {
    const { page } = tab;
    await page.goto(`${of().origin}/env/demo/pages/customer`);
    await page.getByText('It needs to know more').waitFor();
    await page.getByRole('textbox', { name: 'Customer' }).fill('cus_1');
    await page.keyboard.press('Enter');
    await page.getByText('Customer cus_1, plan .').waitFor();
    expect(new URL(page.url()).search).to.equal('?customer=cus_1');
    await page.goto(`${of().origin}/env/demo/pages/customer?customer=cus_2&plan=team&other=1`);
    await page.getByText('Customer cus_2, plan team.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Plan' }).inputValue()).to.equal('team');
  });

  it('shows the pages that the role sees, and no other', async () => {
    const rea = await of().open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await of().signIn(rea, 'rea@example.com', '/pages');
    await rea.page.getByText('One customer').waitFor();
    expect(await rea.page.locator('.request').count()).to.equal(1);
    await rea.page.goto(`${of().origin}/env/demo/pages/overview`);
    await rea.page.getByText('There is no such page, or your role does not see it.').waitFor();
    await rea.close();
  });

  it('reads Markdown in notes, replies and messages, and previews it before it is sent', async () => {
    const { page } = tab;
    const { origin, ana, newItem } = of();
    const id = await newItem('Markdown');
    await ana.post(`/items/${id}/notes`, {
      text: '# Steps\n\n1. open **it**\n2. see `x < y`\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[docs](https://docs.example/a) www.example.com\nnext line',
    });
    await page.goto(`${origin}/env/demo/inbox/mail?item=${id}`);
    const note = page.locator('.written.note');
    await note.locator('ol li', { hasText: 'open it' }).locator('strong').waitFor();
    expect(await note.locator('code').textContent()).to.equal('x < y');
    expect(await note.locator('blockquote').textContent()).to.equal('quoted');
    await note.getByRole('cell', { name: '2' }).waitFor();
    expect(
      await page.evaluate(`[...document.querySelectorAll('.written.note a')].map(({ href, rel }) => [href, rel])`),
    ).to.deep.equal([
      ['https://docs.example/a', 'noopener noreferrer'],
      ['http://www.example.com/', 'noopener noreferrer'],
    ]);
    expect(await note.textContent(), 'where a link leads').to.include('docs (docs.example)');
    await page.keyboard.press('r');
    const reply = page.getByLabel('Reply to the customer');
    await reply.fill('It is **corrected**.');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('region', { name: 'Preview' }).locator('strong', { hasText: 'corrected' }).waitFor();
    await tab.picture('preview-light-1440');
    await page.getByRole('button', { name: 'Send reply' }).click();
    await page.locator('.written.reply strong', { hasText: 'corrected' }).waitFor();
    expect(await page.getByRole('region', { name: 'Preview' }).count()).to.equal(0);
  });

  it('reads nothing that others wrote as HTML, wherever it stands', async () => {
    const { page } = tab;
    const { origin, ana, ben } = of();
    const { body } = await ana.post('/items', {
      inbox: 'mail',
      title: all.slice(0, 500),
      data: { email: picture, plan: script },
      record: { resource: 'customer', id: 'cus_2' },
    });
    const id = body.item.id as string;
    await ben.post(`/items/${id}/notes`, { text: all });
    await ben.post(`/items/${id}/notes`, { text: deep });
    await ben.post(`/items/${id}/reply`, { subject: picture, text: all });
    const { body: ran } = await ana.post('/actions', { action: 'hack', input: {} });
    const places: readonly (readonly [string, string, string])[] = [
      [`/inbox/mail?item=${id}`, '.written.note .markdown', 'item'],
      ['/records/customer?record=cus_2', '.record [aria-label="Values"]', 'record'],
      ['/records?q=img', '.found li', 'search'],
      ['/pages/hostile', '.page-blocks .markdown', 'page'],
      ['/pages/served', '.page-blocks canvas', 'served'],
      [`/runs?run=${String(ran.run)}`, '.detail canvas', 'run'],
    ];
    for (const [path, selector, name] of places) {
      await page.goto(`${origin}/env/demo${path}`);
      await page.locator(selector).first().waitFor();
      await until('everything is loaded', async () => (await page.locator('.skeleton').count()) === 0);
      expect(await brought(page), name).to.deep.equal([]);
      expect(await page.evaluate('window.hacked'), name).to.equal(undefined);
      expect(await page.locator('.rail').isVisible(), name).to.equal(true);
      await tab.picture(`hostile-${name}-light-1440`);
    }
    expect(await page.getByText('evil.example').count()).to.be.above(0);
  });
});
