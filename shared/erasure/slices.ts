/** Cuts lists of ids into pieces, so that no statement and no transaction is long. For the other files of this folder. */

/** Returns the list in pieces of at most `size`. */
export const slices = function* <T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
};
