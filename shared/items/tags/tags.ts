/** Tags as a sorted set without duplicates, each as `cleanText` leaves it. For the operations that create and tag items. */
import { invalidAt, type Fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { cleanText } from '../../platform/words/texts.ts';

interface TagChange {
  readonly tags: readonly string[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Throws `invalid` for a tag of which nothing is seen. */
export const requireSeenTags = (tags: readonly string[], path: string): void => {
  const unseen = tags.findIndex((tag) => cleanText(tag) === '');
  if (unseen !== -1) throw invalidAt(`${path}.${String(unseen)}`, 'must have a character that is seen');
};

export const sortedTags = (tags: readonly string[]): string[] =>
  [...new Set(tags.map(cleanText))].filter((tag) => tag !== '').sort(byCodeUnit);

/** Returns the tags after a change, and those that were really added and removed; a fault when too many would be left. */
export const changeTags = (
  tags: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): TagChange | Fault => {
  // Tags of the release before may be stored otherwise.
  const present = tags.map(cleanText);
  const [wanted, unwanted] = [sortedTags(add), sortedTags(remove)];
  const added = wanted.filter((tag) => !present.includes(tag));
  const removed = tags.filter((_, n) => unwanted.includes(present[n] ?? ''));
  const next = [...tags.filter((tag) => !removed.includes(tag)), ...added].sort(byCodeUnit);
  if (next.length > limits.tagsPerItem)
    return invalidAt('add', `an item holds at most ${String(limits.tagsPerItem)} tags`);
  return { tags: next, add: added, remove: removed };
};
