/** The console in a real browser: its first paint, 10,000 rows, changes by others and one's own, the palette, and the memory that it takes. */
import type { Browser } from 'playwright-core';
import { startBrowser } from '../../support/browser.ts';
import { newApiClient, type ApiClient } from '../apiClient.ts';
import type { Bench, Suite } from '../bench.ts';
import { memory } from '../console/memory.ts';
import { ownChange } from '../console/ownChange.ts';
import { fromInput, watchFor } from '../console/probe.ts';
import { framesOf, traceCategories } from '../console/trace.ts';
import { openVisitor, type Tab, type Visitor } from '../console/visitor.ts';
import { environment } from '../database.ts';
import { median, quantile } from '../numbers.ts';
import { atMost, type Figure } from '../report.ts';

interface Scene {
  readonly bench: Bench;
  readonly browser: Browser;
  readonly visitor: Visitor;
  /** An agent, who changes what the visitor sees. */
  readonly api: ApiClient;
}

const suite = 'console';
const list = '/env/demo/items?show=all';
/** Of an inbox in which one key closes an item. */
const openItems = '/env/demo/inbox/support';
const slower = 4;

const openList = async (visitor: Visitor, divided?: number, address = list): Promise<Tab> => {
  const tab = await visitor.open(divided);
  await tab.page.goto(`${visitor.origin}${address}`);
  await tab.page.getByText(/^complete to /).waitFor();
  await tab.page.evaluate('bench.firstRow');
  return tab;
};

const firstPaint = async ({ bench, visitor }: Scene): Promise<Figure[]> => {
  const paints: number[] = [];
  const lists: number[] = [];
  for (let round = 0; round < (bench.options.quick ? 3 : 7); round++) {
    const { page, close } = await openList(visitor, slower);
    paints.push(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
    lists.push(await page.evaluate('bench.firstRow'));
    await close();
  }
  const note = `median of ${String(paints.length)} visits with an empty cache, processor ${String(slower)} times slower`;
  return [
    { suite, what: 'console: first paint', unit: 'ms', ...atMost(median(paints), 1_200, 'ms'), note },
    { suite, what: 'console: list painted with its data', unit: 'ms', ...atMost(median(lists), 1_800, 'ms'), note },
  ];
};

const rows = 10_000;
const rowPx = 56;
const framePx = 200;

const scrolling = async ({ bench, browser, visitor }: Scene): Promise<Figure[]> => {
  const { page, close } = await openList(visitor);
  await page.evaluate(`(async () => {
    const scroller = document.querySelector('.rows');
    while (scroller.scrollHeight < ${String(rows * rowPx)}) {
      scroller.scrollTop = scroller.scrollHeight;
      await new Promise(requestAnimationFrame);
    }
    scroller.scrollTop = 0;
  })()`);
  const frames = bench.options.quick ? 300 : 900;
  await browser.startTracing(page, { categories: traceCategories });
  await page.evaluate(`(async () => {
    const scroller = document.querySelector('.rows');
    for (let frame = 0; frame < ${String(frames)}; frame++) {
      scroller.scrollTop += ${String(framePx)};
      await new Promise(requestAnimationFrame);
    }
  })()`);
  const { work, longestTask } = framesOf(await browser.stopTracing());
  const drawn = await page.evaluate<number>("document.querySelectorAll('.row').length");
  await close();
  const note = `${String(work.length)} frames of ${String(framePx)} px, ${String(drawn)} rows drawn, median ${median(work).toFixed(1)} ms`;
  const what = 'console: scrolling 10,000 rows, main thread';
  return [
    { suite, what: `${what} a frame, p95`, unit: 'ms', ...atMost(quantile(work, 0.95), 8, 'ms'), note },
    { suite, what: `${what}, longest task`, unit: 'ms', ...atMost(longestTask, 50, 'ms') },
  ];
};

/** Changes rows in sight by the API and waits for each to be painted. */
const changes = async ({ bench, visitor, api }: Scene): Promise<Figure[]> => {
  const { page, close } = await openList(visitor);
  const ids = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.row')].slice(0, 8).map(({ id }) => id.slice(4))",
  );
  const assigned = (id: string): string => `document.querySelector('#row-${id} .row-who') !== null`;
  const took: number[] = [];
  for (let n = 0; n < (bench.options.quick ? 40 : 200); n++) {
    const id = ids[n % ids.length] ?? '';
    const wanted = !(await page.evaluate<boolean>(assigned(id)));
    const painted = await watchFor(page, `(${assigned(id)}) === ${String(wanted)}`);
    const since = performance.timeOrigin + performance.now();
    await api(`/items/${id}/assign`, { assignee: wanted ? visitor.id : null });
    took.push((await painted()) + (await page.evaluate<number>('performance.timeOrigin')) - since);
  }
  await close();
  const note = `from the request of another client to the frame; median ${median(took).toFixed(0)} ms of ${String(took.length)}`;
  return [
    {
      suite,
      what: 'console: change elsewhere → painted, p95',
      unit: 'ms',
      ...atMost(quantile(took, 0.95), 100, 'ms'),
      note,
    },
  ];
};

const own = async ({ bench, visitor }: Scene): Promise<Figure[]> => {
  const tab = await openList(visitor, 1, openItems);
  const figure = await ownChange(tab, bench.options.quick ? 20 : 100);
  await tab.close();
  return [figure];
};

const palette = async ({ bench, visitor }: Scene): Promise<Figure[]> => {
  const { page, close } = await openList(visitor);
  const shows = (text: string): string =>
    `[...document.querySelectorAll('.picker [role=option]')].some(({ textContent }) => textContent.includes(${JSON.stringify(text)}))`;
  const titles = await bench.database.sql<{ title: string }>(
    "select distinct on (title) title from items where inbox = 'support' order by title limit 30",
  );
  const [opened, local, served]: [number[], number[], number[]] = [[], [], []];
  for (const { title } of titles.slice(0, bench.options.quick ? 10 : 30)) {
    opened.push(await fromInput(page, shows('Sign out'), () => page.keyboard.press('Control+k')));
    const gone = `!(${shows('Sign out')}) && ${shows('Approvals')}`;
    local.push(await fromInput(page, gone, () => page.keyboard.insertText('approva')));
    await page.keyboard.press('Control+a');
    served.push(await fromInput(page, shows(title), () => page.keyboard.insertText(title)));
    await page.keyboard.press('Escape');
    await page.locator('.picker').waitFor({ state: 'detached' });
  }
  await close();
  const first = `the first time, with its script: ${(opened[0] ?? 0).toFixed(0)} ms`;
  const p95 = (all: readonly number[]): number => quantile(all, 0.95);
  const note = (all: readonly number[]): string => `median ${median(all).toFixed(0)} ms of ${String(all.length)}`;
  return [
    { suite, what: 'console: palette opened, p95', unit: 'ms', ...atMost(p95(opened.slice(1)), 50, 'ms'), note: first },
    {
      suite,
      what: 'console: palette, what the page knows, p95',
      unit: 'ms',
      ...atMost(p95(local), 50, 'ms'),
      note: note(local),
    },
    {
      suite,
      what: 'console: palette, found by the API, p95',
      unit: 'ms',
      ...atMost(p95(served), 150, 'ms'),
      note: note(served),
    },
  ];
};

const heap = async ({ bench, visitor, api }: Scene): Promise<Figure[]> => {
  const tab = await openList(visitor);
  const figure = await memory(bench, tab, api, visitor.id);
  await tab.close();
  return [figure];
};

const parts: Readonly<Record<string, (scene: Scene) => Promise<Figure[]>>> = {
  firstPaint,
  scrolling,
  changes,
  own,
  palette,
  heap,
};

export const consoleSuite: Suite = {
  name: suite,
  run: async (bench) => {
    const [api] = await Promise.all([bench.api(), bench.start('workers')]);
    const origin = `http://127.0.0.1:${String(api.port)}`;
    const { token } = await bench.database.token('admin');
    const browser = await startBrowser();
    try {
      const visitor = await openVisitor(browser, bench.database, origin);
      const scene: Scene = { bench, browser, visitor, api: newApiClient(`${origin}/api/env/${environment}`, token) };
      const figures: Figure[] = [];
      for (const [name, part] of Object.entries(parts))
        if (bench.options.parts?.includes(name) ?? true) figures.push(...(await part(scene)));
      return figures;
    } finally {
      await browser.close();
    }
  },
};
