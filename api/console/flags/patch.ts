/** A change of a flag as the API takes it, and what takes it back. Used by the parts of a flag’s page and by approvals. */
import type { Flag, Ramp } from '../wire/types.ts';
import { areSameRules, areSameValues } from './ruleNames.ts';
import { isGoing } from './words.ts';

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
