/** Every sweep of the service, in one table. A sweep that is more than a few statements has a file of its own. */
import { fullAccess } from '../../shared/accounts/access/access.ts';
import type { Caller, Principal } from '../../shared/accounts/access/principal.ts';
import { closeRefusals, countedMs } from '../../shared/accounts/access/refusals.ts';
import {
  areConnectionsExpiredSql,
  deleteExpiredConnections,
  readEnvIdsWithParkedJobs,
} from '../../shared/app/link/presence.ts';
import { readUnreportedBulks, stageMissingJobs } from '../../shared/bulk/cancelledRuns.ts';
import { finishWaitingChunks } from '../../shared/bulk/chunks.ts';
import { expireResults } from '../../shared/bulk/expireResults.ts';
import { publishBulkProgress } from '../../shared/bulk/progress.ts';
import { isParkedJobSql } from '../../shared/catalogue/states/stagedJobs.ts';
import type { Deps } from '../../shared/deps.ts';
import { stageMissingErasures } from '../../shared/erasure/job.ts';
import { stageOrphanedSteps } from '../../shared/flags/rampBuckets.ts';
import { checkRampGuards } from '../../shared/flags/rampGuards.ts';
import { readOverflowingItems, trimItem } from '../../shared/items/occurrences/occurrences.ts';
import { wakeItem } from '../../shared/items/operations/snooze.ts';
import { anyClaimDue, endLapsedClaims, endLostClaims, lapsedClaimsDue } from '../../shared/items/perform/claimEnds.ts';
import { performOperation } from '../../shared/items/perform/perform.ts';
import { isRecutDueSql, recutNextTexts } from '../../shared/items/recutWords.ts';
import { indexNewestTexts, indexNextTexts, readIndexProgress } from '../../shared/items/search/indexTexts.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { executeStatement, queryRow, statement, queryRows } from '../../shared/platform/db/sql.ts';
import { chainNextRange, isSettled, readEventHorizon } from '../../shared/platform/journal/auditChain.ts';
import { releaseParkedJobs } from '../../shared/platform/leases/jobLease.ts';
import { dbNowSql } from '../../shared/platform/leases/leaderLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { sleep } from '../../shared/platform/time/clock.ts';
import { reindexRecords } from '../../shared/records/reindex.ts';
import { expireApprovals, undeclaredActions } from './expireApprovals.ts';
import { expireEndedRows, moveEndedRows, expiredRows } from './expiredRows.ts';
import { type Sweep, presentTime } from './sweep.ts';
import { unfinishedRuns } from './unfinishedRuns.ts';

/** Wakes the items whose snooze is over, by `performOperation` like every change. */
const batch = 500;

const dueSnoozesSql = statement(
  'sweeps.wake',
  `
  select env, id from items where snoozed_until <= $1 order by snoozed_until limit ${String(batch)}`,
);

const snoozePrincipal: Principal = {
  type: 'system',
  id: null,
  name: 'snooze',
  mode: 'normal',
  role: null,
  access: fullAccess,
  environments: ['*'],
};

/** Wakes all items that are due; those of environments that this process doesn't know yet stay for the next run. */
const wakeItems = async (deps: Deps): Promise<void> => {
  for (;;) {
    const found = await queryRows<{ env: number; id: string }>(deps.db, dueSnoozesSql, [deps.clock.now()]);
    const environments = new Set(found.map((row) => row.env));
    let woken = 0;
    for (const envId of environments) {
      const env = deps.directory.environmentById(envId);
      // An environment that is newer than this process's directory.
      if (env === undefined) continue;
      const caller: Caller = { env, principal: snoozePrincipal, requestId: null, address: null };
      const outcomes = await performOperation(
        deps,
        caller,
        wakeItem,
        found.filter((row) => row.env === envId).map((row) => row.id),
        {},
      );
      woken += outcomes.filter((outcome) => outcome.kind === 'changed').length;
    }
    if (found.length < batch || woken === 0) return;
  }
};

/** Returns a sweep's work from what ends claims and returns how many. */
const endingClaims =
  (end: (deps: Deps) => Promise<number>) =>
  async (deps: Deps): Promise<void> => {
    if ((await end(deps)) > 0) deps.bus.publish(channels.workAvailable, 'outbox');
  };

/** ms between two looks at the transactions that may still commit an earlier event, and looks at most; the next run looks again. */
const lookMs = 100;
const looksMax = 20;

/** Returns the id of an event up to which all are committed or will never be; null: a transaction was open all the time. */
const readSettledEvent = async (db: Db): Promise<number | null> => {
  const horizon = await readEventHorizon(db);
  for (let looks = 1; !(await isSettled(db, horizon)); looks++) {
    if (looks === looksMax) return null;
    await sleep(lookMs);
  }
  return horizon.id;
};

/** Deletes connections of apps whose process was killed. */
const expiredConnections: Sweep = {
  name: 'expiredConnections',
  everyMs: 1_000,
  due: areConnectionsExpiredSql,
  run: deleteExpiredConnections,
};

/** Releases jobs that were parked while the app was connecting, and those whose release a process did not live to end. */
export const parkedJobs: Sweep = {
  name: 'parkedJobs',
  everyMs: 1_000,
  due: `exists (select from staged_jobs j where ${isParkedJobSql('j')})`,
  run: async (deps) => {
    for (const envId of await readEnvIdsWithParkedJobs(deps.db)) await releaseParkedJobs(deps, envId);
  },
};

/** ms after which a turn ends though entries are left: a worker that stops waits for it. */
const chainMs = 5_000;

/** Chains the audit entries of every environment once no earlier one can appear; no change waits for it. Environments take turns, so that a busy one keeps no other waiting. */
export const auditChain: Sweep = {
  name: 'auditChain',
  everyMs: 5_000,
  run: async ({ db, directory, clock }) => {
    const settled = await readSettledEvent(db);
    if (settled === null) return;
    const until = performance.now() + chainMs;
    let behind = directory.environments().map(({ id }) => id);
    while (behind.length > 0 && performance.now() < until) {
      const left: number[] = [];
      for (const id of behind) if (await chainNextRange(db, id, settled, clock.now())) left.push(id);
      behind = left;
    }
  },
};

/** Takes results of bulks away once they were kept long enough: those of one environment, or whole months that none keeps. */
export const expireBulkResults: Sweep = {
  name: 'expireBulkResults',
  everyMs: 600_000,
  run: async ({ db, clock, config, log }) => {
    const dropped = await expireResults(db, config.bulkResultsDays, await presentTime({ db, clock }));
    if (dropped > 0) log.info({ parts: dropped }, 'months of results of bulks that nobody keeps are dropped');
  },
};

const analyzeGrownSql = statement('tables.analyzeGrown', 'select analyze_grown_tables()');

/** Has tables analyzed that have doubled since they were: a first push of records fills empty ones, whose plans would read them whole. */
export const grownTables: Sweep = {
  name: 'grownTables',
  everyMs: 2_000,
  run: async ({ db }) => {
    await queryRow(db, analyzeGrownSql);
  },
};

/** Reindexes records after the declaration of their resource has changed (shared/records/reindex.ts). */
const indexRecords: Sweep = {
  name: 'indexRecords',
  everyMs: 2_000,
  run: async ({ db, directory }) => {
    for (const environment of directory.environments()) await reindexRecords(db, environment);
  },
};

/** Indexes the texts of occurrences, notes and replies, and what an older release has left out or cut otherwise (shared/items). */
export const indexTexts: Sweep = {
  name: 'indexTexts',
  // A text is found within a second.
  everyMs: 500,
  due: 'exists (select from item_words_progress where event < (select last_value from events_id_seq))',
  run: async ({ db, directory }) => {
    const progress = await readIndexProgress(db);
    if (progress.until >= progress.last) return;
    await indexNewestTexts(db, directory.environments(), progress);
    const settled = await readSettledEvent(db);
    if (settled === null) return;
    while (await indexNextTexts(db, directory.environments(), settled));
  },
};

const recutTexts: Sweep = {
  name: 'recutTexts',
  everyMs: 2_000,
  due: isRecutDueSql,
  run: async ({ db, clock }) => {
    while (await recutNextTexts(db, clock.now()));
  },
};

const eventsSql = statement('events.prepareMonths', 'select prepare_event_months() as made');
const bulksSql = statement('bulk.prepareMonths', 'select prepare_bulk_months()');

/** Makes the parts of the months to come, of each table that is made of months, and lets the ids of events begin at the month's once it has come. */
export const months: Sweep = {
  name: 'months',
  everyMs: 60_000,
  run: async ({ db }) => {
    // The ids begin at a month whose part is there; where it was made now, the second call finds it committed.
    const prepared = await queryRow<{ made: number }>(db, eventsSql);
    if ((prepared?.made ?? 0) > 0) await queryRow(db, eventsSql);
    await queryRow(db, bulksSql);
  },
};

/** Finishes bulks whose last chunk ended in a process that was killed right after, and stages chunks that have no job. */
export const orphanedBulks: Sweep = {
  name: 'orphanedBulks',
  everyMs: 2_000,
  due: 'exists (select from bulks where finished_at is null)',
  run: async (deps) => {
    const now = deps.clock.now();
    await finishWaitingChunks(deps.db);
    for (const { id, env: envId } of await readUnreportedBulks(deps.db, now))
      await publishBulkProgress(deps, envId, id);
    if ((await stageMissingJobs(deps.db, now)) > 0) deps.bus.publish(channels.workAvailable, 'jobs');
  },
};

/** Stages jobs for erasures that are under way and have none: what was promised to a person is done, whatever became of the job. */
const orphanedErasures: Sweep = {
  name: 'orphanedErasures',
  everyMs: 5_000,
  due: 'exists (select from erasures where finished_at is null)',
  run: async ({ db, bus, clock }) => {
    if ((await stageMissingErasures(db, clock.now())) > 0) bus.publish(channels.workAvailable, 'jobs');
  },
};

/** ms after which an enqueued job is checked first, and the longest interval of further checks: a backlog should not be rewritten all the time. */
const firstCheckMs = 5_000;
const checkIntervalMaxMs = 15_000;
const batchRows = 2_000;

/** A subquery, so that PostgreSQL reads the time once and can use the index on `enqueued_at`. */
const presentSql = `(select ${dbNowSql})`;
const isOrphanedSql = `
  enqueued_at < ${presentSql} - ${String(firstCheckMs)} and enqueued_at < ${presentSql} - least(${String(firstCheckMs)} * enqueues, ${String(checkIntervalMaxMs)})
  and (lease_until is null or lease_until <= ${presentSql})`;
const restageOrphanedSql = statement(
  'sweeps.orphanedJobs',
  `
  update staged_jobs set enqueued_at = null where id = any (array(
    select id from staged_jobs where ${isOrphanedSql}
    order by enqueued_at limit ${String(batchRows)} for update skip locked))`,
);

/**
 * Stages jobs again that were enqueued and are not running, because Redis was emptied or a worker was killed. A job that is
 * in fact still waiting in BullMQ is refused there by its job id when the enqueuer adds it again.
 */
export const orphanedJobs: Sweep = {
  name: 'orphanedJobs',
  everyMs: 1_000,
  due: `exists (select from staged_jobs where ${isOrphanedSql})`,
  run: async ({ db, bus }) => {
    if ((await executeStatement(db, restageOrphanedSql)) > 0) bus.publish(channels.workAvailable, 'jobs');
  },
};

const indexPendingSql = statement('words.indexPending', 'select index_pending_words()');

/** Empties the lists of entries that the indexes of words and terms still have to take in, so that searches don't read long ones. */
const pendingWords: Sweep = {
  name: 'pendingWords',
  // Changes at 1,000/s make a list of 30 pages meanwhile.
  everyMs: 500,
  run: async ({ db }) => {
    await queryRow(db, indexPendingSql);
  },
};

/** Checks the guards of ramps. */
const rampGuards: Sweep = {
  name: 'rampGuards',
  everyMs: 500,
  due: 'exists (select from flags where guard_until > $1)',
  run: checkRampGuards,
};

const orphanedRampSteps: Sweep = {
  name: 'orphanedRampSteps',
  everyMs: 2_000,
  due: 'exists (select from flags where next_at < $1)',
  run: async ({ db, bus, clock }) => {
    if ((await stageOrphanedSteps(db, clock.now())) > 0) bus.publish(channels.workAvailable, 'jobs');
  },
};

/** Writes the number of denials that were counted, a minute after the first of a principal, verb and target. */
const countedRefusals: Sweep = {
  name: 'countedRefusals',
  everyMs: 1_000,
  due: `exists (select from refusals where since <= $1 - ${String(countedMs)})`,
  run: ({ db, clock }) => closeRefusals(db, clock.now()),
};

/** Deletes the occurrences of items beyond those that their inbox keeps; lists leave them out before. */
const trimOccurrences: Sweep = {
  name: 'trimOccurrences',
  everyMs: 2_000,
  due: 'exists (select from occurrences where overflow)',
  run: async ({ db, directory }) => {
    for (const overflowing of await readOverflowingItems(db)) {
      const env = directory.environmentById(overflowing.env);
      // An environment that is newer than this process's directory.
      if (env === undefined) continue;
      await trimItem(db, overflowing, env.definition.inboxes.get(overflowing.inbox)?.onOccurrence.keep ?? null);
    }
  },
};

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
  recutTexts,
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
  {
    name: 'lapsedClaims',
    everyMs: 500,
    due: lapsedClaimsDue,
    run: endingClaims(({ db, clock }) => endLapsedClaims(db, clock.now())),
  },
  { name: 'lostClaims', everyMs: 1_000, due: anyClaimDue, run: endingClaims(endLostClaims) },
  { name: 'wakeItems', everyMs: 500, due: 'exists (select from items where snoozed_until <= $1)', run: wakeItems },
];
