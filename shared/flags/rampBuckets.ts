/**
 * The jobs of ramps: one per bucket of `rampBucketMs` in which steps are due, for all environments. A job takes all steps
 * that are due, in few statements: a thousand ramps cost at most 40 jobs a second instead of a thousand. Used by write.ts, and by
 * the sweep for steps whose job was lost.
 */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { stagedJobInsert } from '../platform/journal/inserts.ts';

export const rampBucketMs = 25;

/** Returns when the job of a step that is due at `at` is due: never in the past, where the job may be running already. */
export const rampBucketAt = (at: number, now: number): number =>
  Math.ceil(Math.max(at, now + 1) / rampBucketMs) * rampBucketMs;

/** Returns SQL that stages the jobs of `from` (env, slot, at) unless they exist; a job's environment is that of one of its ramps. */
export const stageRampJobsSql = (from: string): string =>
  stagedJobInsert(
    {
      id: "'ramps-' || s.slot",
      env: 's.env',
      name: "'rampStep'",
      payload: "jsonb_build_object('slot', s.slot)",
      subject: "'ramps'",
      request_id: 'null',
      due_at: 's.slot',
      created_at: 's.at',
    },
    { from: `(select slot, min(env) as env, min(at) as at from (${from}) d group by slot) s`, skipExisting: true },
  );

/** Returns SQL that deletes the job of a bucket that no flag but `$key` of `$env` needs; a job that a worker runs stays. */
export const deleteRampJobSql = (slot: string, written: string): string => `
  delete from staged_jobs j using ${written} where j.id = 'ramps-' || ${slot} and j.lease_until is null
    and not exists (select from flags f where (f.env <> $env or f.key <> $key) and f.next_at > ${slot} - ${String(rampBucketMs)} and f.next_at <= ${slot})`;

/** ms after which a step counts as orphaned: longer than a step waits in a busy queue, short for a person who watches. */
const orphanGraceMs = 2_000;

const stageOrphanedSql = statement(
  'flags.stageLost',
  stageRampJobsSql('select distinct env, $2::bigint as slot, $3::bigint as at from flags where next_at < $1'),
);

/** Returns how many jobs were staged: at most one, which takes all steps that are due. */
export const stageOrphanedSteps = (db: Db, now: number): Promise<number> =>
  executeStatement(db, stageOrphanedSql, [now - orphanGraceMs, rampBucketAt(now, now), now]);
