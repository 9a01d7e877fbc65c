/** The change that brings back what was before an entry of a flag's history, with the ramp that ran then. Used by FlagHistory. */
import { isObject } from '../content/values.ts';
import type { Flag, FlagEntry, Ramp } from '../wire/types.ts';
import { rampRest, type FlagPatch } from './patch.ts';
import { isGoing } from './words.ts';

type Members = Readonly<Record<string, unknown>>;

/** Returns the ramp that an entry ended or replaced; null: none went on. */
export const rampBefore = ({ before }: FlagEntry): Ramp | null => {
  const { ramp }: Members = { ...before };
  if (!isObject(ramp)) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own ramp
  const former = ramp as unknown as Ramp;
  return isGoing(former) ? former : null;
};

/** Returns the rollout that a ramp had reached. */
export const reachedBy = ({ from, to, step, every, over }: Ramp): number =>
  Math.round((from + (to - from) * Math.min(1, (step * every) / over)) * 1_000) / 1_000;

/** Returns the rollout that comes back; undefined: the entry left it. */
const rolloutBefore = (flag: Flag, before: Members, ramp: Ramp | null): number | null | undefined => {
  if (flag.kind !== 'boolean') return undefined;
  if ('rollout' in before) return typeof before['rollout'] === 'number' ? before['rollout'] : null;
  if (ramp !== null) return reachedBy(ramp);
  // A value alone would take the rollout away.
  return 'value' in before ? flag.rollout : undefined;
};

/**
 * Returns the change that gives the flag back what the entry took; null: it took nothing that can be set. A ramp that it ended begins
 * again now, from where it was and with the time that it had left: its own times may be long past.
 */
export const restoring = (flag: Flag, entry: FlagEntry): FlagPatch | null => {
  const before: Members = { ...entry.before };
  const ramp = flag.kind === 'boolean' ? rampBefore(entry) : null;
  const rollout = rolloutBefore(flag, before, ramp);
  const patch: FlagPatch = {
    ...('value' in before ? { value: before['value'] } : {}),
    ...(rollout === undefined ? {} : { rollout }),
    ...(ramp === null ? {} : { ramp: rampRest(ramp, null) }),
    ...(Array.isArray(before['rules']) ? { rules: before['rules'] as readonly unknown[] } : {}),
    ...(isObject(before['targets']) ? { targets: { ...before['targets'] } } : {}),
  };
  return Object.keys(patch).length === 0 ? null : patch;
};
