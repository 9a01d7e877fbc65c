/** The names that the filters of the audit log offer and understand, of what was acted on and of who acted; what a typed word means among them. Used by AuditFilters. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNames } from '../content/names.ts';
import type { AuditSearch } from '../shell/address.ts';
import { useSession, useRead } from '../shell/session.ts';
import { hasWords } from '../ui/SearchInput.tsx';
import { resourcesQuery } from '../wire/actionQueries.ts';
import { itemTitleQuery, type Found, type FoundPart, foundQuery } from '../wire/searchQueries.ts';
import type { AuditEntry } from '../wire/types.ts';
import { useSettingsNames } from './entryParts.tsx';

/** So many names are offered. */
const offeredMost = 5;

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[\s.,()]+/u)
    .filter(Boolean);

/** Returns whether each typed word is the beginning of a word of the name. */
const beginsWith = (name: string, typed: string): boolean => {
  const words = wordsOf(name);
  return wordsOf(typed).every((part) => words.some((word) => word.startsWith(part)));
};

/** Returns the pairs of letters that follow each other. */
const pairsOf = (text: string): ReadonlySet<string> =>
  new Set(Array.from({ length: Math.max(text.length - 1, 0) }, (_, at) => text.toLowerCase().slice(at, at + 2)));

/** Returns how alike two texts are, 0 to 1: the share of pairs of letters that both have (Sørensen and Dice). */
const likeness = (a: string, b: string): number => {
  const [mine, theirs] = [pairsOf(a), pairsOf(b)];
  const shared = [...mine].filter((pair) => theirs.has(pair)).length;
  return mine.size + theirs.size === 0 ? 0 : (2 * shared) / (mine.size + theirs.size);
};

/** Returns the names that are most like a text, or have a word that is. */
const nearest = (names: readonly string[], typed: string): readonly string[] => {
  const score = (name: string): number => Math.max(...[name, ...wordsOf(name)].map((part) => likeness(part, typed)));
  return names
    .map((name) => ({ name, alike: score(name) }))
    .filter(({ alike }) => alike > 0.3)
    .toSorted((a, b) => b.alike - a.alike)
    .map(({ name }) => name);
};

/** What a typed text means: the only name that it fits, or those that it may mean. */
type Meant =
  | { readonly name: string }
  | { readonly name: null; readonly isSeveral: boolean; readonly offered: readonly string[] };

/** Returns the name that is typed, else the only one whose words begin so, else the only one that has the words. */
export const meantOf = (names: readonly string[], typed: string): Meant => {
  const exact = names.find((name) => name.toLowerCase() === typed.toLowerCase());
  if (exact !== undefined) return { name: exact };
  const fitting = [
    names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase())),
    names.filter((name) => beginsWith(name, typed)),
    names.filter((name) => hasWords(name, typed)),
  ].find((found) => found.length > 0);
  const [only, ...others] = fitting ?? [];
  if (only !== undefined && others.length === 0) return { name: only };
  const offered = (fitting ?? nearest(names, typed)).slice(0, offeredMost);
  return { name: null, isSeveral: fitting !== undefined, offered };
};

/** Ids of principals, by what they begin with: roles act on nothing. */
const principal = /^(?:agt|per|key)_/;

interface ActorNames {
  /** In alphabetical order; one that several have is followed by the id. */
  readonly names: readonly string[];
  /** Returns the name of an id, or what is given when nobody is known by it. */
  nameOf(id: string | undefined): string | undefined;
  /** Returns the id of one of the names; undefined: nobody has it. */
  idOf(name: string): string | undefined;
}

/** Those who can be chosen in the audit log, by name: who is kept in the settings, for those who manage them, whom one may assign to, and who did what is shown. */
export const useActorNames = (entries: readonly AuditEntry[]): ActorNames => {
  const kept = useSettingsNames(true);
  const { people } = useNames();
  return useMemo(() => {
    const names = new Map([...(kept ?? [])].filter(([id]) => principal.test(id)));
    for (const { id, name } of people) names.set(id, names.get(id) ?? name);
    for (const { actor } of entries) if (actor.id !== null) names.set(actor.id, names.get(actor.id) ?? actor.name);
    const timesUsed = new Map<string, number>();
    for (const name of names.values()) timesUsed.set(name, (timesUsed.get(name) ?? 0) + 1);
    const shown = new Map([...names].map(([id, name]) => [id, timesUsed.get(name) === 1 ? name : `${name} (${id})`]));
    const ids = new Map([...shown].map(([id, name]) => [name, id]));
    return {
      names: [...shown.values()].sort((a, b) => a.localeCompare(b)),
      nameOf: (id) => (id === undefined ? undefined : (shown.get(id) ?? id)),
      idOf: (name) => ids.get(name),
    };
  }, [kept, entries, people]);
};

type Target = Pick<AuditSearch, 'target' | 'record'>;

interface Targets {
  /** Of what the words find. */
  readonly names: readonly string[];
  /** Returns what the log is asked about now, as people know it. */
  readonly shown: string | undefined;
  /** Returns the filter of a name, a title or an id; of other words, of the only thing that has them. */
  readonly of: (text: string) => Promise<Target>;
}

const nothing: FoundPart = { results: [], isPartial: false };

const targetOf = (found: Found): Target =>
  found.type === 'item' ? { target: found.item.id } : { record: `${found.record.resource}:${found.record.id}` };

const titleOf = (found: Found): string => (found.type === 'item' ? found.item.title : found.record.title);
const idOf = (found: Found): string => (found.type === 'item' ? found.item.id : found.record.id);

/** Returns the one that the text is the title or the id of, else the only one that was found; null: several may be meant, or more may match. */
const meantBy = (text: string, { results, isPartial }: FoundPart): Found | null => {
  const wanted = text.toLowerCase();
  const called = results.filter((found) => [titleOf(found), idOf(found)].some((name) => name.toLowerCase() === wanted));
  const [first, ...others] = called.length > 0 ? called : results;
  return first !== undefined && others.length === 0 && (called.length > 0 || !isPartial) ? first : null;
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
  const kept = useSettingsNames(true);
  const { data: resources = [] } = useRead(resourcesQuery);
  const { target, record } = search;
  const isItem = target?.startsWith('itm_') === true;
  const { data: title } = useQuery({ ...itemTitleQuery(http, target ?? ''), enabled: isItem });
  const { data: { results } = nothing } = useQuery({
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
      const found = await queries.fetchQuery(foundQuery(http, text)).catch(() => nothing);
      const named = namesOf(found.results).find(([name]) => name.toLowerCase() === text.toLowerCase());
      if (named !== undefined) return named[1];
      const meant = meantBy(text, found);
      return meant === null ? { target: text } : targetOf(meant);
    },
  };
};
