/** Rows of approvals, and the JSON, the timeline entry and the live messages that are made of one. */
import type { InputTexts } from '../app/manifest/money.ts';
import type { ActorRef, LivePart } from '../catalogue/events.ts';
import type { ApprovalStatus } from '../catalogue/states/approvals.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';
import { isObject } from '../platform/json/jsonLimits.ts';

export const approvalKinds = ['action', 'bulk', 'flag', 'item', 'question'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** The members that the target will have, as far as that is known; of a bulk, how many items. */
type After = Readonly<Record<string, unknown>>;

/** The column `approvals.request` by kind: the change that needs the approval. `after` is absent where it isn't known. */
export interface ApprovalRequestData {
  /** `isAside`: its item was not about its record. `declared`: what the action declares of the input (absent: an earlier release). `endedAs`: of a retry, the run's fence then. `news`: of a supervised agent, as of an item. */
  readonly action: InputTexts & {
    readonly action: string;
    readonly resource: string | null;
    readonly record: string | null;
    readonly item: string | null;
    readonly isAside?: boolean;
    readonly input: object;
    readonly declared?: readonly string[];
    readonly endedAs?: number;
    readonly news?: number | null;
  };
  /** `inboxes`: the inboxes of the bulk's items that the requester saw. `action`, `resource`: null unless the bulk runs an action; `declared` as of an action. */
  readonly bulk: InputTexts & {
    readonly operation: { readonly type: string };
    readonly total: number;
    readonly inboxes: readonly string[];
    readonly action: string | null;
    readonly resource: string | null;
    readonly declared?: readonly string[];
    readonly after?: After;
    /** Stand for the stored records of its action as they were: all that they showed, and the fields in its `stale`, if it has any. */
    readonly records?: string;
    readonly fields?: string;
  };
  /** `changes`: how many changes other than ramp steps the flag had at the time of the request; `warned`: its guard counted nothing then. */
  readonly flag: {
    readonly flag: string;
    readonly change: object;
    readonly changes: number;
    readonly warned?: boolean;
    readonly after?: After;
  };
  /** `target`: the item's id; null: the operation creates one. `news`: of a reply or a change of state, what others had done last (news.ts). */
  readonly item: {
    readonly operation: { readonly type: string } & Readonly<Record<string, unknown>>;
    readonly target: string | null;
    readonly inbox: string;
    readonly after?: After;
    readonly news?: number | null;
  };
  /** `fallback`: the answer of a question that expires; null: none. */
  readonly question: { readonly text: string; readonly options: readonly string[]; readonly fallback: string | null };
}

/** A comment on an approval: what somebody asks or says before it is decided. */
export interface ApprovalComment {
  readonly id: string;
  readonly at: number;
  readonly by: ActorRef;
  readonly text: string;
}

/** A vote for an approval that needs several. */
export interface ApprovalVote {
  readonly by: ActorRef;
  readonly at: number;
  readonly note: string | null;
  /** The digest that the person saw. The vote counts while the digest is the same. */
  readonly digest: string;
}

interface ApprovalColumns {
  readonly id: string;
  readonly env: number;
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
  /** The requester's. */
  readonly reason: string | null;
  /** What the action is called, or the person who is to be assigned. */
  readonly label: string | null;
  /** Whether the action's effect can be undone, as declared at the time of the request; null: not known. */
  readonly reversible: boolean | null;
  /** Whether the environment asked for independent deciders at the time of the request. */
  readonly independent: boolean;
  /** The target at the time of the request. */
  readonly before: object | null;
  readonly run: string | null;
  readonly bulk: string | null;
  readonly item: string | null;
  readonly inbox: string | null;
  readonly entry: string | null;
  readonly request_id: string | null;
  readonly address: string | null;
  /** The oldest first; null: none. */
  readonly comments: readonly ApprovalComment[] | null;
  /** The answer to a question. null: nobody has answered. */
  readonly answer: string | null;
  /** null: none. */
  readonly votes: readonly ApprovalVote[] | null;
  /** The number of people who have to approve it. */
  readonly needed: number;
  /** Names of the roles whose people may decide it; null: all that may decide. */
  readonly roles: readonly string[] | null;
  /** The input, operation or change that was asked for; null: nobody has edited it. */
  readonly asked: Readonly<Record<string, unknown>> | null;
}

/** An approval of one of the kinds `K`; `kind` tells the type of `request`. */
export type Approval<K extends ApprovalKind = ApprovalKind> = {
  [T in K]: ApprovalColumns & { readonly kind: T; readonly request: ApprovalRequestData[T] };
}[K];

/** The columns of `Approval`: all but `fingerprint`, which only the statements of requestApproval.ts compare. */
export const approvalColumns = `a.id, a.env, a.kind, a.status, a.summary, a.actor_type, a.actor, a.actor_name, a.requested_at, a.expires_at, a.decided_by, a.decided_at,
  a.note, a.reason, a.label, a.reversible, a.independent, a.request, a.before, a.run, a.bulk, a.item, a.inbox, a.entry, a.request_id, a.address, a.comments, a.answer, a.votes, a.needed, a.roles, a.asked`;

const approvalByIdSql = statement(
  'approvals.one',
  `select ${approvalColumns} from approvals a where a.env = $1 and a.id = $2`,
);
const endedApprovalSql = statement(
  'approvals.oneEnded',
  `select ${approvalColumns} from approvals_ended a where a.env = $1 and a.id = $2`,
);
const lockedApprovalSql = statement(
  'approvals.locked',
  `select ${approvalColumns} from approvals a where a.env = $1 and a.id = $2 for update`,
);

/** Returns the approval, locked for update when `lock` unless it has moved to its month, or undefined. It never comes back from there. */
export const readApproval = async (
  db: Db | Tx,
  envId: number,
  id: string,
  lock = false,
): Promise<Approval | undefined> =>
  (await queryRow<Approval>(db, lock ? lockedApprovalSql : approvalByIdSql, [envId, id])) ??
  queryRow<Approval>(db, endedApprovalSql, [envId, id]);

/** Returns the principal who requested the approval. */
const approvalRequester = ({ actor_type: type, actor: id, actor_name: name }: Approval): ActorRef => ({
  type,
  id,
  name,
});

/** The members of an approval by which visibility.ts decides who sees it. */
export interface ApprovalTarget {
  readonly kind: ApprovalKind;
  readonly action: string | null;
  readonly resource: string | null;
  readonly flag: string | null;
  readonly inbox: string | null;
  readonly inboxes: readonly string[] | null;
}

const requestMembers = {
  action: null,
  record: null,
  resource: null,
  input: null,
  flag: null,
  change: null,
  operation: null,
  question: null,
  inboxes: null,
  total: null,
  declared: null,
  currencies: null,
  labels: null,
  picked: null,
};

/** The member of a request that whoever decides may edit. */
const editedMembers = { action: 'input', item: 'operation', flag: 'change', bulk: null, question: null } as const;

/** Returns the name of the member of a request that can be edited; null: nothing can. */
export const editedMember = ({ kind }: Pick<Approval, 'kind'>): 'input' | 'operation' | 'change' | null =>
  editedMembers[kind];

/** Returns what a request asks for, by the name of its member; null: nothing that can be edited. */
export const askedOf = (approval: Approval): Readonly<Record<string, unknown>> | null => {
  const member = editedMember(approval);
  return member === null ? null : { [member]: requestedFields(approval)[member] };
};

/** Returns the members of a draft that come from `request`; those of the other kinds are null. */
const requestedFields = (
  approval: Approval,
): Record<string, unknown> & Pick<ApprovalDraft, keyof typeof requestMembers> => {
  switch (approval.kind) {
    case 'action': {
      const { item: _, endedAs: __, news: ___, ...asked } = approval.request;
      return { ...requestMembers, ...asked };
    }
    case 'bulk': {
      const { after: _, records: __, fields: ___, ...asked } = approval.request;
      return { ...requestMembers, ...asked };
    }
    case 'flag': {
      const { after: _, changes: __, ...asked } = approval.request;
      return { ...requestMembers, ...asked };
    }
    case 'item':
      return { ...requestMembers, operation: approval.request.operation };
    case 'question':
      return { ...requestMembers, question: approval.request };
  }
};

/** Returns the target that a request changes: the present one while it is pending, afterwards the one at the time of the request. */
export const changedTarget = (
  { status, before }: { readonly status?: unknown; readonly before?: unknown },
  now: unknown,
): unknown => (status === 'pending' && isObject(now) ? now : before);

/** Returns what the target will be: the target as it is now, or was, with the members that change; null: not known. */
const afterOf = (approval: Approval, now: unknown): unknown => {
  const { kind, request } = approval;
  if (kind === 'action' || kind === 'question' || request.after === undefined) return null;
  // Of a bulk they are counts, and what is now are its items.
  if (kind === 'bulk') return request.after;
  const target = changedTarget(approval, now);
  return { ...(isObject(target) ? target : {}), ...request.after };
};

const isReversible = ({ kind, request, reversible }: Approval): boolean | null =>
  kind === 'action' || kind === 'question' || (kind === 'bulk' && request.action !== null) ? reversible : true;

/** An approval with everything that its presentation is made of (views/approvals/present.ts). */
export interface ApprovalDraft extends Record<string, unknown>, ApprovalTarget, Record<keyof InputTexts, unknown> {
  readonly status: ApprovalStatus;
  readonly expiresAt: number;
  readonly requestedAt: number;
  readonly requestedBy: ActorRef;
  readonly label: string | null;
  readonly record: string | null;
  /** The number of a bulk's items. */
  readonly total: number | null;
  /** The members of the input that the action declares; null: not known. */
  readonly declared: readonly string[] | null;
  /** The people who may not decide it, as the agent is in their hands. */
  readonly barred: readonly string[];
  readonly votes: readonly Omit<ApprovalVote, 'digest'>[];
  readonly roles: readonly string[] | null;
}

/** Returns the JSON of an approval, unredacted. `now`: the present target, null where it isn't read. */
export const approvalJson = (
  approval: Approval,
  now: unknown = null,
  barred: readonly string[] = [],
): ApprovalDraft => ({
  id: approval.id,
  kind: approval.kind,
  summary: approval.summary,
  reason: approval.reason,
  requestedBy: approvalRequester(approval),
  requestedAt: approval.requested_at,
  expiresAt: approval.expires_at,
  status: approval.status,
  decidedBy: approval.decided_by,
  decidedAt: approval.decided_at,
  note: approval.note,
  comments: approval.comments ?? [],
  answer: approval.answer,
  votes: (approval.votes ?? []).map(({ digest: _, ...vote }) => vote),
  needed: approval.needed,
  roles: approval.roles,
  asked: approval.asked ?? askedOf(approval),
  decided: approval.asked !== null || approval.status === 'approved' ? askedOf(approval) : null,
  ...requestedFields(approval),
  replaced: approval.kind === 'flag' ? replacedRamp(approval.before, approval.request.change) : null,
  before: approval.before,
  now,
  after: afterOf(approval, now),
  reversible: isReversible(approval),
  item: approval.item,
  inbox: approval.inbox ?? (approval.kind === 'item' ? approval.request.inbox : null),
  run: approval.run,
  bulk: approval.bulk,
  /** Filled in by shared/views/approvals/currentTargets.ts. */
  itemTitle: null,
  leftOut: null,
  digest: null,
  /** Read where one is asked for by its id. */
  others: null,
  label: approval.label,
  barred,
});

/** Returns the data of the approval's timeline entry, which keeps its id when the status changes. */
const approvalEntryData = (approval: Approval): Record<string, unknown> => {
  const { id, kind, status, decided_by: by, decided_at: decidedAt, note, reason, label, answer } = approval;
  const { action, resource } = requestedFields(approval);
  return {
    approval: id,
    kind,
    status,
    decidedBy: by,
    decidedAt,
    note,
    ...(reason === null ? {} : { reason }),
    ...(kind === 'action' ? { action, label, about: { action, resource } } : {}),
    ...(approval.asked === null ? {} : { asked: approval.asked, decided: askedOf(approval) }),
    ...(kind === 'question' ? { question: approval.request.text, answer } : {}),
  };
};

/** Returns the data of the approval's event in JSON: that of its timeline entry, or of a bulk the inboxes by which views/audit.ts decides who sees it. */
export const approvalEventData = (approval: Approval): string | null => {
  if (approval.entry !== null) return JSON.stringify(approvalEntryData(approval));
  return approval.kind === 'bulk' ? JSON.stringify({ inboxes: approval.request.inboxes }) : null;
};

/** Returns the live messages of a new or changed approval, and of its timeline entry if it has one. */
export const approvalLiveParts = (
  approval: Approval,
  at: number,
  change: 'created' | 'changed',
  barred: readonly string[] = [],
): LivePart[] => {
  const { item, inbox, entry } = approval;
  const part: LivePart = { type: 'approval', approval: approvalJson(approval, null, barred) };
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

/** Returns the ramp among a flag's members that a change with the members `after` replaces, or null when none is running. */
export const replacedRamp = (before: unknown, after: unknown): Readonly<Record<string, unknown>> | null => {
  const ramp = isObject(before) ? before['ramp'] : null;
  const isStarted = isObject(after) && isObject(after['ramp']);
  return isStarted && isObject(ramp) && (ramp['status'] === 'running' || ramp['status'] === 'scheduled') ? ramp : null;
};
