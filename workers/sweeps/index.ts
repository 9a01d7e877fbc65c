/** Every sweep of the service. A new one goes into a file of its own and is added here. */
import { goneApps, waitingForApp } from './apps.ts';
import { dueRamps, rampGuards } from './dueRamps.ts';
import { indexRecords } from './indexRecords.ts';
import { expireApprovals } from './expireApprovals.ts';
import { lostBulks } from './lostBulks.ts';
import { lostJobs } from './lostJobs.ts';
import { openRuns } from './openRuns.ts';
import { oldRows } from './oldRows.ts';
import type { Sweep } from './sweep.ts';
import { wakeItems } from './wakeItems.ts';

export const sweeps: readonly Sweep[] = [
  expireApprovals,
  lostJobs,
  lostBulks,
  oldRows,
  goneApps,
  waitingForApp,
  openRuns,
  indexRecords,
  rampGuards,
  dueRamps,
  // A snoozed item wakes within 2 s of its time.
  { name: 'wakeItems', everyMs: 500, run: wakeItems },
];
