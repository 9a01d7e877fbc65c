/** Tags as a sorted set without duplicates, each as `cleanText` leaves it, and the tags of an environment by their number of items. */
import { type Fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { didYouMean } from '../platform/words/nearestNames.ts';
import { textFinder } from '../platform/words/searchWords.ts';
import { cleanText } from '../platform/words/texts.ts';

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

const tagsSql = statement(
  'items.tags',
  `
  select tag, sum(n)::bigint as count from tag_counts where env = $1 and inbox = any($2)
  group by tag having sum(n) > 0 order by 2 desc, tag limit $3`,
);

/** So many tags at most are compared with what is searched. */
const searchedTagsMax = 20_000;

interface TagCount {
  readonly tag: string;
  readonly count: number;
}

interface FoundTags {
  readonly tags: readonly TagCount[];
  /** Whether tags that were not compared may have the words too. */
  readonly isCut: boolean;
}

/** Returns the most frequent tags of the inboxes; `q`: only those that have its words. */
export const readTags = async (
  db: Db,
  envId: number,
  inboxes: readonly string[],
  q: string | undefined,
): Promise<FoundTags> => {
  const most = q === undefined ? limits.tagsShown : searchedTagsMax + 1;
  const tags = await queryRows<TagCount>(db, tagsSql, [envId, inboxes, most]);
  if (q === undefined) return { tags, isCut: false };
  const isFound = textFinder(q);
  const found = tags.slice(0, searchedTagsMax).filter(({ tag }) => isFound(tag));
  return {
    tags: found.slice(0, limits.tagsShown),
    isCut: tags.length > searchedTagsMax && found.length < limits.tagsShown,
  };
};

/** Returns the sentence about a tag that no item of the inboxes has, with the one that was probably meant; null: some item has it. */
export const unknownTag = async (
  db: Db,
  envId: number,
  inboxes: readonly string[],
  wanted: string,
): Promise<string | null> => {
  const { tags: alike } = await readTags(db, envId, inboxes, wanted);
  if (alike.length === limits.tagsShown || alike.some(({ tag }) => tag === cleanText(wanted))) return null;
  const known = (await readTags(db, envId, inboxes, undefined)).tags.map(({ tag }) => tag);
  return `No item there has the tag ${wanted}${didYouMean(wanted, known)}`;
};
