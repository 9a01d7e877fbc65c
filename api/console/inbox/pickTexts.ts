/** Texts of what an item can become, as one chooses it, and of what it has become then. Used by ItemPicker, SelectionPicker, changes.ts and picks.ts. */
import { inRow } from '../ui/plural.ts';

export const pickTexts = {
  setState: 'Set state',
  closeAs: 'Close as',
  setStateTo: 'Set state to…',
  noState: 'This inbox has no such state.',
  notFrom: (state: string) => `not from ${state}`,
  assign: 'Assign',
  assignTo: 'Assign to…',
  noPerson: 'Nobody of this name works here.',
  me: 'Me',
  nobody: 'Nobody',
  openItems: (n: number) => `${String(n)} open`,
  tags: 'Tags',
  changeTags: 'Add or remove tags…',
  noTag: 'Type a tag to make it.',
  newTag: 'new tag',
  snooze: 'Snooze',
  snoozeUntil: 'Snooze until… (17:00, 2h, tomorrow 9am, monday, or Dec 12 9:30)',
  noTime: 'Type a time such as 17:00, tomorrow 9am, Dec 12 or 2026-12-24 09:00, or a duration such as 2h or 3 days.',
  past: 'this time is past',
  wakeNow: 'Wake now',
  snoozes: {
    hour: 'In an hour',
    fourHours: 'In four hours',
    tomorrow: 'Tomorrow morning',
    monday: 'Next Monday',
    twoWeeks: 'In two weeks',
  },

  /** Changes that were made, as the beginning of a sentence. */
  assigned: (name: string) => `Assigned to ${name}`,
  unassigned: 'Unassigned',
  tagAdded: (tag: string) => `Tag ${tag} added`,
  tagAddedAgain: (tag: string) => `Tag ${tag} added again`,
  tagRemoved: (tag: string) => `Tag ${tag} removed`,
  tagRemovedAgain: (tag: string) => `Tag ${tag} removed again`,
  /** Of tags that somebody else has changed. */
  tagsAre: (tags: readonly string[]) => (tags.length === 0 ? 'Tags none' : `Tags ${inRow(tags)}`),
  snoozed: (until: string) => `Snoozed until ${until}`,
  woken: 'Woken',
  snoozeUndone: 'Snooze undone',
  snoozedAgain: (until: string) => `Snoozed again until ${until}`,
};
