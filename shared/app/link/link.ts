/**
 * The interface of the app link, `deps.link` of API and workers. The API processes have the sockets (api/applink); a call from
 * another process goes through Redis to the process that has one (redisLink.ts). The app is never called inside a transaction.
 */
import type { FaultDetail } from '../../catalogue/errors.ts';
import type { ServiceCalls, ServiceNotifications, ServiceMethod } from './protocol.ts';

const methodKinds = {
  'action.run': 'acts',
  'action.available': 'asks',
  'records.search': 'asks',
  'records.list': 'asks',
  'records.get': 'asks',
  'records.related': 'asks',
  'page.block': 'asks',
  'item.blocks': 'asks',
  'record.blocks': 'asks',
  // Its answer is applied to an item that is not triaged yet, in PostgreSQL.
  'triage.answer': 'asks',
  'reply.send': 'acts',
} as const satisfies Readonly<Record<ServiceMethod, 'acts' | 'asks'>>;

/** A method that changes nothing in the app, so that it may be called twice or in vain. */
export type AskingMethod = {
  [M in ServiceMethod]: (typeof methodKinds)[M] extends 'asks' ? M : never;
}[ServiceMethod];

export const isAskingMethod = (method: string): method is AskingMethod =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `hasOwn` has found the method
  Object.hasOwn(methodKinds, method) && methodKinds[method as ServiceMethod] === 'asks';

/** Something that an instance declares. A call goes only to an instance that declares what is called. */
export interface Declaration {
  readonly kind: 'action' | 'resource' | 'page' | 'inbox';
  readonly name: string;
  /** Of an action that is to be run: the key of the input that it declares (declarationKeys.ts). */
  readonly input?: string;
}

/** A connection of an instance, as every process sees it. */
export interface AppConnection {
  readonly id: string;
  readonly instance: string;
  /** The name of the API process that has the socket (`LocalSockets.process`); no other process ever has the same name. */
  readonly process: string;
}

/** The lease of the job of a reply. */
export interface ReplyJob {
  readonly id: string;
  readonly fence: number;
}

/** A run to dispatch: its id, and the trace of what it follows from, if that is traced. */
export interface RunHint {
  readonly run: string;
  readonly traceparent?: string | undefined;
}

export interface CallOptions {
  readonly declares: Declaration;
  /** How long to wait for the outcome, in ms. */
  readonly timeoutMs: number;
}

/**
 * The outcome of a call. `offline`: no connection could take it, and nothing was sent, or the instance is stopping and did
 * nothing. `lost`: it may have been sent, and no answer will come. `error`: the app's own JSON-RPC error. `garbled`: the answer
 * is not one of JSON-RPC, or has the problem.
 */
export type CallOutcome<R> =
  | { readonly kind: 'answer'; readonly result: R }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly retryable: boolean }
  | { readonly kind: 'garbled'; readonly problem?: FaultDetail }
  | { readonly kind: 'offline' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'lost' };

export interface AppLink {
  /**
   * Resolves with whether an instance is connected (heartbeat within `linkLimits.goneMs`) that declares `declares`, or any. Who has
   * called since `since` (`performance.now()`) and found nobody asks PostgreSQL no second time.
   */
  online(envId: number, declares?: Declaration, since?: number): Promise<boolean>;
  /** Resolves with the connection that a call would go to now: the least busy one that declares it, none of `except`; null: offline. */
  chooseConnection(envId: number, declares: Declaration, except?: ReadonlySet<string>): Promise<AppConnection | null>;
  /** Calls the app. Resolves with the outcome; rejects only when PostgreSQL is unavailable. */
  call<M extends AskingMethod>(
    envId: number,
    method: M,
    params: ServiceCalls[M]['params'],
    options: CallOptions,
  ): Promise<CallOutcome<ServiceCalls[M]['result']>>;
  /**
   * Signals the process that has `connection` to dispatch a run (shared/runs/call/dispatchRun.ts); a hint that may be lost.
   * `onGone` is called when the connection of another process has gone, until the returned function is called; with true when
   * that process has told so, as its row may stay for a moment.
   */
  dispatchRun(connection: AppConnection, envId: number, hint: RunHint, onGone?: (isTold: boolean) => void): () => void;
  /** Requests that the process of `connection` sends a reply to the app as its rows say (shared/replies/replyRequest.ts). */
  sendReply(
    connection: AppConnection,
    envId: number,
    job: ReplyJob,
    timeoutMs: number,
  ): Promise<CallOutcome<ServiceCalls['reply.send']['result']>>;
  /** Sends a notification to every instance of an environment; it may be lost. */
  notify<M extends keyof ServiceNotifications>(envId: number, method: M, params: ServiceNotifications[M]): void;
  /** Calls `listener` when an environment's app comes online or goes offline; a hint may be lost. Returns the end of it. */
  onPresence(listener: (envId: number, online: boolean) => void): () => void;
  close(): Promise<void>;
}
