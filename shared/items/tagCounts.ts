/** The tags of items and how many items have each, from the table `tag_counts`, which the publisher updates. For `GET /tags`. */
import { limits } from '../catalogue/limits.ts';
import { foldCase } from '../platform/core/searchWords.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';

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

/** Returns whether the tag, or a word of it, begins with the folded text. */
const beginsWith = (tag: string, wanted: string): boolean => {
  const folded = foldCase(tag);
  return folded.startsWith(wanted) || folded.split(/\s+/u).some((word) => word.startsWith(wanted));
};

/** Returns the most frequent tags of the inboxes; `q`: only those of which a word begins so. */
export const readTags = async (
  db: Db,
  envId: number,
  inboxes: readonly string[],
  q: string | undefined,
): Promise<TagCount[]> => {
  const most = q === undefined ? limits.tagsShown : searchedTagsMax;
  const tags = await queryRows<TagCount>(db, tagsSql, [envId, inboxes, most]);
  const wanted = foldCase(q ?? '').trim();
  return tags.filter(({ tag }) => beginsWith(tag, wanted)).slice(0, limits.tagsShown);
};
