/** What the measured page is given before its own script: when something was first painted. Used by the suite `console`. */
import type { Page } from 'playwright-core';

/**
 * `bench.painted(test)` resolves with the page's time at which a frame was painted in which `test()` holds; `bench.inputAt` is
 * when the last key or text came in.
 */
export const probe = `
  window.bench = {
    inputAt: 0,
    painted: (test) => new Promise((resolve) => {
      const paint = () => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(0);
      });
      if (test()) return paint();
      const observer = new MutationObserver(() => {
        if (!test()) return;
        observer.disconnect();
        paint();
      });
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    }),
  };
  for (const type of ['keydown', 'input'])
    addEventListener(type, (event) => (bench.inputAt = event.timeStamp), { capture: true });
  bench.firstRow = bench.painted(() => document.querySelector('.row') !== null);
`;

/** Begins to wait for a painted frame in which the script `test` holds; the returned function resolves with its time. */
export const watchFor = async (page: Page, test: string): Promise<() => Promise<number>> => {
  await page.evaluate(`void (bench.found = bench.painted(() => ${test}))`);
  return () => page.evaluate<number>('bench.found');
};

/** Returns ms from what `act` types to a painted frame in which the script `test` holds. */
export const fromInput = async (page: Page, test: string, act: () => Promise<unknown>): Promise<number> => {
  const painted = await watchFor(page, test);
  await act();
  return (await painted()) - (await page.evaluate<number>('bench.inputAt'));
};
