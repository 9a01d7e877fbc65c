/** Moves what has ended to its months, and takes it away once no environment keeps it. */
import { endedApprovals } from '../../shared/approvals/endedApprovals.ts';
import { endedBulks } from '../../shared/bulk/endedBulks.ts';
import type { EndedKind } from '../../shared/catalogue/retention.ts';
import { getOrCreate } from '../../shared/platform/caches.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { expireEnded } from '../../shared/platform/ended/moveEnded.ts';
import { mayMove, moveEnded, type EndedRows } from '../../shared/platform/ended/moveEnded.ts';
import { endedRuns } from '../../shared/runs/endedRuns.ts';
import { presentTime } from './presentTime.ts';
import type { Sweep } from './sweep.ts';

export const endedKinds: readonly EndedRows[] = [endedBulks, endedApprovals, endedRuns];

/** Batches of one turn: 500 rows a second, more than ever end for long. */
const batches = 10;

/** Where the next turn begins in a database, for each kind that the last one did not get through. */
const placesByDb = new WeakMap<Db, Map<EndedKind, string>>();
const placesOf = (db: Db): Map<EndedKind, string> => getOrCreate(placesByDb, db, () => new Map<EndedKind, string>());

export const moveEndedRows: Sweep = {
  name: 'moveEndedRows',
  everyMs: 10_000,
  run: async ({ db, clock }) => {
    const now = clock.now();
    if (!(await mayMove(db, now))) return;
    const places = placesOf(db);
    for (const rows of endedKinds)
      places.set(rows.kind, await moveEnded(db, rows, now, { after: places.get(rows.kind) ?? '', batches }));
  },
};

export const expireEndedRows: Sweep = {
  name: 'expireEndedRows',
  everyMs: 600_000,
  run: async ({ db, clock, log }) => {
    for (const { kind } of endedKinds) {
      const dropped = await expireEnded(db, kind, await presentTime({ db, clock }));
      if (dropped > 0) log.info({ kind, months: dropped }, 'months that no environment keeps are dropped');
    }
  },
};
