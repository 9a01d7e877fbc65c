/** Writes the number of denials that were counted, a minute after the first of a principal, verb and target. */
import { closeRefusals } from '../../shared/access/refusals.ts';
import type { Sweep } from './sweep.ts';

export const countedRefusals: Sweep = {
  name: 'refusals',
  everyMs: 1_000,
  run: ({ db, clock }) => closeRefusals(db, clock.now()),
};
