/** Texts of the app's pages. Used by the files of this folder. */
import { inRow } from '../ui/plural.ts';

export const pagesTexts = {
  empty:
    'The app declares its pages in its manifest: figures, tables and charts beside the work. They appear here when it connects.',
  noPage: 'There is no such page, or your role does not see it.',
  asOf: (time: string) => `as of ${time}`,
  parameters: 'Parameters',
  show: 'Show',
  missing: 'It needs to know more',
  missingAbout: (names: readonly string[]) => `This page shows ${inRow(names)} of your choice: fill it in above.`,
  noBlocks: 'Nothing here',
  noBlocksAbout: 'The page has no block that your role sees.',
  outdated: (problem: string, time: string) => `${problem} What stands here is from ${time}.`,
};
