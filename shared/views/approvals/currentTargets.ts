/** The target of an approval as it is now, beside `before`, the target as it was when it was asked for. */
import type { Caller } from '../../access/principal.ts';
import type { ViewDeps } from '../deps.ts';
import { resolveFlag, flagView, readFlagRows } from '../../flags/model.ts';
import { readItems } from '../../items/model.ts';
import { fullAccess } from '../../access/access.ts';
import { itemJson } from '../../items/present.ts';
import { findRecordsAnywhere } from '../../records/read.ts';
import type { Approval, ApprovalRequestData } from '../../approvals/model.ts';
import { redactedApprovalJson } from './present.ts';

const keyOf = (resource: string, id: string): string => `${resource}/${id}`;

/** What of approvals is about records, items and flags, read at once for all of them. */
const readCurrentTargets = async (
  deps: ViewDeps,
  { env }: Caller,
  approvals: readonly Approval[],
): Promise<(approval: Approval) => unknown> => {
  const refs = approvals.flatMap(({ kind, request }) => {
    const { resource, record } =
      kind === 'action' ? (request as ApprovalRequestData['action']) : { resource: null, record: null };
    return resource === null || record === null ? [] : [{ resource, id: record }];
  });
  const targets = approvals.flatMap(({ kind, request }) =>
    kind === 'item' ? ((request as ApprovalRequestData['item']).target ?? []) : [],
  );
  const keys = approvals.flatMap(({ kind, request }) =>
    kind === 'flag' ? (request as ApprovalRequestData['flag']).flag : [],
  );
  const [records, items, flags] = await Promise.all([
    refs.length === 0 ? [] : findRecordsAnywhere(deps, env, refs),
    readItems(deps.db, env.id, targets),
    keys.length === 0 ? [] : readFlagRows(deps.db, env.id, keys),
  ]);
  const at = deps.clock.now();
  const byRecord = new Map(records.map((record) => [keyOf(record.resource, record.id), record]));
  return ({ kind, request }) => {
    if (kind === 'action') {
      const { resource, record } = request as ApprovalRequestData['action'];
      return resource === null || record === null ? null : (byRecord.get(keyOf(resource, record)) ?? null);
    }
    if (kind === 'flag') {
      const declared = env.definition.flags.get((request as ApprovalRequestData['flag']).flag);
      return declared === undefined
        ? null
        : flagView(
            resolveFlag(
              declared,
              flags.find(({ key }) => key === declared.key),
            ),
            at,
          );
    }
    return kind === 'item' ? (items.get((request as ApprovalRequestData['item']).target ?? '') ?? null) : null;
  };
};

/** Approvals as the caller sees them; what its role doesn't see any more of its own requests is left out. */
export const presentApprovals = async (
  deps: ViewDeps,
  caller: Caller,
  approvals: readonly Approval[],
): Promise<Record<string, unknown>[]> => {
  const nowOf = await readCurrentTargets(deps, caller, approvals);
  return approvals.map((approval) => {
    const now = nowOf(approval);
    const shown =
      approval.kind === 'item' && now !== null
        ? (JSON.parse(itemJson(now as Parameters<typeof itemJson>[0], fullAccess)) as unknown)
        : now;
    return redactedApprovalJson(approval, caller.principal.access, shown);
  });
};
