/** Statements keep to what they are about, also by a plan that PostgreSQL made while there was next to nothing. */
import { expect } from 'chai';
import type pg from 'pg';
import { newId } from '../../../shared/platform/ids.ts';
import { chainNextRange } from '../../../shared/platform/journal/auditChain.ts';
import {
  acquireJobLease,
  releaseParkedJobs,
  renewJobLeases,
  rescheduleJobs,
} from '../../../shared/platform/leases/jobLease.ts';
import { acquirePublisherLease, partitionOf } from '../../../shared/platform/leases/leaderLease.ts';
import { insertRun } from '../../../shared/runs/insertRun.ts';
import { transitionRun } from '../../../shared/runs/moveRun.ts';
import { enqueueDue } from '../../../workers/outbox/enqueuer.ts';
import { publishBatch } from '../../../workers/outbox/publishBatch.ts';
import { sweeps } from '../../../workers/sweeps/index.ts';
import { startSweeps } from '../../../workers/sweeps/sweep.ts';
import { anyRun } from '../../runs/anyRun.ts';
import { blocksOf, executeSql, openPlanSession, recordStatements } from '../../support/plans.ts';
import { until } from '../../support/until.ts';
import { newJobsWorld, type JobsWorld } from '../../workers/jobsWorld.ts';

describe('plans of statements', () => {
  let world: JobsWorld;
  let session: pg.Client;
  let recorded: ReturnType<typeof recordStatements>;

  before(async () => {
    recorded = recordStatements();
    world = await newJobsWorld();
    session = await openPlanSession(world.env['MIGRATE_DATABASE_URL'] ?? '');
  });
  after(async () => {
    recorded.stop();
    await session.end();
    await world.close();
  });

  /** Makes the plan now, without rows, as a connection keeps it. */
  const prepare = async (name: string): Promise<void> => {
    const { text, values } = recorded.sent.get(name) ?? { text: '', values: [] };
    expect(text, name).not.to.equal('');
    await session.query(`prepare "${name}" as ${text}`);
    await session.query('begin');
    await session.query(executeSql(name, values));
    await session.query('rollback');
  };
  it('that ask what is due read next to nothing of what waits', async () => {
    const sweeping = startSweeps(world.deps, sweeps);
    const nameOf = (): string | undefined => [...recorded.sent.keys()].find((name) => name.startsWith('sweeps.due.'));
    const name = await until('it is asked what is due', nameOf);
    await sweeping.stop();
    await prepare(name);
    const later = Date.now() + 3_600_000;
    await world.sql(
      `insert into items (env, id, inbox, title, title_key, state, closed, tags, occurrences, users, first_seen, last_seen, fields, created_at, updated_at, terms, snoozed_until)
       select 1, 'itm_' || lpad(n::text, 26, '0'), 'bugs', 'x', 'x', 'open', false, '{}', 1, 0, 0, n, '{}', 0, 0, '', $1 from generate_series(1, 20000) n`,
      [later],
    );
    await world.sql(
      `insert into approvals (id, env, kind, status, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request)
       select 'apr_' || n, 1, 'action', 'pending', 'x', 'agent', 'agt_' || n, 'x', 0, $1, n::text::bytea, '{}' from generate_series(1, 5000) n`,
      [later],
    );
    const blocks = await blocksOf(session, name, [Date.now()]);
    expect(blocks, 'of 20,000 snoozed items and 5,000 approvals').to.be.below(80);
    expect(await blocksOf(session, name, [later + 1]), 'once they are due').to.be.below(80);
  });

  it('about some jobs read no others, however many there are', async () => {
    const { deps } = world;
    await acquireJobLease(deps.db, 'job_1', 0);
    await renewJobLeases(deps.db, [{ id: 'job_1', fence: 1 }]);
    await rescheduleJobs(deps.db, [{ id: 'job_1', fence: 1, at: 1 }]);
    await releaseParkedJobs(deps, 1);
    await enqueueDue(deps, { probe: { queue: 'probe', concurrency: 1, retries: 0 } } as never);
    const names = ['jobLease.claimMany', 'jobLease.extend', 'jobLease.again', 'jobLease.release', 'enqueuer.take'];
    // Of a table that was never analyzed PostgreSQL supposes some pages.
    await session.query('analyze staged_jobs');
    for (const name of names) await prepare(name);
    // 20,000 that nobody asks for: leased ones, of which none is due.
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, due_at, enqueued_at, lease_until, fence, request_id, created_at)
       select 'job_' || lpad(n::text, 26, '0'), 2, 'probe', '{}', 0, 1, 9000000000000, 1, 'req', 0 from generate_series(1, 20000) n`,
    );
    const wanted = Array.from({ length: 20 }, (_, n) => `job_z${String(n).padStart(25, '0')}`);
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, due_at, request_id, created_at, waits_for_app)
       select id, 1, 'probe', '{}', 0, 'req', 0, false from unnest($1::text[]) as g (id)`,
      [wanted],
    );
    const fences = wanted.map(() => 1);
    const read = {
      'jobLease.claimMany': await blocksOf(session, 'jobLease.claimMany', [wanted, 1]),
      'jobLease.extend': await blocksOf(session, 'jobLease.extend', [wanted, fences]),
      'jobLease.again': await blocksOf(session, 'jobLease.again', [wanted, fences, fences]),
      'enqueuer.take': await blocksOf(session, 'enqueuer.take', [1, ['probe']]),
    };
    for (const [name, blocks] of Object.entries(read))
      expect(blocks, `${name} ${JSON.stringify(read)}`).to.be.below(600);
  });

  it('that insert and move runs together read no others, however many are open', async () => {
    const { db } = world.deps;
    const ids = Array.from({ length: 20 }, () => newId('run'));
    const runs = ids.map((id) => anyRun({ id, resource: 'order', record: id, once_principal: 'agt_1', once_key: id }));
    const saved = (key: string) => ({
      principal: 'agt_1',
      key,
      fingerprint: Buffer.of(1),
      status: 202,
      body: '',
      etag: null,
    });
    await Promise.all(runs.map((run) => insertRun(db, run, { due: 1, saved: saved(run.id), unlessQueued: true })));
    const response = { status: 200, body: 'Done.' };
    const step = { verb: 'action.succeed', outcome: 'ok', emit: true, due: null, response } as const;
    await Promise.all(runs.map((run) => transitionRun(db, run, { ...run, status: 'succeeded', fence: 1 }, 2, step)));
    const names = [...recorded.sent.keys()].filter((name) => /^runs\.(insert\.first|move)\.rows/.test(name));
    expect(names, 'an insertion and a move').to.have.length(2);
    const [insertion = '', move = ''] = names.toSorted();
    // As they were before each: the runs are open, and then not there.
    await world.sql(`update runs set status = 'running', fence = 0 where id = any ($1)`, [ids]);
    await session.query('analyze runs; analyze idempotency_keys; analyze staged_jobs');
    await prepare(move);
    // 20,000 that nobody asks for: open runs of one record, with keys.
    await world.sql(
      `insert into runs select r.* from runs o cross join generate_series(1, 20000) n
       cross join lateral json_populate_record(o, json_build_object('id', 'run_' || lpad(n::text, 26, '0'), 'lane', 'order/1', 'once_key', 'key_' || n)) r
       where o.id = $1`,
      [ids[0]],
    );
    await world.sql(
      `insert into idempotency_keys (principal, key, fingerprint, status, body, created_at)
       select 'agt_1', 'key_' || n, '', 202, '', 1 from generate_series(1, 20000) n`,
    );
    const moved = await blocksOf(session, move, recorded.sent.get(move)?.values ?? []);
    await world.sql(
      `with gone as (delete from runs where id = any ($1)), keys as (delete from idempotency_keys where key = any ($1))
       delete from staged_jobs where subject = any ($1)`,
      [ids],
    );
    await prepare(insertion);
    const inserted = await blocksOf(session, insertion, recorded.sent.get(insertion)?.values ?? []);
    const found = { moved, inserted };
    for (const [what, blocks] of Object.entries(found))
      expect(blocks, `${what} ${JSON.stringify(found)}`).to.be.below(800);
  });

  it('that make an app’s jobs due look at each of them a few times, not at each for each', async () => {
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, due_at, request_id, created_at, waits_for_app)
       select 'job_y' || lpad(n::text, 25, '0'), 1, 'probe', '{}', null, 'req', n, true from generate_series(1, 3000) n`,
    );
    const { rows } = await session.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, timing off, costs off) execute "jobLease.release" ('1', '1000', '10000')`,
    );
    const removed = rows.map((row) => Number(/Rows Removed by Join Filter: (\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0));
    expect(Math.max(...removed), JSON.stringify(rows)).to.be.below(10_000);
    const due = await world.sql<{ id: string }>(
      "select id from staged_jobs where id like 'job_y%' order by due_at, id",
    );
    expect(due).to.have.length(3_000);
    expect(due[0]?.id).to.equal(`job_y${'1'.padStart(25, '0')}`);
    const [span] = await world.sql<{ first: number; last: number }>(
      "select min(due_at)::int as first, max(due_at)::int as last from staged_jobs where id like 'job_y%'",
    );
    expect(span).to.deep.equal({ first: 1_000, last: 1_799 });
  });

  it('that chain the entries of an environment read none of another’s', async () => {
    await chainNextRange(world.deps.db, 1, 0, 0);
    await prepare('audit.chain');
    await world.sql(
      `insert into events (env, at, actor_type, actor_name, verb, target_type, target, is_update, outcome)
       select 2, 0, 'agent', 'Bot', 'item.create', 'item', 'itm_' || n, false, 'ok' from generate_series(1, 20000) n`,
    );
    await session.query('analyze events');
    const last = (await world.sql<{ id: number }>('select max(id) as id from events'))[0]?.id ?? 0;
    expect(await blocksOf(session, 'audit.chain', [1, last, 0]), 'of the quiet one').to.be.below(50);
    expect(await blocksOf(session, 'audit.chain', [2, last, 0]), 'of the busy one, a thousand').to.be.below(1_500);
    while (await chainNextRange(world.deps.db, 2, last, 0));
    expect(await blocksOf(session, 'audit.chain', [2, last, 0]), 'once all are chained').to.be.below(50);
  });

  it('that publish a part of the environments read none of the others’ messages', async () => {
    const { db } = world.deps;
    await acquirePublisherLease(db, 'other');
    const lease = await acquirePublisherLease(db, 'own');
    if (lease === null) throw new Error('no lease');
    await publishBatch(db, { ...lease, partitions: [partitionOf(1)] }, { now: 0, advance: false });
    await prepare('publisher.batchOfPart');
    await world.sql(
      `insert into outbox (id, env, at, parts) select n, case when n % 1000 = 0 then 1 else 2 end, 0, '[]' from generate_series(1, 20000) n`,
    );
    await world.sql("update leases set until = 9e15 where name = 'publisher own'");
    const { values = [] } = recorded.sent.get('publisher.batchOfPart') ?? {};
    // 20 messages, each with what it writes.
    expect(await blocksOf(session, 'publisher.batchOfPart', values)).to.be.within(20, 500);
  });
});
