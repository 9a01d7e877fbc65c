/** Limits the requests of one app that run at once: beyond the limit its socket is not read, so that the app has to wait. Used by session.ts. */
import type { WebSocket } from 'ws';

/** The sum of the weights of the requests of one socket that run at the same time. */
const runningWeightMax = 64;
/** While more bytes than this wait for the app to read them, its socket is not read either. */
const unreadBytesMax = 1024 * 1024;

interface QueuedRequest {
  readonly weight: number;
  readonly run: () => Promise<void>;
}

export class RequestQueue {
  readonly #ws: WebSocket;
  /** Requests that arrived in the same packet as the last one that there was room for. */
  readonly #waiting: QueuedRequest[] = [];
  #running = 0;

  constructor(ws: WebSocket) {
    this.#ws = ws;
  }

  /** Calls `run`, which never rejects, now or when there is room. */
  add(run: () => Promise<void>, weight: number): void {
    this.#waiting.push({ run, weight });
    this.process();
  }

  /** Starts waiting requests while there is room; also called when an answer was sent. */
  process(): void {
    const ws = this.#ws;
    while (this.#running < runningWeightMax && !this.isUnread) {
      const work = this.#waiting.shift();
      if (work === undefined) {
        if (ws.isPaused) ws.resume();
        return;
      }
      this.#running += work.weight;
      void work.run().then(() => {
        this.#ended(work.weight);
      });
    }
    if (ws.readyState === ws.OPEN && !ws.isPaused) ws.pause();
  }

  get paused(): boolean {
    return this.#ws.isPaused;
  }

  /** Returns whether the socket is not read because the app leaves too much unread. */
  get isUnread(): boolean {
    return this.#ws.bufferedAmount >= unreadBytesMax;
  }

  /** Whether a request runs or waits. */
  get working(): boolean {
    return this.#running > 0 || this.#waiting.length > 0;
  }

  #ended(weight: number): void {
    this.#running -= weight;
    this.process();
  }
}
