/** Approvals as rows, and the form in which everybody sees one. */
import type { ActorRef, LivePart } from '../catalogue/events.ts';
import type { ApprovalStatus } from '../catalogue/states.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';

export const approvalKinds = ['action', 'bulk', 'flag', 'item'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** What is asked for, by kind: the members of `approvals.request`. */
export interface ApprovalRequestData {
  /** `endedAs`: of a run that is to be run again, its fence when that was asked for. */
  readonly action: {
    readonly action: string;
    readonly resource: string | null;
    readonly record: string | null;
    readonly item: string | null;
    readonly input: object;
    readonly endedAs?: number;
  };
  /** `inboxes`: of those of its items that the requester saw; `action` and `resource`: of a bulk of actions. */
  readonly bulk: {
    readonly operation: { readonly type: string };
    readonly total: number;
    readonly inboxes: readonly string[];
    readonly action: string | null;
    readonly resource: string | null;
  };
  /** `changes`: how often the flag had been changed by other than steps when it was asked. */
  readonly flag: { readonly flag: string; readonly change: object; readonly changes: number };
  /** `target`: the item; null: one is to be created. `version`: of the item when it was asked. */
  readonly item: {
    readonly operation: { readonly type: string } & Readonly<Record<string, unknown>>;
    readonly target: string | null;
    readonly inbox: string;
  };
}

export interface Approval<K extends ApprovalKind = ApprovalKind> {
  readonly id: string;
  readonly env: number;
  readonly kind: K;
  readonly status: ApprovalStatus;
  readonly summary: string;
  readonly actor_type: ActorRef['type'];
  readonly actor: string;
  readonly actor_name: string;
  readonly requested_at: number;
  readonly expires_at: number;
  readonly decided_by: ActorRef | null;
  readonly decided_at: number | null;
  readonly note: string | null;
  readonly request: ApprovalRequestData[K];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly run: string | null;
  readonly bulk: string | null;
  readonly item: string | null;
  readonly inbox: string | null;
  readonly entry: string | null;
  readonly request_id: string | null;
  readonly address: string | null;
}

/** The columns of an approval; `fingerprint` is nobody's business. */
export const approvalColumns = `a.id, a.env, a.kind, a.status, a.summary, a.actor_type, a.actor, a.actor_name, a.requested_at, a.expires_at, a.decided_by, a.decided_at,
  a.note, a.request, a.before, a.run, a.bulk, a.item, a.inbox, a.entry, a.request_id, a.address`;

const approvalByIdSql = statement(
  'approvals.one',
  `select ${approvalColumns} from approvals a where a.env = $1 and a.id = $2`,
);
const lockedApprovalSql = statement(
  'approvals.locked',
  `select ${approvalColumns} from approvals a where a.env = $1 and a.id = $2 for update`,
);

export const readApproval = (db: Db | Tx, env: number, id: string, lock = false): Promise<Approval | undefined> =>
  queryRow<Approval>(db, lock ? lockedApprovalSql : approvalByIdSql, [env, id]);

const approvalRequester = ({ actor_type: type, actor: id, actor_name: name }: Approval): ActorRef => ({
  type,
  id,
  name,
});

/** By what it is decided who sees it. */
export interface ApprovalTarget {
  readonly kind: ApprovalKind;
  readonly action: string | null;
  readonly resource: string | null;
  readonly flag: string | null;
  readonly inbox: string | null;
  readonly inboxes: readonly string[] | null;
}

/** What it is about: which member of the request each kind has. */
const requestedFields = ({
  kind,
  request,
}: Approval): Record<string, unknown> & Pick<ApprovalTarget, 'action' | 'resource' | 'flag' | 'inboxes'> => {
  const empty = {
    action: null,
    record: null,
    resource: null,
    input: null,
    flag: null,
    change: null,
    operation: null,
    inboxes: null,
  };
  switch (kind) {
    case 'action': {
      const { action, record, resource, input } = request as ApprovalRequestData['action'];
      return { ...empty, action, record, resource, input };
    }
    case 'bulk': {
      const { operation, inboxes, action, resource } = request as ApprovalRequestData['bulk'];
      return { ...empty, operation, inboxes, action, resource };
    }
    case 'flag': {
      const { flag, change } = request as ApprovalRequestData['flag'];
      return { ...empty, flag, change };
    }
    case 'item':
      return { ...empty, operation: (request as ApprovalRequestData['item']).operation };
  }
};

/** `now`: the target as it is; null when that isn't known here. */
export const approvalJson = (
  approval: Approval,
  now: unknown = null,
): Record<string, unknown> & ApprovalTarget & { readonly requestedBy: ActorRef } => ({
  id: approval.id,
  kind: approval.kind,
  summary: approval.summary,
  requestedBy: approvalRequester(approval),
  requestedAt: approval.requested_at,
  expiresAt: approval.expires_at,
  status: approval.status,
  decidedBy: approval.decided_by,
  decidedAt: approval.decided_at,
  note: approval.note,
  ...requestedFields(approval),
  before: approval.before,
  now,
  item: approval.item,
  inbox: approval.inbox ?? (approval.kind === 'item' ? (approval.request as ApprovalRequestData['item']).inbox : null),
  run: approval.run,
  bulk: approval.bulk,
});

/** What a timeline shows of an approval: one entry, whose later statuses have the same id. */
export const approvalEntryData = (approval: Approval): Record<string, unknown> => {
  const { id, kind, status, decided_by: by, note } = approval;
  const { action, resource } = requestedFields(approval);
  return {
    approval: id,
    kind,
    status,
    decidedBy: by,
    note,
    ...(kind === 'action' ? { about: { action, resource } } : {}),
  };
};

export const approvalLiveParts = (approval: Approval, at: number, change: 'created' | 'changed'): LivePart[] => {
  const { item, inbox, entry } = approval;
  const part: LivePart = { type: 'approval', approval: approvalJson(approval) };
  if (item === null || inbox === null || entry === null) return [part];
  return [
    part,
    {
      type: 'timeline',
      inbox,
      change,
      item,
      entry: {
        id: entry,
        item,
        type: 'approval',
        at: change === 'created' ? at : approval.requested_at,
        actor: approvalRequester(approval),
        data: approvalEntryData(approval),
      },
    },
  ];
};
