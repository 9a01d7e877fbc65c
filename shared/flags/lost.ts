/** Stages the step of ramps whose job got lost. Called by the sweep dueRamps. */
import { newId } from '../core/ids.ts';
import type { Db } from '../db/knex.ts';
import { rows, run, statement } from '../db/sql.ts';

/** Later than a job that waits for its turn, and soon enough for whoever watches a rollout. */
const lateMs = 5_000;

const lost = statement('flags.lost', `
  select env, key, ramp_id as ramp from flags f
  where next_at < $1 and not exists (select from staged_jobs j where j.subject = f.ramp_id and j.name = 'rampStep' and j.due_at is not null)
  order by next_at limit 500`);
const stage = statement('flags.stage', `
  insert into staged_jobs (id, env, name, payload, subject, due_at, created_at) select $1, $2, 'rampStep', $3::jsonb, $4, $5::bigint, $5::bigint
  where not exists (select from staged_jobs where subject = $4 and name = 'rampStep' and due_at is not null)`);

/** Answers how many jobs were staged. */
export const stageLost = async (db: Db, now: number): Promise<number> => {
  const found = await rows<{ env: number; key: string; ramp: string }>(db, lost, [now - lateMs]);
  let staged = 0;
  for (const { env, key, ramp } of found) staged += await run(db, stage, [newId('job'), env, JSON.stringify({ flag: key, ramp }), ramp, now]);
  return staged;
};
