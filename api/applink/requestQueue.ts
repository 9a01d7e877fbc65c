/** How much of what one app asks is worked on at once: beyond that its socket isn't read, so that the app has to wait. */
import type { WebSocket } from 'ws';

/** Requests of one socket that are worked on at the same time, by weight. */
const runningWeightMax = 64;
/** An app that doesn't read its answers is not read from either. */
const unreadBytesMax = 1024 * 1024;

interface QueuedRequest {
  readonly weight: number;
  readonly run: () => Promise<void>;
}

export class RequestQueue {
  readonly #ws: WebSocket;
  /** What came with the same packet as the last one that there was room for. */
  readonly #waiting: QueuedRequest[] = [];
  #running = 0;

  constructor(ws: WebSocket) {
    this.#ws = ws;
  }

  /** Does the work now or when there is room; it never throws. */
  add(run: () => Promise<void>, weight: number): void {
    this.#waiting.push({ run, weight });
    this.process();
  }

  /** To be called when an answer was sent, too. */
  process(): void {
    const ws = this.#ws;
    while (this.#running < runningWeightMax && ws.bufferedAmount < unreadBytesMax) {
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

  /** Whether anything that was taken isn't done. */
  get working(): boolean {
    return this.#running > 0 || this.#waiting.length > 0;
  }

  #ended(weight: number): void {
    this.#running -= weight;
    this.process();
  }
}
