/** Calls on sockets of another process, through Redis: sent, accepted within `acceptTimeoutMs`, answered. Used by redisLink.ts. */
import { channels, type Bus } from '../../platform/redis/bus.ts';
import type { RefusalReporter } from '../../platform/redis/droppedMessages.ts';
import { AnswerSender } from './answerSender.ts';
import { type AskingMethod, type AppConnection, type ReplyJob, type RunHint, isAskingMethod } from './link.ts';
import type { LocalSockets, RelayOutcome } from './localConnections.ts';
import { acceptTimeoutMs, PendingRemoteCalls } from './pendingRemoteCalls.ts';

/** What a process asks the one that has the socket of `connection`, and where it waits for the outcome. */
interface RelayRequest {
  readonly id: string;
  readonly from: string;
  readonly connection: string;
  /** Whether `from` acknowledges the answer; processes of earlier releases don't. */
  readonly acknowledges?: true;
}

/** What goes back to the caller; `answeredBy` wants to be told that it has come. */
interface RelayAnswer {
  readonly id: string;
  readonly answeredBy?: string;
}

type RelayMessage =
  /** Call a method that only asks; the body is the params. */
  | (RelayRequest & { readonly kind: 'call'; readonly method: AskingMethod; readonly timeoutMs: number })
  /** Dispatch a run, or a reply, as its row says. */
  | (RelayRequest & { readonly kind: 'run'; readonly envId: number } & RunHint)
  | (RelayRequest & {
      readonly kind: 'reply';
      readonly envId: number;
      readonly job: string;
      readonly fence: number;
      readonly timeoutMs: number;
    })
  | { readonly kind: 'replaced'; readonly connection: string }
  /** Back to the caller: the call is sent; nothing was sent; the frame that answered (the body); no answer will come. */
  | { readonly kind: 'taken'; readonly id: string }
  | (RelayAnswer & { readonly kind: 'gone' | 'frame' })
  | (RelayAnswer & { readonly kind: 'ended'; readonly how: 'timeout' | 'lost' })
  /** From the caller: the answer to its call has come. */
  | { readonly kind: 'answered'; readonly id: string; readonly from: string }
  /** From a process to itself: shows that its channel works. */
  | { readonly kind: 'echo' };

const encodeRelayMessage = (note: RelayMessage, body = ''): string => `${JSON.stringify(note)}\n${body}`;

const decodeRelayMessage = (text: string): { readonly note: RelayMessage; readonly body: string } => {
  const end = text.indexOf('\n');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `encodeRelayMessage` writes these texts
  return { note: JSON.parse(text.slice(0, end)) as RelayMessage, body: text.slice(end + 1) };
};

/** After a message so recently, in ms, the own channel needs no echo. */
const recentEchoMs = 1_000;
const echoIntervalMs = 25;
/** ms between two looks whether a process still receives messages that has a run which a call waits for. */
const watchIntervalMs = 75;

interface RemoteCallsDeps {
  readonly bus: Bus;
  readonly sockets: LocalSockets;
  readonly onRefused: RefusalReporter;
}

export class RemoteCalls {
  readonly pending = new PendingRemoteCalls();
  readonly #answers = new AnswerSender((process, text) => {
    this.#bus.publish(channels.appAt(process), text);
  });
  readonly #bus: Bus;
  readonly #sockets: LocalSockets;
  readonly #onRefused: RefusalReporter;
  readonly #unsubscribe: () => void;
  #heardAt = Number.NEGATIVE_INFINITY;
  #trial: Promise<boolean> | null = null;
  #watch: NodeJS.Timeout | null = null;

  constructor({ bus, sockets, onRefused }: RemoteCallsDeps) {
    this.#bus = bus;
    this.#sockets = sockets;
    this.#onRefused = onRefused;
    this.#unsubscribe = bus.subscribe(channels.appAt(sockets.process), (text) => {
      this.#heardAt = performance.now();
      const { note, body } = decodeRelayMessage(text);
      this.#receive(note, body);
    });
  }

  /** Calls a connection of another process. The outcome is `offline` when nothing was sent: it has gone, or Redis is unavailable. */
  call(connection: AppConnection, method: AskingMethod, params: string, timeoutMs: number): Promise<RelayOutcome> {
    return this.#request(connection, timeoutMs, (request) => ({ ...request, kind: 'call', method, timeoutMs }), params);
  }

  /** Requests that the process of a connection dispatches a reply, as the row of its job says. The outcome is that of a call. */
  sendReply(
    connection: AppConnection,
    envId: number,
    { id: job, fence }: ReplyJob,
    timeoutMs: number,
  ): Promise<RelayOutcome> {
    return this.#request(connection, timeoutMs, (request) => ({
      ...request,
      kind: 'reply',
      envId,
      job,
      fence,
      timeoutMs,
    }));
  }

  /**
   * Sends a hint. Whether the process accepts it decides whether it becomes a suspect. `onGone` is called once the connection
   * has gone with or without the run, until the returned function is called.
   */
  dispatchRun(connection: AppConnection, envId: number, hint: RunHint, onGone?: (isTold: boolean) => void): () => void {
    const id =
      onGone === undefined
        ? this.pending.add({ connection, timeoutMs: 0, end: () => undefined })
        : this.pending.add({
            connection,
            envId,
            timeoutMs: null,
            end: ({ kind }) => {
              onGone(kind === 'offline');
            },
          });
    this.#send(connection.process, {
      kind: 'run',
      id,
      from: this.#sockets.process,
      connection: connection.id,
      envId,
      ...hint,
    });
    if (onGone === undefined) return () => undefined;
    this.#watch ??= setInterval(() => {
      this.#lookForProcesses().catch(() => undefined);
    }, watchIntervalMs);
    return () => {
      this.pending.remove(id);
    };
  }

  replaced(process: string, connection: string): void {
    this.#send(process, { kind: 'replaced', connection });
  }

  close(): void {
    this.#unsubscribe();
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#answers.close();
    this.pending.endAll();
  }

  async #request(
    connection: AppConnection,
    timeoutMs: number,
    note: (request: RelayRequest) => RelayMessage,
    params?: string,
  ): Promise<RelayOutcome> {
    if (!(await this.#hears())) return { kind: 'offline' };
    return new Promise((end) => {
      const id = this.pending.add({ connection, timeoutMs, end });
      const request = { id, from: this.#sockets.process, connection: connection.id, acknowledges: true } as const;
      this.#send(connection.process, note(request), params);
    });
  }

  #send(process: string, note: RelayMessage, body?: string): void {
    this.#bus.publish(channels.appAt(process), encodeRelayMessage(note, body));
  }

  /** Ends what waits for processes that have been killed: Redis knows at once that they don't subscribe any more. */
  async #lookForProcesses(): Promise<void> {
    const processes = this.pending.watchedProcesses();
    if (processes.size === 0 && this.#watch !== null) {
      clearInterval(this.#watch);
      this.#watch = null;
    }
    for (const process of processes)
      if ((await this.#bus.countSubscribers(channels.appAt(process))) === 0)
        this.pending.endWatched((connection) => connection.process === process);
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
      this.#send(this.#sockets.process, { kind: 'echo' });
      const tried = performance.now();
      while (this.#heardAt < began && performance.now() - tried < echoIntervalMs)
        await new Promise((resolve) => {
          setTimeout(resolve, 1);
        });
    }
    return this.#heardAt >= began;
  }

  #receive(note: RelayMessage, body: string): void {
    if ('answeredBy' in note && note.answeredBy !== undefined)
      this.#send(note.answeredBy, { kind: 'answered', id: note.id, from: this.#sockets.process });
    switch (note.kind) {
      case 'call':
        void this.#serveCall(note, body);
        return;
      case 'run':
        this.#serveRun(note);
        return;
      case 'reply':
        void this.#serveReply(note);
        return;
      case 'replaced':
        this.#sockets
          .all()
          .find(({ connection }) => connection.id === note.connection)
          ?.replaced();
        return;
      case 'taken':
        this.pending.take(note.id);
        return;
      case 'gone':
        this.pending.end(note.id, { kind: 'offline' });
        return;
      case 'frame':
        if (this.pending.has(note.id))
          this.pending.end(note.id, { kind: 'frame', text: body, message: JSON.parse(body) as unknown });
        return;
      case 'ended':
        this.pending.end(note.id, { kind: note.how });
        return;
      case 'answered':
        this.#answers.acknowledge(note.from, note.id);
        return;
      case 'echo':
    }
  }

  #answer({ from, id, acknowledges }: RelayRequest, relayed: RelayOutcome): void {
    const about = acknowledges === true ? { id, answeredBy: this.#sockets.process } : { id };
    const text =
      relayed.kind === 'frame'
        ? encodeRelayMessage({ kind: 'frame', ...about }, relayed.text)
        : encodeRelayMessage(
            relayed.kind === 'offline' ? { kind: 'gone', ...about } : { kind: 'ended', ...about, how: relayed.kind },
          );
    if (acknowledges === true) this.#answers.send(from, id, text);
    else this.#bus.publish(channels.appAt(from), text);
  }

  async #serveCall(request: RelayMessage & { kind: 'call' }, params: string): Promise<void> {
    const { id, from, connection, method, timeoutMs } = request;
    // The type can't be relied on: whatever comes over Redis, no call that acts is made for it.
    const isAllowed = isAskingMethod(method);
    if (!isAllowed) this.#onRefused('refused call');
    const local = isAllowed ? this.#sockets.get(connection) : undefined;
    const taken = (): void => {
      this.#send(from, { kind: 'taken', id });
    };
    this.#answer(request, (await local?.relay(method, params, timeoutMs, taken)) ?? { kind: 'offline' });
  }

  async #serveReply(request: RelayMessage & { kind: 'reply' }): Promise<void> {
    const { id, from, connection, envId, job, fence, timeoutMs } = request;
    this.#send(from, { kind: 'taken', id });
    this.#answer(request, await this.#sockets.sendReply(connection, envId, { id: job, fence }, timeoutMs));
  }

  #serveRun({ id, from, connection, envId, run, traceparent }: RelayMessage & { kind: 'run' }): void {
    const local = this.#sockets.getForWork(connection);
    this.#send(from, { kind: local === undefined ? 'gone' : 'taken', id });
    if (local !== undefined) this.#sockets.dispatchRun(local, envId, { run, traceparent });
  }
}
