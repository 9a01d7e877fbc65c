/** Reading of JSON that may be none: what is kept in the browser, stands in an address or was typed. Used wherever one of these is read. */

/** Returns the value of a text; undefined: it is no JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
