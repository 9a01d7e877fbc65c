/** Times of requests in the first and in the last part of a soak, and of its own event loop. Used by traffic.ts. */
import { quantile } from '../bench/numbers.ts';

interface Times {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Latency {
  readonly first: Times;
  readonly last: Times;
  /** Last by first. */
  readonly p50Ratio: number;
  readonly p99Ratio: number;
}

const round = (value: number): number => Math.round(value * 100) / 100;
const timesOf = (all: readonly number[]): Times => ({
  count: all.length,
  p50Ms: round(quantile(all, 0.5)),
  p99Ms: round(quantile(all, 0.99)),
});

/**
 * The first and the last ten minutes are compared, of a shorter soak the first and the last tenth. What begins after the time,
 * while the last processes are restarted, belongs to neither.
 */
const comparedMs = 600_000;

export class Latencies {
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  readonly #firstUntil: number;
  readonly #lastFrom: number;
  readonly #end: number;

  constructor(since: number, ms: number) {
    const part = Math.min(comparedMs, ms / 10);
    this.#firstUntil = since + part;
    this.#lastFrom = since + ms - part;
    this.#end = since + ms;
  }

  /** A request that began at a time of `performance.now()` and has just been answered. */
  add(begun: number): void {
    if (begun >= this.#end) return;
    const ms = performance.now() - begun;
    if (begun < this.#firstUntil) this.#first.push(ms);
    else if (begun >= this.#lastFrom) this.#last.push(ms);
  }

  result(): Latency {
    const [first, last] = [timesOf(this.#first), timesOf(this.#last)];
    return {
      first,
      last,
      p50Ratio: round(last.p50Ms / first.p50Ms),
      p99Ratio: round(last.p99Ms / first.p99Ms),
    };
  }
}
