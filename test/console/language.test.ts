/** What another language would reach: every text on every page, as each is one of a file of texts or data of the API. */
import { expect } from 'chai';
import { toWords } from '../../api/console/content/values.ts';
import type { Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { buildMarkedConsole } from '../support/markedConsole.ts';
import { patience } from '../support/patience.ts';
import { password, useConsole } from './support.ts';

const [customer, ...resources] = testManifest.resources;

const manifest = {
  ...testManifest,
  resources: [{ ...customer, fields: [{ name: 'email', search: true, filter: true, sort: true }] }, ...resources],
  actions: [...testManifest.actions, { name: 'hold', label: 'Hold', resource: 'customer', background: true }],
  flags: [{ key: 'new_checkout', kind: 'boolean', default: false, resource: 'customer' }],
  pages: [
    {
      name: 'overview',
      label: 'Overview',
      params: [{ name: 'period_end', required: true }],
      blocks: [{ type: 'text', text: 'Hello' }],
    },
  ],
};

/** Keeps in the page what it reads of the API's answers and messages. */
const keepTold = `(() => {
  window.told = [];
  const { text } = Response.prototype;
  Response.prototype.text = async function () {
    const read = await text.call(this);
    window.told.push(read);
    return read;
  };
  const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data');
  Object.defineProperty(MessageEvent.prototype, 'data', {
    ...data,
    get() {
      const read = data.get.call(this);
      if (typeof read === 'string') window.told.push(read);
      return read;
    },
  });
})()`;

/** Returns every text in what the API said, names of members included, as they are and in words. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value, toWords(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [...textsIn(name), ...textsIn(each)]);
};

/** Returns a text without what stands around its words. */
const bare = (text: string): string => text.replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');

/** Returns whether it is a name of a zone, a verb or an address: one word with a stroke or a dot within. */
const isCode = (text: string): boolean => text === 'UTC' || /^\S*\w[./]\w\S*$/.test(text);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * What stands on the page outside of marks and has letters: in elements, and in attributes that people read or hear. Keys, codes,
 * ids and initials are the same in every language, and so is what people wrote. The browser's language is Japanese, so that no
 * date has Latin letters.
 */
const unmarked = `(() => {
  const found = [];
  const outside = (text, open) => {
    let rest = '';
    let depth = open;
    for (const character of text) {
      if (character === '⟦') depth += 1;
      if (character === '⟧') depth -= 1;
      rest += depth > 0 || character === '⟧' ? '⟧' : character;
    }
    return { parts: rest.split(/⟧+/).filter((part) => /[A-Za-z]/.test(part)), depth };
  };
  const isSame = (element) =>
    element.closest('script, style, noscript, kbd, code, pre, .code, .mono, .initials, .prose') !== null;
  const take = (part, element, name) =>
    found.push({ text: part, where: element.tagName + '.' + element.className + name });
  let depth = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const read = outside(texts.currentNode.data, depth);
    depth = read.depth;
    if (!isSame(element)) for (const part of read.parts) take(part, element, '');
  }
  for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
    for (const element of document.body.querySelectorAll('[' + name + ']'))
      if (!isSame(element))
        for (const part of outside(element.getAttribute(name), 0).parts) take(part, element, ' ' + name);
  for (const part of outside(document.title, 0).parts) take(part, document.documentElement, ' title');
  if (depth !== 0) found.push({ text: 'a text without its end', where: String(depth) });
  return found;
})()`;

interface Place {
  readonly path: string;
  /** What is there once the place is complete. */
  readonly ready: string;
  /** A key, or a button by its name, that leads on from there, and what is there then. */
  readonly then?: readonly [by: { readonly key: string } | { readonly button: string }, ready: string];
}

const settings = ['agents', 'activity', 'people', 'roles', 'app-keys', 'environments', 'loosenings', 'erasures'];

/** Places without an item, and the settings. */
const otherPlaces: readonly Place[] = [
  { path: '', ready: '.waiting li' },
  { path: '/inbox/mail?show=all', ready: '.row', then: [{ key: 'Control+k' }, '.picker'] },
  { path: '/records/customer?record=cus_1', ready: '.record .history' },
  { path: '/approvals', ready: '.request' },
  { path: '/runs', ready: '.inbox' },
  { path: '/bulks', ready: '.column' },
  { path: '/flags', ready: '.request' },
  { path: '/flags/new_checkout', ready: '.flag' },
  ...[...settings, 'jobs', 'audit', 'account'].map((section) => ({
    path: `/settings/${section}`,
    ready: '.settings > :nth-child(2)',
  })),
];

/** `item`: the id of one in `mail` with a history. */
const places = (item: string): readonly Place[] => {
  const list: Place = { path: '/inbox/mail?show=all', ready: '.row' };
  const open: Place = { path: `/inbox/mail?show=all&item=${item}`, ready: '.timeline .line' };
  const press = (key: string): Place => ({ ...open, then: [{ key }, '.picker'] });
  return [
    { path: '/inbox/mail?assignee=none', ready: '.empty' },
    { path: '/items?tags=urgent&sort=title&show=all', ready: '.list-filters .tag' },
    { ...list, then: [{ key: '?' }, '.help'] },
    { ...list, then: [{ key: '*' }, '.selection'] },
    { ...list, then: [{ button: 'Save view' }, '.dialog'] },
    ...['w', 'a', 't', 's'].map(press),
    { ...open, then: [{ key: 'n' }, '.composer.note'] },
    { path: '/inbox/mail?item=itm_none', ready: '.detail .empty' },
    { path: '/records', ready: '.found' },
    { path: '/records?q=kim', ready: '.found li' },
    { path: '/records/customer', ready: '.record-row', then: [{ button: 'Filter' }, '.dialog'] },
    { path: '/records/customer?filters={"email":{"exists":false}}', ready: '.chips .tag' },
    { path: '/records/nothing', ready: '.empty' },
    { path: '/pages', ready: '.request' },
    { path: '/pages/overview', ready: '.app-page .empty' },
    { path: '/pages/overview?period_end=2026', ready: '.app-page .run-head .soft' },
    ...otherPlaces,
  ];
};

/** ms that a page has to come to rest. */
const restMs = 3_000;

describe('the texts of the console', () => {
  let item = '';
  let other: Awaited<ReturnType<typeof buildMarkedConsole>> | undefined;
  const of = useConsole({
    manifest,
    handlers: { 'page.blocks': () => ({ blocks: [] }) },
    arrange: async ({ world, ana, newItem }) => {
      other = await buildMarkedConsole();
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park', fields: { email: 'kim@example.com' } }]);
      item = await newItem('Export fails', { email: 'kim@example.com', plan: 'team' });
      await ana.post(`/items/${item}/notes`, { text: 'Seen **twice**' });
      await ana.post(`/items/${item}/reply`, { text: 'We look into it' });
      await ana.post(`/items/${item}/assign`, { assignee: ana.id });
      await ana.post(`/items/${item}/tags`, { add: ['urgent'] });
      await ana.post(`/items/${item}/snooze`, { until: Date.now() + 86_400_000 });
      const bot = await world.agent('operator', { mode: 'supervised', name: 'Triage bot' });
      await bot.post(`/items/${item}/state`, { state: 'closed' });
      await world.settled();
    },
  });
  after(() => other?.remove());
  let tab: Tab;

  /** Returns what is on the page and comes from neither a file of texts nor the API; its title and address are known before. */
  const look = async (): Promise<string[]> => {
    const found = await tab.page.evaluate<readonly { text: string; where: string }[]>(unmarked);
    const told = await tab.page.evaluate<readonly string[]>('window.told');
    const known = new Set(['Console', 'demo', ...told.flatMap((text) => textsIn(parsed(text)).map(bare))]);
    const isKnown = (text: string): boolean => known.has(bare(text)) || isCode(bare(text));
    return found.filter(({ text }) => !isKnown(text)).map(({ text, where }) => `“${text}” in ${where}`);
  };

  /** Returns the same of the page at rest: what is there for a moment alone is looked at again. */
  const strange = async (): Promise<string[]> => {
    const until = Date.now() + restMs * patience;
    for (;;) {
      const found = await look();
      if (found.length === 0 || Date.now() > until) return found;
      await tab.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    }
  };

  it('are marked where nobody is signed in', async () => {
    tab = await of().open({ locale: 'ja-JP' });
    const { page } = tab;
    await page.addInitScript(keepTold);
    await other?.giveTo(page);
    await page.goto(`${of().origin}/`);
    await page.getByLabel('E-mail').waitFor();
    expect(await strange()).to.deep.equal([]);
    await page.goto(`${of().origin}/env/demo/inbox/mail`);
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await strange()).to.deep.equal([]);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.locator('.connection.complete').waitFor();
    await page.goto(`${of().origin}/env`);
    await page.getByRole('heading').waitFor();
    expect(await strange()).to.deep.equal([]);
  });

  it('are marked on every page, so that each comes from a file of texts, or are what the API answered', async () => {
    const { page } = tab;
    const all: Record<string, string[]> = {};
    for (const { path, ready, then } of places(item)) {
      await page.goto(`${of().origin}/env/demo${path}`);
      await page.locator('.connection.complete').waitFor();
      await page.locator(ready).first().waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      if (then !== undefined) {
        const [by, next] = then;
        if ('key' in by) await page.keyboard.press(by.key);
        else await page.getByRole('button', { name: by.button }).first().click();
        await page.locator(next).first().waitFor();
      }
      const found = await strange();
      if (found.length > 0) all[`${path} ${JSON.stringify(then?.[0] ?? '')}`] = found;
    }
    expect(all, `move to a file of texts: ${JSON.stringify(all)}`).to.deep.equal({});
  });
});
