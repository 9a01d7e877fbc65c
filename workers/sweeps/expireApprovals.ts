/** Expires approvals whose time is up, and invalidates those of actions that are not declared now; deciding checks both too. */
import { approvalColumns, type Approval } from '../../shared/approvals/model.ts';
import { openApprovalStatuses } from '../../shared/catalogue/states/approvals.ts';
import { sqlList } from '../../shared/catalogue/states/machine.ts';
import { expireApproval, invalidateApproval } from '../../shared/decisions/decide.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const expiredApprovalsSql = statement(
  'sweeps.approvals',
  `select ${approvalColumns} from approvals a where a.status in (${sqlList(openApprovalStatuses)}) and a.expires_at <= $1 order by a.expires_at limit 500`,
);

const undeclaredActionsSql = statement(
  'sweeps.goneActions',
  `
  select ${approvalColumns} from approvals a join definitions d on d.env = a.env
  where a.status in (${sqlList(openApprovalStatuses)}) and a.kind = 'action'
    and not jsonb_path_exists(d.manifest, '$.actions[*] ? (@.name == $name)', jsonb_build_object('name', a.request -> 'action'))
  order by a.id limit 500`,
);

export const expireApprovals: Sweep = {
  name: 'expireApprovals',
  everyMs: 1_000,
  run: async (deps) => {
    for (const approval of await queryRows<Approval>(deps.db, expiredApprovalsSql, [deps.clock.now()]))
      await expireApproval(deps, approval);
    for (const approval of await queryRows<Approval>(deps.db, undeclaredActionsSql))
      await invalidateApproval(deps, approval, 'The action is declared no more.');
  },
};
