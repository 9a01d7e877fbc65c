/** One socket of a customer's app: reads its frames, answers its requests, and carries the service's calls (`HeldSocket`). */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { Session } from '../../shared/settings/directory.ts';
import { outcomeOf } from '../../shared/applink/answers.ts';
import type { HeldSocket, Relayed } from '../../shared/applink/held.ts';
import type { CallOutcome, Connection } from '../../shared/applink/link.ts';
import { dropped } from '../../shared/applink/metrics.ts';
import { linkCloseCodes, type RpcError, type ServiceCalls, type ServiceMethod, type ServiceNotifications } from '../../shared/applink/protocol.ts';
import type { Arrival } from '../../shared/applink/presence.ts';
import type { AppContext } from './context.ts';
import { invalidDetails } from '../../shared/platform/core/validate.ts';
import { readFrame, type Frame } from './frames.ts';
import { Intake } from './intake.ts';
import { OutgoingCalls } from './outgoing.ts';

/** Frames that are no messages; then the connection is closed. */
const garbageMax = 100;
/** More than this waiting for an app that doesn't read ends the connection. */
const unreadMax = 32 * 1024 * 1024;

/** Reports of one item wait for each other to become one change, which costs nothing: many may wait. */
const lightWeight = 1 / 16;

type Request = Frame & { kind: 'request' };

export interface Asked {
  readonly method: string;
  readonly params: unknown;
  /** Nobody hears what becomes of it. */
  readonly notified: boolean;
}

export interface Opened {
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly who: Session;
  readonly env: number;
  readonly address: string;
}

/** What is done with what the app says; given by hub.ts. */
export interface Hearing {
  /** Works on a request and answers it; throws what rpcErrorOf understands. */
  request(session: AppSession, asked: Asked, answer: (result: unknown) => void): Promise<void>;
  failed(error: unknown): RpcError;
  late(session: AppSession, run: string, message: unknown): void;
}

export class AppSession implements HeldSocket {
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly env: number;
  readonly address: string;
  readonly intake: Intake;
  who: Session;
  /** As it has registered. */
  arrival: Arrival | null = null;
  declares: ReadonlySet<string> = new Set();
  connection: Connection;
  registering = false;
  /** When something was heard last, and how much until then. */
  heardAt = performance.now();
  #bytesHeard = 0;
  #garbage = 0;
  readonly #calls: OutgoingCalls;
  readonly #hearing: Hearing;

  constructor({ sockets }: AppContext, { ws, socket, who, env, address }: Opened, hearing: Hearing) {
    this.ws = ws;
    this.socket = socket;
    this.who = who;
    this.env = env;
    this.address = address;
    this.connection = { id: randomUUID(), instance: '', process: sockets.process };
    this.intake = new Intake(ws);
    this.#hearing = hearing;
    this.#calls = new OutgoingCalls((text) => this.write(text), (run, message) => { hearing.late(this, run, message); });
  }

  get open(): boolean {
    return this.ws.readyState === this.ws.OPEN;
  }

  get busy(): number {
    return this.#calls.busy;
  }

  /** False: nothing can be sent any more. */
  write(text: string): boolean {
    if (!this.open) return false;
    if (this.ws.bufferedAmount > unreadMax) {
      this.ws.terminate();
      return false;
    }
    this.ws.send(text, () => { this.intake.look(); });
    return true;
  }

  relay(method: ServiceMethod, params: string, timeoutMs: number, sent?: () => void): Promise<Relayed> {
    return this.#calls.call(method, params, timeoutMs, sent);
  }

  async call<M extends ServiceMethod>(method: M, params: ServiceCalls[M]['params'], timeoutMs: number): Promise<CallOutcome<ServiceCalls[M]['result']>> {
    const relayed = await this.relay(method, JSON.stringify(params), timeoutMs);
    return relayed.kind === 'frame' ? (outcomeOf(relayed.message) as CallOutcome<ServiceCalls[M]['result']>) : relayed;
  }

  notify<M extends keyof ServiceNotifications>(method: M, params: ServiceNotifications[M]): void {
    this.tell(method, JSON.stringify(params));
  }

  tell(method: keyof ServiceNotifications, params: string): void {
    this.write(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`);
  }

  replaced(): void {
    this.end(1000, 'another connection of this instance has taken its place');
  }

  end(code: number, reason: string): void {
    if (this.open) this.ws.close(code, reason);
    // A paused socket would not see the answer to it.
    if (this.ws.isPaused) this.ws.resume();
  }

  /** From now on it may be called. */
  registered(arrival: Arrival): void {
    this.arrival = arrival;
    this.connection = { ...this.connection, instance: arrival.instance };
    this.declares = new Set(arrival.declares);
  }

  /** The socket is gone. */
  left(): void {
    this.#calls.end();
  }

  /** Whether something came since the last look; what is waiting because we don't read is not held against the app. */
  hears(now: number, anyway: boolean): void {
    if (this.socket.bytesRead === this.#bytesHeard && !this.intake.paused && !anyway) return;
    this.#bytesHeard = this.socket.bytesRead;
    this.heardAt = now;
  }

  hear(data: RawData, isBinary: boolean): void {
    if (!this.open) return;
    if (isBinary) {
      this.end(linkCloseCodes.badFrame, 'only text is taken');
      return;
    }
    const text = (data as Buffer).toString();
    const frame = readFrame(text);
    if (frame.kind === 'request') this.intake.take(() => this.#serve(frame), frame.method === 'items.report' ? lightWeight : 1);
    else if (frame.kind === 'answer') {
      // What was too much to be looked into is so for the process that asked as well.
      if (!this.#calls.settle(frame.id, frame.message, frame.message === null ? 'null' : text)) this.#senseless(null);
    } else if (frame.kind === 'bad') this.#senseless(frame.error);
    if (this.arrival === null && frame.kind !== 'request') this.end(linkCloseCodes.notRegistered, 'app.register comes first');
  }

  #senseless(error: RpcError | null): void {
    dropped.inc({ why: 'garbage' });
    this.#garbage += 1;
    if (error !== null) this.write(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    if (this.#garbage >= garbageMax) this.end(linkCloseCodes.flooding, 'too many frames that are no messages');
  }

  async #serve({ id, method, params, problem }: Request): Promise<void> {
    if (!this.open) return;
    const answer = (body: { readonly result: unknown } | { readonly error: RpcError }): void => {
      if (id !== null) this.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    };
    try {
      if (problem !== undefined) throw invalidDetails([problem]);
      await this.#hearing.request(this, { method, params, notified: id === null }, (result) => { answer({ result }); });
    } catch (error) {
      answer({ error: this.#hearing.failed(error) });
    }
  }
}
