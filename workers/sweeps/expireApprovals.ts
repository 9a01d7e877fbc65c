/** Ends approvals whose time is up, and those of actions that are declared no more; whoever decides checks both too. */
import { dropApproval, expireApproval } from '../../shared/decisions/decide.ts';
import { columns, type Approval } from '../../shared/approvals/model.ts';
import { rows, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const due = statement('sweeps.approvals', `select ${columns} from approvals a where a.status = 'pending' and a.expires_at <= $1 order by a.expires_at limit 500`);

const gone = statement('sweeps.goneActions', `
  select ${columns} from approvals a join definitions d on d.env = a.env
  where a.status = 'pending' and a.kind = 'action'
    and not jsonb_path_exists(d.manifest, '$.actions[*] ? (@.name == $name)', jsonb_build_object('name', a.request -> 'action'))
  order by a.id limit 500`);

export const expireApprovals: Sweep = {
  name: 'expireApprovals',
  everyMs: 1_000,
  run: async (deps) => {
    for (const approval of await rows<Approval>(deps.db, due, [deps.clock.now()])) await expireApproval(deps, approval);
    for (const approval of await rows<Approval>(deps.db, gone)) await dropApproval(deps, approval, 'The action is declared no more.');
  },
};
