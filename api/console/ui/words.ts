/** Names of members as people read them. Used by forms and lists of values. */

/** Returns a name as words: `periodEnd` and `period_end` are "Period end". */
export const toWords = (name: string): string => {
  const words = name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replaceAll(/[_.-]+/gu, ' ')
    .trim();
  return words === '' ? name : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
