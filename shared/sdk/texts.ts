/** Texts of what was thrown and reported, as long as they may be. Apart from problems.ts, as more entries of the package need them. */

/** Returns the first `most` characters of a text, counted as limits count them: a pair of surrogates is one. */
export const cutText = (text: string, most: number): string =>
  text.length > most
    ? Array.from(text.slice(0, 2 * most))
        .slice(0, most)
        .join('')
    : text;

/** Returns the message of anything that was thrown; never throws itself. */
export const errorText = (error: unknown): string => {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an error without a message';
  }
};
