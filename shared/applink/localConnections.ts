/** The sockets of customers' apps that this process holds itself: filled by api/applink, used by redisLink.ts. */
import type { CallOutcome, AppConnection, AppLink } from './link.ts';
import type { ServiceCalls, ServiceMethod, ServiceNotifications } from './protocol.ts';

/** One connection, for who works with it in the process that holds its socket. */
export interface LocalConnection {
  readonly connection: AppConnection;
  /** Calls exactly this connection; `offline`: it was gone before anything was sent. */
  call<M extends ServiceMethod>(
    method: M,
    params: ServiceCalls[M]['params'],
    timeoutMs: number,
  ): Promise<CallOutcome<ServiceCalls[M]['result']>>;
  notify<M extends keyof ServiceNotifications>(method: M, params: ServiceNotifications[M]): void;
}

/** What became of a call on its socket: the frame that answered it, as it came and parsed, or why there is none. */
export type RelayOutcome =
  | { readonly kind: 'frame'; readonly text: string; readonly message: unknown }
  | { readonly kind: 'offline' | 'timeout' | 'lost' };

export interface LocalSocket extends LocalConnection {
  readonly env: number;
  /** `action:refund`, `resource:order`, … */
  readonly declares: ReadonlySet<string>;
  /** Calls without an answer so far. */
  readonly busy: number;
  /** Sends a call with its params as JSON text; `sent` is called once it is on its way, never for `offline`. */
  relay(method: ServiceMethod, params: string, timeoutMs: number, sent?: () => void): Promise<RelayOutcome>;
  sendNotification(method: keyof ServiceNotifications, params: string): void;
  /** Another socket of the same instance has taken its place. */
  replaced(): void;
}

type RunDispatcher = (held: LocalConnection, env: number, run: string) => void;

export class LocalSockets {
  /** Of this process, and of no other that was or will be: `Connection.process` of its sockets. */
  readonly process: string;
  /** Is given the runs that come for a socket of this process. */
  dispatchRun: RunDispatcher = () => undefined;
  /** Tells the process that holds a socket that another one has taken its place. */
  onReplaced: (process: string, connection: string) => void = () => undefined;
  /** Called with an environment's number when its first socket is here, and when the last has gone. */
  onFirstSocket: (env: number) => void = () => undefined;
  onLastSocket: (env: number) => void = () => undefined;
  /** Set when the process stops: nothing new goes to its sockets. */
  draining = false;
  readonly #byId = new Map<string, LocalSocket>();
  readonly #byEnv = new Map<number, Set<LocalSocket>>();

  constructor(process: string) {
    this.process = process;
  }

  add(socket: LocalSocket): void {
    const own = this.#byEnv.get(socket.env) ?? new Set();
    this.#byId.set(socket.connection.id, socket);
    this.#byEnv.set(socket.env, own.add(socket));
    if (own.size === 1) this.onFirstSocket(socket.env);
  }

  remove(socket: LocalSocket): void {
    this.#byId.delete(socket.connection.id);
    const own = this.#byEnv.get(socket.env);
    if (own?.delete(socket) !== true || own.size > 0) return;
    this.#byEnv.delete(socket.env);
    this.onLastSocket(socket.env);
  }

  /** The socket of a connection, unless nothing new is to go to it. */
  get(connection: string): LocalSocket | undefined {
    return this.draining ? undefined : this.#byId.get(connection);
  }

  has(socket: LocalSocket): boolean {
    return this.#byId.get(socket.connection.id) === socket;
  }

  all(): LocalSocket[] {
    return [...this.#byId.values()];
  }

  /** Those of an environment that may be called. */
  of(env: number): readonly LocalSocket[] {
    return this.draining ? [] : [...(this.#byEnv.get(env) ?? [])];
  }
}

const socketsByLink = new WeakMap<AppLink, LocalSockets>();

export const attachLocalSockets = (link: AppLink, sockets: LocalSockets): AppLink => {
  socketsByLink.set(link, sockets);
  return link;
};

/** Those that `link` calls without a detour. */
export const getLocalSockets = (link: AppLink): LocalSockets => {
  const sockets = socketsByLink.get(link);
  if (sockets === undefined) throw new Error('This link was not opened by openLink.');
  return sockets;
};
