/**
 * A subscriber that stays on: reconnects with `after` to whichever API answers, folds what it receives into the newest state
 * of every item, and notes each hole in the `prev` chain, each repeated or backward message, each reset.
 */
import { WebSocket } from 'ws';
import type { Client } from './client.ts';
import type { Json } from './oracle.ts';
import { pause } from './pause.ts';

export interface RecorderOptions {
  /** Goes on after this offset. */
  readonly after?: string | null;
  /** Which of the bases it begins with. */
  readonly turn?: number;
  readonly query?: string;
  readonly onMessage?: (message: Json) => void;
  /** Begins to fold anew after a reset, which is a problem otherwise. */
  readonly mayReset?: boolean;
}

export class Recorder {
  /** Their state by the latest message of the stream. */
  readonly items = new Map<string, Json>();
  readonly entries = new Set<string>();
  readonly problems: string[] = [];
  /** Codes of the connections that ended. */
  readonly closes: number[] = [];
  readonly resets: string[] = [];
  messages = 0;
  connects = 0;
  socket: WebSocket | null = null;
  readonly #client: Client;
  readonly #options: RecorderOptions;
  #last: string | null = null;
  #turn: number;
  #stopped = false;
  #living: Promise<void>;
  #first: (() => void) | null = null;
  /** Resolves with the first hello. */
  readonly joined: Promise<void>;

  constructor(client: Client, options: RecorderOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.#turn = options.turn ?? 0;
    this.#last = options.after ?? null;
    this.joined = new Promise((resolve) => (this.#first = resolve));
    this.#living = this.#live();
  }

  /** The offset of its last message. */
  get last(): string | null {
    return this.#last;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.socket?.close();
    const late = setTimeout(() => this.socket?.terminate(), 2_000);
    await this.#living;
    clearTimeout(late);
  }

  async #live(): Promise<void> {
    while (!this.#stopped) {
      const bases = this.#client.bases();
      const base = bases[this.#turn % bases.length] ?? '';
      this.#turn += 1;
      if (!(await this.#session(base))) await pause(100);
    }
  }

  /** One connection from its begin to its end; false when there was none. */
  #session(base: string): Promise<boolean> {
    const query = [this.#options.query ?? '', this.#last === null ? '' : `after=${encodeURIComponent(this.#last)}`]
      .filter((part) => part !== '')
      .join('&');
    const socket = new WebSocket(`${base.replace('http', 'ws')}/live${query === '' ? '' : `?${query}`}`, {
      headers: { authorization: `Bearer ${this.#client.token}` },
      perMessageDeflate: false,
      handshakeTimeout: 10_000,
    });
    this.socket = socket;
    return new Promise((resolve) => {
      let wasOpen = false;
      socket.on('open', () => {
        wasOpen = true;
        this.connects += 1;
      });
      socket.on('message', (data) => {
        this.#hear(JSON.parse((data as Buffer).toString()) as Json);
      });
      socket.on('unexpected-response', (_request, response) => {
        if (response.statusCode !== 503)
          this.problems.push(`the upgrade was answered with ${String(response.statusCode)}`);
        response.resume();
        socket.terminate();
      });
      socket.on('error', () => undefined);
      socket.on('close', (code) => {
        if (wasOpen) this.closes.push(code);
        resolve(wasOpen);
      });
    });
  }

  #hear(message: Json): void {
    this.messages += 1;
    this.#check(message);
    if (message.type === 'item') this.#fold(message.item as Json);
    if (message.type === 'timeline' && message.change === 'created') {
      if (this.entries.has(message.entry.id as string))
        this.problems.push(`the entry ${String(message.entry.id)} was told twice`);
      this.entries.add(message.entry.id as string);
    }
    if (message.type === 'reset') this.#reset(String(message.reason));
    this.#options.onMessage?.(message);
  }

  #check({ type, offset, prev, resumed }: Json): void {
    if (type === 'hello') {
      if (prev !== null) this.problems.push('a hello has something before it');
      const isAnew = this.#options.mayReset === true && resumed === false;
      if (this.#last !== null && offset !== this.#last && !isAnew)
        this.problems.push(`resumed after ${this.#last} but the hello is at ${String(offset)}`);
      this.#first?.();
    } else if (prev !== this.#last) this.problems.push(`a hole before ${String(offset)} (${String(type)})`);
    this.#last = offset as string;
  }

  #reset(reason: string): void {
    this.resets.push(reason);
    if (this.#options.mayReset !== true) this.problems.push(`a reset: ${reason}`);
    this.items.clear();
    this.entries.clear();
  }

  #fold(item: Json): void {
    const known = this.items.get(item.id as string)?.version as number | undefined;
    if (known !== undefined && item.version !== known + 1) {
      this.problems.push(`${String(item.id)}: version ${String(item.version)} came after ${String(known)}`);
    }
    this.items.set(item.id as string, item);
  }
}
