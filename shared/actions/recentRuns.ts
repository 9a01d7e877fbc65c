/** Finds a run that did the same as a new one would, for tools of models. Used by api/mcp/repeatedCalls.ts. */
import type { Caller } from '../access/principal.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses, type RunStatus } from '../catalogue/states/runs.ts';
import { idAt } from '../platform/core/ids.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';
import type { Run } from './model.ts';

/** The statuses of runs that the app has done, does, or may have done. */
const actedStatuses: readonly RunStatus[] = [...activeRunStatuses, 'succeeded', 'unknown'];

const sameRunSql = statement(
  'runs.same',
  `
  select id, status, requested_at from runs
  where env = $1 and actor = $2 and id >= $3 and action = $4 and record is not distinct from $5 and input = $6::jsonb
    and status in (${sqlList(actedStatuses)})
  order by id desc limit 1`,
);

/** Returns the caller’s newest run since `since`, in epoch ms, of the same action, record and input that was done or may be; undefined: there is none. */
export const readSameRun = (
  db: Db,
  { env, principal }: Caller,
  { action, record, input }: Pick<Run, 'action' | 'record' | 'input'>,
  since: number,
): Promise<Pick<Run, 'id' | 'status' | 'requested_at'> | undefined> =>
  queryRow(db, sameRunSql, [env.id, principal.id, idAt('run', since), action, record, JSON.stringify(input)]);
