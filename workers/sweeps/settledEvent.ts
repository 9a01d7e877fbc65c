/** Waits until no earlier event can appear; for sweeps that follow the events in the order of their ids. */
import { sleep } from '../../shared/platform/core/wait.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { isSettled, readEventHorizon } from '../../shared/platform/journal/auditChain.ts';

/** ms between two looks at the transactions that may still commit an earlier event, and looks at most; the next run looks again. */
const lookMs = 100;
const looksMax = 20;

/** Returns the id of an event up to which all are committed or will never be; null: a transaction was open all the time. */
export const readSettledEvent = async (db: Db): Promise<number | null> => {
  const horizon = await readEventHorizon(db);
  for (let looks = 1; !(await isSettled(db, horizon)); looks++) {
    if (looks === looksMax) return null;
    await sleep(lookMs);
  }
  return horizon.id;
};
