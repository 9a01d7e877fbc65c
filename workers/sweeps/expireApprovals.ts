/** Expires approvals whose time is up, and invalidates those of actions that are declared no more; deciding checks both too. */
import type { Environment } from '../../shared/app/manifest/definition.ts';
import { approvalColumns, type Approval } from '../../shared/approvals/model.ts';
import { openApprovalStatuses } from '../../shared/catalogue/states/approvals.ts';
import { sqlList } from '../../shared/catalogue/states/machine.ts';
import { expireApproval, invalidateApproval } from '../../shared/decisions/endWithoutEffect.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { undeclaredActionMessage } from '../../shared/runs/authorizeAction.ts';
import type { Sweep } from './sweep.ts';

const expiredSql = `from approvals a where a.status in (${sqlList(openApprovalStatuses)}) and a.expires_at <= $1`;
const expiredApprovalsSql = statement(
  'sweeps.approvals',
  `select ${approvalColumns} ${expiredSql} order by a.expires_at limit 500`,
);

const approvalsMax = 500;

/** Reads what is declared once, not for each approval, and only if there is one: a manifest may have 400 KB. */
const undeclaredActionsSql = statement(
  'sweeps.goneActions',
  `
  select ${approvalColumns} from approvals a
  where a.env = $1 and a.status in (${sqlList(openApprovalStatuses)}) and a.kind = 'action' and a.request ->> 'action' not in (
    select jsonb_path_query(d.manifest, '$.actions[*].name') #>> '{}' from definitions d where d.env = $1)
  order by a.id limit ${String(approvalsMax)}`,
);

/**
 * ms after the first look at an environment that has changed, as processes that have not heard of it yet take requests by its
 * former definition; and ms between later looks.
 */
const [secondLookMs, lookMs] = [10_000, 60_000];

export const expireApprovals: Sweep = {
  name: 'expireApprovals',
  everyMs: 1_000,
  due: `exists (select ${expiredSql})`,
  run: async (deps) => {
    for (const approval of await queryRows<Approval>(deps.db, expiredApprovalsSql, [deps.clock.now()]))
      await expireApproval(deps, approval);
  },
};

/** When an environment is looked at next, in epoch ms. The directory has a new object for one that has changed. */
const nextLooks = new WeakMap<Environment, number>();

export const undeclaredActions: Sweep = {
  name: 'goneActions',
  everyMs: 1_000,
  run: async (deps) => {
    const now = deps.clock.now();
    for (const env of deps.directory.environments()) {
      const next = nextLooks.get(env);
      if (next !== undefined && now < next) continue;
      const found = await queryRows<Approval>(deps.db, undeclaredActionsSql, [env.id]);
      for (const approval of found) await invalidateApproval(deps, approval, undeclaredActionMessage);
      nextLooks.set(env, found.length === approvalsMax ? now : now + (next === undefined ? secondLookMs : lookMs));
    }
  },
};
