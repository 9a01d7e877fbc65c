/** What the audit log is asked about, by what people know: items and records by their titles and ids, what is kept in the settings by its name. Used by AuditFilters. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { allows } from '../settings/sections.ts';
import { useSession } from '../shell/session.ts';
import { resourcesQuery } from '../wire/actionQueries.ts';
import { itemTitleQuery } from '../wire/itemTitles.ts';
import { foundQuery, type Found } from '../wire/paletteQueries.ts';
import { meQuery } from '../wire/queries.ts';
import { settingsNamesQuery } from '../wire/settingsQueries.ts';
import type { AuditSearch } from './filter.ts';

type Target = Pick<AuditSearch, 'target' | 'record'>;

interface Targets {
  /** Of what the words find. */
  readonly names: readonly string[];
  /** Returns what the log is asked about now, as people know it. */
  readonly shown: string | undefined;
  /** Returns the filter of a name, a title or an id; of other words, of the only thing that has them. */
  readonly of: (text: string) => Promise<Target>;
}

const targetOf = (found: Found): Target =>
  found.type === 'item' ? { target: found.item.id } : { record: `${found.record.resource}:${found.record.id}` };

const titleOf = (found: Found): string => (found.type === 'item' ? found.item.title : found.record.title);
const idOf = (found: Found): string => (found.type === 'item' ? found.item.id : found.record.id);

/** Returns the one that the text is the title or the id of, else the only one that was found; null: several may be meant. */
const meantBy = (text: string, results: readonly Found[]): Found | null => {
  const wanted = text.toLowerCase();
  const called = results.filter((found) => [titleOf(found), idOf(found)].some((name) => name.toLowerCase() === wanted));
  const [first, ...others] = called.length > 0 ? called : results;
  return first !== undefined && others.length === 0 ? first : null;
};

/** Returns what was found by its names: a title that several have is followed by the id. */
const namesOf = (results: readonly Found[]): readonly (readonly [string, Target])[] => {
  const titles = results.map(titleOf);
  return results.map((found) => {
    const title = titleOf(found);
    const target = targetOf(found);
    const isOnly = titles.filter((each) => each === title).length === 1 && found.type === 'item';
    return [isOnly ? title : `${title} (${target.record ?? target.target ?? ''})`, target];
  });
};

/** Shorter words find too much. */
const wordsLeast = 2;

/** `words`: those that are typed. */
export const useTargets = (search: AuditSearch, words: string): Targets => {
  const { http, queries } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const mayManage = me !== undefined && allows(me, 'settings: manage');
  const { data: kept } = useQuery({ ...settingsNamesQuery(http), enabled: mayManage });
  const { data: resources = [] } = useQuery(resourcesQuery(http));
  const { target, record } = search;
  const isItem = target?.startsWith('itm_') === true;
  const { data: title } = useQuery({ ...itemTitleQuery(http, target ?? ''), enabled: isItem });
  const { data: results = [] } = useQuery({
    ...foundQuery(http, words),
    enabled: words.length >= wordsLeast,
    placeholderData: keepPreviousData,
  });
  const shown = record ?? title ?? kept?.get(target ?? '') ?? target;
  const known = new Map<string, Target>(
    [
      ...[...(kept ?? [])].map(([id, name]) => [name, { target: id }] as const),
      ...namesOf(results),
      ...(shown === undefined ? [] : [[shown, record === undefined ? { target: target ?? '' } : { record }] as const]),
    ].map(([name, of]) => [name.toLowerCase(), of]),
  );
  return {
    names: namesOf(words.length < wordsLeast ? [] : results).map(([name]) => name),
    shown,
    of: async (text) => {
      const told = known.get(text.toLowerCase());
      if (text === '' || told !== undefined) return told ?? {};
      if (resources.some(({ name }) => text.startsWith(`${name}:`))) return { record: text };
      if (/^[a-z]+_[0-9a-z]{26}$/.test(text)) return { target: text };
      const found = await queries.fetchQuery(foundQuery(http, text)).catch(() => []);
      const named = namesOf(found).find(([name]) => name.toLowerCase() === text.toLowerCase());
      if (named !== undefined) return named[1];
      const meant = meantBy(text, found);
      return meant === null ? { target: text } : targetOf(meant);
    },
  };
};
