/** A seeded generator of random numbers, so that the demo is the same on every machine; used by every file of this folder that invents. */
export const MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Returns one number mixed from two of 32 bits, so that item `n` of a seed has its own, unrelated sequence. */
const mix = (seed: number, n: number): number => {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return h ^ (h >>> 15);
};

export class Random {
  #state: number;

  constructor(seed: number, n: number) {
    this.#state = mix(seed, n) | 0;
  }

  /** Returns a number in [0, 1): mulberry32 by Tommy Ettinger, which is in the public domain. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns an integer from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Returns one of the first `among` entries; with a `skew` above 1 more often one from the front. */
  pick<T>(list: readonly T[], skew = 1, among = list.length): T {
    const found = list[Math.floor(this.next() ** skew * among)];
    if (found === undefined) throw new Error('Nothing can be picked from an empty list.');
    return found;
  }

  /** Returns the milliseconds until something that happens every `mean` milliseconds on average; at least one second. */
  around(mean: number): number {
    return MS.second + Math.round(-Math.log(1 - this.next()) * mean);
  }
}
