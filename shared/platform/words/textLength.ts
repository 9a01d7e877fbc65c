/** The length of texts as limits count it: in characters (code points), as JSON Schema does. */

/** Returns whether a text has more than `most` characters, without counting those of one that is far too long. */
export const isLongerThan = (text: string, most: number): boolean =>
  text.length > most && (text.length > 2 * most || [...text].length > most);
