/** The figures of the whole database: right, bounded, and read once for all who ask. */
import { expect } from 'chai';
import { openDb, type Db } from '../../../shared/platform/db/knex.ts';
import { databaseStatements, readDatabaseFigures } from '../../../shared/platform/health/databaseMetrics.ts';
import { createFigures } from '../../../shared/platform/health/figures.ts';
import { chainNextRange } from '../../../shared/platform/journal/auditChain.ts';
import { newJobsWorld, type JobsWorld } from '../../workers/jobsWorld.ts';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('figures of the whole database', () => {
  let world: JobsWorld;
  let db: Db;
  before(async () => {
    world = await newJobsWorld();
    db = openDb({ url: world.env['DATABASE_URL'] ?? '', poolSize: 1, applicationName: 'console-test' });
  });
  after(async () => {
    await db.destroy();
    await world.close();
  });

  /** Returns the blocks that the statements read, and the tables that one of them reads whole. */
  const explain = async (): Promise<{ blocks: number; scanned: string[] }> => {
    const plans: Plan[] = [];
    for (const { text } of databaseStatements) {
      const { rows } = await db.raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(
        `explain (analyze, buffers, format json) ${text.replaceAll('$1', String(Date.now()))}`,
      );
      const [found] = rows[0]?.['QUERY PLAN'] ?? [];
      if (found !== undefined) plans.push(found.Plan);
    }
    expect(plans).to.have.length(databaseStatements.length);
    return {
      blocks: plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0),
      scanned: plans
        .flatMap(nodesOf)
        .filter((node) => node['Node Type'] === 'Seq Scan')
        .map((node) => node['Relation Name'] ?? '')
        // A row for each environment: all are needed.
        .filter((table) => table !== 'streams'),
    };
  };

  const runs = (from: number, to: number, status: string): Promise<unknown> =>
    world.sql(
      `insert into runs (id, env, action, label, input, status, background, repeatable, timeout_ms, actor_type, actor, actor_name, requested_at)
       select 'run_' || $3 || n, 1 + n % 2, 'a', 'A', '{}', $3, false, false, 1000, 'agent', 'agt_1', 'Bot', 0 from generate_series($1::int, $2::int) n`,
      [from, to, status],
    );
  const approvals = (to: number, status: string): Promise<unknown> =>
    world.sql(
      `insert into approvals (id, env, kind, status, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request)
       select 'apr_' || $2 || n, 1, 'flag', $2, 's', 'agent', 'agt_1', 'Bot', 0, 0, decode(md5($2 || n), 'hex'), '{}' from generate_series(1, $1::int) n`,
      [to, status],
    );
  const jobs = (to: number, name: string, columns: string, values: string): Promise<unknown> =>
    world.sql(
      `insert into staged_jobs (id, env, name, payload, created_at, ${columns})
       select 'job_' || $2 || md5($3) || n, 1, $2, '{}', 0, ${values} from generate_series(1, $1::int) n`,
      [to, name, values],
    );

  it('count what is open, by kind and state, and say how old the oldest is', async () => {
    const now = Date.now();
    await runs(1, 3, 'queued');
    await runs(1, 2, 'pending');
    await runs(1, 5, 'succeeded');
    await approvals(4, 'pending');
    await approvals(2, 'approved');
    await jobs(2, 'actionRun', 'due_at', String(now - 7_000));
    await jobs(3, 'actionRun', 'due_at', String(now + 60_000));
    await jobs(4, 'bulkChunk', 'due_at, enqueued_at', `${String(now - 9_000)}, ${String(now - 5_000)}`);
    await jobs(
      1,
      'bulkChunk',
      'due_at, enqueued_at, lease_until',
      `${String(now - 20_000)}, ${String(now - 19_000)}, ${String(now)}`,
    );
    await jobs(6, 'triageItem', 'waits_for_app', 'true');
    await jobs(1, 'triageItem', 'last_error', "'given up'");
    for (const id of [1, 2])
      await world.sql("insert into outbox (id, env, at, parts) values ($1, 1, $2, '[]')", [id, now - id]);
    await world.sql('insert into streams (env, position) values (1, 40), (2, 2)');
    await world.sql(
      `insert into events (id, env, at, actor_type, actor_name, verb, target_type, target, is_update, outcome)
       select n, 1 + n % 2, $1::bigint + n, 'agent', 'Bot', 'item.create', 'item', 'itm_' || n, false, 'ok' from generate_series(1, 2000) n`,
      [now - 9_000],
    );
    expect((await readDatabaseFigures(db, now)).unchainedSince, 'of no environment').to.equal(now - 8_999);
    await chainNextRange(world.deps.db, 2, 2_000, now);
    const found = await readDatabaseFigures(db, now);
    expect(found.unchainedSince, 'once the oldest of the other one are chained').to.equal(now - 8_998);
    expect(found.jobs).to.have.deep.members([
      { name: 'actionRun', state: 'due', n: 2, since: now - 7_000 },
      { name: 'bulkChunk', state: 'enqueued', n: 4, since: now - 9_000 },
      { name: 'bulkChunk', state: 'leased', n: 1, since: null },
      { name: 'triageItem', state: 'parked', n: 6, since: null },
      { name: 'triageItem', state: 'failed', n: 1, since: null },
    ]);
    expect(found.commitWaitSeconds).to.equal(0);
    expect(found.outbox).to.deep.equal({ rows: 2, since: now - 1, published: 42, held: false });
    expect(found.open).to.have.deep.members([
      { of: 'runs', status: 'pending', n: 2 },
      { of: 'runs', status: 'queued', n: 3 },
      { of: 'runs', status: 'running', n: 0 },
      { of: 'approvals', status: 'pending', n: 4 },
    ]);
  });

  it('read no more when 100,000 runs and approvals have ended', async () => {
    const before = await explain();
    expect(before.scanned).to.deep.equal([]);
    await runs(1, 100_000, 'failed');
    await approvals(100_000, 'rejected');
    const after = await explain();
    expect(after.scanned).to.deep.equal([]);
    // An index of 100,000 rows is a level or two higher than one of ten.
    expect(after.blocks).to.be.at.most(before.blocks + 50);
  });

  it('read a bounded part of 100,000 jobs, runs and messages that are open', async () => {
    await runs(10, 100_000, 'queued');
    await jobs(100_000, 'replySend', 'due_at', '1');
    await jobs(100_000, 'replySend', 'due_at, enqueued_at', '1, 1');
    await jobs(100_000, 'replySend', 'waits_for_app', 'true');
    await jobs(100_000, 'replySend', 'last_error', "'given up'");
    await world.sql("insert into outbox (id, env, at, parts) select n, 1, 1, '[]' from generate_series(10, 100000) n");
    const found = await readDatabaseFigures(db, Date.now());
    const states = Object.fromEntries(
      found.jobs.filter(({ name }) => name === 'replySend').map(({ state, n }) => [state, n]),
    );
    expect(states['due']).to.equal(10_000);
    expect(states['enqueued']).to.be.within(9_900, 10_000);
    expect(states['parked']).to.be.within(9_900, 10_000);
    expect([found.outbox.rows, found.open.find(({ status }) => status === 'queued')?.n]).to.deep.equal([
      10_000, 10_000,
    ]);
    const { blocks, scanned } = await explain();
    expect(scanned).to.deep.equal([]);
    // A block at most for each row that is counted and for its index, where no vacuum has been yet.
    expect(blocks).to.be.at.most(2 * 50_000);
  });

  it('are read once for all who ask within 5 s, and are unknown while PostgreSQL does not answer', async () => {
    let reads = 0;
    const figures = createFigures(async () => {
      reads += 1;
      return readDatabaseFigures(db, Date.now());
    });
    const found = await Promise.all(Array.from({ length: 20 }, figures));
    expect(reads).to.equal(1);
    expect(new Set(found).size).to.equal(1);
    const closed = openDb({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1, applicationName: 'console-test' });
    expect(await createFigures(() => readDatabaseFigures(closed, 0))()).to.equal(null);
    await closed.destroy();
  });
});
