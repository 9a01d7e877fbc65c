/** Ends approvals whose time is up; whoever decides checks the time too. */
import { expireApproval } from '../../shared/approvals/decide.ts';
import { columns, type Approval } from '../../shared/approvals/model.ts';
import { rows, statement } from '../../shared/db/sql.ts';
import type { Sweep } from './sweep.ts';

const due = statement('sweeps.approvals', `select ${columns} from approvals a where a.status = 'pending' and a.expires_at <= $1 order by a.expires_at limit 500`);

export const expireApprovals: Sweep = {
  name: 'expireApprovals',
  everyMs: 1_000,
  run: async (deps) => {
    for (const approval of await rows<Approval>(deps.db, due, [deps.clock.now()])) await expireApproval(deps, approval);
  },
};
