/** The texts of bulks: what one does, how far it is, and what became of its items. Used by the pages of bulks and by the inbox. */
import type { ReactNode } from 'react';
import { count, inRow, counted } from '../ui/plural.ts';
import type { BulkResult } from '../wire/types.ts';

export const bulkTexts = {
  about: 'Changes of many items at once. Each can be undone for seven days, except actions.',
  none: 'No bulks yet',
  howToBegin: 'Select items in an inbox with x, and change them together.',
  back: '← Bulks',
  titleOf: (who: string) => `A bulk of ${who}`,
  notBegun: 'Not begun',
  begun: (when: ReactNode) => <>Begun {when}</>,
  starting: 'Starting…',
  notShown: 'This bulk can’t be shown.',
  progress: 'How much is done',
  stop: 'Stop',
  undo: 'Undo all',
  showOutcomes: 'Outcomes',
  putAway: 'Put this bulk away',
  outcome: {
    failed: 'Failed',
    conflict: 'Changed by somebody else meanwhile',
    forbidden: 'Your role may not',
    not_found: 'Not here, or not visible to you',
    cancelled: 'Not tried, as it was stopped',
    unchanged: 'As they were',
    changed: 'Changed',
  } satisfies Readonly<Record<BulkResult['outcome'], string>>,
  andMore: (items: number) => `${count(items)} and more`,
  /** What an operation does, as the beginning of a sentence. */
  deed: {
    state: (state: string) => `Set to ${state}`,
    assign: (who: string) => `Assign to ${who}`,
    unassign: 'Take the assignment away',
    addTags: (tags: readonly string[]) => `Add tag ${inRow(tags)}`,
    removeTags: (tags: readonly string[]) => `Remove tag ${inRow(tags)}`,
    snooze: (until: string) => `Snooze until ${until}`,
    wake: 'Wake',
    update: 'Update',
    action: (action: string) => `Run ${action}`,
    undo: 'Undo an earlier bulk',
  },
  counts: {
    changed: (n: number) => `${count(n)} changed`,
    unchanged: (n: number) => `${count(n)} as they were`,
    failed: (n: number) => `${count(n)} not`,
  },
  /** `counts`: some of those above. */
  waits: (n: number) => counted(n, 'waits for an approval', 'wait for an approval'),
  underWay: (done: number, total: number, counts: readonly string[]) =>
    `${count(done)} of ${count(total)}: ${inRow(counts)}`,
  done: (counts: readonly string[]) => `done: ${inRow(counts)}`,
  stopped: (counts: readonly string[]) => `stopped: ${inRow(counts)}`,
};
