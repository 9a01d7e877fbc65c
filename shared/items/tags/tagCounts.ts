/** The tags of items and how many items have each, from the table `tag_counts`, which the publisher updates. For `GET /tags`. */
import { limits } from '../../catalogue/limits.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import { didYouMean } from '../../platform/words/nearestNames.ts';
import { textFinder } from '../../platform/words/searchWords.ts';
import { cleanText } from '../../platform/words/texts.ts';

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
