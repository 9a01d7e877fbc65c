/** Measures turns of sweeps and reloads of the directory beside large queues, approvals and environments, with which they must not grow. */
import type { Bench, Suite } from '../bench.ts';
import type { SweepTime } from '../programs/sweeps.ts';
import { atMost, type Figure } from '../report.ts';

interface Sizes {
  readonly runs: number;
  readonly approvals: number;
  readonly environments: number;
  readonly guards: number;
  readonly bulks: number;
}

const suite = 'size';
const full: Sizes = { runs: 1_000_000, approvals: 5_000, environments: 100, guards: 10_000, bulks: 40 };
const quick: Sizes = { runs: 100_000, approvals: 5_000, environments: 100, guards: 10_000, bulks: 10 };

/** Runs that wait for an app that is offline: five of each record, the first parked, the others behind it. */
const queueRuns = async ({ database }: Bench, { runs }: Sizes): Promise<void> => {
  const past = Date.now() - 60_000;
  await database.sql(
    `insert into runs (id, env, action, label, resource, record, input, status, background, repeatable, timeout_ms, lane, actor_type, actor, actor_name, requested_at, expires_at)
     select 'run_' || lpad(n::text, 26, '0'), $1, 'refund_payment', 'Refund', 'order', (n / 5)::text, '{}', 'queued', false, false, 30000, 'order/' || n / 5, 'agent', 'agt_' || n % 20, 'bench', $2, $2::bigint + 86400000
     from generate_series(1, $3) n`,
    [database.env, past, runs],
  );
  await database.sql(
    `insert into staged_jobs (id, env, name, payload, subject, waits_for_app, created_at)
     select 'job_' || lpad(n::text, 26, '0'), $1, 'actionRun', '{}', 'run_' || lpad(n::text, 26, '0'), n % 5 = 0 or n = 1, $2 from generate_series(1, $3) n`,
    [database.env, past, runs],
  );
};

/** Environments with a manifest of about 400 KB, among which the approvals are spread. */
const makeEnvironments = async ({ database }: Bench, { environments, approvals }: Sizes): Promise<void> => {
  await database.sql(
    `with made as (
       insert into environments (name, seal_key, created_at) select 'size-' || n, e.seal_key, 0 from environments e, generate_series(1, $2) n where e.id = $1 returning id)
     insert into definitions (env, manifest, definition, started_at, updated_at)
     select m.id, jsonb_set(d.manifest, '{actions}', (d.manifest -> 'actions') || (
       select jsonb_agg((d.manifest -> 'actions' -> 0) || jsonb_build_object('name', 'action_' || a, 'description', repeat(md5(a::text), 20))) from generate_series(1, 300) a)),
       d.definition, 0, 0
     from made m, definitions d where d.env = $1`,
    [database.env, environments],
  );
  await database.sql(
    `insert into approvals (id, env, kind, status, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request)
     select 'apr_' || lpad(n::text, 26, '0'), e.id, 'action', 'pending', 'x', 'agent', 'agt_1', 'bench', $1, $1::bigint + 86400000, decode(md5(n::text), 'hex'), '{"action":"action_7"}'
     from generate_series(1, $2) n join (select id, row_number() over (order by id) - 1 as place from environments where name like 'size-%') e on e.place = n % $3`,
    [Date.now(), approvals, environments],
  );
};

const watchRamps = ({ database }: Bench, { guards }: Sizes): Promise<unknown> =>
  database.sql(
    `insert into flags (env, key, kind, value, rollout, targets, rules, ramp, ramp_id, guard_until, version, changes, updated_at, updated_by, changed)
     select $1, 'size_' || n, 'boolean', 'true', 5000, '{}', '[]',
       jsonb_build_object('id', 'r' || n, 'status', 'running', 'startedAt', 0, 'guard', jsonb_build_object('inbox', 'errors', 'tag', null, 'above', 1000000 + n % 500, 'within', 60000, 'then', 'stop')),
       'r' || n, $2, 1, 1, 0, '{}', pg_current_xact_id() from generate_series(1, $3) n`,
    [database.env, Date.now() + 86_400_000, guards],
  );

/** Bulks of actions whose chunks all wait for runs, and bulks whose chunks wait for a worker. */
const makeBulks = async ({ database }: Bench, { bulks }: Sizes): Promise<void> => {
  const [chunks, items] = [80, 125];
  await database.sql(
    `insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, created_at)
     select 'blk_' || kind || n, $1, 'running', '{"op":"state"}', $2, 'agent', 'agt_1', 'bench', $3 from generate_series(1, $4) n, unnest(array['waits', 'acts']) kind`,
    [database.env, chunks * items, Date.now() - 60_000, bulks],
  );
  await database.sql(
    `insert into bulk_chunks (bulk, n, first, ids, status)
     select b.id, c, c * $1, array_fill('itm'::text, array[$1::int]), case when b.id like 'blk_acts%' then 'waiting' else 'pending' end from bulks b, generate_series(0, $2 - 1) c where b.id like 'blk_%'`,
    [items, chunks],
  );
  await database.sql(
    `insert into staged_jobs (id, env, name, payload, subject, enqueued_at, created_at)
     select 'job_' || c.bulk || c.n, $1, 'bulkChunk', jsonb_build_object('chunk', c.n), c.bulk, $2, $2 from bulk_chunks c where c.bulk like 'blk_waits%'`,
    [database.env, Date.now() + 3_600_000],
  );
  await database.sql(
    `insert into bulk_results (bulk, seq, item, outcome)
     select b.id, s, 'itm', 'changed' from bulks b, generate_series(0, $1) s where b.id like 'blk_acts%'`,
    [chunks * items - 200],
  );
  // One run of each goes on, and another environment has it, whose queue is not looked at here.
  await database.sql(
    `insert into runs (id, env, action, label, input, status, background, repeatable, timeout_ms, bulk, actor_type, actor, actor_name, requested_at)
     select 'run_z' || b.id, (select max(id) from environments), 'refund_payment', 'Refund', '{}', 'pending', false, false, 30000, b.id, 'agent', 'agt_1', 'bench', 0 from bulks b where b.id like 'blk_acts%'`,
  );
};

const share = 0.1;
const reloadMs = 500;

const measure = async (bench: Bench): Promise<Figure[]> => {
  const sizes = bench.options.quick ? quick : full;
  const { sql } = bench.database;
  await queueRuns(bench, sizes);
  await makeEnvironments(bench, sizes);
  await watchRamps(bench, sizes);
  await makeBulks(bench, sizes);
  await sql('vacuum analyze');
  const program = await bench.start('sweeps');
  const found = await program.call<SweepTime[]>('measure', bench.options.quick ? 5 : 9);
  const reload = await program.call<number>('reload', 5);
  const count = (n: number): string => n.toLocaleString('en-US');
  const beside = `beside ${count(sizes.runs)} queued runs, ${count(sizes.approvals)} approvals, ${count(sizes.environments)} environments of 400 KB, ${count(sizes.guards)} guards, ${String(2 * sizes.bulks)} bulks of 10,000`;
  return [
    ...found.map(({ name, everyMs, ms }, n) => ({
      suite,
      what: `sweep ${name}, every ${String(everyMs)} ms`,
      unit: 'ms',
      ...atMost(ms, share * everyMs, 'ms'),
      ...(n === 0 ? { note: beside } : {}),
    })),
    {
      suite,
      what: 'a changed role is known to a process',
      unit: 'ms',
      ...atMost(reload, reloadMs, 'ms'),
      note: 'of the second in which a revocation holds; the rest is the way to it',
    },
  ];
};

export const size: Suite = { name: suite, run: measure };
