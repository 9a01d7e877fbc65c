/** Texts of what is done to a selection of items. Used by SelectionBar and SelectionPicker. */
import { count } from '../ui/time.ts';

interface Outcomes {
  /** As the page knew it when it asked; null: it did not. */
  readonly selected: number | null;
  readonly matched: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly forbidden: number;
  readonly failed: number;
}

export const selectionTexts = {
  selection: 'Selection',
  selected: (n: number) => `${count(n)} selected`,
  allSelected: (n: number) => `All ${count(n)} that match are selected`,
  moreSelected: (n: number) => `All more than ${count(n)} that match are selected`,
  selectAll: (n: number) => `Select all ${count(n)} that match`,
  selectMore: (n: number) => `Select all more than ${count(n)} that match`,
  clear: 'Clear',
  /** What can be done, as its buttons say it. */
  deeds: {
    close: 'Close',
    assign: 'Assign',
    tags: 'Tag',
    snooze: 'Snooze',
    state: 'Set state',
  },

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
  reason: 'Reason',
  goOn: 'Go on',

  stateOf: 'Set the state of the selected items',
  noState: 'These inboxes have no such state.',
  assignOf: 'Assign the selected items',
  snoozeOf: 'Snooze the selected items',
  tagsOf: 'Tag the selected items',
  changeTags: 'Add a tag, or remove one…',
  addTag: 'add',
  removeTag: 'remove',
};
