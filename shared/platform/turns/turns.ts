/**
 * Takes long work in parts, between which other requests go on: while a part is done, the process answers nobody. Used where
 * conditions are evaluated and templates filled for many flags, actions, records or rules.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fault, type FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';

/** ms of work, of all long works together, after which the next part waits for a turn of the event loop. */
const turnMs = 10;
let sinceTurn = 0;

/** The last that gave way. Each waits for the one before it, so that in a turn of the event loop only one of them goes on. */
let last: Promise<void> = Promise.resolve();
const giveWay = (): Promise<void> =>
  (last = last
    .then(() => nextTurn())
    .then(() => {
      sinceTurn = 0;
    }));

export type InTurn = <T>(work: () => T) => Promise<T>;

/**
 * Returns the function that does the parts of one long work, each whole, and gives way before a part when those before it, also
 * of others, took `turnMs`. With `narrow`, which says what to ask for less of, it throws `too_broad` when all its parts together
 * took as long as PostgreSQL may work for a read.
 */
export const createTurns = (narrow: FaultDetail | null): InTurn => {
  let all = 0;
  return async (work) => {
    if (narrow !== null && all >= limits.readMs) throw fault('too_broad', undefined, { details: [narrow] });
    if (sinceTurn >= turnMs) await giveWay();
    const began = performance.now();
    const result = work();
    const ms = performance.now() - began;
    sinceTurn += ms;
    all += ms;
    return result;
  };
};
