/** Texts that the browser keeps for the next visit, which it may not do. Used for drafts, the theme, the last environment and whether somebody is signed in. */

/** Returns the text under a key; null: none is kept. */
export const readKept = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

/** Keeps a text under a key; null forgets it. Returns whether the browser did. */
export const keep = (key: string, text: string | null): boolean => {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
};
