/** The protocol of the app link: JSON-RPC 2.0 (https://www.jsonrpc.org/specification) in text frames of a WebSocket, both ways. Shared by the service and the SDK, so it imports nothing. */

/** The subprotocol of the WebSocket (RFC 6455). */
export const subprotocol = 'console-app.v1';

export const linkLimits = {
  /** Bytes of one frame, either way; a larger one closes the socket with 1009. The service reads none with more members and elements. */
  frameBytes: 4 * 1024 * 1024,
  frameMembers: 50_000,
  /** Members of one object of an app's answer, as larger ones take long to look through; nothing that is kept has as many. */
  objectMembers: 5_000,
  /** In ms: how often either side sends a ping, when one that has sent nothing is gone, and how long the answer to a read may take. */
  heartbeatMs: 5_000,
  goneMs: 15_000,
  readMs: 10_000,
  /** Records of one `records.put`, ids of one `records.delete`, answers of one `run.answers`. */
  batch: 1_000,
} as const;

/** The codes of JSON-RPC 2.0, and the one of a refusal by the app, whose message the caller reads. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  actionFailed: -32001,
} as const;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** `retryable` and `stopping` (this instance ends and did nothing) with -32001; `problems` of a refused manifest; `code` (the service's error code) and `details` of other refusals. */
  readonly data?: {
    readonly retryable?: boolean;
    readonly stopping?: boolean;
    readonly problems?: readonly { readonly path: string; readonly message: string }[];
    readonly code?: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}

/** The principal who requested something: `id` is null for the system. */
export interface Actor {
  readonly type: 'agent' | 'person' | 'app' | 'system';
  readonly id: string | null;
  readonly name: string;
}

export type Json = Readonly<Record<string, unknown>>;
/** A block, see docs/manifest.md. The service checks each block of an app and replaces an invalid one by an `error` block. */
export type Block = Json & { readonly type: string };

/** A record, as the service sends it with a run. */
export interface LinkRecord {
  readonly resource: string;
  readonly id: string;
  readonly title: string;
  readonly subtitle: string | null;
  readonly fields: Json;
  /** ms since 1970 UTC; null: not known. */
  readonly updatedAt: number | null;
}

/** A record, as the app gives it; members that are left out are null or empty. */
export interface GivenRecord {
  readonly id: string;
  readonly title: string;
  readonly subtitle?: string | null;
  readonly fields?: Json;
  readonly updatedAt?: number | null;
}

/** How the service calls the app: params and result of each method. */
export interface ServiceCalls {
  /** `run` is the idempotency key: the same id must never act twice. `attempt` counts the calls for the run from 1. */
  'action.run': {
    params: {
      readonly run: string;
      readonly action: string;
      readonly record: LinkRecord | null;
      readonly input: Json;
      readonly item: Json | null;
      readonly actor: Actor;
      readonly attempt: number;
      readonly background: boolean;
      /** Why, in the words of the requester, and who approved the run, or the bulk that it is part of; absent from services before 1.1. */
      readonly reason?: string | null;
      readonly approvedBy?: Actor | null;
      /** W3C Trace Context of the call, while the service traces it. */
      readonly traceparent?: string | undefined;
    };
    result: { readonly message?: string | null; readonly blocks?: readonly Block[] } | null;
  };
  /** Which actions apply, with defaults. For what the answer leaves out, the declaration decides. */
  'action.available': {
    params: { readonly refs: readonly { readonly resource: string; readonly id: string }[] };
    result: {
      readonly available: readonly {
        readonly resource: string;
        readonly id: string;
        readonly actions?: readonly { readonly action: string; readonly defaults?: Json }[];
        readonly unavailable?: readonly { readonly action: string; readonly reason: string }[];
      }[];
    };
  };
  'records.search': {
    params: { readonly resource: string; readonly q: string; readonly limit: number };
    result: { readonly records: readonly GivenRecord[] };
  };
  /** `cursor` is the app's own, opaque to the service; null: from the beginning, or no more. */
  'records.list': {
    params: {
      readonly resource: string;
      readonly q: string | null;
      /** As `filters` of `GET /resources/:resource`: a value or a list of values by field. */
      readonly filters: Json;
      readonly sort: string | null;
      readonly cursor: string | null;
      readonly limit: number;
    };
    result: { readonly records: readonly GivenRecord[]; readonly cursor?: string | null };
  };
  /** Those of `ids` that exist. */
  'records.get': {
    params: { readonly resource: string; readonly ids: readonly string[] };
    result: { readonly records: readonly GivenRecord[] };
  };
  'records.related': {
    params: {
      readonly resource: string;
      readonly id: string;
      readonly relation: string;
      readonly cursor: string | null;
      readonly limit: number;
    };
    /** `resource` of each record when the relation declares none. */
    result: {
      readonly records: readonly (GivenRecord & { readonly resource?: string })[];
      readonly cursor?: string | null;
    };
  };
  /** `block` is its place in the page's `blocks`. */
  'page.block': {
    params: {
      readonly page: string;
      readonly block: number;
      readonly title: string | null;
      readonly params: Readonly<Record<string, string>>;
      readonly actor: Actor;
    };
    result: { readonly block: Block };
  };
  /** `latestOccurrence`: what the newest report of the item brought, or its creation while there is no other. */
  'item.blocks': {
    params: { readonly item: Json; readonly latestOccurrence: Json | null };
    result: {
      readonly blocks?: readonly Block[];
      readonly suggestedActions?: readonly {
        readonly action: string;
        readonly record?: string | null;
        readonly input?: Json;
        readonly reason?: string | null;
      }[];
    };
  };
  'record.blocks': {
    params: { readonly resource: string; readonly id: string };
    result: { readonly blocks?: readonly Block[] };
  };
  /** The result is the body of `POST /items/:id/triage`; null: nothing to do. */
  'triage.answer': {
    params: { readonly item: Json };
    result: {
      readonly answers?: Json;
      readonly close?: boolean;
      readonly state?: string;
      readonly tags?: readonly string[];
      readonly assignee?: string | null;
      readonly reason?: string;
    } | null;
  };
  /** `delivery` is the idempotency key. -32001 means: not sent, with the reason in its message. */
  'reply.send': {
    params: {
      readonly item: Json;
      readonly subject: string;
      readonly text: string;
      readonly actor: Actor;
      readonly delivery: string;
    };
    result: Json | null;
  };
}
export type ServiceMethod = keyof ServiceCalls;

/** Notifications of the service, which have no answer. */
export interface ServiceNotifications {
  /** The service has stored the run's answer: the app may delete it. */
  'run.settled': { readonly run: string };
  'flags.changed': { readonly flag: Json };
  /** An answer of the app was wrong: what called it got an error, or an `error` block. For the app's log; at most 20, by the path in the result. */
  'app.problem': {
    readonly method: ServiceMethod;
    /** What the call was about: `run` and `action`, `page` and `block`, `resource` and `record`, `inbox` and `item`. */
    readonly about?: Readonly<Record<string, string | number>>;
    readonly problems: readonly { readonly path: string; readonly message: string }[];
  };
}

/** How the app calls the service. */
export interface AppCalls {
  'app.register': {
    params: {
      readonly manifest: Json;
      /** Made at the process's start and kept over reconnects; 1 to 100 characters. */
      readonly instance: string;
      /** When the process was started, ms since 1970 UTC. */
      readonly startedAt: number;
      /** Name and version of the client library, such as `console-sdk/1.0.0`. */
      readonly sdk: string;
      /** Whether to compare the manifest only: nothing is registered, and the answer has `changes`. */
      readonly dryRun?: boolean;
    };
    result: {
      readonly environment: string;
      readonly connection: string;
      readonly warnings: readonly string[];
      /** Kinds and names, such as `action refund`; of what is loosened or breaks what waits with the place. Earlier services have no `breaking`. */
      readonly changes?: Readonly<Record<'added' | 'changed' | 'retired' | 'loosened', readonly string[]>> & {
        readonly breaking?: readonly string[];
      };
    };
  };
  'items.report': {
    params: {
      readonly inbox: string;
      readonly title: string;
      readonly key?: string;
      readonly user?: string;
      /** `title`: what people read with the item where the app serves the record. */
      readonly record?: { readonly resource: string; readonly id: string; readonly title?: string };
      readonly links?: readonly { readonly resource: string; readonly id: string }[];
      readonly tags?: readonly string[];
      readonly data?: Json;
      readonly at?: number;
      /** The idempotency key: for 24 hours a report with the same key gets the first answer. 1 to 100 characters. */
      readonly delivery?: string;
    };
    result: { readonly item: string; readonly created: boolean };
  };
  'records.put': {
    params: { readonly resource: string; readonly records: readonly GivenRecord[] };
    result: { readonly stored: number };
  };
  'records.delete': {
    params: { readonly resource: string; readonly ids: readonly string[] };
    result: { readonly deleted: number };
  };
  /** Answers of runs that the service has not confirmed, sent after each `app.register`. */
  'run.answers': {
    params: { readonly answers: readonly RunAnswer[] };
    /** The runs whose answers the service has stored, or does not need: the app may delete them. */
    result: { readonly settled: readonly string[] };
  };
  /** All flags; if they are too large for one frame, those that fit, and the `cursor` of the next call. */
  'flags.list': {
    params: { readonly cursor?: string | null };
    result: { readonly flags: readonly Json[]; readonly cursor: string | null };
  };
}
export type AppMethod = keyof AppCalls;

/** The answer of one run: `result` or `error`. With the `attempt` of the call it counts from any instance; services before 1.2 refuse that. */
export interface RunAnswer {
  readonly run: string;
  readonly attempt?: number;
  readonly result?: ServiceCalls['action.run']['result'];
  readonly error?: RpcError;
}

/** Notifications of the app, which have no answer. */
export interface AppNotifications {
  /** `progress` from 0 to 1, or null when only the message changes. */
  'run.progress': { readonly run: string; readonly progress: number | null; readonly message?: string | null };
}

/** Close codes that the service uses on the link. 1000: another connection of the instance took its place; 1012: connect again at once; 4401: the key is revoked. */
export const linkCloseCodes = {
  replaced: 1000,
  restarting: 1012,
  tooLarge: 1009,
  badFrame: 1003,
  revoked: 4401,
  notRegistered: 4400,
  flooding: 4429,
} as const;
