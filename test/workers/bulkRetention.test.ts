/** Results of bulks are kept for as long as an environment wants them, in parts for months; then they go, and the bulk says so. */
import { expect } from 'chai';
import { isDuplicateBulkResult } from '../../shared/items/perform/perform.ts';
import { executeStatement, statement } from '../../shared/platform/db/sql.ts';
import { idAt, newIdOf } from '../../shared/platform/ids.ts';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { expireBulkResults, months } from '../../workers/sweeps/index.ts';
import { ageBulk, beginBulkMonthsAgo, partsBefore, partsOf } from '../support/bulkMonths.ts';
import type { Client } from '../support/http.ts';
import { handlers } from '../support/jobHandlers.ts';
import { newWorld, type World } from '../support/world.ts';

const dayMs = 86_400_000;
/** Results of one chunk, and a few. */
const many = 503;

describe('results of bulks', () => {
  let world: World;
  let demo: Client;
  let second: Client;

  const daysAgo = (days: number): number => Date.now() - days * dayMs;
  const count = async (table: string, bulk: string): Promise<number> =>
    (await world.sql<{ n: number }>(`select count(*)::int as n from ${table} where bulk = $1`, [bulk]))[0]?.n ?? 0;
  const rows = async (bulk: string): Promise<number[]> => [
    await count('bulk_results', bulk),
    await count('bulk_chunks', bulk),
  ];
  const admin = async (...words: string[]): Promise<{ exitCode: number; text: string }> =>
    runAdmin(words, { readConfig: () => world.config, readInput: () => Promise.resolve('') });
  const sweep = (): Promise<void> => expireBulkResults.run(world.deps);

  const work = (bulk: string, env: number, chunk: number): Promise<unknown> =>
    handlers.bulkChunk(
      {
        id: 'job',
        env,
        name: 'bulkChunk',
        payload: { bulk, chunk },
        requestId: null,
        fence: 1,
        startCount: 1,
        signal: new AbortController().signal,
        span: null,
        inTurn: () => Promise.resolve(),
      },
      world.deps,
    );
  /** A bulk that changes an item and doesn't find many others, finished so many days ago. */
  const finishedBulk = async (client: Client, days: number): Promise<string> => {
    const { item } = (await client.post('/items', { inbox: 'mail', title: 'One' })).body;
    const ids = [item.id, ...Array.from({ length: many - 1 }, () => newIdOf('itm', daysAgo(days)))];
    const accepted = await client.post('/bulk', { ids, operation: { type: 'tags', add: ['seen'] } });
    expect(accepted.status, accepted.text).to.equal(202);
    const id = accepted.body.bulk.id as string;
    const [bulk] = await world.sql<{ env: number }>('select env from bulks where id = $1', [id]);
    for (const chunk of [0, 1]) await work(id, bulk?.env ?? 0, chunk);
    return ageBulk(world, id, daysAgo(days));
  };
  const isGone = async (client: Client, bulk: string): Promise<boolean> => {
    const { status, body, text } = await client.get(`/bulk/${bulk}/results?limit=200`);
    if (status === 200) return false;
    expect([status, body.code], text).to.deep.equal([404, 'not_found']);
    expect(body.error).to.match(/were kept until \d{4}-\d\d-\d\dT[\d:.]+Z; the bulk itself has its counts/);
    return true;
  };

  beforeEach(async () => {
    world = await newWorld({ workers: false });
    await world.environment('second');
    demo = await world.agent('admin', { environments: ['*'] });
    second = world.elsewhere(demo, 'second');
    await beginBulkMonthsAgo(world, 6);
  });
  afterEach(() => world.close());

  it('stay for their time by PostgreSQL’s clock, however far ahead that of a worker is', async () => {
    const young = await finishedBulk(demo, 60);
    const ahead = { now: () => world.clock.now() + 3 * 365 * dayMs };
    await expireBulkResults.run({ ...world.deps, clock: ahead });
    expect(await isGone(demo, young)).to.equal(false);
  });

  it('go with their month once no environment keeps them, and the bulk stays with its counts', async () => {
    const [old, other, young] = [
      await finishedBulk(demo, 160),
      await finishedBulk(second, 155),
      await finishedBulk(demo, 60),
    ];
    const parts = await partsOf(world, 'bulk_results');
    const before = (await demo.get(`/bulk/${old}`)).body;
    expect(before.bulk).to.include({ changed: 1, failed: many - 1, done: many });
    await sweep();
    const left = await partsOf(world, 'bulk_results');
    const past = partsBefore(parts, daysAgo(world.config.bulkResultsDays));
    expect(parts.filter((part) => !left.includes(part))).to.deep.equal(past);
    expect(past).to.include('bulk_results_former').and.have.length.within(3, 5);
    expect(await partsOf(world, 'bulk_chunks')).to.have.length(left.length);
    expect([await rows(old), await rows(other), await rows(young)]).to.deep.equal([
      [0, 0],
      [0, 0],
      [many, 2],
    ]);
    expect([await isGone(demo, old), await isGone(second, other), await isGone(demo, young)]).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect((await demo.get(`/bulk/${old}`)).body).to.deep.equal(before);
    expect((await demo.get('/bulk')).body.bulks).to.deep.include(before.bulk);
    const undo = await demo.post(`/bulk/${old}/undo`, {});
    expect([undo.status, undo.body.error]).to.deep.equal([409, 'A bulk can be undone for 7 days.']);
    await months.run(world.deps);
    await sweep();
    expect(await partsOf(world, 'bulk_results')).to.deep.equal(left);
    expect(await finishedBulk(demo, 0).then(rows)).to.deep.equal([many, 2]);
  });

  it('go row by row where others keep theirs longer', async () => {
    const set = await admin('retention', 'set', 'demo', '--bulk-results', '30', '--json');
    expect(JSON.parse(set.text).retention).to.deep.include({ environment: 'demo', bulkResults: 30 });
    const [mine, theirs, late] = [
      await finishedBulk(demo, 60),
      await finishedBulk(second, 60),
      await finishedBulk(demo, 20),
    ];
    const parts = await partsOf(world, 'bulk_results');
    await sweep();
    expect([await rows(mine), await rows(theirs), await rows(late)]).to.deep.equal([
      [0, 0],
      [many, 2],
      [many, 2],
    ]);
    expect([await isGone(demo, mine), await isGone(second, theirs), await isGone(demo, late)]).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect((await demo.get(`/bulk/${mine}`)).body.bulk).to.include({ changed: 1, failed: many - 1 });
    const past = partsBefore(parts, daysAgo(world.config.bulkResultsDays));
    expect(await partsOf(world, 'bulk_results')).to.deep.equal(parts.filter((part) => !past.includes(part)));
    const audit = (await demo.get('/audit?verb=environment.retention')).body.entries as { after: object }[];
    expect(audit[0]?.after).to.deep.equal({ bulkResults: 30 });
  });

  it('stay for ever where that is set, and what others have is deleted', async () => {
    expect((await admin('retention', 'set', 'demo', '--bulk-results', 'forever')).exitCode).to.equal(0);
    const [kept, gone] = [await finishedBulk(demo, 160), await finishedBulk(second, 160)];
    const parts = await partsOf(world, 'bulk_results');
    await sweep();
    expect([await rows(kept), await rows(gone)]).to.deep.equal([
      [many, 2],
      [0, 0],
    ]);
    expect(await partsOf(world, 'bulk_results')).to.deep.equal(parts);
    const { text } = await admin('retention', 'list');
    expect(text)
      .to.match(/demo\s+for ever/)
      .and.match(/second\s+as BULK_RESULTS_DAYS says/);
    expect((await admin('retention', 'set', 'demo', '--bulk-results', 'default')).exitCode).to.equal(0);
    await sweep();
    expect(await rows(kept)).to.deep.equal([0, 0]);
    for (const [words, sentence] of [
      [['demo', '--bulk-results', '7'], /must be 8 to 36500 days/],
      [['nowhere', '--bulk-results', '30'], /no environment "nowhere"/],
    ] as const) {
      const refused = await admin('retention', 'set', ...words);
      expect([refused.exitCode > 0, sentence.test(refused.text)], refused.text).to.deep.equal([true, true]);
    }
  });

  it('stay while the bulk or an undo of it is not finished, and go over more bulks than one statement looks at', async () => {
    const open = await finishedBulk(demo, 140);
    const undone = await finishedBulk(demo, 150);
    const first = await finishedBulk(demo, 160);
    await world.sql('update bulks set finished_at = null where id = $1', [open]);
    await world.sql(
      `insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, created_at, finished_at)
       select $1 || lpad(n::text, 16, '0'), (select id from environments where name = 'second'), 'done', '{}', 0, 'agent', 'agt_1', 'many', 0, 0
       from generate_series(1, 1203) n`,
      [idAt('blk', daysAgo(158)).slice(0, 14)],
    );
    const undo = newIdOf('blk', daysAgo(1));
    await world.sql(
      `insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, created_at, undo_of)
       select $1, env, 'pending', '{}', 1, actor_type, actor, actor_name, 0, id from bulks where id = $2`,
      [undo, undone],
    );
    await sweep();
    expect([await isGone(demo, first), await isGone(demo, undone), await isGone(demo, open)]).to.deep.equal([
      true,
      false,
      false,
    ]);
    await world.sql("update bulks set status = 'cancelled', finished_at = $2 where id = $1", [undo, Date.now()]);
    await sweep();
    expect([await isGone(demo, undone), await isGone(demo, open)]).to.deep.equal([true, false]);
    await world.sql('update bulks set finished_at = $2 where id = $1', [open, daysAgo(91)]);
    await sweep();
    expect(await isGone(demo, open)).to.equal(true);
    expect([await rows(first), await rows(undone), await rows(open)]).to.deep.equal([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  it('are in the part of their month, also those that came before it was made', async () => {
    const now = await finishedBulk(demo, 0);
    const early = await ageBulk(world, await finishedBulk(demo, 0), Date.now() + 150 * dayMs);
    const partOf = async (bulk: string): Promise<string[]> =>
      (
        await world.sql<{ part: string }>(
          'select distinct tableoid::regclass::text as part from bulk_results where bulk = $1',
          [bulk],
        )
      ).map(({ part }) => part);
    expect([await partOf(now), await partOf(early)]).to.deep.equal([
      [`bulk_results_${new Date().toISOString().slice(0, 7).replace('-', '_')}`],
      ['bulk_results_other'],
    ]);
    const month = new Date(Date.now() + 150 * dayMs).toISOString().slice(0, 7).replace('-', '_');
    await world.sql("select make_bulk_months(now() + interval '150 days')");
    expect(await partOf(early)).to.deep.equal([`bulk_results_${month}`]);
    expect(await rows(early)).to.deep.equal([many, 2]);
    const again = statement(
      'test.duplicateResult',
      'insert into bulk_results (bulk, seq, item, outcome) select bulk, seq, item, outcome from bulk_results where bulk = $1 and seq = 0',
    );
    const error: unknown = await executeStatement(world.deps.db, again, [now]).catch((thrown: unknown) => thrown);
    expect(isDuplicateBulkResult(error)).to.equal(true);
  });

  it('are looked for in one part, though the plan is made before the bulk is known', async () => {
    const lines = await world.sql<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off, summary off, buffers off)
       select * from bulk_results where bulk = (select id_at('blk', now())) and seq > 3 order by seq`,
    );
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
    expect(plan.match(/never executed/g), plan).to.have.length((await partsOf(world, 'bulk_results')).length - 1);
  });
});
