/** How lists on screen are narrowed by words and walked by keys. Used by lists and pickers. */

/** Returns a text as it is compared: as the server does, but for accents, which make no difference here. */
const fold = (text: string): string =>
  text
    .replace(/[‘’´]/gu, "'")
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .toUpperCase();

/** Returns whether a text has each word somewhere in it, however it is written. */
export const hasWords = (text: string, words: string): boolean => {
  const within = fold(text);
  return fold(words)
    .split(/\s+/u)
    .every((word) => within.includes(word));
};

/** Returns the element before (-1) or after (1) that at `at`, or the one there at an end; the first one where `at` is below 0. */
export const neighbour = <T>(list: readonly T[], at: number, by: 1 | -1): T | undefined =>
  list[at < 0 ? 0 : Math.max(0, Math.min(list.length - 1, at + by))];

/** Returns the id to which moves lead from another one, one after the other; undefined: the list is empty. */
export const idAfter = (
  ids: readonly string[],
  from: string | undefined,
  moves: readonly (1 | -1)[],
): string | undefined => {
  const at = (id: string | undefined): number => (id === undefined ? -1 : ids.indexOf(id));
  return moves.reduce<string | undefined>((id, by) => neighbour(ids, at(id), by), from);
};
