/** Timeline entry types and live message types: the words that a change may say, and who may hear them. */

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
] as const;
export type EntryType = (typeof entryTypes)[number];

/**
 * Live message types. `passing` ones don't advance the stream's chain, aren't replayed and aren't in `/changes`;
 * `audience` says who may hear one: who sees its inbox or flag, who asked for it (and whoever may look into it), or everybody.
 */
export const liveTypes = {
  hello: { passing: false, audience: 'session' },
  item: { passing: false, audience: 'inbox' },
  timeline: { passing: false, audience: 'inbox' },
  bulk: { passing: false, audience: 'author' },
  run: { passing: false, audience: 'author' },
  approval: { passing: false, audience: 'author' },
  flag: { passing: false, audience: 'flag' },
  app: { passing: true, audience: 'everybody' },
  counts: { passing: true, audience: 'inbox' },
  narrowed: { passing: true, audience: 'session' },
  reset: { passing: false, audience: 'session' },
  pong: { passing: true, audience: 'session' },
  error: { passing: true, audience: 'session' },
} as const;

/** Who did something, as timeline entries and live messages show it. */
export interface ActorRef {
  readonly type: 'agent' | 'person' | 'app' | 'system';
  readonly id: string | null;
  readonly name: string;
}

/** By what it is decided who hears of an approval. */
interface ApprovalAudience {
  readonly kind: 'action' | 'bulk' | 'flag' | 'item';
  readonly action: string | null;
  readonly resource: string | null;
  readonly flag: string | null;
  readonly inbox: string | null;
  readonly inboxes: readonly string[] | null;
  readonly requestedBy: ActorRef;
}

/** A part of an outbox or stream row: one live message without its `offset`, `prev` and `at`. */
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
  | { readonly type: 'bulk'; readonly bulk: Record<string, unknown> & { readonly by: ActorRef } }
  /** `inbox`: of the run's item; it decides who is told of that item, and nobody is told of it itself. */
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
  | { readonly type: 'app'; readonly online: boolean };
