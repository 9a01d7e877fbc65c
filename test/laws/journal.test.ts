/** The journal law: history, live messages, jobs, saved responses and bulk results are inserted in one place each. A failing line contains what to do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { files } from './source.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The only file that inserts into each table, and the function by which statements do. */
const journal = {
  events: ['shared/platform/journal/events.ts', 'eventInsert'],
  outbox: ['shared/platform/journal/outbox.ts', 'outboxInsert'],
  staged_jobs: ['shared/platform/journal/stagedJobs.ts', 'stagedJobInsert'],
  idempotency_keys: ['shared/platform/journal/idempotency.ts', 'savedResponseInsert'],
  bulk_results: ['shared/platform/journal/bulkResults.ts', 'bulkResultInsert'],
} as const;

/** Tests and benchmarks may insert by themselves. */
const sources = files
  .filter((file) => !file.startsWith('test/'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

const linesOf = (pattern: RegExp): { file: string; line: string }[] =>
  sources.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(({ index }) => ({
      file,
      line: `${file}:${String(text.slice(0, index).split('\n').length)}`,
    })),
  );

describe('the journal law', () => {
  for (const [table, [home, fragment]] of Object.entries(journal))
    it(`inserts into ${table} in one place`, () => {
      const inserts = linesOf(new RegExp(`insert\\s+into\\s+${table}\\b`, 'gi'));
      const problems = inserts
        .filter(({ file }) => file !== home)
        .map(({ line }) => `${line} inserts into ${table}: compose the statement with ${fragment} of ${home} instead`);
      expect(problems, problems.join('\n')).to.deep.equal([]);
      expect(inserts, `${home} must insert into ${table} exactly once`).to.have.length(1);
    });

  it('draws event ids in one place', () => {
    const problems = linesOf(/nextval\('events_id_seq'\)/g)
      .filter(({ file }) => file !== journal.events[0] && !file.startsWith('migrations/'))
      .map(({ line }) => `${line} draws an event id: use withEventIds or nextEventId of ${journal.events[0]} instead`);
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });
});
