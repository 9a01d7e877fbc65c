/** Reads the approvals that one caller may see: one, and pages of them. For the endpoints of approvals and decisions/. */
import type { Caller } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { openApprovalStatuses, type ApprovalStatus } from '../catalogue/states/approvals.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement, type Statement } from '../platform/db/sql.ts';
import { notFoundFault } from '../platform/ended/readEnded.ts';
import { readPageOfTwo } from '../platform/ended/readEnded.ts';
import { type LargeRow, largeRowsSql, storedBytesSql } from '../platform/listing/page.ts';
import { readVisiblePage } from '../platform/listing/page.ts';
import { approvalColumns, approvalJson, readApproval, type Approval } from './model.ts';
import { canSeeApproval } from './visibility.ts';

/** Returns whether the caller requested the approval. */
export const isApprovalRequester = ({ principal }: Caller, { actor_type: type, actor }: Approval): boolean =>
  principal.type === type && principal.id === actor;

/** Returns whether the caller sees the approval. */
export const canSee = (caller: Caller, approval: Approval): boolean =>
  canSeeApproval(caller.principal.access, isApprovalRequester(caller, approval), approvalJson(approval));

/** Returns the approval. Throws `not_found` when it doesn't exist or the caller doesn't see it. */
export const readVisibleApproval = async (db: Db, caller: Caller, id: string): Promise<Approval> => {
  const approval = await readApproval(db, caller.env.id, id);
  if (approval === undefined || !canSee(caller, approval))
    throw await notFoundFault(db, caller.env.id, 'approvals', id);
  return approval;
};

const pageStatements = (name: string, more: string): Readonly<Record<'recent' | 'all', Statement>> => {
  const from = (table: 'approvals' | 'all_approvals'): string =>
    largeRowsSql({
      as: 'a',
      columns: approvalColumns,
      rows: `select a.* from ${table} a where a.env = $1 and a.status = $2 and a.id < $3 ${more} order by a.id desc limit $4`,
      bytes: storedBytesSql('a.request', 'a.before'),
      order: 'a.id desc',
    });
  return {
    recent: statement(name, from('approvals')),
    all: statement(`${name}All`, from('all_approvals')),
  };
};
const everybodys = pageStatements('approvals.page', '');
const ofOne = pageStatements('approvals.ofOne', 'and a.actor = $5');

/** Sorts after every id. */
const aboveAllIds = '~';

interface ApprovalsPage {
  readonly approvals: Approval[];
  /** The `before` of the next page; null on the last page. */
  readonly next: string | null;
}

interface ApprovalsWanted {
  readonly status: ApprovalStatus;
  /** The id of the principal who asked; null: anybody. */
  readonly requestedBy: string | null;
  readonly before: string | null;
  readonly limit: number;
}

/**
 * Returns a page of approvals, newest first, all older than the id `before`; a short one where they are large. Those that are pending
 * have not moved to months.
 */
export const listApprovals = async (
  { db, clock }: Pick<DomainDeps, 'db' | 'clock'>,
  caller: Caller,
  { status, requestedBy, before, limit }: ApprovalsWanted,
): Promise<ApprovalsPage> => {
  const actor = caller.principal.access.may('approvals', 'see') ? requestedBy : caller.principal.id;
  if (requestedBy !== null && actor !== requestedBy) return { approvals: [], next: null };
  const statements = actor === null ? everybodys : ofOne;
  const read = (from: string, wanted: number): Promise<(Approval & LargeRow)[]> => {
    const values = [caller.env.id, status, from, wanted, ...(actor === null ? [] : [actor])];
    const readRecent = (): Promise<(Approval & LargeRow)[]> => queryRows(db, statements.recent, values);
    if (openApprovalStatuses.includes(status)) return readRecent();
    const readAll = (): Promise<(Approval & LargeRow)[]> => queryRows(db, statements.all, values);
    return readPageOfTwo({ now: clock.now(), before: from, wanted, readRecent, readAll });
  };
  const { page: approvals, next } = await readVisiblePage(
    { from: before ?? aboveAllIds, limit, read, positionOf: ({ id }) => id, isCutBehind: (row) => row.is_cut },
    (approval) => (canSee(caller, approval) ? approval : null),
  );
  return { approvals, next };
};
