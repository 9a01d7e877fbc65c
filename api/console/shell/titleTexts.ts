/** Texts of the title of the browser's tab. Loaded with the page; used by useTitle. */
import { count } from '../ui/time.ts';

export const titleTexts = {
  /** By the first part of the address below the environment's. */
  pages: {
    '': 'Home',
    items: 'All inboxes',
    records: 'Records',
    runs: 'Runs',
    approvals: 'Approvals',
    bulks: 'Bulks',
    flags: 'Flags',
    pages: 'Pages',
    settings: 'Settings',
  },
  noPage: 'No such page',
  withCount: (page: string, n: number) => `${page} (${count(n)})`,
  between: ' · ',
};
