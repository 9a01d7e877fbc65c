/** Names of the rules of a flag, which have no ids: what they say, so that a rule is found again wherever it stands in a list that somebody else has changed. Used by the editors of rules and by useFlagChange. */

export type Rule = Readonly<Record<string, unknown>>;

/** The name of a rule that is not in the list yet. */
export const newRule = 'new';

/** Orders the members of objects: the API keeps no order of them. */
const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Returns the JSON text of a value; equal for values that differ only in the order of members. */
const textOf = (value: unknown): string => JSON.stringify(value, inOrder);

/** Returns whether two values of a flag are the same. */
export const areSameValues = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

/** Returns the names of rules in their order; of rules that say the same, the later ones are numbered. */
export const namesOf = (rules: readonly Rule[]): readonly string[] => {
  const counts = new Map<string, number>();
  return rules.map((rule) => {
    const text = textOf(rule);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count === 1 ? text : `${text} ${String(count)}`;
  });
};

/** Returns the rule of a name; null: it is a new one. */
export const ruleOf = (name: string): Rule | null =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `namesOf` wrote
  name === newRule ? null : (JSON.parse(name.slice(0, name.lastIndexOf('}') + 1)) as Rule);

/** Returns whether two lists have the same rules in the same order. */
export const areSameRules = (a: readonly Rule[], b: readonly Rule[]): boolean =>
  JSON.stringify(namesOf(a)) === JSON.stringify(namesOf(b));

/**
 * Returns where in `names` a rule stood that is not among them any more: below the nearest of those above it that is. `base`: the
 * names of the list that had it.
 */
export const placeOf = (name: string, base: readonly string[], names: readonly string[]): number => {
  const above = base.slice(0, Math.max(0, base.indexOf(name))).findLast((each) => names.includes(each));
  return above === undefined ? 0 : names.indexOf(above) + 1;
};

/** Returns where the rule stands that came in the place of one that is gone; null: none did. */
export const successorOf = (name: string, base: readonly string[], names: readonly string[]): number | null => {
  const at = placeOf(name, base, names);
  const there = names[at];
  return there === undefined || base.includes(there) ? null : at;
};
