/** Approvals as one caller may see them. */
import { fault } from '../catalogue/errors.ts';
import type { ApprovalStatus } from '../catalogue/states.ts';
import type { Caller } from '../access/principal.ts';
import type { Db } from '../platform/db/knex.ts';
import { rows, statement } from '../platform/db/sql.ts';
import { approvalJson, columns, readApproval, type Approval } from './model.ts';
import { seesApproval } from './visible.ts';

export const isRequester = ({ principal }: Caller, { actor_type: type, actor }: Approval): boolean => principal.type === type && principal.id === actor;

const sees = (caller: Caller, approval: Approval): boolean => seesApproval(caller.principal.access, isRequester(caller, approval), approvalJson(approval));

export const visibleApproval = async (db: Db, caller: Caller, id: string): Promise<Approval> => {
  const approval = await readApproval(db, caller.env.id, id);
  if (approval === undefined || !sees(caller, approval)) throw fault('not_found');
  return approval;
};

const page = statement('approvals.page', `
  select ${columns} from approvals a where a.env = $1 and a.status = $2 and a.id < $3 order by a.id desc limit $4`);
const own = statement('approvals.own', `
  select ${columns} from approvals a where a.env = $1 and a.status = $2 and a.id < $3 and a.actor = $5 order by a.id desc limit $4`);

/** Above every id. */
const beyond = '~';

export interface ApprovalsPage {
  readonly approvals: Approval[];
  /** The id to go on before; null on the last page. */
  readonly next: string | null;
}

/** Newest first, older than the id `before`. */
export const listApprovals = async (db: Db, caller: Caller, { status, before, limit }: { status: ApprovalStatus; before: string | null; limit: number }): Promise<ApprovalsPage> => {
  const approvals: Approval[] = [];
  const others = caller.principal.access.may('approvals', 'see');
  let from = before ?? beyond;
  for (;;) {
    const values = [caller.env.id, status, from, limit + 1];
    const found = await (others ? rows<Approval>(db, page, values) : rows<Approval>(db, own, [...values, caller.principal.id]));
    for (const approval of found) {
      if (!sees(caller, approval)) {
        from = approval.id;
        continue;
      }
      if (approvals.length === limit) return { approvals, next: from };
      approvals.push(approval);
      from = approval.id;
    }
    if (found.length <= limit) return { approvals, next: null };
  }
};
