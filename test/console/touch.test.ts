/** The console under a finger: whatever is tapped is large enough on every page, and what a keyboard alone can do is not spoken of. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import { testManifest } from '../support/manifest.ts';
import { loaded, useConsole } from './support.ts';

const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [
        { name: 'email', search: true },
        { name: 'credit', label: 'Credit', type: 'money' },
      ],
    },
    { name: 'vault', source: 'stored' },
  ],
  actions: [
    { name: 'upgrade', label: 'Upgrade', input: { type: 'object', properties: { plan: { type: 'string' } } } },
    { name: 'hold', label: 'Hold', resource: 'customer', danger: 'low', reversible: true },
    {
      name: 'refund',
      label: 'Refund',
      resource: 'customer',
      when: { field: 'record.fields.plan', op: 'eq', value: 'team' },
    },
  ],
  flags: [{ key: 'new_checkout', kind: 'boolean', default: false, resource: 'customer' }],
  pages: [
    {
      name: 'overview',
      label: 'Overview',
      blocks: [{ type: 'text', text: 'Hello' }],
    },
  ],
};

/** px each way, after WCAG 2.2, 2.5.5; links in lines of text are as high as 2.5.8 wants it, without a line's being torn apart. */
const [large, inLine] = ['44', '24'];

/** Script of a page that returns what is tapped there and too small, each by its name with its size. */
const tooSmall = `(() => {
  const controls = 'a[href], button, input, select, textarea, summary, [role="option"]';
  const isInText = (element) =>
    element.tagName === 'A' &&
    getComputedStyle(element).display === 'inline' &&
    [...element.parentElement.childNodes].some((node) => node !== element && node.textContent.trim() !== '');
  return [...document.querySelectorAll(controls)].flatMap((element) => {
    // What only a keyboard reaches, such as the link to the content, can't be tapped.
    if (!element.checkVisibility({ visibilityProperty: true }) || getComputedStyle(element).pointerEvents === 'none') return [];
    // A box that is ticked is tapped by its label.
    const tapped = ['checkbox', 'radio'].includes(element.type) ? element.closest('label') ?? element : element;
    const { width, height } = tapped.getBoundingClientRect();
    if (width <= 1 || height <= 1) return [];
    const isLink = isInText(element);
    if (height >= (isLink ? ${inLine} : ${large}) - 0.5 && (isLink || width >= ${large} - 0.5)) return [];
    const name = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 30);
    return [\`\${element.tagName.toLowerCase()}.\${element.className} “\${name}” \${width.toFixed(0)} × \${height.toFixed(0)}\`];
  });
})()`;

describe('the console under a finger', () => {
  let tab: Tab;
  let page: Page;
  const places: string[] = [];
  const of = useConsole({
    manifest,
    arrange: async ({ world, ana, newItem, open, signIn }) => {
      await world.records('customer', [
        { id: 'cus_1', title: 'Kim Park', fields: { email: 'kim@example.com', credit: 105.3, currency: 'EUR' } },
      ]);
      const { body } = await ana.post('/items', {
        inbox: 'mail',
        title: 'Where is my parcel',
        data: { email: 'kim@example.com' },
        record: { resource: 'customer', id: 'cus_1' },
      });
      const item = body.item.id as string;
      await ana.post(`/items/${item}/tags`, { add: ['late', 'parcel'] });
      await ana.post(`/items/${item}/notes`, { text: 'See [the page](https://example.com/page) of the parcel.' });
      await newItem('Another one');
      const role = await world.role('lead', [{ on: 'inbox:*', can: ['*'] }]);
      const bot = await world.agent('operator', { mode: 'supervised', name: 'Night bot' });
      const asked = await bot.post(`/items/${item}/state`, { state: 'closed' });
      const run = await ana.post('/actions', { action: 'upgrade', input: { plan: 'team' } });
      const bulk = await ana.post('/bulk', { ids: [item], operation: { type: 'tags', add: ['seen'] } });
      await ana.post('/flags/new_checkout', {
        change: {
          rollout: 25,
          rules: [{ when: { field: 'plan', op: 'eq', value: 'team' }, value: true }],
          targets: { cus_1: true },
        },
      });
      await ana.post('/flags/new_checkout', { change: { ramp: { to: 90, over: 3_600_000, every: 60_000 } } });
      places.push(
        '',
        '/items?show=all',
        `/inbox/mail?show=all&tags=late&item=${item}`,
        '/bulks',
        `/bulks/${String(bulk.body.bulk.id)}`,
        '/pages/overview',
        '/records',
        '/records/customer',
        '/records/customer?record=cus_1',
        '/runs',
        `/runs?run=${String(run.body.run)}`,
        '/flags/new_checkout',
        '/approvals',
        `/approvals/${String(asked.body.approval)}`,
        ...['agents', 'activity', 'people', 'roles', `roles/${role}`, 'app-keys', 'environments', 'loosenings'].map(
          (name) => `/settings/${name}`,
        ),
        ...['erasures', 'jobs', 'audit', 'account'].map((name) => `/settings/${name}`),
      );
      tab = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      ({ page } = tab);

      await signIn(tab, 'ana@example.com', '');
    },
  });
  const goTo = async (place: string): Promise<void> => {
    await page.goto(`${of().origin}/env/demo${place}`);
    await loaded(page);
  };
  const isSmall = async (what: string): Promise<readonly string[]> => {
    const small: readonly string[] = await page.evaluate(tooSmall);
    await tab.picture(`touch-${what}-390`);
    return small.map((each) => `${what}: ${each}`);
  };

  it('has nothing on any page that is too small to be tapped, and no page is wider than the screen', async () => {
    const found: string[] = [];
    for (const place of places) {
      await goTo(place);
      found.push(...(await isSmall(place.split('?')[0]?.replace(/\W+/g, '-') ?? '')));
      const excess: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (excess > 0) found.push(`${place}: ${String(excess)} px wider than the screen`);
    }
    expect(found).to.deep.equal([]);
  });

  it('has nothing in its menu and dialogs that is too small, and their buttons are in sight', async () => {
    const found: string[] = [];
    const look = async (what: string): Promise<void> => {
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
      found.push(...(await isSmall(what)));
    };
    const isInSight = (name: string): Promise<boolean> =>
      page
        .getByRole('dialog')
        .getByRole('button', { name, exact: true })
        .evaluate((button) => {
          const { left, top, width, height } = button.getBoundingClientRect();
          return button.contains(button.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
        });
    await goTo(places[2] ?? '');
    await page.getByRole('button', { name: 'All places' }).tap();
    await look('places');
    await page.getByRole('button', { name: 'All places' }).tap();
    await page.getByRole('button', { name: 'Tag', exact: true }).tap();
    const tags = page.getByRole('dialog', { name: 'Tags' });
    await tags.getByRole('option', { name: /^late/ }).waitFor();
    await look('tags');
    await tags.getByRole('button', { name: 'Done' }).tap();
    await tags.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Go to anything' }).tap();
    const commands = page.getByRole('dialog', { name: 'Go to' }).getByRole('option');
    await commands.filter({ hasText: 'Overview' }).waitFor();
    const names = await commands.allTextContents();
    const copies = names.filter((name) => name.startsWith('Copy'));
    expect(copies).to.not.deep.equal([]);
    expect(names.slice(-copies.length)).to.deep.equal(copies);
    await look('palette');
    await goTo('/items?show=all');
    const row = page.getByRole('option', { name: /Another one/ });
    await row.tap({ position: { x: 43, y: 10 } });
    await page.getByText('1 selected').waitFor();
    await look('selection');
    await goTo('/records/customer?record=cus_1');
    await page.getByText('105.30 EUR').waitFor();
    await page.getByRole('button', { name: 'All actions' }).tap();
    const refund = page.getByRole('option', { name: 'Refund' });
    await refund.waitFor();
    await look('actions');
    const why = refund.locator('.why');
    expect(await why.textContent()).to.equal('Refund does not apply to this customer now.');
    expect(await why.evaluate((node) => node.scrollWidth <= node.clientWidth)).to.equal(true);
    await page.getByRole('option', { name: 'Hold' }).tap();
    await page.getByRole('button', { name: 'Dry run' }).waitFor();
    await look('action');
    expect(await isInSight('Hold')).to.equal(true);
    await goTo('/settings/app-keys');
    await page.getByRole('button', { name: 'New app key' }).tap();
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop');
    await page.getByRole('button', { name: 'Make app key' }).tap();
    await page.getByRole('dialog', { name: 'Shop is ready' }).waitFor();
    await look('credential');
    expect(await isInSight('I have kept it')).to.equal(true);
    expect(found).to.deep.equal([]);
  });

  it('has the whole title of a list, however it is filtered, and says where the places scroll on', async () => {
    await goTo('/items?show=all&tags=late');
    const title = page.locator('.list-title h1');
    expect(await title.evaluate((node) => node.scrollWidth <= node.clientWidth)).to.equal(true);
    const save = await page.getByRole('button', { name: 'Save view…' }).boundingBox();
    expect((save?.x ?? 0) + (save?.width ?? 0)).to.be.at.most(390);
    await page.setViewportSize({ width: 844, height: 390 });
    const places = page.getByRole('navigation', { name: 'Console' }).getByRole('list').first();
    const { x, y, width, height } = (await places.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    expect(width).to.be.above(0);
    const [top, bottom] = [y, y + height - 4];
    /** Returns the picture of a piece of the list's edge where nothing else stands. */
    const edge = (at: number): Promise<Buffer> => page.screenshot({ clip: { x, y: at, width: 4, height: 4 } });
    const [noneAbove, moreBelow] = [await edge(top), await edge(bottom)];
    await tab.picture('touch-places-844');
    await places.evaluate((node) => node.scrollTo(0, node.scrollHeight));
    const [moreAbove, noneBelow] = [await edge(top), await edge(bottom)];
    expect(noneAbove.equals(moreAbove)).to.equal(false);
    expect(moreBelow.equals(noneBelow)).to.equal(false);
    await page.setViewportSize({ width: 390, height: 844 });
  });

  it('names no key where there is no keyboard, and tells a role that changes nothing that it reads', async () => {
    await goTo('');
    await page.getByText('Nothing is assigned to you.').waitFor();
    const key = 'Press a on an item to take it.';
    expect(await page.getByText(key).isVisible()).to.equal(false);
    const { open, signIn, origin } = of();
    const [ben, vera] = [await open(), await open()];
    await signIn(ben, 'ben@example.com', '');
    await ben.page.getByText(key).waitFor();
    const theme = await ben.page.getByRole('button', { name: 'Theme: system' }).boundingBox();
    const out = await ben.page.getByRole('button', { name: 'Sign out' }).boundingBox();
    expect(theme?.y).to.equal(out?.y);
    await ben.picture('rail-foot-light-1440');
    await signIn(vera, 'vera@example.com', '');
    await vera.page.getByText('Nothing is assigned to you.').waitFor();
    expect(await vera.page.getByText(key).count()).to.equal(0);
    for (const place of [places[2], '/records/customer?record=cus_1', '/flags/new_checkout']) {
      await vera.page.goto(`${origin}/env/demo${place ?? ''}`);
      await vera.page.getByText('Your role can read this, not change it.').waitFor();
      await vera.picture(`read-only${place?.split('?')[0]?.replace(/\W+/g, '-') ?? ''}-1440`);
    }
    await ben.page.goto(`${origin}/env/demo/records/customer?record=cus_1`);
    await ben.page.getByRole('button', { name: 'All actions' }).waitFor();
    expect(await ben.page.getByText('Your role can read this').count()).to.equal(0);
  });
});
