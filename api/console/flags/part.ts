/** Properties that each part of a flag’s page has. */
import type { Flag } from '../wire/types.ts';
import type { FlagPatch, PatchOf } from './patch.ts';

export interface FlagPart {
  readonly flag: Flag;
  readonly mayChange: boolean;
  /** Returns whether the change was made or asked for; `isAsked`: it is tried out and confirmed whatever the flag wants. */
  readonly change: (flag: Flag, patch: FlagPatch | PatchOf, done: string, isAsked?: boolean) => Promise<boolean>;
}
