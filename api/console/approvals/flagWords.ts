/** The members of a flag in the words of its page. Used by useWords. */
import { rampMember } from '../content/difference.ts';
import { isObject } from '../content/values.ts';
import { baseText, planText, rampText, valueText } from '../flags/words.ts';
import type { Flag, Ramp } from '../wire/types.ts';

/** Returns the ramp of a flag in words; undefined: there is none. */
const rampWords = (value: unknown): string | undefined => {
  if (!isObject(value)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a flag's ramp, as the API answers it
  const ramp = value as Ramp;
  return ramp.status === 'running' || ramp.status === 'scheduled' ? planText(ramp) : rampText(ramp);
};

/** Returns a member of a flag in words; undefined: it has none of its own. `target`: the flag that has it. */
export const flagText = (name: string, value: unknown, target: unknown): string | undefined => {
  if (name === rampMember) return rampWords(value);
  if (name === 'rollout' && isObject(target))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a flag, as the API answers it
    return baseText({ ...target, rollout: value ?? null } as unknown as Flag);
  return typeof value === 'boolean' ? valueText(value) : undefined;
};
