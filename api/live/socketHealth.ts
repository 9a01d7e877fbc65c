/**
 * Checks every socket once a second: whether its token is still valid, whether a backlog drains,
 * whether it answers pings, whether it sends too much. Durations are real time, the token's end is the service's clock.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { limits } from '../../shared/catalogue/limits.ts';
import { bytesDrained } from '../http/bytesDrained.ts';
import type { LiveTimes } from './context.ts';
import { pingFrame } from './frames.ts';

/** Messages and bytes that a client may send in one second; a working one sends a few, now and then. */
const messagesPerSecond = 100;
const bytesPerSecond = 512 * 1024;
/** Narrowings of the stream among them: each is answered with all counts. */
const narrowingsPerSecond = 10;
/** Bytes of answers to its messages that a client may leave unread. */
const unreadAnswerBytesMax = 256 * 1024;
/** A client that reads at least this fast (bytes/ms) isn't taken for dead while our ping waits behind other bytes. */
const slowestReader = 10;

/** A session, as its upkeep knows it. */
interface Watched {
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly mode: 'behind' | 'live' | 'ended';
  readonly who: { readonly expiresAt: number | null };
  /** Closes the socket with `code` and `reason`. */
  end(code: number, reason: string): void;
  /** Forgets the session without closing its socket. */
  leave(): void;
}

export class SocketHealth {
  readonly #session: Watched;
  readonly #times: LiveTimes;
  #messages = 0;
  #narrowings = 0;
  #errors = 0;
  #unreadAnswerBytes = 0;
  #bytesRead = 0;
  #taken = 0;
  #drainedAt = 0;
  #pingAt: number;
  /** When the unanswered ping times out; null: none is unanswered. */
  #pongBy: number | null = null;
  #pingedAtBytes = 0;
  #confirmedBytes = 0;
  #endBy = Number.POSITIVE_INFINITY;

  constructor(session: Watched, times: LiveTimes) {
    this.#session = session;
    this.#times = times;
    // Spread over the period, as many connect at once after a restart.
    this.#pingAt = performance.now() + times.pingMs * (0.5 + Math.random() / 2);
  }

  /** Called once a second. `now`: performance.now(); `clock`: the service's time. */
  tick(now: number, clock: number): void {
    const { ws, socket, who, mode } = this.#session;
    if (mode === 'ended') {
      if (now >= this.#endBy) ws.terminate();
      return;
    }
    if (who.expiresAt !== null && who.expiresAt <= clock) {
      this.#session.end(4401, 'the token has expired');
      return;
    }
    const read = socket.bytesRead;
    const flooded = read - this.#bytesRead > bytesPerSecond;
    this.#bytesRead = read;
    this.#messages = 0;
    this.#narrowings = 0;
    if (flooded) {
      this.#session.end(1008, 'too much was sent');
      ws.terminate();
    } else if (this.#isStalled(now)) this.#session.end(4408, 'nothing was read for too long');
    else this.#ping(now);
  }

  /** Returns whether one more message of the client is too many for this second. */
  isFlood(): boolean {
    this.#messages += 1;
    return this.#messages > messagesPerSecond;
  }

  /** Returns whether one more narrowing is too many for this second. */
  narrowsTooOften(): boolean {
    this.#narrowings += 1;
    return this.#narrowings > narrowingsPerSecond;
  }

  /**
   * Adds `bytes` of answers that wait for the socket. Returns whether the client leaves too many answers unread; what the stream
   * itself has sent does not count, as the session stops sending that.
   */
  leavesAnswersUnread(bytes: number): boolean {
    this.#unreadAnswerBytes = Math.min(this.#unreadAnswerBytes + bytes, this.#session.socket.writableLength);
    return this.#unreadAnswerBytes > unreadAnswerBytesMax;
  }

  /** Returns whether one more invalid message exceeds the limit. */
  isLastError(): boolean {
    this.#errors += 1;
    return this.#errors >= limits.liveErrors;
  }

  pong(): void {
    this.#pongBy = null;
    this.#confirmedBytes = this.#pingedAtBytes;
  }

  /** Starts to check that the backlog drains. */
  watchBacklog(): void {
    this.#drainedAt = performance.now();
    this.#taken = bytesDrained(this.#session.socket);
  }

  /** Called when a close frame was sent. */
  startCloseTimer(): void {
    this.#endBy = performance.now() + this.#times.graceMs;
  }

  #isStalled(now: number): boolean {
    if (this.#session.mode !== 'behind') return false;
    const { socket } = this.#session;
    const sum = bytesDrained(socket);
    if (socket.writableLength === 0 || sum !== this.#taken) {
      this.#taken = sum;
      this.#drainedAt = now;
    }
    return now - this.#drainedAt >= this.#times.stallMs;
  }

  #ping(now: number): void {
    const { ws, socket } = this.#session;
    if (this.#pongBy !== null && now >= this.#pongBy) {
      this.#session.leave();
      ws.terminate();
      return;
    }
    if (now < this.#pingAt || this.#pongBy !== null || ws.readyState !== ws.OPEN) return;
    socket.write(pingFrame);
    const { pingMs } = this.#times;
    this.#pingAt = now + pingMs;
    this.#pingedAtBytes = socket.bytesWritten;
    this.#pongBy = now + pingMs + (this.#pingedAtBytes - this.#confirmedBytes) / slowestReader;
  }
}
