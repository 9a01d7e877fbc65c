/** Takes a part of the events out of the database, with its ranges of the chains, under locks that nobody waits behind for long. */
import { randomInt } from 'node:crypto';
import { sleep } from '../core/wait.ts';
import { isLockTimeout } from '../db/errors.ts';
import type { Tx } from '../db/knex.ts';
import { queryRows, statement } from '../db/sql.ts';
import { ArchiveProblem, type EventPart } from './parts.ts';

/** Tries to get a lock, and ms of each; every change waits behind it meanwhile. */
const [triesMax, lockMs] = [60, 500];
/** Between two tries, in ms: what has waited behind one is through by then. */
const pauseMs = { least: 1_000, most: 5_000 };

const deleteChainsSql = statement(
  'archive.deleteChains',
  `
  delete from audit_chain c where c.last < $2 and c.last >= $1
    and exists (select from audit_chain a where a.env = c.env and a.n > c.n and a.last < $2)`,
);

/** Runs `work`, whose locks may be refused, until it has them. */
const withLocks = async (tx: Tx, work: (step: Tx) => Promise<void>): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await tx.transaction(async (step) => {
        await step.raw(`set local lock_timeout = '${String(lockMs)}ms'`);
        await work(step);
      });
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (tries === triesMax)
        throw new ArchiveProblem('the table of events was in use all the time; nothing was changed. Try again later.');
    }
    await sleep(randomInt(pauseMs.least, pauseMs.most));
  }
};

/**
 * Takes a part away as the last thing that its transaction does: from the detaching on, everybody who reads events waits for its
 * commit. `record` is called then, as it locks what other changes need too.
 */
export const takeOut = (
  tx: Tx,
  { table, starts, ends }: EventPart,
  record: (step: Tx) => Promise<void>,
): Promise<void> =>
  withLocks(tx, async (step) => {
    await step.raw('lock table audit_chain in share row exclusive mode');
    await step.raw('alter table events detach partition ??', [table]);
    // The newest range stays, as the next one goes on from it.
    await step.raw('alter table audit_chain disable trigger audit_chain_append_only');
    await queryRows(step, deleteChainsSql, [starts, ends]);
    await step.raw('alter table audit_chain enable trigger audit_chain_append_only');
    await step.raw('drop table ??', [table]);
    await record(step);
  });
