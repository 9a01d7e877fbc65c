/** The law of time: what decides goes by `deps.clock`, which is PostgreSQL's time; a duration goes by `performance.now()`. */
import { expect } from 'chai';
import { files, textOf } from './source.ts';

/** Files that read the machine's clock, with the reason. Nothing in them decides what a process does for others. */
const allowed: Readonly<Record<string, string>> = {
  'shared/platform/ids.ts': 'ids of a process that does not know PostgreSQL’s time yet',
  'shared/platform/time/clock.ts': 'the machine’s clock itself, for the demo’s data',
  'shared/platform/db/databaseClock.ts': 'it compares the two clocks',
  'shared/platform/tracing/recordedSpan.ts': 'traces have the time of the machine that made them',
  'workers/worker.ts': 'traces have the time of the machine that made them',
  'shared/tools/doctor/finding.ts': 'it compares the clocks of two machines',
};
const reads = /Date\.now\(\)|new Date\(\)|systemClock/;

describe('law: clocks', () => {
  it('nothing on the server reads the machine’s clock but what this table names', () => {
    const found = files.filter(
      (file) =>
        /^(?:api|workers|shared|migrations)\//.test(file) &&
        // The browser and the app have clocks of their own.
        !/^(?:api\/console|shared\/sdk|shared\/tools\/demo)\//.test(file) &&
        reads.test(textOf(file)),
    );
    expect(found.sort(), 'use deps.clock, or performance.now() for a duration').to.deep.equal(
      Object.keys(allowed).sort(),
    );
  });
});
