/** Requests the approval of a run, which is inserted as pending. Used by acceptAction.ts and retryRun.ts. */
import type { Caller } from '../../accounts/access/principal.ts';
import { requestApproval } from '../../approvals/requestApproval.ts';
import { limits } from '../../catalogue/limits.ts';
import { readItems, type Item } from '../../items/model.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import type { AuthorizedAction } from '../authorizeAction.ts';
import { runCounter, type ActionDeps } from '../deps.ts';
import { insertRun } from '../insertRun.ts';
import type { Run } from '../model.ts';
import type { AcceptedRun } from './accepted.ts';
import { inputOfRequest } from './inputOfRequest.ts';

/** Returns whether an item is about a record, or has a link to it. */
const isAbout = (
  { record, links }: Item,
  { resource, id }: { readonly resource: string | null; readonly id: string },
): boolean => [record, ...links].some((ref) => ref?.resource === resource && ref?.id === id);

const summaryOf = ({ label, resource, record }: Run): string =>
  record === null ? label : `${label}: ${resource ?? ''} ${record}`;

interface RunApprovalRequest {
  /** The run as it starts once it is approved. */
  readonly run: Run;
  /** For a retry, the ended run: it stays as it is until the retry is approved. */
  readonly ended?: Run;
}

/** Requests an approval and returns the pending run. The same request by the same principal returns the one that is pending. */
export const requestRunApproval = async (
  deps: ActionDeps,
  caller: Caller,
  { run, ended }: RunApprovalRequest,
  { record }: Pick<AuthorizedAction, 'record'>,
  save: (accepted: AcceptedRun) => SavedResponse | null,
): Promise<AcceptedRun> => {
  const { action, resource, record: id, item, inbox, input } = run;
  const definition = caller.env.definition.actions.get(action);
  const fields = record === 'unverified' ? undefined : record?.fields;
  const declared =
    definition === undefined ? {} : await inputOfRequest(deps, caller.env, { action: definition, input }, fields);
  const shownOn = item === null ? undefined : (await readItems(deps.db, caller.env.id, [item])).get(item);
  const isAside = shownOn !== undefined && id !== null && !isAbout(shownOn, { resource, id });
  const request = { action, resource, record: id, item, isAside, input, ...declared };
  const asked = await requestApproval(deps, caller, {
    kind: 'action',
    summary: summaryOf(run),
    request: ended === undefined ? request : { ...request, endedAs: ended.fence },
    before: record === 'unverified' ? null : record,
    label: run.label,
    reversible: definition?.reversible ?? null,
    fingerprint: ['action', action, resource, id, item, input, ended?.id],
    expiresMs: limits.approvalMs,
    run: run.id,
    item: item === null || inbox === null ? null : { id: item, inbox },
    alsoInTransaction: async (tx, approval) => {
      if (ended === undefined)
        await insertRun(
          tx,
          { ...run, status: 'pending', approval },
          { due: null, saved: null, unlessQueued: false, count: runCounter(deps, run) },
        );
    },
    save: ({ approval, run: waiting }) => save({ kind: 'pending', approval, run: waiting ?? run.id }),
  });
  return { kind: 'pending', approval: asked.approval, run: asked.run ?? run.id };
};
