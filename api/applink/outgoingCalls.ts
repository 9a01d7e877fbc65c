/** The service's calls on one socket by their ids, and what happens to those that are not answered. Used by session.ts. */
import type { RelayOutcome } from '../../shared/app/link/localConnections.ts';
import { droppedFrameCounter } from '../../shared/app/link/metrics.ts';
import type { ServiceMethod } from '../../shared/app/link/protocol.ts';

interface PendingCall {
  readonly method: ServiceMethod;
  /** JSON text. */
  readonly params: string;
  readonly run: string | null;
  readonly timer: NodeJS.Timeout;
  readonly end: (relayed: RelayOutcome) => void;
}

/** The number of runs that are remembered after their call has timed out, because a late answer still settles them. */
const lateCallsMax = 1_000;

/** The longest delay of Node's timers, in milliseconds; a longer one fires at once. */
const timerMaxMs = 2 ** 31 - 1;

const runIn = /^\{"run":"(run_[0-9a-z]{26})"/;

export class OutgoingCalls {
  readonly #write: (text: string) => boolean;
  readonly #onLate: (run: string, message: unknown) => void;
  readonly #onAnswer: (method: ServiceMethod, params: string, message: unknown) => void;
  readonly #waiting = new Map<number, PendingCall>();
  readonly #late = new Map<number, string>();
  #last = 0;

  constructor(
    write: (text: string) => boolean,
    onLate: (run: string, message: unknown) => void,
    onAnswer: (method: ServiceMethod, params: string, message: unknown) => void,
  ) {
    this.#write = write;
    this.#onLate = onLate;
    this.#onAnswer = onAnswer;
  }

  get busy(): number {
    return this.#waiting.size;
  }

  /** Sends a call and resolves with its outcome; `params` is JSON text, `sent` is called once the call is on its way. */
  call(method: ServiceMethod, params: string, timeoutMs: number, sent?: () => void): Promise<RelayOutcome> {
    const id = ++this.#last;
    if (!this.#write(`{"jsonrpc":"2.0","id":${String(id)},"method":"${method}","params":${params}}`))
      return Promise.resolve({ kind: 'offline' });
    sent?.();
    return new Promise((end) => {
      const timer = setTimeout(
        () => {
          this.#timedOut(id);
        },
        Math.min(timeoutMs, timerMaxMs),
      );
      this.#waiting.set(id, {
        method,
        params,
        run: method === 'action.run' ? (runIn.exec(params)?.[1] ?? null) : null,
        timer,
        end,
      });
    });
  }

  /** Takes an answer of the app. Returns false when no call ever had that id. */
  settle(id: number, message: unknown, text: string): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      this.#waiting.delete(id);
      clearTimeout(waiting.timer);
      waiting.end({ kind: 'frame', text, message });
      this.#onAnswer(waiting.method, waiting.params, message);
      return true;
    }
    const run = this.#late.get(id);
    this.#late.delete(id);
    // A late answer that exceeds the limits is ignored: the run waits as if none had come.
    if (run !== undefined && message !== null) this.#onLate(run, message);
    else droppedFrameCounter.inc({ why: id >= 1 && id <= this.#last ? 'late' : 'unknown' });
    return id >= 1 && id <= this.#last;
  }

  /** Ends all waiting calls as lost, because the socket has closed. */
  end(): void {
    for (const { timer, end } of this.#waiting.values()) {
      clearTimeout(timer);
      end({ kind: 'lost' });
    }
    this.#waiting.clear();
  }

  #timedOut(id: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    if (waiting.run !== null) {
      this.#late.set(id, waiting.run);
      const [oldest] = this.#late.keys();
      if (this.#late.size > lateCallsMax && oldest !== undefined) this.#late.delete(oldest);
    }
    waiting.end({ kind: 'timeout' });
  }
}
