/** The journal law: history, live messages, jobs, saved responses and bulk results are inserted in one place each. A failing line contains what to do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { files, imports } from './source.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const changeWriter = 'shared/platform/journal/changeWriter.ts';

/** The only file that inserts into each table, and the part of a change that does. */
const journal = {
  events: ['shared/platform/journal/events.ts', `event of ${changeWriter}`],
  outbox: ['shared/platform/journal/inserts.ts', `live of ${changeWriter}`],
  stream_parts: ['shared/platform/journal/inserts.ts', `live of ${changeWriter}`],
  idempotency_keys: ['shared/platform/journal/idempotency.ts', `keep of ${changeWriter}`],
  staged_jobs: ['shared/platform/journal/inserts.ts', 'stagedJobInsert'],
  bulk_results: ['shared/platform/journal/inserts.ts', 'bulkResultInsert'],
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
        .map(({ line }) => `${line} inserts into ${table}: use ${fragment} instead`);
      expect(problems, problems.join('\n')).to.deep.equal([]);
      expect(inserts, `${home} must insert into ${table} exactly once`).to.have.length(1);
    });

  it('composes events, messages and saved responses in the change writer alone', () => {
    const composing = ['eventInsert', 'outboxInsert', 'streamPartsInsert', 'savedResponseInsert'];
    const importers = imports.filter(({ names }) => names.some((name) => composing.includes(name)));
    expect(importers.filter(({ file }) => !file.startsWith('test/')).map(({ file }) => file)).to.have.length(3);
    expect(new Set(importers.map(({ file }) => file))).to.deep.equal(new Set([changeWriter]));
  });

  it('names the values of statements that have more than six', () => {
    expect(
      linesOf(/\$(?:[7-9]|[1-9]\d)\b/g).map(({ line }) => line),
      'use namedStatement',
    ).to.deep.equal([]);
  });

  it('draws event ids in one place', () => {
    const problems = linesOf(/nextval\('events_id_seq'\)/g)
      .filter(({ file }) => file !== journal.events[0] && !file.startsWith('migrations/'))
      .map(({ line }) => `${line} draws an event id: use withEventIds or nextEventId of ${journal.events[0]} instead`);
    expect(problems, problems.join('\n')).to.deep.equal([]);
  });
});
