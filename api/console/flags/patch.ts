/** A change of a flag as the API takes it, and the values that it is made of. Used by the parts of a flag’s page. */
import type { Flag } from '../wire/types.ts';

/** The member `change` of POST /flags/:flag. */
export interface FlagPatch {
  readonly value?: unknown;
  readonly rollout?: number | null;
  readonly targets?: Readonly<Record<string, unknown>>;
  readonly rules?: readonly unknown[];
  readonly ramp?: Readonly<Record<string, unknown>> | null;
}

/** Returns the values by record id. */
export const targetsOf = ({ targets }: Flag): Readonly<Record<string, unknown>> => ({ ...targets });
