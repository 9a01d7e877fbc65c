/** Finds the removed name that a new one resembles, so that a person notices when a rule was left behind by renaming. Used when an environment is defined. */

interface Described {
  readonly name: string;
  /** What people read; '' when nothing is declared. */
  readonly label: string;
}

/** Share of pairs of letters that two names have in common, from which on they resemble each other. */
const resemblingShare = 0.5;

/** Returns how often each pair of neighbouring letters and digits is in a text. */
const pairsOf = (text: string): ReadonlyMap<string, number> => {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const pairs = new Map<string, number>();
  for (let i = 0; i + 2 <= letters.length; i += 1) {
    const pair = letters.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
};

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

/** Returns the coefficient of Sørensen and Dice of two texts: 0 for nothing in common, 1 for the same pairs. */
const similarity = (a: string, b: string): number => {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  const all = sum(left.values()) + sum(right.values());
  const common = sum([...left].map(([pair, count]) => Math.min(count, right.get(pair) ?? 0)));
  return all === 0 ? 0 : (2 * common) / all;
};

/** Returns the name of the removed one that resembles a new one most, by name or label; null: none does. */
export const findResembling = (added: Described, removed: readonly Described[]): string | null => {
  const [best] = removed
    .map(({ name, label }) => ({
      name,
      share: Math.max(similarity(added.name, name), added.label === '' ? 0 : similarity(added.label, label)),
    }))
    .filter(({ share }) => share >= resemblingShare)
    .sort((a, b) => b.share - a.share);
  return best?.name ?? null;
};
