/** Names that are declared more than once. */
import type { FaultDetail } from '../catalogue/errors.ts';

export const duplicateNames = (names: readonly string[], path: string): FaultDetail[] => {
  const seen = new Set<string>();
  return names.flatMap((name, i) => {
    const isKnown = seen.has(name);
    seen.add(name);
    return isKnown ? [{ path: `${path}.${String(i)}`, message: `declares ${name} a second time` }] : [];
  });
};
