/** The journal law: history, live messages, jobs, saved responses and bulk results are inserted in one place each. A failing line says what to do. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders = ['api', 'workers', 'shared', 'migrations'];

/** The only file that inserts into each table, and the function by which statements do. */
const journal = {
  events: ['shared/platform/journal/events.ts', 'eventInsert'],
  outbox: ['shared/platform/journal/outbox.ts', 'outboxInsert'],
  staged_jobs: ['shared/platform/journal/stagedJobs.ts', 'stagedJobInsert'],
  idempotency_keys: ['shared/platform/journal/idempotency.ts', 'savedResponseInsert'],
  bulk_results: ['shared/platform/journal/bulkResults.ts', 'bulkResultInsert'],
} as const;

const sources = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|mjs)$/.test(file))
      .map((file) => join(folder, file)),
  )
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
      .filter(({ file }) => file !== journal.events[0])
      .map(({ line }) => `${line} draws an event id: use withEventIds or nextEventId of ${journal.events[0]} instead`);
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });
});
