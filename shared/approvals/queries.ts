/** Reads the approvals that one caller may see: one, and pages of them. For the endpoints of approvals and decisions/. */
import type { Caller } from '../access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import type { ApprovalStatus } from '../catalogue/states/approvals.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { readVisiblePage } from '../platform/listing/page.ts';
import { approvalColumns, approvalJson, readApproval, type Approval } from './model.ts';
import { canSeeApproval } from './visibility.ts';

/** Returns whether the caller requested the approval. */
export const isApprovalRequester = ({ principal }: Caller, { actor_type: type, actor }: Approval): boolean =>
  principal.type === type && principal.id === actor;

const canSee = (caller: Caller, approval: Approval): boolean =>
  canSeeApproval(caller.principal.access, isApprovalRequester(caller, approval), approvalJson(approval));

/** Returns the approval. Throws `not_found` when it doesn't exist or the caller doesn't see it. */
export const readVisibleApproval = async (db: Db, caller: Caller, id: string): Promise<Approval> => {
  const approval = await readApproval(db, caller.env.id, id);
  if (approval === undefined || !canSee(caller, approval)) throw fault('not_found');
  return approval;
};

const page = statement(
  'approvals.page',
  `
  select ${approvalColumns} from approvals a where a.env = $1 and a.status = $2 and a.id < $3 order by a.id desc limit $4`,
);
const own = statement(
  'approvals.own',
  `
  select ${approvalColumns} from approvals a where a.env = $1 and a.status = $2 and a.id < $3 and a.actor = $5 order by a.id desc limit $4`,
);

/** Sorts after every id. */
const aboveAllIds = '~';

interface ApprovalsPage {
  readonly approvals: Approval[];
  /** The `before` of the next page; null on the last page. */
  readonly next: string | null;
}

/** Returns a page of approvals, newest first, all older than the id `before`. */
export const listApprovals = async (
  db: Db,
  caller: Caller,
  { status, before, limit }: { status: ApprovalStatus; before: string | null; limit: number },
): Promise<ApprovalsPage> => {
  const others = caller.principal.access.may('approvals', 'see');
  const read = (from: string, wanted: number): Promise<Approval[]> => {
    const values = [caller.env.id, status, from, wanted];
    return others
      ? queryRows<Approval>(db, page, values)
      : queryRows<Approval>(db, own, [...values, caller.principal.id]);
  };
  const { page: approvals, next } = await readVisiblePage(
    { from: before ?? aboveAllIds, limit, read, positionOf: ({ id }) => id },
    (approval) => (canSee(caller, approval) ? approval : null),
  );
  return { approvals, next };
};
