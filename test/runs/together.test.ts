/** Runs that are inserted and moved at once share statements: what is written is what each would have written by itself. */
import { expect } from 'chai';
import fc from 'fast-check';
import { runStatuses } from '../../shared/catalogue/states/runs.ts';
import { openDb, type Db, type Tx } from '../../shared/platform/db/knex.ts';
import { queryRows, statement, statementTime } from '../../shared/platform/db/sql.ts';
import { newId } from '../../shared/platform/ids.ts';
import { insertRun, type InsertRunOptions } from '../../shared/runs/insertRun.ts';
import type { Run } from '../../shared/runs/model.ts';
import { transitionRun, type RunTransition } from '../../shared/runs/moveRun.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { anyRun } from './anyRun.ts';

const name = fc.stringMatching(/^[a-z][a-z_.-]{0,8}$/);
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);
/** PostgreSQL stores neither NUL nor halves of surrogate pairs. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((value) => !value.includes('\0'));
const json = fc.dictionary(name, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)));

/** What a run has besides its id, its record and its place on a timeline. */
const values = {
  action: name,
  label: text,
  input: json,
  background: fc.boolean(),
  repeatable: fc.boolean(),
  timeout_ms: fc.integer({ min: 1, max: 86_400_000 }),
  attempts: fc.nat(9),
  attempt: fc.integer({ min: 1, max: 9 }),
  failures: fc.nat(9),
  progress: nullable(fc.constantFrom(0, 0.5, 1)),
  message: nullable(text),
  error: nullable(text),
  code: nullable(name),
  actor_type: fc.constantFrom('agent' as const, 'person' as const),
  actor: name,
  actor_name: text,
  role: nullable(name),
  requested_at: time,
  expires_at: nullable(time),
  started_at: nullable(time),
  finished_at: nullable(time),
  handed_at: nullable(time),
  instance: nullable(name),
  connection: nullable(name),
  waiting_until: nullable(time),
  request_id: nullable(name),
  address: nullable(name),
  reason: nullable(text),
  status: fc.constantFrom('running' as const, 'queued' as const),
};
const inserted = fc.record({
  ...values,
  hasRecord: fc.boolean(),
  hasItem: fc.boolean(),
  due: fc.oneof(time, fc.constant('app' as const)),
  body: text,
});
const moved = fc.record({
  ...values,
  status: fc.constantFrom(...runStatuses),
  verb: fc.constantFrom('action.succeed', 'action.fail'),
  outcome: fc.constantFrom('ok' as const, 'failed' as const),
  by: nullable(
    fc.record({
      type: fc.constantFrom('agent', 'person', 'system'),
      id: nullable(name),
      name: text,
      role: nullable(name),
      requestId: nullable(name),
    }),
  ),
  why: nullable(text),
  due: fc.oneof(time, fc.constant('app' as const)),
  response: fc.record({ status: fc.constantFrom(200, 422), body: text }),
  isStale: fc.boolean(),
});
/** What all runs of a batch have or lack: only those that write the same parts share a statement. */
const shared = fc.record({
  unlessQueued: fc.boolean(),
  hasJob: fc.boolean(),
  hasReason: fc.boolean(),
  hasKey: fc.boolean(),
  hasVerb: fc.boolean(),
  emit: fc.boolean(),
  moves: fc.constantFrom('due', 'noJob', 'sameJob'),
  answers: fc.constantFrom('response', 'free', 'same'),
});
type Inserted = typeof inserted extends fc.Arbitrary<infer V> ? V : never;
type Moved = typeof moved extends fc.Arbitrary<infer V> ? V : never;
type Shared = typeof shared extends fc.Arbitrary<infer V> ? V : never;

const runOf = ({ hasRecord, hasItem, due: _due, body: _body, ...own }: Inserted, { hasKey, hasReason }: Shared): Run =>
  anyRun({
    ...own,
    reason: hasReason ? (own.reason ?? 'A reason.') : null,
    resource: hasRecord ? 'order' : null,
    record: hasRecord ? newId('run') : null,
    item: hasItem ? 'itm_1' : null,
    inbox: hasItem ? 'bugs' : null,
    entry: hasItem || hasRecord ? newId('ent') : null,
    once_principal: hasKey ? own.actor : null,
    once_key: hasKey ? newId('ent') : null,
  });
const insertOptions = ({ due, body }: Inserted, { unlessQueued, hasJob }: Shared, run: Run): InsertRunOptions => ({
  due: hasJob ? due : null,
  unlessQueued,
  saved:
    run.once_key === null
      ? null
      : {
          principal: run.actor,
          key: run.once_key,
          fingerprint: Buffer.from('a request'),
          status: 202,
          body,
          etag: null,
        },
});
const moveOf = (
  run: Run,
  { verb, outcome, by, why, due, response, isStale, ...own }: Moved,
  { hasVerb, hasReason, emit, moves, answers }: Shared,
): { before: Run; after: Run; step: RunTransition } => ({
  before: isStale ? { ...run, fence: 7 } : run,
  after: {
    ...run,
    ...own,
    reason: hasReason ? `${own.reason ?? 'Another'} again.` : run.reason,
    requested_at: run.requested_at,
    fence: run.fence + 1,
  },
  step: {
    verb: hasVerb ? verb : null,
    outcome,
    emit,
    reason: why,
    ...(by === null ? {} : { by }),
    ...(moves === 'sameJob' ? {} : { due: moves === 'due' ? due : null }),
    ...(answers === 'same' ? {} : { response: answers === 'free' ? ('free' as const) : response }),
  },
});

/** The rows that runs have in each table, by their ids ($1), those of their entries ($2) or their keys ($3). */
const tables = {
  runs: 'select * from runs where id = any($1)',
  run_reasons: 'select * from run_reasons where run = any($1)',
  events: 'select * from events where target = any($1) or entry = any($2)',
  outbox:
    'select o.*, p.parts as told from outbox o join stream_parts p on p.id = o.id cross join unnest($1) r (id) where strpos(p.parts, r.id) > 0',
  staged_jobs: 'select * from staged_jobs where subject = any($1)',
  idempotency_keys: 'select * from idempotency_keys where key = any($3)',
};
/** Members that the database draws, or that name a run by its bytes. */
const drawn: Readonly<Record<string, readonly string[]>> = { events: ['id'], outbox: ['id'], staged_jobs: ['id'] };
const idIn = /(?:run|ent)_[0-9a-z]{26}/g;

describe('runs that are written together', () => {
  let database: TestDatabase;
  let db: Db;

  before(async () => {
    database = await newDatabase();
    db = openDb({ url: database.url, poolSize: 6, applicationName: 'test' });
    await db.raw(
      "insert into environments (id, name, seal_key, created_at) overriding system value values (1, 'test', '', 0)",
    );
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** Returns what the tables have of these runs, with the place of a run instead of its ids. */
  const writtenOf = async (runs: readonly Run[]): Promise<unknown> => {
    const lists = [runs.map(({ id }) => id), runs.map(({ entry }) => entry), runs.map(({ once_key: key }) => key)];
    const places = new Map<string, string>();
    for (const [n, { id, entry, record, once_key: key }] of runs.entries())
      for (const own of [id, entry, record, key]) if (own !== null) places.set(own, String(n));
    const found: Record<string, readonly string[]> = {};
    for (const [table, sql] of Object.entries(tables)) {
      const all = sql.replaceAll(/\$([123])/g, (_whole, n: string) => `$${n}::text[]`);
      const rows = await queryRows<object>(
        db,
        statement(`test.together.${table}`, `with given as (select $1::text[], $2::text[], $3::text[]) ${all}`),
        lists,
      );
      const left = (key: string, value: unknown): unknown => (drawn[table]?.includes(key) === true ? undefined : value);
      found[table] = rows
        .map((row) => JSON.stringify(row, left).replaceAll(idIn, (id) => places.get(id) ?? id))
        .toSorted();
    }
    return found;
  };
  const alone = <T>(write: (tx: Tx) => Promise<T>): Promise<T> => db.transaction(write);

  it('leave the rows that each alone leaves', async () => {
    let statements = 0;
    let writes = 0;
    await fc.assert(
      fc.asyncProperty(
        shared,
        fc.array(fc.tuple(inserted, moved), { minLength: 40, maxLength: 60 }),
        async (has, all) => {
          const one = all.map(([given]) => runOf(given, has));
          const together = all.map(([given]) => runOf(given, has));
          for (const [n, [given]] of all.entries()) {
            const run = one[n] as Run;
            expect(await alone((tx) => insertRun(tx, run, insertOptions(given, has, run)))).to.equal(true);
          }
          const before = statementTime('runs.insert').count;
          expect(
            await Promise.all(
              together.map((run, n) => insertRun(db, run, insertOptions(all[n]?.[0] as Inserted, has, run))),
            ),
          ).to.deep.equal(together.map(() => true));
          statements += statementTime('runs.insert').count - before;
          expect(await writtenOf(together), 'inserted').to.deep.equal(await writtenOf(one));

          const results: boolean[] = [];
          for (const [n, [, given]] of all.entries()) {
            const { before: from, after, step } = moveOf(one[n] as Run, given, has);
            results.push(await alone((tx) => transitionRun(tx, from, after, 5, step)));
          }
          const moves = statementTime('runs.move').count;
          expect(
            await Promise.all(
              together.map((run, n) => {
                const { before: from, after, step } = moveOf(run, all[n]?.[1] as Moved, has);
                return transitionRun(db, from, after, 5, step);
              }),
            ),
          ).to.deep.equal(results);
          statements += statementTime('runs.move').count - moves;
          writes += 2 * all.length;
          expect(await writtenOf(together), 'moved').to.deep.equal(await writtenOf(one));
        },
      ),
      { numRuns: 10, endOnFailure: true },
    );
    expect(statements, `for ${String(writes)} writes`).to.be.below(writes / 2);
  });

  const plain: Shared = {
    unlessQueued: false,
    hasJob: true,
    hasReason: false,
    hasKey: true,
    hasVerb: true,
    emit: true,
    moves: 'noJob',
    answers: 'same',
  };
  const some = (count: number): { run: Run; given: Inserted; move: Moved }[] =>
    fc
      .sample(fc.tuple(inserted, moved), count)
      .map(([given, move]) => ({ run: runOf(given, plain), given, move: { ...move, isStale: false } }));

  it('have each its own failure: a key that is there already keeps no other run back', async () => {
    const all = some(40);
    const [first] = all;
    const last = all.at(-1);
    if (first === undefined || last === undefined) throw new Error('There is a first and a last one.');
    const same = { ...last, run: { ...last.run, actor: first.run.actor, once_key: first.run.once_key } };
    const ends = await Promise.allSettled(
      [...all.slice(0, -1), same].map(({ run, given }) => insertRun(db, run, insertOptions(given, plain, run))),
    );
    expect(ends.filter(({ status }) => status === 'rejected')).to.have.length(1);
    expect(ends.at(-1)).to.have.nested.property('reason.code', '23505');
  });

  it('are moved once, however many move them at once, and wait for nobody who holds another run', async () => {
    const all = some(40);
    await Promise.all(all.map(({ run, given }) => insertRun(db, run, insertOptions(given, plain, run))));
    const move = ({ run, move: to }: (typeof all)[number]): Promise<boolean> => {
      const { before: from, after, step } = moveOf(run, to, plain);
      return transitionRun(db, from, after, 5, step);
    };
    const held = all.at(-1);
    if (held === undefined) throw new Error('There is a last one.');
    let isHeld = true;
    const waiting: Promise<boolean>[] = [];
    await db.transaction(async (tx) => {
      await tx.raw('select 1 from runs where id = ? for update', [held.run.id]);
      const others = [...all.slice(0, -1), ...all.slice(0, -1)].map(move);
      const last = move(held).finally(() => {
        expect(isHeld, 'it is moved once nobody holds it').to.equal(false);
      });
      waiting.push(last);
      expect((await Promise.all(others)).filter(Boolean)).to.have.length(all.length - 1);
      isHeld = false;
    });
    expect(await Promise.all(waiting)).to.deep.equal([true]);
  });
});
