/** Chains the audit entries of every environment once no earlier one can appear; no change waits for it. */
import { sleep } from '../../shared/platform/core/wait.ts';
import { chainNextRange, isSettled, readEventHorizon } from '../../shared/platform/journal/auditChain.ts';
import type { Sweep } from './sweep.ts';

/** ms between two looks at the transactions that may still commit an earlier entry, and looks at most; the next run looks again. */
const lookMs = 100;
const looksMax = 20;
/** Ranges of an environment in one run, so that the others are not kept waiting: 50,000 entries. */
const rangesMax = 50;

export const auditChain: Sweep = {
  name: 'auditChain',
  everyMs: 5_000,
  run: async ({ db, directory, clock }) => {
    const horizon = await readEventHorizon(db);
    for (let looks = 1; !(await isSettled(db, horizon)); looks++) {
      if (looks === looksMax) return;
      await sleep(lookMs);
    }
    for (const { id } of directory.environments())
      for (let ranges = 0; ranges < rangesMax; ranges++)
        if (!(await chainNextRange(db, id, horizon.id, clock.now()))) break;
  },
};
