/** Texts of the inbox’s dialogs, which are loaded later: what an item or a selection can become, and the saving of a view. Used by the pickers, SelectionBar and SaveView. */
import { count, inRow } from '../ui/plural.ts';

interface Outcomes {
  /** As the page knew it when it asked; null: it did not. */
  readonly selected: number | null;
  readonly matched: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly forbidden: number;
  readonly failed: number;
}

export const dialogTexts = {
  setState: 'Set state',
  closeAs: 'Close as',
  setStateTo: 'Set state to…',
  noState: 'This inbox has no such state.',
  notFrom: (state: string) => `not from ${state}`,
  claim: {
    mine: (until: string) => `You work on this until ${until}.`,
    others: (name: string, until: string) => `${name} works on this until ${until}.`,
    claim: 'Claim',
    release: 'Release',
    takeOver: 'Take over',
  },
  assign: 'Assign',
  assignTo: 'Assign to…',
  noPerson: 'Nobody of this name works here.',
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
  /** Texts of what is done to a selection of items. */
  selection: {
    selection: 'Selection',
    selected: (n: number) => `${count(n)} selected`,
    allSelected: (n: number) => `All ${count(n)} that match are selected`,
    moreSelected: (n: number) => `All more than ${count(n)} that match are selected`,
    selectAll: (n: number) => `Select all ${count(n)} that match`,
    selectMore: (n: number) => `Select all more than ${count(n)} that match`,
    clear: 'Clear',
    /** What can be done, as its buttons say it. */
    deeds: { close: 'Close', assign: 'Assign', tags: 'Tag', snooze: 'Snooze', state: 'Set state' },

    /** What a dry run found; `deed`: what would be done, as the beginning of a sentence. */
    plan: (deed: string, { selected, matched, changed, unchanged, forbidden, failed }: Outcomes) =>
      [
        changed === (selected ?? matched)
          ? `${deed}: would change ${count(changed)}`
          : `${deed}: would change ${count(changed)} of ${count(selected ?? matched)}`,
        ...(unchanged > 0 ? [`leave ${count(unchanged)} as they are`] : []),
        ...(forbidden > 0 ? [`${count(forbidden)} your role may not`] : []),
        ...(failed > 0 ? [`${count(failed)} can’t be`] : []),
        ...(selected !== null && selected > matched ? [`${count(selected - matched)} no longer match`] : []),
        ...(selected !== null && selected < matched ? [`${count(matched - selected)} more match by now`] : []),
      ].join(', '),
    change: (n: number) => `Change ${count(n)}`,
    back: 'Back',
    askReason: (deed: string) => `${deed}: why?`,
    askReasonAbout: 'An inbox of these items wants a reason for every change. It stands in the history of each.',
    goOn: 'Go on',

    stateOf: 'Set the state of the selected items',
    noState: 'These inboxes have no such state.',
    assignOf: 'Assign the selected items',
    snoozeOf: 'Snooze the selected items',
    tagsOf: 'Tag the selected items',
    changeTags: 'Add a tag, or remove one…',
    addTag: 'add',
    removeTag: 'remove',
  },
  /** Texts of the dialog that saves a view. */
  saveView: {
    save: 'Save view',
    change: 'Change view',
    saveChanges: 'Save changes',
    about: 'It keeps the filters and the order that are set now, and has an address of its own.',
    aboutUnchanged: 'Set filters or another order first to change what it shows.',
    name: 'Name',
    shareWithAll: 'Shared with everyone who sees every inbox',
    shareWith: (inbox: string) => `Shared with everyone who sees ${inbox}`,
    asNew: 'As a new view',
    remove: (view: string) => `Delete ${view}`,
    saved: (view: string) => `The view ${view} is saved.`,
    savedAndShared: (view: string) => `The view ${view} is saved and shared.`,
    removed: (view: string) => `The view ${view} is deleted.`,
  },
};
