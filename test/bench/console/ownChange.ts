/** Measures one's own change from the key to the painted row. Used by the suite `console`. */
import { median, quantile } from '../numbers.ts';
import { atMost, type Figure } from '../report.ts';
import type { Tab } from './visitor.ts';

interface Painted {
  /** From the key to the painted frame. */
  readonly ms: number;
  /** How many frames began meanwhile. */
  readonly frames: number;
}

/**
 * Counts the frames that begin after the last key. `bench.shown(test)` resolves in the first of them in which `test()` holds, as soon as
 * it has been painted: what the page does after that frame, as to open the next item, comes later.
 */
const watchFrames = `void (() => {
  let frames = 0;
  let waiting = null;
  const frame = () => {
    frames += 1;
    requestAnimationFrame(frame);
    if (waiting === null || !waiting.test()) return;
    const { port1, port2 } = new MessageChannel();
    const { resolve } = waiting;
    const found = frames;
    waiting = null;
    port1.onmessage = () => resolve({ ms: performance.now() - bench.inputAt, frames: found });
    port2.postMessage(0);
  };
  bench.shown = (test) => new Promise((resolve) => (waiting = { test, resolve }));
  addEventListener('keydown', () => (frames = 0), { capture: true });
  requestAnimationFrame(frame);
})()`;

/** Closes open items of a list by key and undoes it, `rounds` times; `tab` shows the list. Returns the figure. */
export const ownChange = async ({ page }: Tab, rounds: number): Promise<Figure> => {
  await page.evaluate(watchFrames);
  await page.keyboard.press('j');
  const took: Painted[] = [];
  const change = async (key: string, shows: string): Promise<void> => {
    // A person looks before they press the next key; the page has nothing else to do then.
    await page.locator('.detail [aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.evaluate('new Promise(requestIdleCallback)');
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.evaluate(`void (bench.own = bench.shown(() => ${shows}))`);
    await page.keyboard.press(key);
    took.push(await page.evaluate<Painted>('bench.own'));
    await answered;
  };
  for (let round = 0; round < rounds; round++) {
    await page.locator('.timeline').waitFor();
    const id = new URL(page.url()).searchParams.get('item') ?? '';
    const isClosed = `document.querySelector('#row-${id} .glyph.closed') !== null`;
    await change('e', isClosed);
    await change('u', `!(${isClosed})`);
  }
  const all = took.map(({ ms }) => ms);
  const first = took.filter(({ frames }) => frames <= 1).length;
  const note = `p95 ${quantile(all, 0.95).toFixed(0)} ms; ${String(first)} of ${String(took.length)} in the first frame after the key`;
  return {
    suite: 'console',
    what: 'console: own change, from the key → painted, median',
    unit: 'ms',
    ...atMost(median(all), 16, 'ms'),
    note,
  };
};
