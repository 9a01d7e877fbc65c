/** What the answer of a search says beside what it found: that there is more, or what has some of the words. Used by result.ts. */
import { limits } from '../../shared/catalogue/limits.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { isNearWord } from '../../shared/platform/words/nearestNames.ts';
import { alternativesOf, queryWords, titleWords } from '../../shared/platform/words/searchWords.ts';
import { searchEverything, searchTypes } from '../../shared/views/search/search.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { Members } from './answers/members.ts';
import { toList } from './arguments/coerce.ts';

/** Words and beginnings of words that are looked for, each by a search of its own, and results that are named. */
const [partsTried, resultsNamed] = [4, 3];
/** Characters of a beginning of a word that are looked for: those after it may be misspelled. */
const beginningLeast = 3;

const nameOf = ({ item, record }: Members): string => {
  if (isObject(item)) return `${String(item['title'])} (${String(item['id'])})`;
  return isObject(record)
    ? `${String(record['title'])} (${String(record['resource'])}:${String(record['id'])})`
    : 'a result';
};

/** Returns the words alone, and then the first halves of each: what a misspelled one may begin with. */
const partsOf = (words: readonly string[]): string[] => {
  const halves = words.map((word) => {
    const characters = [...word];
    return characters.slice(0, Math.max(beginningLeast, Math.ceil(characters.length / 2))).join('');
  });
  const parts = new Set([...(words.length > 1 ? words : []), ...halves]);
  return [...parts].filter((part) => queryWords(part).length === 1);
};

const titleOf = ({ item, record }: Members): string => {
  const { title } = isObject(item) ? item : isObject(record) ? record : {};
  return typeof title === 'string' ? title : '';
};

/** Returns whether a title has words near to most of those that are searched: one of a name's two is another's too. */
const isNear = (words: readonly string[], result: Members): boolean => {
  const own = titleWords(titleOf(result));
  return words.filter((word) => isNearWord(word, own)).length * 2 > words.length;
};

/** Returns what has one of the words, of a search that has found nothing that has them all; null: nothing has. */
const nearHint = async ({ deps, caller }: EndpointCall, { q, types }: Members): Promise<string | null> => {
  const asked = searchTypes.filter((type) => types === undefined || toList(types).includes(type));
  const words = queryWords(String(q)).map((part) => alternativesOf(part)[0]);
  for (const part of partsOf(words).slice(0, partsTried)) {
    const { results } = await searchEverything(deps, caller, { q: part, types: asked, limit: limits.pageDefault });
    const near = results.map((one): Members => ({ ...one })).filter((one) => isNear(words, one));
    if (near.length > 0)
      return `With ${JSON.stringify(part)} there are: ${near.slice(0, resultsNamed).map(nameOf).join('; ')}.`;
  }
  return null;
};

/** Returns that a search may have more results than it shows, or was not finished, or what is near to what nothing has; null: neither. */
export const searchHint = async (
  from: EndpointCall,
  asked: Members,
  { results, incomplete, cursor }: Members,
): Promise<string | null> => {
  if (asked['q'] === undefined || !Array.isArray(results) || !Array.isArray(incomplete)) return null;
  if (typeof cursor === 'string')
    return 'The time was over before all items were searched: more may match. Call again with the cursor.';
  const most = asked['limit'] === undefined ? limits.searchResults : Number(asked['limit']);
  if (results.length >= most)
    return `These are the best ${String(results.length)}; there may be more: narrow the words, or use list_items or list_records with q, which have pages.`;
  return results.length === 0 ? nearHint(from, asked) : null;
};
