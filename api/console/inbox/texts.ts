/** Texts of the list of an inbox. Loaded with the page; used by the files of this folder. */
import { count } from '../ui/time.ts';

export const inboxTexts = {
  all: 'All inboxes',
  items: 'Items',
  none: 'Empty',
  noneYet: 'Nothing here. What comes next is announced at the top of this list.',
  noneMatches: 'Nothing matches these filters. Take one away, or look at all.',
  nothingOpen: 'Nothing is chosen',
  openFirst: 'Press j for the first item, or ? for all keys.',
  openNext: 'Press j for the next item, k for the one before, or ? for all keys.',
  snoozed: 'snoozed',
  draft: 'Draft',
  dueAt: (time: string) => `Due ${time}`,
  lastSeenAt: (time: string) => `Last activity ${time}`,

  show: 'Show',
  shows: {
    open: 'Open',
    waiting: 'Waiting',
    closed: 'Closed',
    snoozed: 'Snoozed',
    all: 'All',
  },
  views: 'Views',
  ownViews: 'Yours',
  sharedViews: 'Shared',
  saveView: 'Save view…',
  changeView: 'View…',
  /** What the number of a list counts; `shown`: which items those are, null: of a view or all. */
  total: (n: number, shown: string | null) => (shown === null ? count(n) : `${count(n)} ${shown.toLowerCase()}`),
  moreThan: (n: number, shown: string | null) =>
    shown === null ? `more than ${count(n)}` : `more than ${count(n)} ${shown.toLowerCase()}`,
  totalAbout: 'How many items this list has. The number beside an inbox counts what is open or waiting there.',
  clearSearch: 'Clear the search',
  /** The option of a filter that the address lacks, which the view decides then. */
  ofView: 'As in the view',
  assignee: 'Assignee',
  anyone: 'Anyone',
  me: 'Me',
  nobody: 'Nobody',
  sort: 'Sort',
  sorts: {
    newest: 'Newest',
    quiet: 'Longest quiet',
    due: 'Due first',
    oldest: 'Oldest first',
    oftenest: 'Most often',
    users: 'Most users',
    title: 'Title',
  },
  overdue: 'Overdue',
  removeFilter: (tag: string) => `Remove the filter ${tag}`,
};
