/** Stages the steps of ramps whose job got lost. Called by the sweep dueRamps. */
import type { Db } from '../platform/db/knex.ts';
import { run, statement } from '../platform/db/sql.ts';
import { slotAt, stageSlots } from './slots.ts';

/** Later than a step that waits for its turn, and soon enough for whoever watches a rollout. */
const lateMs = 2_000;

const stage = statement('flags.stageLost', stageSlots('select distinct env, $2::bigint as slot, $3::bigint as at from flags where next_at < $1'));

/** Answers how many jobs were staged: one, when any ramp is late. */
export const stageLost = (db: Db, now: number): Promise<number> => run(db, stage, [now - lateMs, slotAt(now, now), now]);
