/** Every sweep of the service. A new one goes into a file of its own and is added here. */
import { expiredConnections, parkedJobs } from './appConnections.ts';
import { auditChain } from './auditChain.ts';
import { expireEndedRows, moveEndedRows } from './endedRows.ts';
import { expireApprovals, undeclaredActions } from './expireApprovals.ts';
import { expireBulkResults } from './expireBulkResults.ts';
import { expiredRows } from './expiredRows.ts';
import { grownTables } from './grownTables.ts';
import { indexRecords } from './indexRecords.ts';
import { indexTexts } from './indexTexts.ts';
import { months } from './months.ts';
import { orphanedBulks } from './orphanedBulks.ts';
import { orphanedErasures } from './orphanedErasures.ts';
import { orphanedJobs } from './orphanedJobs.ts';
import { pendingWords } from './pendingWords.ts';
import { orphanedRampSteps, rampGuards } from './ramps.ts';
import { countedRefusals } from './refusals.ts';
import type { Sweep } from './sweep.ts';
import { trimOccurrences } from './trimOccurrences.ts';
import { unfinishedRuns } from './unfinishedRuns.ts';
import { wakeItems } from './wakeItems.ts';

export const sweeps: readonly Sweep[] = [
  expireApprovals,
  undeclaredActions,
  orphanedJobs,
  orphanedBulks,
  orphanedErasures,
  expiredRows,
  expiredConnections,
  parkedJobs,
  unfinishedRuns,
  indexRecords,
  indexTexts,
  pendingWords,
  grownTables,
  rampGuards,
  orphanedRampSteps,
  trimOccurrences,
  countedRefusals,
  auditChain,
  expireBulkResults,
  moveEndedRows,
  expireEndedRows,
  months,
  // A snoozed item wakes within 2 s of its time.
  { name: 'wakeItems', everyMs: 500, run: wakeItems },
];
