/** Texts of addresses that lead nowhere. Loaded with the page; used by the router. */
import type { ReactNode } from 'react';

export const consoleTexts = {
  noPage: 'No such page',
  /** `toStart` makes a link of its words. */
  noPageAbout: (toStart: (words: string) => ReactNode) => (
    <>The address is not one of the console’s. Go back, or {toStart('begin at its start')}.</>
  ),
};
