/** How approvals that have ended move to their months. Used by the sweep endedRows. */
import { openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import { statement } from '../platform/db/sql.ts';
import { batchRows, type EndedRows } from '../platform/ended/moveEnded.ts';

/** One that gave way to an equal request after its time has no time of a decision. */
const endedAt = 'coalesce(a.decided_at, a.expires_at)';

export const endedApprovals: EndedRows = {
  kind: 'approvals',
  prefix: 'apr',
  find: statement(
    'approvals.findEnded',
    `
    select a.id from approvals a
    where a.id > $1 and a.id < $2 and a.status not in (${sqlList(openApprovalStatuses)}) and ${endedAt} < $3
    order by a.id limit ${String(batchRows)}`,
  ),
  // One whose run or bulk is not finished stays.
  move: statement(
    'approvals.moveEnded',
    `
    with gone as (
      delete from approvals a
      where a.id = any($1) and a.status not in (${sqlList(openApprovalStatuses)}) and ${endedAt} < $2
        and not exists (select from runs r where r.id = a.run and r.status in (${sqlList(openRunStatuses)}))
        and not exists (select from bulks b where b.id = a.bulk and b.finished_at is null)
      returning ${endedAt} as ended_at, a.*
    )
    insert into approvals_ended select g.* from gone g returning id`,
  ),
};
