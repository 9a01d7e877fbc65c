/** A change of a flag as the API takes it, what takes it back, and names of its rules, which have no ids. Used by the parts of a flag’s page and by approvals. */
import type { Flag, Ramp } from '../wire/types.ts';
import { isGoing } from './words.ts';

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
const areSameValues = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b);

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
const areSameRules = (a: readonly Rule[], b: readonly Rule[]): boolean =>
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

/** Properties that each part of a flag’s page has. */
export interface FlagPart {
  readonly flag: Flag;
  readonly mayChange: boolean;
  /** Returns whether the change was made or asked for; `isAsked`: it is tried out and confirmed whatever the flag wants. */
  readonly change: (flag: Flag, patch: FlagPatch | PatchOf, done: string, isAsked?: boolean) => Promise<boolean>;
}

/** The member `change` of POST /flags/:flag. */
export interface FlagPatch {
  readonly value?: unknown;
  readonly rollout?: number | null;
  readonly targets?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[];
  readonly ramp?: Readonly<Record<string, unknown>> | null;
}

/** Returns the change of a flag as it is when the change is made: of a list, so that what others did to it stays; null: the change is not possible any more. */
export type PatchOf = (now: Flag) => FlagPatch | null;

export const patchFor = (change: FlagPatch | PatchOf, now: Flag): FlagPatch | null =>
  typeof change === 'function' ? change(now) : change;

/** Ending a ramp needs neither confirmation nor approval, so that it is always quick. */
export const isQuick = (patch: FlagPatch): boolean => patch.ramp === null && Object.keys(patch).length === 1;

/** Whether a patch sets what a flag is without targets and rules, and so ends the ramp that goes on. */
export const setsValue = (patch: FlagPatch): boolean => 'value' in patch || 'rollout' in patch || 'ramp' in patch;

/** ms: an hour less than the API takes as the start of a ramp, for clocks that differ. */
const pastMost = 23 * 3_600_000;

/** ms between two steps, as the API takes it. */
const everyLeast = 1_000;

/** Returns the ramp that does what one that was ended had left; `at`: when it begins, null: now. */
export const rampRest = ({ to, over, every, guard, step }: Ramp, at: number | null): NonNullable<FlagPatch['ramp']> => {
  const left = Math.max(over - step * every, everyLeast);
  return { to, over: left, every: Math.min(every, left), at, guard };
};

/** Returns the rest of a ramp at the times of its plan, unless those are too long ago. */
const restOf = (ramp: Ramp): NonNullable<FlagPatch['ramp']> => {
  const at = ramp.startedAt + ramp.step * ramp.every;
  return rampRest(ramp, Date.now() - at < pastMost ? at : null);
};

/** Returns the change that gives a flag back what the patch takes; a ramp that it ended goes on from where it was. */
const inverseOf = (flag: Flag, patch: FlagPatch): FlagPatch => ({
  ...(setsValue(patch) ? { value: flag.value, ...(flag.kind === 'boolean' ? { rollout: flag.rollout } : {}) } : {}),
  ...(setsValue(patch) && flag.ramp !== null && isGoing(flag.ramp) ? { ramp: restOf(flag.ramp) } : {}),
  ...(patch.rules === undefined ? {} : { rules: flag.rules }),
  ...(patch.targets === undefined
    ? {}
    : {
        targets: Object.fromEntries(
          Object.keys(patch.targets).map((id) => [id, Object.hasOwn(flag.targets, id) ? targetsOf(flag)[id] : null]),
        ),
      }),
});

/** Returns the rollout that a flag has by itself: that of a ramp that goes on or has ended is the ramp's own. */
const rolloutOf = ({ rollout, ramp }: Flag): number | null | 'ramp' =>
  ramp !== null && (isGoing(ramp) || (ramp.status === 'done' && rollout === ramp.to)) ? 'ramp' : rollout;

/** Returns what a flag is without targets and rules, the same at every step of a ramp. */
const valueOf = (flag: Flag): unknown => [flag.value, rolloutOf(flag), flag.ramp?.startedAt ?? null];

/** Returns whether a flag still has what a patch made of it. */
const isAsLeft = (patch: FlagPatch, after: Flag, now: Flag): boolean =>
  (!setsValue(patch) || areSameValues(valueOf(now), valueOf(after))) &&
  (patch.rules === undefined || areSameRules(now.rules, after.rules)) &&
  Object.keys(patch.targets ?? {}).every((id) => areSameValues(targetsOf(now)[id], targetsOf(after)[id]));

/** Returns the change that takes a patch back, where nobody has changed since what the patch set. */
export const undoOf =
  (before: Flag, patch: FlagPatch, after: Flag): PatchOf =>
  (now) =>
    isAsLeft(patch, after, now) ? inverseOf(before, patch) : null;

/** Returns the values by record id. */
export const targetsOf = ({ targets }: Flag): Readonly<Record<string, unknown>> => ({ ...targets });
