/**
 * The optimistic retry: a change is decided on what was read without locks and written only if that still stands; else
 * it is read and decided again. Used by items, records, replies, flags, runs and bulks, each with its own limit.
 */
import { fault, type Fault } from '../../catalogue/errors.ts';
import { isSerializationFailure } from './errors.ts';

const contended = new WeakSet<Fault>();

/** Returns the fault of a change that met another one in every round: it passes by itself. */
export const contendedFault = (what: 'item' | 'flag' | 'run' | 'approval'): Fault => {
  const made = fault('conflict', `This ${what} is being changed by many at once; try again.`);
  contended.add(made);
  return made;
};

/** Returns whether a fault is one of `contendedFault`. */
export const isContended = (failure: Fault): boolean => contended.has(failure);

/** Rounds without locks; where a round can lock its rows the later ones do, so that a much-wanted row always progresses. */
const optimisticRounds = 3;

interface RetryOptions {
  /** Rounds at most. */
  readonly limit: number;
  /** Errors after which nothing was done and another round may succeed; a deadlock or serialisation failure unless given. */
  readonly isConflict?: (error: unknown) => boolean;
  /** The error thrown when every round met a conflict; absent: the last round's error. */
  readonly exhausted?: () => Error;
}

interface Round {
  /** Whether the round is to lock the rows that it reads. */
  readonly lock: boolean;
}

/** Returns the first result that is not null. Null means that something had changed since it was read. */
export const retryOnConflict = async <T>(
  attempt: (round: Round) => Promise<T | null>,
  { limit, isConflict = isSerializationFailure, exhausted }: RetryOptions,
): Promise<T> => {
  let last: unknown = new Error(`There was a conflict in each of ${String(limit)} rounds.`);
  for (let round = 0; round < limit; round++) {
    try {
      const result = await attempt({ lock: round >= optimisticRounds });
      if (result !== null) return result;
    } catch (error) {
      if (!isConflict(error)) throw error;
      last = error;
    }
  }
  throw exhausted?.() ?? last;
};
