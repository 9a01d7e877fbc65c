/** Types of timeline entries, live messages and outbox parts. Operations write entries; api/live sends messages. */

export const entryTypes = [
  'created',
  'occurred',
  'state',
  'assigned',
  'snoozed',
  'woken',
  'tags',
  'note',
  'reply',
  'action',
  'triage',
  'approval',
  'linked',
  'unlinked',
  'edited',
  'delegated',
  'claim_taken',
] as const;
export type EntryType = (typeof entryTypes)[number];

/** Types of live messages. api/live/visibility.ts decides which session gets which message. */
export const liveTypes = [
  'hello',
  'item',
  'timeline',
  'claim',
  'bulk',
  'run',
  'approval',
  'flag',
  'app',
  'counts',
  'read',
  'view',
  'narrowed',
  'reset',
  'pong',
  'error',
] as const;

/** Who did something, as timeline entries and live messages show it. */
export interface ActorRef {
  readonly type: 'agent' | 'person' | 'app' | 'system';
  readonly id: string | null;
  readonly name: string;
}

/** A lease on the work on an item. It is over when `until` has passed, in epoch ms, though the item may still have it for a second. */
export interface ItemClaim {
  readonly by: ActorRef;
  readonly until: number;
}

/** The members of an approval that decide which sessions see it. */
interface ApprovalAudience {
  readonly kind: 'action' | 'bulk' | 'flag' | 'item' | 'question';
  readonly action: string | null;
  readonly resource: string | null;
  readonly flag: string | null;
  readonly inbox: string | null;
  readonly inboxes: readonly string[] | null;
  readonly requestedBy: ActorRef;
}

/** One part of an outbox or stream row: a live message without its `offset`, `prev` and `at`. */
export type LivePart =
  | {
      readonly type: 'item';
      readonly inbox: string;
      readonly change: 'created' | 'changed';
      readonly item: Record<string, unknown>;
      readonly by: ActorRef;
    }
  | {
      readonly type: 'timeline';
      readonly inbox: string;
      readonly change: 'created' | 'changed';
      readonly item: string;
      readonly entry: Record<string, unknown>;
    }
  | { readonly type: 'claim'; readonly inbox: string; readonly item: string; readonly claim: ItemClaim | null }
  | { readonly type: 'bulk'; readonly bulk: Record<string, unknown> & { readonly by: ActorRef } }
  /** `inbox` is the inbox of the run's item. It decides who sees that item, and is not sent itself. */
  | {
      readonly type: 'run';
      readonly inbox?: string | null;
      readonly run: Record<string, unknown> & {
        readonly action: string;
        readonly resource: string | null;
        readonly by: ActorRef;
      };
    }
  | { readonly type: 'approval'; readonly approval: Record<string, unknown> & ApprovalAudience }
  | {
      readonly type: 'flag';
      readonly flag: Readonly<Record<string, unknown>> & { readonly flag: string };
      readonly by: ActorRef;
    }
  | { readonly type: 'app'; readonly online: boolean }
  /** `scopes`: what a role sees that is told of a shared view, before or after the change. They are not sent. */
  | {
      readonly type: 'view';
      readonly view: { readonly id: string; readonly owner: ActorRef };
      readonly scopes: readonly { readonly inboxes: readonly string[] | null; readonly resources: readonly string[] }[];
    };
