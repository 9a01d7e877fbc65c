/** Chains the audit entries of every environment once no earlier one can appear; no change waits for it. */
import { chainNextRange } from '../../shared/platform/journal/auditChain.ts';
import { readSettledEvent } from './settledEvent.ts';
import type { Sweep } from './sweep.ts';

/** Ranges of an environment in one run, so that the others are not kept waiting: 50,000 entries. */
const rangesMax = 50;

export const auditChain: Sweep = {
  name: 'auditChain',
  everyMs: 5_000,
  run: async ({ db, directory, clock }) => {
    const settled = await readSettledEvent(db);
    if (settled === null) return;
    for (const { id } of directory.environments())
      for (let ranges = 0; ranges < rangesMax; ranges++)
        if (!(await chainNextRange(db, id, settled, clock.now()))) break;
  },
};
