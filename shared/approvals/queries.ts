/** Reads the approvals that one caller may see: one, and pages of them, for the endpoints of approvals and decisions/. Says how those that have ended move to their months. */
import type { Caller } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { type ApprovalStatus, openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import type { Db } from '../platform/db/knex.ts';
import { type Statement, queryRows, statement } from '../platform/db/sql.ts';
import { type EndedRows, batchRows } from '../platform/ended/moveEnded.ts';
import { notFoundFault, readPageOfTwo } from '../platform/ended/readEnded.ts';
import { type LargeRow, largeRowsSql, storedBytesSql, readVisiblePage } from '../platform/listing/page.ts';
import { type Approval, type ApprovalKind, approvalColumns, approvalJson, readApproval } from './model.ts';
import { canSeeApproval } from './rights.ts';

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
      bytes: storedBytesSql('a.request', 'a.before', 'a.comments', 'a.asked'),
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
  /** null: all but questions. */
  readonly kind: ApprovalKind | null;
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
  { status, requestedBy, kind, before, limit }: ApprovalsWanted,
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
    (approval) =>
      (kind === null ? approval.kind !== 'question' : approval.kind === kind) && canSee(caller, approval)
        ? approval
        : null,
  );
  return { approvals, next };
};

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
