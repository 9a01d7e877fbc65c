/** Counts pending approvals: those that a principal sees, and those that a person may decide. For `GET /counts` and the live stream. */
import type { Principal } from '../accounts/access/principal.ts';
import { readBarred } from '../accounts/settings/independence.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import type { ApprovalTarget } from './model.ts';
import { canDecideApproval, toReader, canSeeApproval } from './rights.ts';

const pendingSql = statement(
  'approvals.pending',
  `
  select a.kind, a.actor_type, a.actor, a.independent, a.expires_at > $2 as open, a.request->>'action' as action,
    a.request->>'resource' as resource, a.request->>'flag' as flag,
    coalesce(a.inbox, case when a.kind = 'item' then a.request->>'inbox' end) as inbox,
    case when a.kind = 'bulk' then a.request->'inboxes' end as inboxes, a.roles,
    jsonb_path_query_array(a.votes, '$[*].by.id') as voters, count(*)::int as n
  from approvals a where a.env = $1 and a.status = 'pending'
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`,
);

interface PendingRow extends ApprovalTarget {
  readonly actor_type: Principal['type'];
  readonly actor: string;
  readonly independent: boolean;
  /** Whether they have not expired. */
  readonly open: boolean;
  readonly roles: readonly string[] | null;
  /** The people who have voted. null: nobody has. */
  readonly voters: readonly string[] | null;
  readonly n: number;
}

/** Pending approvals of one requester about one target. */
export interface PendingApprovals extends PendingRow {
  /** The people whom the rule of independent approval keeps from deciding them. */
  readonly barred: readonly string[];
}

export interface ApprovalCounts {
  readonly pending: number;
  readonly decidable: number;
  /** Questions of agents that wait; `pending` leaves them out. */
  readonly questions: number;
}

/** Returns the pending approvals of an environment, in groups. `now`: epoch milliseconds. */
export const readPendingApprovals = async (db: Db, envId: number, now: number): Promise<PendingApprovals[]> => {
  const groups = await queryRows<PendingRow>(db, pendingSql, [envId, now]);
  const requesters = groups.flatMap(({ independent, actor }) => (independent ? [actor] : []));
  const barred = await readBarred(db, requesters, now);
  return groups.map((group) => ({ ...group, barred: (group.independent ? barred.get(group.actor) : null) ?? [] }));
};

/** Returns how many of the approvals the principal sees, and how many of these it may decide now. */
export const countApprovals = (
  groups: readonly PendingApprovals[],
  principal: Pick<Principal, 'type' | 'id' | 'access' | 'role'>,
): ApprovalCounts => {
  const { type, id, access } = principal;
  const reader = toReader(principal);
  let pending = 0;
  let decidable = 0;
  let questions = 0;
  for (const group of groups) {
    if (!canSeeApproval(access, group.actor_type === type && group.actor === id, group)) continue;
    if (group.kind === 'question') {
      if (group.open) questions += group.n;
      continue;
    }
    pending += group.n;
    const approval = {
      kind: group.kind,
      status: 'pending',
      expiresAt: group.open ? 1 : 0,
      requestedBy: { id: group.actor },
      barred: group.barred,
      roles: group.roles,
      votes: (group.voters ?? []).map((voter) => ({ by: { id: voter } })),
    } as const;
    if (canDecideApproval(approval, reader, 0).approve) decidable += group.n;
  }
  return { pending, decidable, questions };
};
