/** The sockets of customers' apps in this process: added by api/applink, used by redisLink.ts. */
import type { Line } from '../../platform/turns/line.ts';
import type { AppConnection, AppLink, CallOutcome, ReplyJob, RunHint } from './link.ts';
import type { ServiceCalls, ServiceMethod, ServiceNotifications } from './protocol.ts';

/** A connection whose socket is in this process. */
export interface LocalConnection {
  readonly connection: AppConnection;
  /** Keeps the order in which runs are sent. */
  readonly runs: Line;
  /** Calls exactly this connection. The outcome is `offline` when the connection was gone before anything was sent. */
  call<M extends ServiceMethod>(
    method: M,
    params: ServiceCalls[M]['params'],
    timeoutMs: number,
  ): Promise<CallOutcome<ServiceCalls[M]['result']>>;
  notify<M extends keyof ServiceNotifications>(method: M, params: ServiceNotifications[M]): void;
}

/** The outcome of a call on its socket: the frame that answered it, as text and parsed, or why there is none. */
export type RelayOutcome =
  | { readonly kind: 'frame'; readonly text: string; readonly message: unknown }
  | { readonly kind: 'offline' | 'timeout' | 'lost' };

export interface LocalSocket extends LocalConnection {
  readonly envId: number;
  /** `action:refund`, `resource:order`, … */
  readonly declares: ReadonlySet<string>;
  /** Pending calls. */
  readonly busy: number;
  /** Whether the app is stopping: it gets reads alone. */
  readonly stopping: boolean;
  /** The app leaves too much unread to get more calls: their outcome is `offline`. */
  readonly full: boolean;
  /** Sends a call with its params as JSON text. Calls `sent` when the frame is written, never for `offline`. */
  relay(method: ServiceMethod, params: string, timeoutMs: number, sent?: () => void): Promise<RelayOutcome>;
  sendNotification(method: keyof ServiceNotifications, params: string): void;
  /** Closes the socket, as another socket of the same instance has replaced it. */
  replaced(): void;
}

type RunDispatcher = (local: LocalConnection, envId: number, hint: RunHint) => void;
type ReplySender = (connection: string, envId: number, job: ReplyJob, timeoutMs: number) => Promise<RelayOutcome>;

export class LocalSockets {
  /** The name of this process, which no other process ever has: `AppConnection.process` of its sockets. */
  readonly process: string;
  /** Dispatches a run to a socket of this process. */
  dispatchRun: RunDispatcher = () => undefined;
  /** Sends a reply over a socket of this process, if its rows say so; otherwise the outcome is `offline`. Never rejects. */
  sendReply: ReplySender = () => Promise.resolve({ kind: 'offline' });
  /** Called with the process and the connection of a socket that another one has replaced. */
  onReplaced: (process: string, connection: string) => void = () => undefined;
  /** Called when an environment's first socket is added, and when its last one is removed. */
  onFirstSocket: (envId: number) => void = () => undefined;
  onLastSocket: (envId: number) => void = () => undefined;
  /** Whether the process is stopping: no further calls go to its sockets. */
  draining = false;
  readonly #byId = new Map<string, LocalSocket>();
  readonly #byEnv = new Map<number, Set<LocalSocket>>();

  constructor(process: string) {
    this.process = process;
  }

  add(socket: LocalSocket): void {
    const own = this.#byEnv.get(socket.envId) ?? new Set();
    this.#byId.set(socket.connection.id, socket);
    this.#byEnv.set(socket.envId, own.add(socket));
    if (own.size === 1) this.onFirstSocket(socket.envId);
  }

  remove(socket: LocalSocket): void {
    this.#byId.delete(socket.connection.id);
    const own = this.#byEnv.get(socket.envId);
    if (own?.delete(socket) !== true || own.size > 0) return;
    this.#byEnv.delete(socket.envId);
    this.onLastSocket(socket.envId);
  }

  /** Returns the socket of a connection; undefined when it is not here or the process is stopping. */
  get(connection: string): LocalSocket | undefined {
    return this.draining ? undefined : this.#byId.get(connection);
  }

  /** Returns the socket of a connection for a run or a reply; undefined also when its app is stopping, or leaves too much unread. */
  getForWork(connection: string): LocalSocket | undefined {
    const socket = this.get(connection);
    return socket?.stopping === true || socket?.full === true ? undefined : socket;
  }

  has(socket: LocalSocket): boolean {
    return this.#byId.get(socket.connection.id) === socket;
  }

  all(): LocalSocket[] {
    return [...this.#byId.values()];
  }

  /** Returns an environment's sockets; none when the process is stopping. */
  of(envId: number): readonly LocalSocket[] {
    return this.draining ? [] : [...(this.#byEnv.get(envId) ?? [])];
  }
}

const socketsByLink = new WeakMap<AppLink, LocalSockets>();

/** Remembers the sockets of a link for `getLocalSockets`, and returns the link. */
export const attachLocalSockets = (link: AppLink, sockets: LocalSockets): AppLink => {
  socketsByLink.set(link, sockets);
  return link;
};

/** Returns the sockets of this process that `link` calls directly. Throws for a link that `openAppLink` did not open. */
export const getLocalSockets = (link: AppLink): LocalSockets => {
  const sockets = socketsByLink.get(link);
  if (sockets === undefined) throw new Error('This link was not opened by openAppLink.');
  return sockets;
};
