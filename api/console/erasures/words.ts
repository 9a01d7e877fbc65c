/** What an erasure is about, and what it waits for, in words. Used by its section of the settings. */
import { count } from '../ui/time.ts';
import type { ErasureCounts } from '../wire/types.ts';

/** One, and several, of each kind; what is left out is nothing that people count. */
const nouns: Readonly<Record<string, readonly [string, string]>> = {
  records: ['stored record', 'stored records'],
  items: ['item', 'items'],
  occurrences: ['report of another item', 'reports of other items'],
  runs: ['run', 'runs'],
  approvals: ['approval', 'approvals'],
  replies: ['reply', 'replies'],
  entries: ['entry of the history', 'entries of the history'],
};

/** Returns “2 items, 5 runs”; null when it counts nothing. */
export const countWords = (counts: ErasureCounts): string | null => {
  const parts = Object.entries(nouns).flatMap(([kind, [one, several]]) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [`${count(n)} ${n === 1 ? one : several}`];
  });
  return parts.length === 0 ? null : parts.join(', ');
};
