/** Selecting items in the console and changing them together: tried out first, watched, undone, and found again. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Tab } from '../support/browser.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { loaded, useConsole, type ConsoleTest } from './support.ts';

const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'strict', label: 'Strict', reasonRequired: true }],
};

/** More than one page of a list has. */
const many = 130;

describe('the selection in the console', () => {
  let world: World;
  let ana: Client;
  let ben: Client;
  let origin: string;
  let open: ConsoleTest['open'];
  let tab: Tab;
  let page: Page;

  const service = useConsole({
    manifest,
    arrange: async (given) => {
      ({ world, ana, ben, origin, open } = given);
      for (let n = 1; n <= 6; n++) await given.newItem(`Question ${String(n)}`);
      await Promise.all(
        Array.from({ length: many }, (_, n) => ana.post('/items', { inbox: 'bugs', title: `Bug ${String(n)}` })),
      );
      tab = await open();
      ({ page } = tab);
    },
  });
  const goTo = async (path: string): Promise<void> => {
    await page.goto(`${origin}/env/demo${path}`);
    await loaded(page);
  };
  const countOf = async (query: string): Promise<number> => (await ana.get(`/items?count=1&${query}`)).body.total;
  const row = (title: string) => page.locator('.row', { hasText: title });
  const mark = (title: string) => row(title).locator('.row-mark');
  const foot = () => page.getByRole('region', { name: 'Selection' });
  /** The number in the head of the list. */
  const total = (n: number) => page.locator('.list-title .total', { hasText: new RegExp(`^${String(n)} open$`) });
  const make = async (inbox: string, title: string, more: object = {}): Promise<string> => {
    const { body } = await ana.post('/items', { inbox, title, ...more });
    return body.item.id as string;
  };

  const dryRunOf = (inbox: string, operation: object) =>
    ana.post('/bulk', { query: { inbox }, operation, dryRun: true });

  it('takes a range, says what would happen, does it, stays, and undoes all of it', async () => {
    await service().signIn(tab, 'ana@example.com', '/inbox/mail');
    await mark('Question 5').click();
    await mark('Question 2').click({ modifiers: ['Shift'] });
    await foot().getByText('4 selected').waitFor();
    for (const [width, lines] of [
      [1440, 1],
      [1280, 1],
      [1024, 1],
      [390, 2],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      const boxes = await foot()
        .locator('.selection-deeds > *')
        .evaluateAll((all) =>
          all
            .map((each) => each.getBoundingClientRect())
            .map(({ top, bottom, right }) => ({ middle: Math.round((top + bottom) / 20), right })),
        );
      expect(new Set(boxes.map(({ middle }) => middle)), String(width)).to.have.length(lines);
      expect(Math.max(...boxes.map(({ right }) => right)), String(width)).to.be.at.most(width);
      await tab.picture(`selection-deeds-${String(width)}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('e');
    await foot().getByText('Set to closed: would change 4').waitFor();
    // Nothing is done yet, and nothing is undone.
    await page.keyboard.press('u');
    await foot().getByText('would change').waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await foot().getByText('Set to closed: would change 4').waitFor();
    expect(await countOf('inbox=mail&state=closed')).to.equal(0);
    const all = await countOf('inbox=mail&state=open');
    const left = all - 4;
    await total(all).waitFor();
    await tab.picture('selection-light-1440');
    await page.keyboard.press('Enter');
    await foot()
      .getByText(/^Set to closed\s+done: 4 changed$/)
      .waitFor();
    expect(await countOf('inbox=mail&state=closed')).to.equal(4);
    await total(left).waitFor();
    await foot().getByText('4 selected').waitFor({ state: 'detached' });
    await foot().getByRole('button', { name: 'Undo all' }).click();
    await foot()
      .getByText(/^Undo an earlier bulk\s+done: 4 changed$/)
      .waitFor();
    expect(await countOf('inbox=mail&state=closed')).to.equal(0);
    await total(all).waitFor();
    // A filter that the counts don't know is counted again.
    await page.getByLabel('Assignee').selectOption('none');
    await total(all).waitFor();
    const fresh = await make('mail', 'While one looks');
    await total(all + 1).waitFor();
    await ana.post(`/items/${fresh}/state`, { state: 'closed' });
    await total(all).waitFor();
    await page.getByLabel('Assignee').selectOption('');
    await page.keyboard.press('Escape');
    await foot().getByText('4 selected').waitFor({ state: 'detached' });
  });

  it('drops what was tried out as soon as something else is selected', async () => {
    await goTo('/inbox/bugs');
    await mark('Bug 128').click();
    await page.keyboard.press('e');
    await foot().getByText('Set to closed: would change 1').waitFor();
    await page.locator('.rows').focus();
    await page.keyboard.press('Escape');
    await foot().getByText('would change').waitFor({ state: 'detached' });
    await mark('Bug 127').click();
    await foot().getByText('1 selected').waitFor();
    expect(await foot().getByText('would change').count()).to.equal(0);
    await page.keyboard.press('e');
    await foot().getByText('Set to closed: would change 1').waitFor();
    await mark('Bug 126').click();
    await foot().getByText('2 selected').waitFor();
    await page.locator('.rows').focus();
    await page.keyboard.press('Escape');
    expect(await countOf('inbox=bugs&state=closed')).to.equal(0);
  });

  it('is made by keyboard alone, and its last change undone by u', async () => {
    await goTo('/inbox/mail');
    await row('Question 6').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await foot().getByText('3 selected').waitFor();
    await page.keyboard.press('t');
    await page.getByRole('combobox', { name: 'Tag the selected items' }).fill('autumn');
    await page.keyboard.press('Enter');
    await foot().getByText('Add tag autumn: would change 3').waitFor();
    await page.keyboard.press('Enter');
    await foot()
      .getByText(/^Add tag autumn\s+done: 3 changed$/)
      .waitFor();
    expect(await countOf('inbox=mail&tags=autumn')).to.equal(3);
    await page.keyboard.press('u');
    await until('the tag is gone', async () => (await countOf('inbox=mail&tags=autumn')) === 0);
  });

  it('takes all that match, also what no page has brought yet', async () => {
    await goTo('/inbox/bugs');
    await row(`Bug ${String(many - 1)}`)
      .first()
      .waitFor();
    await page.keyboard.press('*');
    await foot()
      .getByText(`All ${String(many)} that match are selected`)
      .waitFor();
    await page.keyboard.press('a');
    await page
      .getByRole('dialog')
      .getByRole('option', { name: /^Ben Okoro/ })
      .click();
    await foot()
      .getByText(`Assign to Ben Okoro: would change ${String(many)}`)
      .waitFor();
    await foot()
      .getByRole('button', { name: `Change ${String(many)}` })
      .click();
    await foot()
      .getByText(new RegExp(`^Assign to Ben Okoro\\s+done: ${String(many)} changed$`))
      .waitFor();
    expect(await countOf(`inbox=bugs&assignee=${ben.id}`)).to.equal(many);
  });

  it('shows what could not be changed, and leads to it', async () => {
    const first = await make('refunds', 'Refund of Kim');
    await make('refunds', 'Refund of Lea');
    await ana.post(`/items/${first}/state`, { state: 'approved' });
    await goTo('/inbox/refunds?show=all');
    await mark('Refund of Kim').click();
    await mark('Refund of Lea').click();
    await page.keyboard.press('w');
    await page.getByRole('dialog').getByRole('option', { name: /^paid/ }).click();
    await foot().getByText('Set to paid: would change 1 of 2, 1 can’t be').waitFor();
    const { problems } = (await dryRunOf('refunds', { type: 'state', state: 'paid' })).body;
    await foot()
      .getByText(`1: ${String(problems[0].message)}`)
      .waitFor();
    await tab.picture('selection-problems-light-1440');
    await foot().getByRole('button', { name: 'Change 1' }).click();
    await foot()
      .getByText(/^Set to paid\s+done: 1 changed, 1 not$/)
      .waitFor();
    await foot().getByRole('link', { name: 'Outcomes' }).click();
    await tab.picture('bulk-light-1440');
    const failed = page.getByRole('region', { name: 'Failed' });
    await failed.getByRole('link', { name: 'Refund of Lea' }).click();
    await page.locator('.detail').getByRole('heading', { name: 'Refund of Lea' }).waitFor();
  });

  it('asks for the reason that an inbox wants, and gives it to each change', async () => {
    const id = await make('strict', 'Duplicate', { reason: 'A test.' });
    await goTo('/inbox/strict');
    await mark('Duplicate').click();
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByLabel('Reason').fill('Told twice.');
    await page.keyboard.press('Enter');
    await foot().getByRole('button', { name: 'Change 1' }).click();
    await foot()
      .getByText(/done: 1 changed/)
      .waitFor();
    const { body } = await ana.get(`/items/${id}`);
    expect(body.timeline[0].data.reason).to.equal('Told twice.');
  });

  it('finds a bulk that goes on after a reload, and asks to stop it', async () => {
    const held = await make('mail', 'Held');
    const blocker = await world.deps.db.transaction();
    try {
      await blocker.raw('select 1 from items where id = ? for update', [held]);
      await goTo('/inbox/mail');
      await mark('Held').click();
      await mark('Question 1').click({ modifiers: ['Shift'] });
      await page.keyboard.press('e');
      await foot().getByRole('button', { name: 'Change 7' }).click();
      await foot()
        .getByText(/^Set to closed\s+0 of 7/)
        .waitFor();
      await page.reload();
      await foot()
        .getByText(/^Set to closed\s+0 of 7/)
        .waitFor();
      expect(await page.locator('.row').first().isVisible()).to.equal(true);
      await foot().getByRole('button', { name: 'Stop' }).click();
      await until('it is asked', async () => (await ana.get('/audit?verb=bulk.cancel')).body.entries.length === 1);
    } finally {
      await blocker.commit();
    }
    await until('it has ended', async () => (await ana.get('/bulk?limit=1')).body.bulks[0].finishedAt !== null);
    await goTo('/bulks');
    const lines = page.locator('.bulk-line');
    await lines.nth(7).waitFor();
    await until('each is shown', async () => (await lines.filter({ hasText: 'Starting…' }).count()) === 0);
    const texts = await lines.allTextContents();
    expect(texts.filter((text) => text.startsWith('Undo') && text.includes('Undo all'))).to.deep.equal([]);
    expect(texts.at(-1), 'what was undone can’t be again').to.match(/^Set to closed done: 4 changed(?!.*Undo all)/);
    await tab.picture('bulks-light-1440');
  });

  it('undoes days later what is found again under Bulks', async () => {
    await goTo('/bulks');
    await page
      .locator('.bulk-line', { hasText: 'Assign to Ben Okoro' })
      .getByRole('button', { name: 'Undo all' })
      .click();
    await page.getByText(new RegExp(`^Undo an earlier bulk\\s+done: ${String(many)} changed$`)).waitFor();
    expect(await countOf(`inbox=bugs&assignee=${ben.id}`)).to.equal(0);
  });

  it('offers nothing to those who may change nothing', async () => {
    const vera = await open();
    await service().signIn(vera, 'vera@example.com', '/inbox/bugs');
    await vera.page.locator('.row-mark').first().click();
    // What would select opens: a selection without anything to do leads nowhere.
    await vera.page.locator('.detail h1').waitFor();
    await vera.page.keyboard.press('x');
    await vera.page.keyboard.press('*');
    expect(await vera.page.getByRole('region', { name: 'Selection' }).count()).to.equal(0);
    expect(await vera.page.locator('.row[aria-checked]').count()).to.equal(0);
    expect(await vera.page.getByRole('link', { name: 'Bulks' }).count()).to.equal(0);
    await vera.page.keyboard.press('e');
    expect(await vera.page.getByRole('dialog').count()).to.equal(0);
    await vera.close();
  });
});
