/** A run that a person has to approve first: written as pending, with the approval that it waits for. */
import { limits } from '../catalogue/limits.ts';
import type { Caller } from '../access/principal.ts';
import { requestApproval } from '../approvals/requestApproval.ts';
import type { ActionDeps } from './deps.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import type { AcceptedRun } from './accepted.ts';
import type { AuthorizedAction } from './authorizeAction.ts';
import type { Run } from './model.ts';
import { insertRun } from './runStatements.ts';

const summaryOf = ({ label, resource, record }: Run): string =>
  record === null ? label : `${label}: ${resource ?? ''} ${record}`;

interface RunApprovalRequest {
  /** As it is to be begun. */
  readonly run: Run;
  /** The ended run, when it is asked for again: it stays as it is until somebody approves. */
  readonly ended?: Run;
}

/** The same request by the same principal while one is pending answers with that one. */
export const requestRunApproval = async (
  deps: ActionDeps,
  caller: Caller,
  { run, ended }: RunApprovalRequest,
  { record }: Pick<AuthorizedAction, 'record'>,
  save: (accepted: AcceptedRun) => SavedResponse | null,
): Promise<AcceptedRun> => {
  const { action, resource, record: id, item, inbox, input } = run;
  const asked = await requestApproval(deps, caller, {
    kind: 'action',
    summary: summaryOf(run),
    request: { action, resource, record: id, item, input, ...(ended === undefined ? {} : { endedAs: ended.fence }) },
    before: record === 'unverified' ? null : record,
    fingerprint: ['action', action, resource, id, item, input, ended?.id],
    expiresMs: limits.approvalMs,
    run: run.id,
    item: item === null || inbox === null ? null : { id: item, inbox },
    alsoInTransaction: async (tx, approval) => {
      if (ended === undefined)
        await insertRun(tx, { ...run, status: 'pending', approval }, { due: null, saved: null, unlessQueued: false });
    },
    save: ({ approval, run: waiting }) => save({ kind: 'pending', approval, run: waiting ?? run.id }),
  });
  return { kind: 'pending', approval: asked.approval, run: asked.run ?? run.id };
};
