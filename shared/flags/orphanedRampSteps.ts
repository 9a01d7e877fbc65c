/** Stages the steps of ramps whose job got lost. Called by the sweep dueRamps. */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { rampBucketAt, stageRampJobsSql } from './rampBuckets.ts';

/** Later than a step that waits for its turn, and soon enough for whoever watches a rollout. */
const orphanGraceMs = 2_000;

const stageOrphanedSql = statement(
  'flags.stageLost',
  stageRampJobsSql('select distinct env, $2::bigint as slot, $3::bigint as at from flags where next_at < $1'),
);

/** Answers how many jobs were staged: one, when any ramp is late. */
export const stageOrphanedSteps = (db: Db, now: number): Promise<number> =>
  executeStatement(db, stageOrphanedSql, [now - orphanGraceMs, rampBucketAt(now, now), now]);
