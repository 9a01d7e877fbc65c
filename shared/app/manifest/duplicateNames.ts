/** Finds names that are declared more than once, for the checks of manifests. */
import type { FaultDetail } from '../../catalogue/errors.ts';

/** Returns a problem for each repeated name, at `path` and its index. */
export const duplicateNames = (names: readonly string[], path: string): FaultDetail[] => {
  const seen = new Set<string>();
  return names.flatMap((name, i) => {
    const isKnown = seen.has(name);
    seen.add(name);
    return isKnown ? [{ path: `${path}.${String(i)}`, message: `declares ${name} a second time` }] : [];
  });
};
