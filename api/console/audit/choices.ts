/** What a typed word means among names that are known, and the names that are nearest to one that none has. Used by the filters of the audit log. */
import { hasWords } from '../ui/choose.ts';

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
