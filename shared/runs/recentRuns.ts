/** Finds runs and bulks that may do the same as a new run or bulk would, for tools of models. Used by api/mcp/repeatedCalls.ts. */
import type { Caller } from '../accounts/access/principal.ts';
import { openBulkStatuses } from '../catalogue/states/bulks.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses, type RunStatus } from '../catalogue/states/runs.ts';
import type { Db } from '../platform/db/knex.ts';
import { namedStatement, queryNamedRows } from '../platform/db/sql.ts';
import { idAt } from '../platform/ids.ts';

/** The statuses of runs that the app has done, or may do or have done. */
const actedStatuses: readonly RunStatus[] = [...openRunStatuses, 'succeeded', 'unknown'];
/** Different inputs that are compared. */
const inputsMost = 1_000;

/** A bulk that is open has not made all of its runs; one that has ended is found by those that acted. `named`: the records that are asked about. */
const sameRunsSql = namedStatement(
  'runs.same',
  () => `
  with named as materialized (
    select unnest($records::text[]) as record
    union select i.record_id from items i where i.env = $env and i.record_resource = $resource and i.id = any ($items::text[])
  ), found as (
    select coalesce(b.id, r.id) as id, coalesce(b.status, r.status) as status, coalesce(b.created_at, r.requested_at) as at, r.input
    from runs r left join bulks b on b.id = r.bulk
    where r.env = $env and r.actor = $actor and r.id >= $first_run and r.action = $action and r.status in (${sqlList(actedStatuses)})
      and ($any or r.record in (select record from named))
    union all
    select b.id, b.status, b.created_at, (b.operation -> 'input')::jsonb from bulks b
    where b.env = $env and b.actor = $actor and b.id >= $first_bulk and b.status in (${sqlList(openBulkStatuses)})
      and b.operation ->> 'type' = 'action' and b.operation ->> 'action' = $action
      and ($any or exists (
        select from bulk_chunks c cross join unnest(c.ids) u(id)
          left join items i on b.operation -> 'records' is null and i.env = $env and i.id = u.id and i.record_resource = $resource
        where c.bulk = b.id
          and case when b.operation -> 'records' is null then i.record_id else u.id end in (select record from named)))
  )
  select distinct on (input) id, status, at, input from found order by input, at desc, id desc limit ${String(inputsMost)}`,
);

interface WantedRuns {
  readonly action: string;
  readonly resource: string | null;
  /** Records of the resource by their ids, and items that are about some; both null: any. */
  readonly records: readonly string[] | null;
  readonly items: readonly string[] | null;
}

export interface EarlierRun {
  /** Of the run or the bulk. */
  readonly id: string;
  readonly status: string;
  readonly at: number;
  readonly input: unknown;
}

/** Returns the caller’s newest run or bulk of each input since `since`, in epoch ms, which has done the action on one of the records, or may. */
export const readEarlierRuns = (
  db: Db,
  { env, principal }: Caller,
  { action, resource, records, items }: WantedRuns,
  since: number,
): Promise<EarlierRun[]> => {
  return queryNamedRows<EarlierRun>(db, sameRunsSql, {
    env: env.id,
    actor: principal.id,
    action,
    resource,
    any: records === null && items === null,
    records: records ?? [],
    items: items ?? [],
    first_run: idAt('run', since),
    first_bulk: idAt('blk', since),
  });
};
