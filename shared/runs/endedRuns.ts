/** How runs that have ended move to their months, and back for a retry. Used by the sweep endedRows and by moveRun.ts. */
import { openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { batchRows, type EndedRows } from '../platform/ended/moveEnded.ts';

export const endedRuns: EndedRows = {
  kind: 'runs',
  prefix: 'run',
  find: statement(
    'runs.findEnded',
    `
    select r.id from runs r
    where r.id > $1 and r.id < $2 and r.status not in (${sqlList(openRunStatuses)}) and r.finished_at < $3
    order by r.id limit ${String(batchRows)}`,
  ),
  // A run of a bulk that is not finished stays, as items may still join it; so does one whose retry waits for an approval.
  // Rows move whole, with columns that a later release beside this one may have added.
  move: statement(
    'runs.moveEnded',
    `
    with gone as (
      delete from runs r
      where r.id = any($1) and r.status not in (${sqlList(openRunStatuses)}) and r.finished_at < $2
        and not exists (select from bulks b where b.id = r.bulk and b.finished_at is null)
        and r.id not in (select a.run from approvals a where a.status in (${sqlList(openApprovalStatuses)}) and a.run is not null)
      returning r.*
    ), reasons as (
      delete from run_reasons w using gone g where w.run = g.id returning w.run, w.reason
    ), joined as (
      delete from run_items i using gone g where i.run = g.id returning i.*
    ), items as (
      select run, json_agg(json_build_object('seq', seq, 'item', item, 'inbox', inbox, 'entry', entry) order by seq) as items
      from joined group by run
    )
    insert into runs_ended select g.finished_at, w.reason, i.items, g.*
    from gone g left join reasons w on w.run = g.id left join items i on i.run = g.id
    returning id`,
  ),
};

const lockSql = statement('runs.lockEnded', 'select id from runs where env = $1 and id = $2 for update');
const bringBackSql = statement(
  'runs.bringBack',
  `
  with back as (delete from runs_ended where env = $1 and id = $2 returning *),
  made as (
    insert into runs select (json_populate_record(null::runs, row_to_json(b))).* from back b
  ), reasons as (
    insert into run_reasons (run, reason) select id, reason from back where reason is not null
  )
  insert into run_items (run, seq, item, inbox, entry)
  select b.id, i.seq, i.item, i.inbox, i.entry
  from back b cross join json_to_recordset(b.items) as i(seq int, item text, inbox text, entry text)`,
);

/** Locks a run that has ended where the unfinished are; one that has moved to its month is brought back before. */
export const bringBackRun = async (
  tx: Tx,
  { env, id }: { readonly env: number; readonly id: string },
): Promise<void> => {
  if ((await queryRow(tx, lockSql, [env, id])) === undefined) await executeStatement(tx, bringBackSql, [env, id]);
};
