/** Calls on sockets of another process, through Redis: sent, accepted within `acceptTimeoutMs`, answered. Used by redisLink.ts. */
import { randomUUID } from 'node:crypto';
import { channels, type Bus } from '../platform/redis/bus.ts';
import type { AppConnection } from './link.ts';
import type { LocalSockets, RelayOutcome } from './localConnections.ts';
import type { ServiceMethod } from './protocol.ts';
import { decodeRelayMessage, encodeRelayMessage, type RelayMessage } from './relayMessages.ts';

/** In ms: how long the other process has to accept a call, and how long a process that did not is called last. */
const acceptTimeoutMs = 1_000;
const suspectTtlMs = 15_000;
/** After a message so recently, in ms, the own channel needs no echo. */
const recentEchoMs = 1_000;
const echoIntervalMs = 25;

interface PendingRemoteCall {
  readonly process: string;
  taken: boolean;
  timer: NodeJS.Timeout;
  readonly timeoutMs: number;
  readonly end: (relayed: RelayOutcome) => void;
}

interface RemoteCallsDeps {
  readonly bus: Bus;
  readonly sockets: LocalSockets;
}

export class RemoteCalls {
  readonly #bus: Bus;
  readonly #sockets: LocalSockets;
  readonly #waiting = new Map<string, PendingRemoteCall>();
  /** Processes that did not accept a call, with the time (`performance.now()`). */
  readonly #suspects = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #heardAt = Number.NEGATIVE_INFINITY;
  #trial: Promise<boolean> | null = null;

  constructor({ bus, sockets }: RemoteCallsDeps) {
    this.#bus = bus;
    this.#sockets = sockets;
    this.#unsubscribe = bus.subscribe(channels.appAt(sockets.process), (text) => {
      this.#heardAt = performance.now();
      const { note, body } = decodeRelayMessage(text);
      this.#take(note, body);
    });
  }

  /** Returns whether a process seems to be gone, or cut off from Redis. */
  isSuspect(process: string): boolean {
    const since = this.#suspects.get(process);
    if (since === undefined) return false;
    if (performance.now() - since < suspectTtlMs) return true;
    this.#suspects.delete(process);
    return false;
  }

  /** Calls a connection of another process. The outcome is `offline` when nothing was sent: it has gone, or Redis is unavailable. */
  async call(
    connection: AppConnection,
    method: ServiceMethod,
    params: string,
    timeoutMs: number,
  ): Promise<RelayOutcome> {
    if (!(await this.#hears())) return { kind: 'offline' };
    const id = randomUUID();
    return new Promise((end) => {
      this.#wait(id, connection.process, timeoutMs, end);
      this.#tell(
        connection.process,
        { kind: 'call', id, from: this.#sockets.process, connection: connection.id, method, timeoutMs },
        params,
      );
    });
  }

  /** Sends a hint. Whether the process accepts it only decides whether it becomes a suspect. */
  dispatchRun(connection: AppConnection, env: number, run: string): void {
    const id = randomUUID();
    this.#wait(id, connection.process, 0, () => undefined);
    this.#tell(connection.process, {
      kind: 'handOver',
      id,
      from: this.#sockets.process,
      connection: connection.id,
      env,
      run,
    });
  }

  replaced(process: string, connection: string): void {
    this.#tell(process, { kind: 'replaced', connection });
  }

  close(): void {
    this.#unsubscribe();
    for (const id of this.#waiting.keys()) this.#end(id, { kind: 'lost' });
  }

  #tell(process: string, note: RelayMessage, body?: string): void {
    this.#bus.publish(channels.appAt(process), encodeRelayMessage(note, body));
  }

  #wait(id: string, process: string, timeoutMs: number, end: (relayed: RelayOutcome) => void): void {
    const timer = setTimeout(() => {
      this.#suspects.set(process, performance.now());
      this.#end(id, { kind: 'lost' });
    }, acceptTimeoutMs);
    this.#waiting.set(id, { process, taken: false, timer, timeoutMs, end });
  }

  #end(id: string, relayed: RelayOutcome): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    waiting.end(relayed);
  }

  /** Resolves with whether this process receives messages: a call whose answer can't come back must not be sent. */
  #hears(): Promise<boolean> {
    if (!this.#bus.connected) return Promise.resolve(false);
    if (performance.now() - this.#heardAt < recentEchoMs) return Promise.resolve(true);
    this.#trial ??= this.#tryHearing().finally(() => {
      this.#trial = null;
    });
    return this.#trial;
  }

  async #tryHearing(): Promise<boolean> {
    const began = performance.now();
    while (performance.now() - began < acceptTimeoutMs && this.#heardAt < began) {
      this.#tell(this.#sockets.process, { kind: 'echo' });
      const tried = performance.now();
      while (this.#heardAt < began && performance.now() - tried < echoIntervalMs)
        await new Promise((resolve) => {
          setTimeout(resolve, 1);
        });
    }
    return this.#heardAt >= began;
  }

  #take(note: RelayMessage, body: string): void {
    switch (note.kind) {
      case 'call':
        void this.#serve(note, body);
        return;
      case 'handOver':
        this.#handedOver(note);
        return;
      case 'replaced':
        this.#sockets
          .all()
          .find(({ connection }) => connection.id === note.connection)
          ?.replaced();
        return;
      case 'taken':
        this.#taken(note.id);
        return;
      case 'gone':
        this.#end(note.id, { kind: 'offline' });
        return;
      case 'frame':
        this.#answered(note.id, body);
        return;
      case 'ended':
        this.#end(note.id, { kind: note.how });
        return;
      case 'echo':
    }
  }

  #taken(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || waiting.taken) return;
    waiting.taken = true;
    this.#suspects.delete(waiting.process);
    clearTimeout(waiting.timer);
    if (waiting.timeoutMs === 0) this.#end(id, { kind: 'lost' });
    // The process that has the socket reports a timeout itself; this timer is for a process that was killed meanwhile.
    else
      waiting.timer = setTimeout(() => {
        this.#end(id, { kind: 'timeout' });
      }, waiting.timeoutMs + acceptTimeoutMs);
  }

  #answered(id: string, text: string): void {
    if (!this.#waiting.has(id)) return;
    this.#end(id, { kind: 'frame', text, message: JSON.parse(text) as unknown });
  }

  async #serve(
    { id, from, connection, method, timeoutMs }: RelayMessage & { kind: 'call' },
    params: string,
  ): Promise<void> {
    const held = this.#sockets.get(connection);
    const relayed =
      held === undefined
        ? { kind: 'offline' as const }
        : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `call` of this class has sent it
          await held.relay(method as ServiceMethod, params, timeoutMs, () => {
            this.#tell(from, { kind: 'taken', id });
          });
    if (relayed.kind === 'frame') this.#tell(from, { kind: 'frame', id }, relayed.text);
    else if (relayed.kind === 'offline') this.#tell(from, { kind: 'gone', id });
    else this.#tell(from, { kind: 'ended', id, how: relayed.kind });
  }

  #handedOver({ id, from, connection, env, run }: RelayMessage & { kind: 'handOver' }): void {
    this.#tell(from, { kind: 'taken', id });
    const held = this.#sockets.get(connection);
    if (held !== undefined) this.#sockets.dispatchRun(held, env, run);
  }
}
