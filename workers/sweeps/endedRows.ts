/** Moves what has ended to its months, and takes it away once no environment keeps it. */
import { endedRuns } from '../../shared/actions/endedRuns.ts';
import { endedApprovals } from '../../shared/approvals/endedApprovals.ts';
import { endedBulks } from '../../shared/bulk/endedBulks.ts';
import { expireEnded } from '../../shared/platform/ended/expireEnded.ts';
import { mayMove, moveEnded, type EndedRows } from '../../shared/platform/ended/moveEnded.ts';
import type { Sweep } from './sweep.ts';

export const endedKinds: readonly EndedRows[] = [endedBulks, endedApprovals, endedRuns];

/** Batches of one turn: 500 rows a second, more than ever end for long. */
const batches = 10;

export const moveEndedRows: Sweep = {
  name: 'moveEndedRows',
  everyMs: 10_000,
  run: async ({ db, clock }) => {
    const now = clock.now();
    if (!(await mayMove(db, now))) return;
    for (const rows of endedKinds) await moveEnded(db, rows, now, batches);
  },
};

export const expireEndedRows: Sweep = {
  name: 'expireEndedRows',
  everyMs: 600_000,
  run: async ({ db, clock, log }) => {
    for (const { kind } of endedKinds) {
      const dropped = await expireEnded(db, kind, clock.now());
      if (dropped > 0) log.info({ kind, months: dropped }, 'months that no environment keeps are dropped');
    }
  },
};
