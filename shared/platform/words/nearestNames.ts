/** Which of the names that exist somebody may have meant: for the details of faults about unknown names. */

/** Names that a fault lists at most. */
const shownMax = 10;
/** Longer names are cut before they are compared, which takes the product of both lengths. */
const comparedMax = 100;

/** Returns how many characters have to be changed, added, removed, or swapped with their neighbour to make one text of the other. */
const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
};

/** Returns the names nearest to `wanted` with their distances, the nearest first, ten at most. */
const ranked = (wanted: string, names: Iterable<string>): { readonly name: string; readonly far: number }[] => {
  const folded = wanted.slice(0, comparedMax).toLowerCase();
  return [...new Set(names)]
    .map((name) => ({ name, far: distance(folded, name.slice(0, comparedMax).toLowerCase()) }))
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, shownMax);
};

/** Returns the names nearest to `wanted` in spelling, the nearest first, ten at most; upper and lower case are alike. */
export const knownNames = (wanted: string, names: Iterable<string>): string[] =>
  ranked(wanted, names).map(({ name }) => name);

/** Returns the names nearest to `wanted` as a list in a sentence, with how many others there are. */
export const listNearest = (wanted: string, names: Iterable<string>): string => {
  const all = new Set(names);
  const others = all.size - shownMax;
  return `${knownNames(wanted, all).join(', ')}${others > 0 ? ` and ${String(others)} more` : ''}`;
};

/** Returns the name that `wanted` is probably a misspelling of: at most every third character differs. null: there is none. */
export const misspelled = (wanted: string, names: Iterable<string>): string | null => {
  const [nearest] = ranked(wanted, names);
  if (nearest === undefined) return null;
  return nearest.far <= Math.floor(Math.max(wanted.length, nearest.name.length) / 3) ? nearest.name : null;
};

/** Characters of a word by which another that begins so is near to it. */
const begunBy = 3;

/** Returns whether one of the words begins as `wanted` does, or is near to it in spelling; upper and lower case are alike. */
export const isNearWord = (wanted: string, words: readonly string[]): boolean => {
  const beginning = wanted.slice(0, begunBy).toLowerCase();
  return (
    misspelled(wanted, words) !== null ||
    (beginning.length === begunBy && words.some((word) => word.toLowerCase().startsWith(beginning)))
  );
};

/**
 * Returns what follows a sentence about an unknown name: the one that was probably meant, with `prefix` before it, or those
 * that there are.
 */
export const didYouMean = (wanted: string, names: Iterable<string>, prefix = ''): string => {
  const all = [...names];
  const meant = misspelled(wanted, all);
  if (meant !== null) return `; did you mean ${prefix}${meant}?`;
  return all.length === 0 ? '' : `; known: ${listNearest(wanted, all)}`;
};

/** Returns the sentence about an unknown name, without its subject. */
export const unknownNameMessage = (wanted: string, names: Iterable<string>): string => {
  const known = listNearest(wanted, names);
  return known === '' ? 'is not known here' : `is not known here; known: ${known}`;
};
