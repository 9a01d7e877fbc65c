/** The sockets of customers' apps that this process holds itself: filled by api/applink, used by redisLink.ts. */
import type { CallOutcome, Connection, AppLink } from './link.ts';
import type { ServiceCalls, ServiceMethod, ServiceNotifications } from './protocol.ts';

/** One connection, for who works with it in the process that holds its socket. */
export interface HeldConnection {
  readonly connection: Connection;
  /** Calls exactly this connection; `offline`: it was gone before anything was sent. */
  call<M extends ServiceMethod>(method: M, params: ServiceCalls[M]['params'], timeoutMs: number): Promise<CallOutcome<ServiceCalls[M]['result']>>;
  notify<M extends keyof ServiceNotifications>(method: M, params: ServiceNotifications[M]): void;
}

/** What became of a call on its socket: the frame that answered it, as it came and parsed, or why there is none. */
export type Relayed =
  | { readonly kind: 'frame'; readonly text: string; readonly message: unknown }
  | { readonly kind: 'offline' | 'timeout' | 'lost' };

export interface HeldSocket extends HeldConnection {
  readonly env: number;
  /** `action:refund`, `resource:order`, … */
  readonly declares: ReadonlySet<string>;
  /** Calls without an answer so far. */
  readonly busy: number;
  /** Sends a call with its params as JSON text; `sent` is called once it is on its way, never for `offline`. */
  relay(method: ServiceMethod, params: string, timeoutMs: number, sent?: () => void): Promise<Relayed>;
  tell(method: keyof ServiceNotifications, params: string): void;
  /** Another socket of the same instance has taken its place. */
  replaced(): void;
}

export type HandOver = (held: HeldConnection, env: number, run: string) => void;

export class HeldSockets {
  /** Of this process, and of no other that was or will be: `Connection.process` of its sockets. */
  readonly process: string;
  /** Is given the runs that come for a socket of this process. */
  handOver: HandOver = () => undefined;
  /** Tells the process that holds a socket that another one has taken its place. */
  onReplaced: (process: string, connection: string) => void = () => undefined;
  /** Called with an environment's number when its first socket is here, and when the last has gone. */
  onFirst: (env: number) => void = () => undefined;
  onLast: (env: number) => void = () => undefined;
  /** Set when the process stops: nothing new goes to its sockets. */
  draining = false;
  readonly #byId = new Map<string, HeldSocket>();
  readonly #byEnv = new Map<number, Set<HeldSocket>>();

  constructor(process: string) {
    this.process = process;
  }

  add(socket: HeldSocket): void {
    const own = this.#byEnv.get(socket.env) ?? new Set();
    this.#byId.set(socket.connection.id, socket);
    this.#byEnv.set(socket.env, own.add(socket));
    if (own.size === 1) this.onFirst(socket.env);
  }

  remove(socket: HeldSocket): void {
    this.#byId.delete(socket.connection.id);
    const own = this.#byEnv.get(socket.env);
    if (own?.delete(socket) !== true || own.size > 0) return;
    this.#byEnv.delete(socket.env);
    this.onLast(socket.env);
  }

  /** The socket of a connection, unless nothing new is to go to it. */
  get(connection: string): HeldSocket | undefined {
    return this.draining ? undefined : this.#byId.get(connection);
  }

  has(socket: HeldSocket): boolean {
    return this.#byId.get(socket.connection.id) === socket;
  }

  all(): HeldSocket[] {
    return [...this.#byId.values()];
  }

  /** Those of an environment that may be called. */
  of(env: number): readonly HeldSocket[] {
    return this.draining ? [] : [...(this.#byEnv.get(env) ?? [])];
  }
}

const ofLinks = new WeakMap<AppLink, HeldSockets>();

export const holdFor = (link: AppLink, sockets: HeldSockets): AppLink => {
  ofLinks.set(link, sockets);
  return link;
};

/** Those that `link` calls without a detour. */
export const heldSockets = (link: AppLink): HeldSockets => {
  const sockets = ofLinks.get(link);
  if (sockets === undefined) throw new Error('This link was not opened by openLink.');
  return sockets;
};
