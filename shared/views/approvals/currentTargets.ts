/** Presents approvals with their present targets (`now`) beside those at the time of the request (`before`). For api/routes/approvals.ts. */
import { fullAccess } from '../../accounts/access/access.ts';
import type { Caller } from '../../accounts/access/principal.ts';
import { readBarred } from '../../accounts/settings/independence.ts';
import { orderApproval } from '../../app/manifest/declaredOrder.ts';
import type { Definition } from '../../app/manifest/definition.ts';
import { approvalJson, type Approval } from '../../approvals/model.ts';
import { toReader } from '../../approvals/rights.ts';
import { hashBulkRecords } from '../../bulk/bulkRecords.ts';
import { flagView, readFlagRows, resolveFlag } from '../../flags/model.ts';
import { readItems, type Item } from '../../items/model.ts';
import { presentItem } from '../../items/present.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { findRecordsAnywhere } from '../../records/read.ts';
import type { ViewDeps } from '../deps.ts';
import { readBulkTargets, type FindRecords } from './bulkItems.ts';
import { digestOf } from './digest.ts';
import { presentApproval, type PresentedApproval } from './present.ts';

/** Returns the action of a request and its input, or of the bulk that runs it. */
const requestedAction = ({ kind, request }: Approval): { readonly action: string | null; readonly input: unknown } => {
  if (kind === 'action') return request;
  if (kind !== 'bulk') return { action: null, input: null };
  const operation: Readonly<Record<string, unknown>> = request.operation;
  return { action: request.action, input: operation['input'] };
};

/** Returns the absent members with their descriptions, null where a member has none. Returns null when none is absent or the action is no longer declared. */
const leftOutMembers = (
  { actions }: Pick<Definition, 'actions'>,
  approval: Approval,
): Readonly<Record<string, string | null>> | null => {
  const { action, input } = requestedAction(approval);
  const declared: unknown = actions.get(action ?? '')?.input;
  const properties = isObject(declared) && isObject(declared['properties']) ? declared['properties'] : {};
  const given = isObject(input) ? input : {};
  const left = Object.entries(properties).filter(([name]) => !Object.hasOwn(given, name));
  if (left.length === 0) return null;
  return Object.fromEntries(
    left.map(([name, schema]) => {
      const description = isObject(schema) ? schema['description'] : null;
      return [name, typeof description === 'string' ? description : null];
    }),
  );
};

const keyOf = (resource: string, id: string): string => `${resource}/${id}`;

/** Returns an item, with its links where the request changes them. */
const itemValue = (item: Item | undefined, before: object | null): unknown =>
  item === undefined
    ? null
    : { ...presentItem(item, fullAccess), ...(before !== null && 'links' in before ? { links: item.links } : {}) };

interface CurrentTarget {
  readonly now: unknown;
  readonly itemTitle: string | null;
  /** What the digest covers besides: of requests to reply the id of the item's newest reply, of bulks what stands for their records. */
  readonly beside: string | null;
}

interface LastReply {
  readonly item: string;
  readonly entry: string;
}

const lastRepliesSql = statement(
  'approvals.lastReplies',
  `
  select i.id as item, r.entry from unnest($2::text[]) as i(id) cross join lateral (
    select e.entry from events e where e.env = $1 and e.item = i.id and e.entry is not null and not e.is_update and e.type = 'reply'
    order by e.id desc limit 1) r`,
);

/** Returns what stands for the records of pending bulks of actions that the caller sees, by the bulk's id. */
const hashRecordsOfBulks = async (
  { db }: ViewDeps,
  { env, principal: { access } }: Caller,
  approvals: readonly Approval[],
): Promise<ReadonlyMap<string, string>> => {
  const hashes = await Promise.all(
    approvals.map(async ({ kind, status, bulk, request }) => {
      if (kind !== 'bulk' || status !== 'pending' || bulk === null) return [];
      if (request.resource === null || !access.sees('resource', request.resource)) return [];
      const found = await hashBulkRecords(db, env, { bulk, ids: null, ...request });
      return found === null ? [] : [[bulk, found.records] as const];
    }),
  );
  return new Map(hashes.flat());
};

/** Reads the records, items, flags and bulks that the approvals are about, and returns a function that gives each approval its own. */
const readCurrentTargets = async (
  deps: ViewDeps,
  caller: Caller,
  approvals: readonly Approval[],
  findRecords: FindRecords,
): Promise<(approval: Approval) => CurrentTarget> => {
  const { env } = caller;
  const refs = approvals.flatMap(({ kind, request }) => {
    const { resource, record } = kind === 'action' ? request : { resource: null, record: null };
    return resource === null || record === null ? [] : [{ resource, id: record }];
  });
  const targets = approvals.flatMap(({ kind, request, item }) => [
    ...(kind === 'item' && request.target !== null ? [request.target] : []),
    ...(item === null ? [] : [item]),
  ]);
  const keys = approvals.flatMap(({ kind, request }) => (kind === 'flag' ? request.flag : []));
  const replied = approvals.flatMap(({ kind, request }) =>
    kind === 'item' && request.operation.type === 'reply' ? (request.target ?? []) : [],
  );
  const [records, items, flags, bulks, replies, hashes] = await Promise.all([
    refs.length === 0 ? [] : findRecords(deps, env, refs),
    readItems(deps.db, env.id, targets),
    keys.length === 0 ? [] : readFlagRows(deps.db, env.id, keys),
    readBulkTargets(deps, env, approvals, findRecords),
    replied.length === 0 ? [] : queryRows<LastReply>(deps.db, lastRepliesSql, [env.id, replied]),
    hashRecordsOfBulks(deps, caller, approvals),
  ]);
  const at = deps.clock.now();
  const byRecord = new Map(records.map((record) => [keyOf(record.resource, record.id), record]));
  const nowOf = ({ kind, request, bulk, before }: Approval): unknown => {
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
    return kind === 'item' ? itemValue(items.get(request.target ?? ''), before) : (bulks.get(bulk ?? '') ?? null);
  };
  const lastReply = new Map(replies.map(({ item, entry }) => [item, entry]));
  return (approval) => ({
    now: nowOf(approval),
    itemTitle: items.get(approval.item ?? '')?.title ?? null,
    beside: hashes.get(approval.bulk ?? '') ?? lastReply.get(approval.item ?? '') ?? null,
  });
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
  findRecords: FindRecords = findRecordsAnywhere,
): Promise<PresentedApproval[]> => {
  const at = deps.clock.now();
  const reader = toReader(caller.principal);
  const [currentOf, barred] = await Promise.all([
    readCurrentTargets(deps, caller, approvals, findRecords),
    reader.decides ? readBarredFrom(deps, approvals, at) : new Map<string, readonly string[]>(),
  ]);
  return approvals.map((approval) => {
    const { now, itemTitle, beside } = currentOf(approval);
    const { definition } = caller.env;
    const draft = orderApproval(
      definition,
      approvalJson(approval, now, approval.independent ? barred.get(approval.actor) : []),
    );
    const leftOut = leftOutMembers(definition, approval);
    const shown = presentApproval({ ...draft, itemTitle, leftOut }, reader, at);
    return { ...shown, digest: digestOf(caller, approval, shown, beside) };
  });
};
