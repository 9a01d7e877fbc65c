/** Types of the API's responses, from its schemas; used by every part of the console. */
import type { ownSessionSchema } from '../../../shared/accounts/schema.ts';
import type { Agent } from '../../../shared/accounts/settings/agents.ts';
import type { AppKey } from '../../../shared/accounts/settings/appKeys.ts';
import type { Environment } from '../../../shared/accounts/settings/environments/environments.ts';
import type { Loosening } from '../../../shared/accounts/settings/environments/loosenings.ts';
import type { PersonView } from '../../../shared/accounts/settings/people.ts';
import type { Role } from '../../../shared/accounts/settings/roles.ts';
import type { itemSchema } from '../../../shared/app/items/members.ts';
import type { approvalSchema, decidedResponse } from '../../../shared/approvals/schema.ts';
import type { bulkResultSchema, bulkSchema, dryRunResponse } from '../../../shared/bulk/schema.ts';
import type { ApprovalStatus } from '../../../shared/catalogue/states/approvals.ts';
import type { BulkOutcome, BulkStatus } from '../../../shared/catalogue/states/bulks.ts';
import type { RunStatus } from '../../../shared/catalogue/states/runs.ts';
import type { erasureCountsSchema, erasureInput, erasureSchema } from '../../../shared/erasure/schema.ts';
import type { flagHistorySchema, flagSchema, rampResponse } from '../../../shared/flags/schema.ts';
import type { occurrenceSchema } from '../../../shared/items/occurrences/occurrences.ts';
import type { entrySchema, replyDryRunResponse } from '../../../shared/items/schema.ts';
import type { actorSchema, Static } from '../../../shared/platform/json/schema.ts';
import type { recordSchema, resourceSchema } from '../../../shared/records/schema.ts';
import type {
  actionDryRunResponse,
  actionSchema,
  availableActionSchema,
  availableResponse,
  runSchema,
} from '../../../shared/runs/schema.ts';
import type { JobCounts, JobView } from '../../../shared/views/jobs/schema.ts';
import type { auditEntrySchema } from '../../routes/audit.ts';
import type { inboxCounts } from '../../routes/counts.ts';
import type { inboxSchema, viewSchema } from '../../routes/discovery.ts';
import type { meSchema } from '../../routes/me.ts';
import type { pageSchema } from '../../routes/pages.ts';
import type { personSchema } from '../../routes/people.ts';

export type { ApprovalStatus, RunStatus };
export type Item = Static<typeof itemSchema>;
export type Entry = Static<typeof entrySchema>;
export type Occurrence = Static<typeof occurrenceSchema>;
type Actor = Static<typeof actorSchema>;
export type Resource = Static<typeof resourceSchema>;

/** Members whose schema says no more than that they are objects. */
type WithObjects<T, K extends keyof T> = Omit<T, K> & { readonly [name in K]: Readonly<Record<string, unknown>> };

export type AppRecord = WithObjects<Static<typeof recordSchema>, 'fields'>;
export type Action = WithObjects<Static<typeof actionSchema>, 'input'>;
type AvailableAction = WithObjects<Static<typeof availableActionSchema>, 'input' | 'defaults'>;
export type Availability = Omit<Static<typeof availableResponse>['available'][number], 'actions'> & {
  readonly actions: readonly AvailableAction[];
};
export type ActionDryRun = WithObjects<Static<typeof actionDryRunResponse>, 'input'>;
export type Run = WithObjects<Omit<Static<typeof runSchema>, 'status' | 'blocks'>, 'input'> & {
  readonly status: RunStatus;
  readonly blocks: readonly Block[] | null;
};
export type Inbox = Static<typeof inboxSchema>;
export type View = Static<typeof viewSchema>;
export type Page = Static<typeof pageSchema>;
export type Me = Static<typeof meSchema>;
export type Person = Static<typeof personSchema>;
type InboxCounts = Static<typeof inboxCounts>;
export type Approval = Static<typeof approvalSchema>;
export type DecisionResult = Static<typeof decidedResponse>['results'][number];
export type { Agent, AppKey, Environment, Loosening, Role };
/** A person as those who manage settings see them. */
export type Member = PersonView;
export type Erasure = Static<typeof erasureSchema>;
export type ErasureCounts = Static<typeof erasureCountsSchema>;
/** The members of a request that say what is erased. */
export type ErasureRequest = Pick<Static<typeof erasureInput>, 'record' | 'users' | 'linked'>;
export type Job = JobView;
export type { JobCounts };
export type OwnSession = Static<typeof ownSessionSchema>;
export type AuditEntry = Static<typeof auditEntrySchema>;
export type Bulk = Omit<Static<typeof bulkSchema>, 'status'> & { readonly status: BulkStatus };
/** What a dry run of a bulk found. */
export type ReplyDryRun = Static<typeof replyDryRunResponse>;
export type BulkDryRun = Static<typeof dryRunResponse>;
export type BulkResult = Omit<Static<typeof bulkResultSchema>, 'outcome'> & { readonly outcome: BulkOutcome };

type RampStatus = 'scheduled' | 'running' | 'done' | 'stopped' | 'rolled_back';
export type Ramp = Omit<Static<typeof rampResponse>, 'status'> & { readonly status: RampStatus };
export type Flag = Omit<Static<typeof flagSchema>, 'ramp' | 'rules'> & {
  readonly ramp: Ramp | null;
  readonly rules: readonly Readonly<Record<string, unknown>>[];
};
export type FlagEntry = Omit<Static<typeof flagHistorySchema>, 'type'> & { readonly type: string };

/** A block: a type and what belongs to it; unknown types are left out. */
export type Block = { readonly type: string; readonly title?: string | null } & Readonly<Record<string, unknown>>;

interface ApprovalCounts {
  readonly pending: number;
  readonly decidable: number;
  readonly questions: number;
}

export interface Counts {
  readonly inboxes: Readonly<Record<string, InboxCounts>>;
  readonly approvals: ApprovalCounts;
}

/** An action that an app, an inbox or a block proposes, with what to fill its form with. */
export interface ActionReference {
  readonly action: string;
  readonly label: string;
  readonly record: string | null;
  readonly input: Readonly<Record<string, unknown>>;
}

interface SuggestedAction extends ActionReference {
  readonly reason: string | null;
}

/** The page of a record. */
export interface RecordPage {
  readonly record: AppRecord;
  readonly blocks: readonly Block[];
  readonly items: readonly Item[];
  readonly history: readonly RecordEntry[];
  readonly historyCursor: string | null;
  readonly archivedBefore?: number;
  readonly actions: readonly AvailableAction[];
}

/** An entry of a record's history: of an item's timeline, or of the record itself. */
export type RecordEntry = Omit<Entry, 'item'> & { readonly item: string | null };

export interface ItemDetail {
  readonly item: Item;
  readonly blocks: readonly Block[];
  readonly linked: readonly AppRecord[];
  readonly suggestedActions: readonly SuggestedAction[];
  readonly triage: {
    readonly answers: readonly { readonly question: string; readonly answer: unknown; readonly by: Actor }[];
    readonly closed: boolean;
  } | null;
  readonly timeline: readonly Entry[];
  readonly timelineCursor: string | null;
  readonly archivedBefore?: number;
  readonly appOffline: boolean;
}

interface Head {
  readonly offset: string;
  readonly prev: string | null;
  readonly at: number;
}

/** The live messages that the console knows; of others only the head counts. */
export type LiveMessage = Head &
  (
    | {
        readonly type: 'hello';
        readonly resumed: boolean;
        readonly counts: Counts['inboxes'];
        readonly approvals: ApprovalCounts;
        readonly app: { readonly online: boolean };
      }
    | { readonly type: 'item'; readonly item: Item; readonly by: Actor }
    | { readonly type: 'claim'; readonly item: string; readonly claim: Item['claim'] }
    | { readonly type: 'timeline'; readonly item: string; readonly entry: Entry }
    | { readonly type: 'flag'; readonly flag: Flag; readonly by: Actor }
    | { readonly type: 'approval'; readonly approval: Approval }
    | { readonly type: 'run'; readonly run: Run }
    | { readonly type: 'bulk'; readonly bulk: Bulk }
    | { readonly type: 'counts'; readonly inboxes: Counts['inboxes']; readonly approvals: ApprovalCounts | null }
    | {
        readonly type: 'read';
        readonly verb: string;
        readonly via: 'http' | 'mcp';
        readonly targets: readonly { readonly type: string; readonly id: string }[];
        /** null: the agent sees more than the person, or it was not understood. */
        readonly query: Readonly<Record<string, unknown>> | null;
        readonly outcome: AuditEntry['outcome'];
        readonly code: string | null;
      }
    | { readonly type: 'view'; readonly view: { readonly id: string } }
    | { readonly type: 'app'; readonly online: boolean }
    | { readonly type: 'reset'; readonly reason: 'gone' | 'epoch' | 'role' }
    | { readonly type: 'pong' }
  );
