/** Tags as a sorted set without duplicates. For the operations that create and tag items. */
import { invalidAt, type Fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';

interface TagChange {
  readonly tags: readonly string[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const sortedTags = (tags: Iterable<string>): string[] => [...new Set(tags)].sort(byCodeUnit);

/** Returns the tags after a change, and those that were really added and removed; a fault when too many would be left. */
export const changeTags = (
  tags: readonly string[],
  add: readonly string[],
  remove: readonly string[],
): TagChange | Fault => {
  const added = sortedTags(add).filter((tag) => !tags.includes(tag));
  const removed = sortedTags(remove).filter((tag) => tags.includes(tag));
  const next = sortedTags([...tags.filter((tag) => !removed.includes(tag)), ...added]);
  if (next.length > limits.tagsPerItem)
    return invalidAt('add', `an item holds at most ${String(limits.tagsPerItem)} tags`);
  return { tags: next, add: added, remove: removed };
};
