/** The ramp of a flag that another one replaces. Used by approvals/, views/approvals/ and flags/read.ts. */
import { isObject } from '../platform/json/jsonLimits.ts';

/** Returns the ramp among a flag's members that a change with the members `after` replaces, or null when none is running. */
export const replacedRamp = (before: unknown, after: unknown): Readonly<Record<string, unknown>> | null => {
  const ramp = isObject(before) ? before['ramp'] : null;
  const isStarted = isObject(after) && isObject(after['ramp']);
  return isStarted && isObject(ramp) && (ramp['status'] === 'running' || ramp['status'] === 'scheduled') ? ramp : null;
};
