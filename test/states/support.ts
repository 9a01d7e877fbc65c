/** Shared set-up of the tests of states: random events with a printed seed, and the trace of what they moved. */
import fc from 'fast-check';
import type { Machine } from '../../shared/catalogue/states/machine.ts';
import { expectAllArrows, findUnmovedArrows } from '../support/stateTrace.ts';

/** Of one test run; STATES_SEED repeats one. */
export const seed = Number(process.env['STATES_SEED'] ?? Date.now() % 1_000_000_000);

/** Rounds of further random sequences for arrows that chance has missed. */
const moreRounds = 5;

type Query = (text: string) => Promise<{ readonly rows: unknown[] }>;

export interface Drive<E> {
  readonly query: Query;
  readonly machines: readonly Machine[];
  /** Arrows that these events can't bring about, each with the reason beside it. */
  readonly notDriven?: readonly string[];
  /** One random event. */
  readonly event: fc.Arbitrary<E>;
  /** Sequences that are driven first, for arrows that chance may miss. */
  readonly scripts?: readonly (readonly E[])[];
  readonly runs: number;
  readonly length: number;
  /** Returns what performs the events of one sequence, on rows of its own. */
  readonly begin: () => Promise<(event: E) => Promise<unknown>>;
}

/** Performs random sequences of events; throws for a move that no table has, and when an arrow was never moved along. */
export const drive = async <E>(wanted: Drive<E>): Promise<void> => {
  const { query, machines, notDriven, event, scripts = [], runs, length, begin } = wanted;
  const sequences = fc.asyncProperty(
    fc.array(event, { minLength: length, maxLength: length, size: 'max' }),
    async (events) => {
      const perform = await begin();
      for (const one of events) await perform(one);
    },
  );
  await fc.assert(sequences, {
    seed,
    numRuns: runs + scripts.length,
    endOnFailure: true,
    examples: scripts.map((script) => [[...script]]),
  });
  for (let round = 1; round <= moreRounds; round++) {
    if ((await findUnmovedArrows(query, machines, notDriven)).length === 0) break;
    await fc.assert(sequences, { seed: seed + round, numRuns: runs, endOnFailure: true });
  }
  await expectAllArrows(query, machines, notDriven);
};
