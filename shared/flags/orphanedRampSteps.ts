/** Stages jobs for ramp steps that are overdue because their job was lost. Called by the sweep orphanedRampSteps. */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { rampBucketAt, stageRampJobsSql } from './rampBuckets.ts';

/** ms after which a step counts as orphaned: longer than a step waits in a busy queue, short for a person who watches. */
const orphanGraceMs = 2_000;

const stageOrphanedSql = statement(
  'flags.stageLost',
  stageRampJobsSql('select distinct env, $2::bigint as slot, $3::bigint as at from flags where next_at < $1'),
);

/** Returns how many jobs were staged: at most one, which takes all steps that are due. */
export const stageOrphanedSteps = (db: Db, now: number): Promise<number> =>
  executeStatement(db, stageOrphanedSql, [now - orphanGraceMs, rampBucketAt(now, now), now]);
