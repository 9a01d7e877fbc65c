/** Presents approvals with their present targets (`now`) beside those at the time of the request (`before`). For api/routes/approvals.ts. */
import { fullAccess } from '../../access/access.ts';
import type { Caller } from '../../access/principal.ts';
import { toReader } from '../../approvals/canDecide.ts';
import { approvalJson, type Approval } from '../../approvals/model.ts';
import { flagView, readFlagRows, resolveFlag } from '../../flags/model.ts';
import { readItems, type Item } from '../../items/model.ts';
import { presentItem } from '../../items/present.ts';
import { findRecordsAnywhere } from '../../records/read.ts';
import { readBarred } from '../../settings/independence.ts';
import type { ViewDeps } from '../deps.ts';
import { readBulkTargets } from './bulkItems.ts';
import { leftOutMembers } from './leftOut.ts';
import { presentApproval } from './present.ts';

const keyOf = (resource: string, id: string): string => `${resource}/${id}`;

const itemValue = (item: Item | undefined): unknown => (item === undefined ? null : presentItem(item, fullAccess));

interface CurrentTarget {
  readonly now: unknown;
  readonly itemTitle: string | null;
}

/** Reads the records, items, flags and bulks that the approvals are about, and returns a function that gives each approval its own. */
const readCurrentTargets = async (
  deps: ViewDeps,
  { env }: Caller,
  approvals: readonly Approval[],
): Promise<(approval: Approval) => CurrentTarget> => {
  const refs = approvals.flatMap(({ kind, request }) => {
    const { resource, record } = kind === 'action' ? request : { resource: null, record: null };
    return resource === null || record === null ? [] : [{ resource, id: record }];
  });
  const targets = approvals.flatMap(({ kind, request, item }) => [
    ...(kind === 'item' && request.target !== null ? [request.target] : []),
    ...(item === null ? [] : [item]),
  ]);
  const keys = approvals.flatMap(({ kind, request }) => (kind === 'flag' ? request.flag : []));
  const [records, items, flags, bulks] = await Promise.all([
    refs.length === 0 ? [] : findRecordsAnywhere(deps, env, refs),
    readItems(deps.db, env.id, targets),
    keys.length === 0 ? [] : readFlagRows(deps.db, env.id, keys),
    readBulkTargets(deps.db, env.id, approvals),
  ]);
  const at = deps.clock.now();
  const byRecord = new Map(records.map((record) => [keyOf(record.resource, record.id), record]));
  const nowOf = ({ kind, request, bulk }: Approval): unknown => {
    if (kind === 'action') {
      const { resource, record } = request;
      return resource === null || record === null ? null : (byRecord.get(keyOf(resource, record)) ?? null);
    }
    if (kind === 'flag') {
      const declared = env.definition.flags.get(request.flag);
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
    return kind === 'item' ? itemValue(items.get(request.target ?? '')) : (bulks.get(bulk ?? '') ?? null);
  };
  return (approval) => ({ now: nowOf(approval), itemTitle: items.get(approval.item ?? '')?.title ?? null });
};

/** Returns the people who may not decide requests, by who requests: of those that are to be decided independently. */
const readBarredFrom = (
  deps: ViewDeps,
  approvals: readonly Approval[],
  at: number,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const requesters = approvals.flatMap(({ status, independent, actor }) =>
    status === 'pending' && independent ? [actor] : [],
  );
  return readBarred(deps.db, requesters, at);
};

/** Returns the JSON of approvals, redacted for the caller, whose role may no longer see everything of its own requests. */
export const presentApprovals = async (
  deps: ViewDeps,
  caller: Caller,
  approvals: readonly Approval[],
): Promise<Readonly<Record<string, unknown>>[]> => {
  const at = deps.clock.now();
  const reader = toReader(caller.principal);
  const [currentOf, barred] = await Promise.all([
    readCurrentTargets(deps, caller, approvals),
    reader.decides ? readBarredFrom(deps, approvals, at) : new Map<string, readonly string[]>(),
  ]);
  return approvals.map((approval) => {
    const { now, itemTitle } = currentOf(approval);
    const draft = approvalJson(approval, now, approval.independent ? barred.get(approval.actor) : []);
    const leftOut = leftOutMembers(caller.env.definition, approval);
    return presentApproval({ ...draft, itemTitle, leftOut }, reader, at);
  });
};
