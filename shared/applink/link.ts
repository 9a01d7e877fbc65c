/**
 * How the service reaches the customer's app: what API and workers know of it (`deps.link`). The sockets are held by the
 * API processes (api/applink); from everywhere else a call goes through Redis to the process that holds one
 * (redisLink.ts). The app is never called inside a transaction.
 */
import type { ServiceCalls, ServiceMethod, ServiceNotifications } from './protocol.ts';

/** What an instance declares: a call goes only to one that declares what is called. */
export interface Declaration {
  readonly kind: 'action' | 'resource' | 'page' | 'inbox';
  readonly name: string;
}

/** A connection of an instance, as every process sees it. */
export interface AppConnection {
  readonly id: string;
  readonly instance: string;
  /** Names the API process that holds its socket, and no other that was or will be (`HeldSockets.process`). */
  readonly process: string;
}

export interface CallOptions {
  readonly declares: Declaration;
  /** How long to wait for the answer, in ms. */
  readonly timeoutMs: number;
}

/**
 * What became of a call. `offline`: nobody there who could take it, nothing was sent. `lost`: it may have been sent and
 * no answer will come. `error`: the app's own JSON-RPC error. `garbled`: what came is not an answer to this method.
 */
export type CallOutcome<R> =
  | { readonly kind: 'answer'; readonly result: R }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly retryable: boolean }
  | { readonly kind: 'garbled' }
  | { readonly kind: 'offline' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'lost' };

export interface AppLink {
  /** Whether an instance is connected (heard within 15 s) that declares this; without `declares`: any. */
  online(env: number, declares?: Declaration): Promise<boolean>;
  /** The connection that a call would go to now: the least busy one that declares it; null: offline. */
  chooseConnection(env: number, declares: Declaration): Promise<AppConnection | null>;
  /** Calls the app and answers what became of it; never throws for what the app or the link does. */
  call<M extends ServiceMethod>(
    env: number,
    method: M,
    params: ServiceCalls[M]['params'],
    options: CallOptions,
  ): Promise<CallOutcome<ServiceCalls[M]['result']>>;
  /** Asks the process that holds `connection` to hand a run over (shared/actions); a hint that may be lost. */
  dispatchRun(connection: AppConnection, env: number, run: string): void;
  /** Tells every instance of an environment something; a hint that may be lost. */
  notify<M extends keyof ServiceNotifications>(env: number, method: M, params: ServiceNotifications[M]): void;
  /** Called when an environment's app comes online or goes offline, as far as this process hears of it. */
  onPresence(listener: (env: number, online: boolean) => void): () => void;
  close(): Promise<void>;
}
