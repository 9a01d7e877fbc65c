/** Sweeps: one process runs them, and what is old goes. */
import { expect } from 'chai';
import { limits } from '../../shared/catalogue/limits.ts';
import { acquireLeaderLease, leaseRetryMs } from '../../shared/platform/leases/leaderLease.ts';
import { platformRegistry } from '../../shared/platform/log/metrics.ts';
import { expiredRows } from '../../workers/sweeps/expiredRows.ts';
import { grownTables } from '../../workers/sweeps/index.ts';
import { startSweeps } from '../../workers/sweeps/sweep.ts';
import { unfinishedRuns } from '../../workers/sweeps/unfinishedRuns.ts';
import { createWorkerProcess } from '../../workers/workerProcess.ts';
import { until } from '../support/until.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';

const day = 86_400_000;

describe('sweeps', () => {
  let world: JobsWorld;
  beforeEach(async () => {
    world = await newJobsWorld();
  });
  afterEach(() => world.close());

  it('are run by one process, and by another when that one has stopped', async () => {
    const turns = [0, 0];
    const start = (n: 0 | 1) =>
      world.own(
        startSweeps(world.deps, [
          {
            name: 'count',
            everyMs: 1,
            run: async () => {
              turns[n] = (turns[n] ?? 0) + 1;
            },
          },
        ]),
      );
    const first = start(0);
    await until('the first is at work', () => (turns[0] ?? 0) > 5);
    const leaseUntil = async (): Promise<number> =>
      Number((await world.sql<{ until: string }>(`select until from leases where name = 'sweeps'`))[0]?.until);
    const before = await leaseUntil();
    start(1);
    // By then the second has tried for the lease, which it does as often as the first renews it.
    await until('the first has renewed its lease', async () => (await leaseUntil()) > before + leaseRetryMs);
    expect(await acquireLeaderLease(world.deps.db, 'sweeps', 'a third')).to.equal(null);
    expect(turns[0]).to.be.above(5);
    expect(turns[1]).to.equal(0);
    await first.stop();
    const last = turns[0];
    await until('the second is at work', () => (turns[1] ?? 0) > 5);
    expect(turns[0]).to.equal(last);
  });

  it('go on after one has failed', async () => {
    let turns = 0;
    let others = 0;
    world.own(
      startSweeps(world.deps, [
        {
          name: 'bad',
          everyMs: 1,
          run: async () => {
            turns += 1;
            throw new Error('bad');
          },
        },
        {
          name: 'good',
          everyMs: 1,
          run: async () => {
            others += 1;
          },
        },
      ]),
    );
    await until('both had more turns', () => turns > 5 && others > 5);
  });

  it('trim the stream by age and number, from the start and without a gap', async () => {
    const now = 10 * day;
    const head = limits.streamKeepMessages + 5000;
    await world.sql('insert into streams (env, position) values (1, $1), (2, 50)', [head]);
    // Of the 5,000 that are too many, the first 3,000 are old, one is young, then all are old again.
    await world.sql(
      `insert into stream select 1, g, case when g = 3001 then $1::bigint else 0 end, '[]' from generate_series(1, $2::int) g`,
      [now, 6000],
    );
    await world.sql(`insert into stream select 2, g, 0, '[]' from generate_series(1, 50) g`);
    // Of every other one the parts stand apart.
    await world.sql(`update stream set parts = '', id = env * 1000000 + position where position % 2 = 0`);
    await world.sql(`insert into stream_parts (id, env, parts) select id, env, '[]' from stream where id is not null`);
    const run = (at: number) => expiredRows.run({ ...world.deps, clock: { now: () => at } });
    const state = () =>
      world.sql(`select s.env, trimmed::int, min(t.position)::int as first, count(*)::int as kept,
        (select count(*)::int from stream_parts p where p.env = s.env) as parts
      from streams s join stream t using (env) group by s.env, trimmed order by s.env`);
    await run(now);
    expect(await state()).to.deep.equal([
      { env: 1, trimmed: 3000, first: 3001, kept: 3000, parts: 1500 },
      { env: 2, trimmed: 0, first: 1, kept: 50, parts: 25 },
    ]);
    await run(now + 2 * day);
    expect(await state()).to.deep.equal([
      { env: 1, trimmed: 5000, first: 5001, kept: 1000, parts: 500 },
      { env: 2, trimmed: 0, first: 1, kept: 50, parts: 25 },
    ]);
  });

  it('start a run that was left behind in its queue, beside more queued runs than one look reads', async () => {
    const queued = 12_000;
    await world.sql(
      `insert into runs (id, env, action, label, input, status, background, repeatable, timeout_ms, lane, actor_type, actor, actor_name, requested_at, expires_at)
       select 'run_' || lpad(n::text, 26, '0'), 1 + n % 2, 'ship', 'Ship', '{}', 'queued', false, false, 30000, 'order/' || n / 3, 'agent', 'agt_1', 'a', 0, $1
       from generate_series(1, $2) n`,
      [world.deps.clock.now() + day, queued],
    );
    // All wait for the app, but one whose turn it is and two that are behind it.
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, subject, waits_for_app, created_at)
       select 'job_' || n, 1 + n % 2, 'actionRun', '{}', 'run_' || lpad(n::text, 26, '0'), n not in (8000, 8002, 8004), 0 from generate_series(1, $1) n`,
      [queued],
    );
    await world.sql(
      "update runs set lane = 'order/left', env = 1 where id in (select 'run_' || lpad(n::text, 26, '0') from unnest(array[8000, 8002, 8004]) n)",
    );
    const due = () => world.sql<{ id: string }>('select id from staged_jobs where due_at is not null');
    for (let looks = 0; looks < 3; looks++) await unfinishedRuns.run(world.deps);
    expect(await due()).to.deep.equal([{ id: 'job_8000' }]);
    // From the first queue again.
    await world.sql(`update staged_jobs set due_at = null where id = 'job_8000'`);
    for (let looks = 0; looks < 3; looks++) await unfinishedRuns.run(world.deps);
    expect(await due()).to.deep.equal([{ id: 'job_8000' }]);
  });

  it('remove saved answers, tickets and failed jobs that are old, and no others', async () => {
    const now = 10 * day;
    await world.sql(
      `insert into idempotency_keys select 'p', 'k' || g, 'x', 200, '{}', null, case when g <= 2500 then 0 else $1::bigint end from generate_series(1, 2501) g`,
      [now - day],
    );
    await world.sql(
      `insert into tickets select decode(lpad(to_hex(g), 8, '0'), 'hex'), 1, 'x', case when g = 1 then $1::bigint - 1 else $1::bigint end from generate_series(1, 2) g`,
      [now],
    );
    await world.sql(`insert into staged_jobs (id, env, name, payload, last_error, due_at, created_at) values
      ('failed', 1, 'probe', '{}', 'bad', null, 0), ('parked', 1, 'replySend', '{}', null, null, 0), ('tried', 1, 'probe', '{}', 'bad', 1, 0),
      ('young', 1, 'probe', '{}', 'bad', null, ${String(now)}), ('erasure', 1, 'erase', '{}', 'bad', null, 0)`);
    await world.sql(
      `insert into staged_jobs (id, env, name, payload, last_error, created_at, given_up_at)
       values ('late', 1, 'probe', '{}', 'bad', 0, $1), ('waited', 1, 'probe', '{}', 'bad', 0, 1)`,
      [now - 6 * day],
    );
    await expiredRows.run({ ...world.deps, clock: { now: () => now } });
    expect(await world.sql('select key from idempotency_keys')).to.deep.equal([{ key: 'k2501' }]);
    expect(await world.sql('select expires_at::text from tickets')).to.deep.equal([{ expires_at: String(now) }]);
    expect(await world.sql('select id from staged_jobs order by id')).to.deep.equal([
      { id: 'erasure' },
      { id: 'late' },
      { id: 'parked' },
      { id: 'tried' },
      { id: 'young' },
    ]);
  });

  it('have a table analyzed once it has outgrown its statistics, and not again', async () => {
    const known = async (): Promise<number> =>
      (await world.sql<{ n: number }>(`select reltuples::int as n from pg_class where relname = 'outbox'`))[0]?.n ?? 0;
    await world.sql('analyze outbox');
    expect(await known()).to.equal(0);
    await world.sql(`insert into outbox (id, env, at, parts) select n, 1, 1, '[]' from generate_series(1, 3000) n`);
    await until('it is analyzed', async () => {
      await grownTables.run(world.deps);
      return (await known()) === 3_000;
    });
    await world.sql('delete from outbox where id <= 500');
    await world.sql('select pg_stat_force_next_flush()');
    await grownTables.run(world.deps);
    expect(await known()).to.equal(3_000);
  });

  it('cost a worker that has nothing to do few statements', async () => {
    await world.own(createWorkerProcess(world.deps)).start();
    const counter = platformRegistry.getSingleMetric('console_postgres_statements_total');
    const count = async (): Promise<number> =>
      ((await counter?.get())?.values ?? []).reduce((sum, { value }) => sum + value, 0);
    const looks = async (): Promise<number> =>
      ((await counter?.get())?.values ?? []).find(({ labels }) => labels['statement'] === 'sweeps.due')?.value ?? 0;
    const [first, before] = [await looks(), await count()];
    // Two looks are a second; the first ones do what a new database needs.
    await until('it has looked', async () => (await looks()) >= first + 4);
    const [second, since] = [await looks(), await count()];
    await until('it has looked six times more', async () => (await looks()) >= second + 6);
    const aSecond = ((await count()) - since) / (((await looks()) - second) / 2);
    expect(since, 'it is at work').to.be.above(before);
    expect(aSecond, 'statements a second').to.be.within(4, 30);
  });
});
