/** A change of a flag as the API takes it, what takes it back, and the values that it is made of. Used by the parts of a flag’s page. */
import type { Flag } from '../wire/types.ts';
import { areSameRules } from './ruleNames.ts';

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

/** Returns the change that gives a flag back what the patch takes; a ramp that it ended is not begun again. */
const inverseOf = (flag: Flag, patch: FlagPatch): FlagPatch => ({
  ...('value' in patch || 'rollout' in patch || (patch.ramp ?? null) !== null
    ? { value: flag.value, ...(flag.kind === 'boolean' ? { rollout: flag.rollout } : {}) }
    : {}),
  ...(patch.rules === undefined ? {} : { rules: flag.rules }),
  ...(patch.targets === undefined
    ? {}
    : {
        targets: Object.fromEntries(
          Object.keys(patch.targets).map((id) => [id, Object.hasOwn(flag.targets, id) ? targetsOf(flag)[id] : null]),
        ),
      }),
});

/** Returns the change that takes a patch back; rules, which are set as a whole, only where nobody has changed them since. */
export const undoOf =
  (before: Flag, patch: FlagPatch, after: Flag): PatchOf =>
  (now) =>
    patch.rules === undefined || areSameRules(now.rules, after.rules) ? inverseOf(before, patch) : null;

/** Returns the values by record id. */
export const targetsOf = ({ targets }: Flag): Readonly<Record<string, unknown>> => ({ ...targets });
