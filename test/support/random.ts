/** Random numbers that a seed replays; every choice of a chaos run or a random bench is drawn from here. */

export interface Random {
  readonly seed: number;
  /** 0 ≤ n < 1. */
  next(): number;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  shuffled<T>(list: readonly T[]): T[];
  /** A stream of its own for `name`, so that a draw more in one part changes nothing in the others. */
  fork(name: string): Random;
}

/** mulberry32. */
export const newRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('There is nothing to pick from.');
    return list[int(0, list.length - 1)] as T;
  };
  return {
    seed,
    next,
    int,
    pick,
    shuffled: (list) =>
      list
        .map((value) => ({ value, by: next() }))
        .sort((a, b) => a.by - b.by)
        .map(({ value }) => value),
    fork: (name) => {
      let hash = seed >>> 0;
      for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
      return newRandom(hash);
    },
  };
};
