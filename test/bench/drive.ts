/** A closed loop over raw connections, or requests at a fixed rate: the load of every measurement over HTTP. */
import { quantile } from './numbers.ts';
import type { Measured, Plan, Requests } from './plan.ts';
import { RawConnection } from './rawHttp.ts';

/** Unlike in every run, so that no idempotency key is met twice. */
let keys = Date.now() * 1000;

interface Request {
  readonly text: string;
  /** Of the item that it changes. */
  readonly id: string;
}

/** Returns the function that makes the next request. */
const nextOf = (requests: Requests): (() => Request) => {
  let i = -1;
  if (requests.kind === 'texts') {
    const made = requests.texts.map((text) => ({ text, id: '' }));
    const none = { text: '', id: '' };
    return () => made[(i = (i + 1) % made.length)] ?? none;
  }
  const { before, after, items, keys: keyed } = requests;
  const turns = items.map(() => 0);
  return () => {
    i = (i + 1) % items.length;
    const { id = '', states = [] } = items[i] ?? {};
    const turn = turns[i] ?? 0;
    turns[i] = (turn + 1) % states.length;
    const body = `{"state":"${states[turn] ?? ''}"}`;
    const key = keyed ? `idempotency-key: bench-${String(keys++)}\r\n` : '';
    return { text: `${before}${id}${after}${key}content-length: ${String(body.length)}\r\n\r\n${body}`, id };
  };
};

export interface Watch {
  sent(id: string, at: number): void;
  answered(id: string, at: number): void;
}

/** Runs a plan; fails at the first response that isn't 2xx. `watch` is called for each request after the warm-up. */
export const drive = (
  { port, connections, warmupMs, ms, requests, perSecond }: Plan,
  watch?: Watch,
): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const next = nextOf(requests);
    const took: number[] = [];
    let count = 0;
    const begin = performance.now() + warmupMs;
    const end = begin + ms;
    let open = connections;
    let due = perSecond === undefined ? Number.POSITIVE_INFINITY : 0;
    const idle: RawConnection[] = [];
    const all: RawConnection[] = [];

    const close = (): void => {
      clearInterval(timer);
      for (const connection of all) connection.end();
    };
    const fail = (error: Error): void => {
      close();
      reject(error);
    };
    const go = (connection: RawConnection): void => {
      const sentAt = performance.now();
      if (sentAt >= end) {
        open -= 1;
        if (open > 0) return;
        close();
        resolve({
          perSecond: took.length / (ms / 1000),
          p50: quantile(took, 0.5),
          p99: quantile(took, 0.99),
          max: quantile(took, 1),
          count,
        });
        return;
      }
      if (due < 1) {
        idle.push(connection);
        return;
      }
      due -= 1;
      const { text, id } = next();
      if (watch !== undefined && sentAt >= begin) watch.sent(id, sentAt);
      connection.send(text, () => {
        const now = performance.now();
        count += 1;
        if (now >= begin && now < end) took.push(now - sentAt);
        if (watch !== undefined && sentAt >= begin) watch.answered(id, now);
        go(connection);
      });
    };
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      if (perSecond !== undefined) due = Math.min(due + ((now - last) * perSecond) / 1000, connections);
      last = now;
      while (idle.length > 0 && (due >= 1 || now >= end)) {
        const connection = idle.pop();
        if (connection !== undefined) go(connection);
      }
    }, 1);
    for (let i = 0; i < connections; i++) {
      const connection = new RawConnection(port, fail);
      all.push(connection);
      go(connection);
    }
  });
