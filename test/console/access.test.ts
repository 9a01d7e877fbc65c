/** Every page of the console, light and dark: axe finds nothing, and nothing is wider than a narrow screen. */
import { readdirSync, readFileSync } from 'node:fs';
import axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newId } from '../../shared/platform/ids.ts';
import type { Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useConsole, type ConsoleTest } from './support.ts';

const chart = {
  type: 'chart',
  title: 'Sales',
  kind: 'bar',
  series: ['Team', 'Solo'].map((name) => ({
    name,
    points: [
      ['Mon', 3],
      ['Tue', 5],
    ],
  })),
};

const manifest = {
  ...testManifest,
  pages: [
    {
      name: 'overview',
      label: 'Overview',
      params: [{ name: 'plan' }],
      blocks: [
        { type: 'stat', title: 'Mail', source: 'counts', query: { inbox: 'mail', count: 'total' } },
        { type: 'chart', title: 'Sales', source: 'app' },
        { type: 'text', title: 'About', text: '# Read this\n\n> `first`\n\n- [x] **then** that' },
        { type: 'table', title: 'All', source: 'counts' },
        { type: 'items', title: 'Newest', source: 'items', query: { inbox: 'mail' } },
      ],
    },
  ],
  flags: [
    { key: 'new_checkout', kind: 'boolean', default: false, resource: 'customer', description: 'The new checkout.' },
    { key: 'greeting', kind: 'string', default: 'Hello' },
  ],
};

/** Somebody's words that run from the right: they do so wherever they stand, whatever stands around them. */
const rightToLeft = 'الفاتورة خاطئة مرة أخرى';

/** Returns the elements with such words that run from the left. */
const turned = `(() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) {
    const { data, parentElement } = walk.currentNode;
    if (!data.trimStart().startsWith('\u0627') || getComputedStyle(parentElement).direction === 'rtl') continue;
    if (parentElement.checkVisibility()) found.push(parentElement.outerHTML.slice(0, 200));
  }
  return found;
})()`;

/** Returns the names of tables of rows that are wider than their place. */
const cutTables = `[...document.querySelectorAll('.table')]
  .filter((place) => place.querySelector(':scope > .agents') !== null && place.scrollWidth > place.clientWidth)
  .map((place) => place.ariaLabel)`;

/** Returns what is wider than the screen, what scrolls in a slit, and the controls that can't be scrolled into sight or are covered there. */
const cutOff = `(() => {
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(scrollWidth + ' px wide');
  for (const place of document.querySelectorAll('*:not(textarea)')) {
    const slit = place.clientHeight < 120 && place.scrollHeight > place.clientHeight + 1;
    if (slit && /auto|scroll/.test(getComputedStyle(place).overflowY) && place.checkVisibility())
      found.push(place.className + ' scrolls in ' + place.clientHeight + ' px');
  }
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  for (const control of document.querySelectorAll(controls)) {
    if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (control.closest('[inert], [aria-hidden="true"]')) continue;
    control.scrollIntoView({ block: 'center', inline: 'center' });
    const [{ left, top, width, height }] = control.getClientRects();
    const [x, y] = [left + width / 2, top + height / 2];
    const hit = document.elementFromPoint(x, y);
    const isReached = hit !== null && (control.contains(hit) || hit.closest('label')?.control === control);
    if (!isReached) found.push(control.outerHTML.slice(0, 200) + ' at ' + Math.round(x) + ', ' + Math.round(y));
  }
  return found;
})()`;

/** What WCAG 2.2 AA asks for, and what axe knows beyond it. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** What can differ between light and dark, whose stylesheets differ in colours alone. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** Returns what axe finds, a line each. Of what passes it keeps one place a rule, which takes half the time. */
const findings = async (page: Page, runOnly: readonly string[] = rules): Promise<string[]> => {
  const violations: readonly Violation[] = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })}).then((found) => found.violations)`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
};

/** Returns what axe finds in light and in dark, on the page as it is. */
const findingsInBoth = async (page: Page): Promise<string[]> => {
  const light = await findings(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findings(page, colourRules);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((finding) => `dark: ${finding}`)];
};

interface Place {
  readonly name: string;
  readonly path: string;
  /** Returns when the page shows what it has to show. */
  readonly ready: (page: Page) => Promise<unknown>;
}

describe('access to the console', () => {
  let tab: Tab;
  let ids: { item: string; approval: string; bulk: string; agent: string; run: string };
  let origin: string;

  const arrange = async ({ world, ana, ben, newItem }: ConsoleTest): Promise<void> => {
    const item = await newItem('Export fails with a timeout');
    await ana.post(`/items/${item}/assign`, { assignee: ben.id });
    await ana.post(`/items/${item}/tags`, { add: ['billing', 'export'] });
    await ana.post(`/items/${item}/notes`, { text: 'Called them back.' });
    await ana.post(`/items/${item}/reply`, { text: 'It is corrected.' });
    await ana.post(`/items/${item}/notes`, { text: rightToLeft });
    const other = await newItem(`${rightToLeft} (2)`, { from: rightToLeft });
    await ana.post(`/items/${other}/assign`, { assignee: ana.id });
    await ana.post(`/items/${other}/state`, { state: 'closed' });
    await ana.post(`/items/${await newItem('Later')}/snooze`, { until: Date.now() + 86_400_000 });
    const agent = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
    const { body: asked } = await agent.post(`/items/${item}/state`, { state: 'closed', reason: 'A duplicate.' });
    const { body: made } = await ana.post('/bulk', { ids: [item, other], operation: { type: 'state', state: 'open' } });
    const bulk = made.bulk.id as string;
    await until('it is done', async () => (await ana.get(`/bulk/${bulk}`)).body.bulk.finishedAt !== null);
    await world.records('customer', [
      { id: 'cus_1', title: 'Kim Park', fields: { email: 'kim@example.com', plan: rightToLeft } },
      { id: 'cus_2', title: rightToLeft },
    ]);
    const { body: ran } = await ana.post('/actions', { action: 'upgrade', input: { plan: 'team' } });
    await ana.post('/flags/new_checkout', {
      change: {
        rollout: 10,
        targets: { cus_1: true },
        rules: [{ when: { field: 'plan', op: 'eq', value: 'team' }, rollout: 50 }],
        ramp: {
          to: 90,
          over: 3_600_000,
          every: 60_000,
          guard: { inbox: 'bugs', above: 9, within: 60_000, then: 'stop' },
        },
      },
    });
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, subject, tries, last_error, created_at) values ($1, 1, 'replySend', '{}', $2, 5, $3, $4)`,
      [newId('job'), other, rightToLeft, Date.now()],
    );
    ids = { item, approval: asked.approval as string, bulk, agent: agent.id, run: ran.run as string };
  };
  const service = useConsole({
    manifest,
    handlers: { 'action.run': () => ({ message: 'Upgraded.' }), 'page.block': () => ({ block: chart }) },
    arrange: async (given) => {
      ({ origin } = given);
      await arrange(given);
      tab = await given.open({ colorScheme: 'light', reducedMotion: 'reduce' });
      await tab.page.addInitScript(axe.source);
    },
  });
  const shows = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();

  const places: readonly Place[] = [
    { name: 'home', path: '', ready: shows('.waiting li') },
    { name: 'inbox', path: '/inbox/mail?show=all', ready: shows('.row') },
    { name: 'item', path: '/inbox/mail?show=all&item=:item', ready: shows('.timeline') },
    { name: 'all-inboxes', path: '/items', ready: shows('.row') },
    { name: 'empty', path: '/inbox/refunds', ready: shows('.list .empty') },
    { name: 'records', path: '/records', ready: shows('.found li') },
    { name: 'search', path: '/records?q=kim', ready: shows('.found li') },
    { name: 'customers', path: '/records/customer', ready: shows('.row, .request') },
    { name: 'record', path: '/records/customer?record=cus_1', ready: shows('.record [aria-label="Values"]') },
    { name: 'run', path: '/runs?run=:run', ready: shows('.detail [aria-label="Run"]') },
    { name: 'runs', path: '/runs', ready: shows('.row, .request') },
    { name: 'sheet', path: '/runs?act=upgrade', ready: shows('.sheet form') },
    { name: 'bulks', path: '/bulks', ready: shows('.bulk-line strong') },
    { name: 'bulk', path: '/bulks/:bulk', ready: shows('.waiting li') },
    { name: 'approvals', path: '/approvals', ready: shows('.request') },
    { name: 'approval', path: '/approvals/:approval', ready: shows('.verdict-form') },
    { name: 'flags', path: '/flags', ready: shows('.request') },
    { name: 'flag', path: '/flags/new_checkout', ready: shows('.flag [aria-label="History"] li') },
    { name: 'text-flag', path: '/flags/greeting', ready: shows('.flag [aria-label="History"]') },
    { name: 'pages', path: '/pages', ready: shows('.request') },
    { name: 'page', path: '/pages/overview', ready: shows('canvas') },
    { name: 'settings', path: '/settings', ready: shows('table.agents') },
    { name: 'agents', path: '/settings/agents', ready: shows('table.agents') },
    { name: 'agent', path: '/settings/agents/:agent', ready: shows('table.ledger') },
    { name: 'activity', path: '/settings/activity', ready: shows('table.ledger') },
    { name: 'audit', path: '/settings/audit', ready: shows('table.ledger') },
    { name: 'people', path: '/settings/people', ready: shows('table.agents') },
    { name: 'person', path: '/settings/people/new', ready: shows('.dialog select') },
    { name: 'roles', path: '/settings/roles', ready: shows('table.agents') },
    { name: 'role', path: '/settings/roles/new', ready: shows('[aria-label="Flags"] tbody tr:nth-child(2)') },
    { name: 'app-keys', path: '/settings/app-keys', ready: shows('table.agents') },
    { name: 'environments', path: '/settings/environments', ready: shows('.waiting fieldset') },
    { name: 'loosenings', path: '/settings/loosenings', ready: shows('[aria-label="Decided and noted"] p') },
    { name: 'erasures', path: '/settings/erasures', ready: shows('.column .empty') },
    { name: 'jobs', path: '/settings/jobs', ready: shows('.jobs tbody tr') },
    { name: 'account', path: '/settings/account', ready: shows('[aria-label="Sessions"] li') },
    { name: 'nowhere', path: '/nowhere', ready: shows('.empty') },
    { name: 'signed-in', path: '/signed-in', ready: shows('.empty') },
  ];
  const goTo = async (page: Page, { path, ready }: Place): Promise<void> => {
    const filled = path.replace(/:(\w+)/g, (_, name: keyof typeof ids) => ids[name]);
    await page.goto(`${origin}/env/demo${filled}`);
    await ready(page);
  };

  it('has every address of the console in this list', () => {
    const source = (name: string) => readFileSync(new URL(`../../api/console/${name}`, import.meta.url), 'utf8');
    const routes = [...source('router.tsx').matchAll(/^ {2}path: '([^/'][^']*)'/gm)].map(([, path = '']) => path);
    const sections = [...source('settings/sections.ts').matchAll(/name: '(\w[\w-]*)'/g)].map(
      ([, name = '']) => `settings/${name}`,
    );
    expect(routes.length).to.be.above(10);
    expect(sections.length).to.be.above(3);
    const left = [...routes.filter((route) => !route.startsWith('settings')), ...sections].filter((route) => {
      const pattern = new RegExp(`^/${route.replaceAll(/\$\w+/g, '[^/?]+')}($|\\?)`);
      return !places.some(({ path }) => pattern.test(path));
    });
    expect(left, 'add each to `places`, so that axe looks at it').to.deep.equal([]);
  });

  it('differs between light and dark in colours alone', () => {
    const folder = new URL('../../api/console/styles/', import.meta.url);
    const sheets = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const rules = sheets.flatMap((sheet) => sheet.split('}')).filter((rule) => /data-theme|prefers-color/.test(rule));
    expect(rules.length).to.be.above(1);
    // Beside these there is light-dark(), which takes colours only.
    expect(rules.filter((rule) => !/:root\[data-theme[^\]]*\] \{\s*color-scheme: \w+;\s*$/.test(rule))).to.deep.equal(
      [],
    );
  });

  it('signs in', async () => {
    await tab.page.goto(`${origin}/env/demo`);
    await tab.page.getByLabel('E-mail').waitFor();
    expect(await findingsInBoth(tab.page)).to.deep.equal([]);
    await service().signIn(tab, 'ana@example.com', '');
  });

  for (const place of places)
    it(`shows ${place.name}: light, dark, at 200 %, on a screen of 390 px`, async () => {
      const { page, picture } = tab;
      await goTo(page, place);
      const found = await findings(page);
      found.push(...(await page.evaluate<string[]>(turned)).map((each) => `runs from the left: ${each}`));
      await picture(`${place.name}-light-1440`);
      await page.emulateMedia({ colorScheme: 'dark' });
      found.push(...(await findings(page, colourRules)).map((finding) => `dark: ${finding}`));
      await picture(`${place.name}-dark-1440`);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 390, height: 844 });
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 390) found.push(`narrow: ${String(width)} px wide`);
      found.push(...(await page.evaluate<string[]>(cutTables)).map((each) => `narrow: ${each} is cut`));
      found.push(...(await findings(page)).map((finding) => `narrow: ${finding}`));
      await picture(`${place.name}-light-390`);
      // What a screen of 1280 × 720 px shows at 200 %.
      await page.setViewportSize({ width: 640, height: 360 });
      found.push(...(await page.evaluate<string[]>(cutOff)).map((each) => `at 200 %: ${each}`));
      await picture(`${place.name}-light-640`);
      await page.setViewportSize({ width: 1440, height: 900 });
      expect(found).to.deep.equal([]);
    });

  const dialogs = [
    ['keys', '?'],
    ['palette', 'g'],
    ['assign', 'a'],
    ['tags', 't'],
    ['snooze', 's'],
  ] as const;
  it('opens the item of the dialogs', async () => {
    await goTo(tab.page, { name: 'item', path: '/inbox/mail?show=all&item=:item', ready: shows('.timeline') });
  });
  for (const [name, key] of dialogs)
    it(`opens ${name}`, async () => {
      await tab.page.keyboard.press(key);
      await tab.page.getByRole('dialog').waitFor();
      expect(await findingsInBoth(tab.page)).to.deep.equal([]);
      await tab.page.keyboard.press('Escape');
      await tab.page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  it('saves a view', async () => {
    const { page } = tab;
    await goTo(page, { name: 'view', path: '/inbox/mail?show=all', ready: shows('.row') });
    await page.getByRole('button', { name: 'Save view…' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findingsInBoth(page)).to.deep.equal([]);
  });

  it('selects items', async () => {
    const { page } = tab;
    await goTo(page, { name: 'selection', path: '/inbox/mail?show=all', ready: shows('.row') });
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.locator('.selection').waitFor();
    expect(await findingsInBoth(page)).to.deep.equal([]);
  });

  it('opens all places on a narrow screen', async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'All places' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(await findingsInBoth(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('fills in an action', async () => {
    const { page } = tab;
    await goTo(page, { name: 'runs', path: '/runs', ready: shows('.request') });
    await page.keyboard.press('d');
    await page.getByRole('dialog').waitFor();
    expect(await findingsInBoth(page)).to.deep.equal([]);
    await page.getByRole('dialog').getByRole('option').first().click();
    await page.getByRole('dialog', { name: /Upgrade/ }).waitFor();
    expect(await findingsInBoth(page)).to.deep.equal([]);
  });

  it('asks for a new agent', async () => {
    const { page } = tab;
    await goTo(page, { name: 'agents', path: '/settings/agents', ready: shows('table.agents') });
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findingsInBoth(page)).to.deep.equal([]);
  });

  it('says what a role may not see', async () => {
    const other = await service().open({ reducedMotion: 'reduce' });
    await other.page.addInitScript(axe.source);
    await service().signIn(other, 'vera@example.com', '/settings/audit');
    await other.page.getByText('Your role may not see this').waitFor();
    expect(await findingsInBoth(other.page)).to.deep.equal([]);
  });
});
