/** One socket of a customer's app: reads its frames, answers its requests, and sends the service's calls (`LocalSocket`). Made by hub.ts. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { isStoppingRefusal, parseCallOutcome } from '../../shared/app/link/callOutcome.ts';
import { readDeclarationKeys } from '../../shared/app/link/declarationKeys.ts';
import type { AppConnection, CallOutcome } from '../../shared/app/link/link.ts';
import type { LocalSocket, RelayOutcome } from '../../shared/app/link/localConnections.ts';
import { droppedFrameCounter } from '../../shared/app/link/metrics.ts';
import type { ConnectionRegistration } from '../../shared/app/link/presence.ts';
import {
  linkCloseCodes,
  type RpcError,
  type ServiceCalls,
  type ServiceMethod,
  type ServiceNotifications,
} from '../../shared/app/link/protocol.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { invalidFault } from '../../shared/platform/json/validate.ts';
import { sleep } from '../../shared/platform/time/clock.ts';
import { createLine } from '../../shared/platform/turns/line.ts';
import { bytesDrained } from '../http/bytesDrained.ts';
import { answerProblems } from './answerProblems.ts';
import type { AppContext } from './context.ts';
import { parseFrame, type AppFrame } from './frames.ts';
import { OutgoingCalls } from './outgoingCalls.ts';
import { RequestQueue } from './requestQueue.ts';

/** Names what a call to the app was about, for the notification `app.problem`, which comes without the call. */
type Subject = NonNullable<ServiceNotifications['app.problem']['about']>;
type Params<M extends ServiceMethod> = ServiceCalls[M]['params'];

const itemSubject = ({ item: { inbox, id } }: { readonly item: Params<'triage.answer'>['item'] }): Subject => ({
  inbox: String(inbox),
  item: String(id),
});
const resourceSubject = ({ resource }: { readonly resource: string }): Subject => ({ resource });

const subjects: { readonly [M in ServiceMethod]: (params: Params<M>) => Subject } = {
  'action.run': ({ run, action }) => ({ run, action }),
  'action.available': ({ refs: [first] }) => (first === undefined ? {} : resourceSubject(first)),
  'records.search': resourceSubject,
  'records.list': resourceSubject,
  'records.get': ({ resource, ids: [id, ...others] }) => ({
    resource,
    ...(id === undefined || others.length > 0 ? {} : { record: id }),
  }),
  'records.related': ({ resource, id, relation }) => ({ resource, record: id, relation }),
  'page.block': ({ page, block }) => ({ page, block }),
  'item.blocks': itemSubject,
  'record.blocks': ({ resource, id }) => ({ resource, record: id }),
  'triage.answer': itemSubject,
  'reply.send': ({ delivery, ...others }) => ({ ...itemSubject(others), delivery }),
};

/** Returns what a call was about. `params`: the JSON text that the service has sent. */
const answerSubject = <M extends ServiceMethod>(method: M, params: string): Subject =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the params that the service has sent
  subjects[method](JSON.parse(params) as Params<M>);

/** The number of frames that are no messages after which the connection is closed. */
const invalidFramesMax = 100;
/** An app that leaves more bytes than this unread gets no more calls … */
const unreadCallBytesMax = 32 * 1024 * 1024;
/** … and with more than this, of answers and notifications, it is disconnected. */
const unreadBytesMax = 2 * unreadCallBytesMax;

/** The weight of a report in the request queue: reports of one item wait for each other to become one change, which costs nothing. */
const reportWeight = 1 / 16;

type RequestFrame = AppFrame & { kind: 'request' };

/** Characters of a long frame, as of a long body in requestBody.ts. */
const longFrame = 256 * 1024;

export interface AppRequest {
  readonly method: string;
  readonly params: unknown;
  /** How many members the text has inside of `params`. */
  readonly names: number;
  /** Characters of the text. */
  readonly length: number;
  /** Whether it is a notification, which is not answered. */
  readonly notified: boolean;
}

export interface OpenedSocket {
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly who: AuthSession;
  readonly envId: number;
  readonly address: string | null;
}

/** Handles the requests and late answers of apps; made in requests.ts and passed by hub.ts. */
export interface AppFrameHandler {
  /** Serves a request and sends its answer. Throws errors that `toRpcError` translates. */
  request(session: AppSession, request: AppRequest, answer: (result: unknown) => void): Promise<void>;
  toRpcError(error: unknown): RpcError;
  onLateAnswer(session: AppSession, run: string, message: unknown): void;
  /** Called once, with what the connection still takes calls for. Resolves when other processes know, or can't be told; never rejects. */
  onStopping(left: ConnectionRegistration): Promise<void>;
}

export class AppSession implements LocalSocket {
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly envId: number;
  readonly address: string | null;
  readonly intake: RequestQueue;
  readonly runs = createLine(limits.overtakenMs);
  who: AuthSession;
  /** The registration; null before `app.register`. */
  arrival: ConnectionRegistration | null = null;
  declares: ReadonlySet<string> = new Set();
  connection: AppConnection;
  registering = false;
  readonly #closed = new AbortController();
  /** When bytes were last received, on the clock of `performance.now()`, and how many until then. */
  activeAt = performance.now();
  #bytesRead = 0;
  #bytesDrained = 0;
  #invalidFrames = 0;
  /** Since the app has refused work because it is stopping: ends when other processes know. */
  #stopping: Promise<void> | null = null;
  readonly #calls: OutgoingCalls;
  readonly #frames: AppFrameHandler;

  constructor({ sockets }: AppContext, { ws, socket, who, envId, address }: OpenedSocket, frames: AppFrameHandler) {
    this.ws = ws;
    this.socket = socket;
    this.who = who;
    this.envId = envId;
    this.address = address;
    this.connection = { id: randomUUID(), instance: '', process: sockets.process };
    this.intake = new RequestQueue(ws);
    this.#frames = frames;
    this.#calls = new OutgoingCalls(
      (text) => !this.full && this.write(text),
      (run, message) => {
        frames.onLateAnswer(this, run, message);
      },
      (method, params, message) => {
        // The caller does not wait for it.
        setImmediate(() => {
          const problems = answerProblems(method, params, message);
          if (problems.length > 0)
            this.notify('app.problem', { method, about: answerSubject(method, params), problems });
        });
      },
    );
  }

  get open(): boolean {
    return this.ws.readyState === this.ws.OPEN;
  }

  /** Aborted when the socket has closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get busy(): number {
    return this.#calls.busy;
  }

  get stopping(): boolean {
    return this.#stopping !== null;
  }

  get full(): boolean {
    return this.ws.bufferedAmount > unreadCallBytesMax;
  }

  /** Returns whether more is unread than calls alone can leave. */
  get overfull(): boolean {
    return this.ws.bufferedAmount > unreadBytesMax;
  }

  /** Sends a frame. Returns false when the socket is not open. */
  write(text: string): boolean {
    if (!this.open) return false;
    this.ws.send(text, () => {
      this.intake.process();
    });
    return true;
  }

  async relay(method: ServiceMethod, params: string, timeoutMs: number, sent?: () => void): Promise<RelayOutcome> {
    const relayed = await this.#calls.call(method, params, timeoutMs, sent);
    if (relayed.kind !== 'frame' || !isStoppingRefusal(relayed.message)) return relayed;
    // A repeated call chooses another connection.
    await (this.#stopping ??= this.#narrow());
    return { kind: 'offline' };
  }

  async call<M extends ServiceMethod>(
    method: M,
    params: ServiceCalls[M]['params'],
    timeoutMs: number,
  ): Promise<CallOutcome<ServiceCalls[M]['result']>> {
    const relayed = await this.relay(method, JSON.stringify(params), timeoutMs);
    return relayed.kind === 'frame'
      ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result is what the protocol defines for the method
        (parseCallOutcome(relayed.message) as CallOutcome<ServiceCalls[M]['result']>)
      : relayed;
  }

  notify<M extends keyof ServiceNotifications>(method: M, params: ServiceNotifications[M]): void {
    this.sendNotification(method, JSON.stringify(params));
  }

  sendNotification(method: keyof ServiceNotifications, params: string): void {
    this.write(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`);
  }

  replaced(): void {
    this.end(linkCloseCodes.replaced, 'another connection of this instance has taken its place');
  }

  end(code: number, reason: string): void {
    if (this.open) this.ws.close(code, reason);
    // A paused socket would not see the answer to it.
    if (this.ws.isPaused) this.ws.resume();
  }

  /** Completes the registration; from then on the service may call the app. */
  registered(arrival: ConnectionRegistration): void {
    this.arrival = arrival;
    this.connection = { ...this.connection, instance: arrival.instance };
    this.declares = new Set(arrival.declares);
  }

  /** Called when the socket has closed. */
  onClose(): void {
    this.#closed.abort(fault('unavailable', 'The connection has closed.'));
    this.#calls.end();
  }

  /**
   * Notes at `now` that the app is alive: it sent bytes since the last call, or could not because this process does not read; while
   * that is because the app leaves too much unread, it has read some of it.
   */
  noteActivity(now: number, anyway: boolean): void {
    const { bytesRead } = this.socket;
    const drained = bytesDrained(this.socket);
    const isAlive =
      bytesRead !== this.#bytesRead ||
      (this.intake.paused && (!this.intake.isUnread || drained !== this.#bytesDrained)) ||
      anyway;
    this.#bytesRead = bytesRead;
    this.#bytesDrained = drained;
    if (isAlive) this.activeAt = now;
  }

  receive(data: RawData, isBinary: boolean): void {
    if (!this.open) return;
    if (isBinary) {
      this.end(linkCloseCodes.badFrame, 'only text is taken');
      return;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- ws gives each message as one Buffer by default
    const text = (data as Buffer).toString();
    const frame = parseFrame(text);
    if (frame.kind === 'request')
      this.intake.add(() => this.#serve(frame), frame.method === 'items.report' ? reportWeight : 1);
    else if (frame.kind === 'answer') {
      // An answer that exceeds the limits is passed on as null, because the process that called would refuse it too.
      if (!this.#calls.settle(frame.id, frame.message, frame.message === null ? 'null' : text))
        this.#countInvalid(null);
    } else if (frame.kind === 'bad') this.#countInvalid(frame.error);
    if (this.arrival === null && frame.kind !== 'request')
      this.end(linkCloseCodes.notRegistered, 'app.register comes first');
  }

  /** Keeps runs, replies and triage away from an app that is stopping. Reads go on, and so does what it has begun. */
  async #narrow(): Promise<void> {
    if (this.arrival === null) return;
    const declares = readDeclarationKeys(this.arrival.declares);
    this.arrival = { ...this.arrival, declares };
    this.declares = new Set(declares);
    await this.#frames.onStopping(this.arrival);
  }

  #countInvalid(error: RpcError | null): void {
    droppedFrameCounter.inc({ why: 'garbage' });
    this.#invalidFrames += 1;
    if (error !== null) this.write(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    if (this.#invalidFrames >= invalidFramesMax)
      this.end(linkCloseCodes.flooding, 'too many frames that are no messages');
  }

  async #serve({ id, problem, ...request }: RequestFrame): Promise<void> {
    if (!this.open) return;
    const answer = (body: { readonly result: unknown } | { readonly error: RpcError }): void => {
      if (id !== null) this.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    };
    try {
      if (problem !== undefined) throw invalidFault([problem]);
      // Parsing took long, and so will the check: others have a turn between the two.
      if (request.length >= longFrame) await sleep(0);
      await this.#frames.request(this, { ...request, notified: id === null }, (result) => {
        answer({ result });
      });
    } catch (error) {
      answer({ error: this.#frames.toRpcError(error) });
    }
  }
}
