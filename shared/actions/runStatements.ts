/**
 * The statements that insert runs and move them from status to status. Each writes the run, its timeline entry, the audit
 * log, the live message, the jobs and the saved response, all or nothing, and only while the run is as it was read. Used by
 * all of shared/actions.
 */
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses, openRunStatuses } from '../catalogue/states/runs.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, queryRows, executeStatement, statement, type SqlValue } from '../platform/db/sql.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { runRecordKey, runEntryData, runEntryLivePart, runLiveParts, type Run } from './model.ts';

/** When the job of a run is due: at a time, or once the app is back. */
export type JobDue = number | 'app';

const event = `insert into events (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, outcome, inbox, item, entry, type,
    is_update, data, before, after, request_id, address, about)`;

const insertRunSql = statement(
  'runs.insert',
  `
  with made as (
    insert into runs select * from json_populate_record(null::runs, $1::json) r
    where not $10::boolean or not exists (select from runs q where q.env = r.env and q.lane = r.resource || '/' || r.record and q.status in (${sqlList(activeRunStatuses)}))
    returning *
  ), numbered as (select nextval('events_id_seq') as event, made.* from made),
  happened as (
    ${event}
    select event, env, requested_at, actor_type, actor, actor_name, role, 'action.run', 'run', id, 'ok', inbox, item, entry,
      case when entry is null then null else 'action' end, false, $2::jsonb, null, $3::jsonb, request_id, address, $4
    from numbered
  ), told as (insert into outbox (id, env, at, parts, inbox) select event, env, requested_at, $5, inbox from numbered),
  staged as (
    insert into staged_jobs (id, env, name, payload, subject, request_id, due_at, waits_for_app, created_at)
    select $6, env, 'actionRun', jsonb_build_object('run', id), id, request_id, $7::bigint,
      -- Behind another of its lane it waits for its turn alone: of a thousand only the first is begun when the app is back.
      $8::boolean and not exists (select from runs q where q.env = made.env and q.lane = made.lane and q.status in (${sqlList(activeRunStatuses)})), requested_at
    from made where $6::text is not null
  ), kept as (
    insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at)
    select $9::json ->> 'principal', $9::json ->> 'key', decode($9::json ->> 'fingerprint', 'hex'), ($9::json ->> 'status')::smallint, $9::json ->> 'body', null, requested_at
    from made where $9::json is not null
  )
  select id from made`,
);

const savedJson = (saved: SavedResponse | null): string | null =>
  saved === null ? null : JSON.stringify({ ...saved, fingerprint: saved.fingerprint.toString('hex') });

const jobDueColumns = (due: JobDue | null): [number | null, boolean] =>
  typeof due === 'number' ? [due, false] : [null, due === 'app'];

const runAuditJson = ({ action, resource, record, status, attempt, bulk }: Run): string =>
  JSON.stringify({ action, resource, record, status, attempt, bulk });

export interface InsertRunOptions {
  /** When its job is due; null: no job, the process that accepted the run dispatches it. */
  readonly due: JobDue | null;
  readonly saved: SavedResponse | null;
  /** Inserts nothing if an earlier run of the same record is queued or running, which the new one would overtake. */
  readonly unlessQueued: boolean;
}

/** Inserts a run. Returns false, and writes nothing, when the run would overtake an earlier one of its record. */
export const insertRun = async (
  db: Db | Tx,
  wanted: Run,
  { due, saved, unlessQueued }: InsertRunOptions,
): Promise<boolean> => {
  const [dueAt, waits] = jobDueColumns(due);
  const made = await queryRow<{ id: string }>(db, insertRunSql, [
    JSON.stringify(wanted),
    wanted.entry === null ? null : JSON.stringify(runEntryData(wanted)),
    runAuditJson(wanted),
    runRecordKey(wanted),
    JSON.stringify(runLiveParts(wanted, wanted.requested_at, 'created')),
    due === null ? null : newId('job'),
    dueAt,
    waits,
    savedJson(saved),
    unlessQueued && wanted.record !== null,
  ]);
  return made !== undefined;
};

/** What a transition writes besides the run itself. */
export interface RunTransition {
  /** The verb in the audit log; null: no entry there. */
  readonly verb: string | null;
  readonly outcome: 'ok' | 'failed';
  /** The actor and the request; those of the run when absent. */
  readonly by?: {
    readonly type: string;
    readonly id: string | null;
    readonly name: string;
    readonly role: string | null;
    readonly requestId?: string | null;
    readonly address?: string | null;
  };
  /** Whether the live stream and the timeline get it. */
  readonly emit: boolean;
  /** When the run's job is due; null: the job is deleted; undefined: the job stays as it is. */
  readonly due?: JobDue | null;
  /** The saved response of the idempotency key of the run's call from now on; `free`: the key may be used again. */
  readonly response?: { readonly status: number; readonly body: string } | 'free';
  readonly saved?: SavedResponse | null;
}

const transitionRunSql = statement(
  'runs.move',
  `
  with given as (select * from json_populate_record(null::runs, $1::json)),
  moved as (
    update runs r set action = g.action, label = g.label, input = g.input, status = g.status, background = g.background,
      repeatable = g.repeatable, timeout_ms = g.timeout_ms, lane = g.lane, attempts = g.attempts, attempt = g.attempt, failures = g.failures,
      progress = case when g.attempt = r.attempt then coalesce(g.progress, r.progress) end,
      message = case when g.status = 'running' and g.attempt = r.attempt then coalesce(g.message, r.message) else g.message end, blocks = g.blocks, error = g.error, code = g.code, actor_type = g.actor_type, actor = g.actor,
      actor_name = g.actor_name, role = g.role, approval = g.approval, approved_by = g.approved_by, requested_at = g.requested_at, expires_at = g.expires_at,
      started_at = g.started_at, finished_at = g.finished_at, handed_at = g.handed_at, lost_at = g.lost_at, instance = g.instance,
      connection = g.connection, fence = g.fence, waiting_until = g.waiting_until, once_principal = g.once_principal, once_key = g.once_key,
      request_id = g.request_id, address = g.address
    from given g
    where r.env = g.env and r.id = g.id and r.fence = $2 and r.status = $3 and r.handed_at is not distinct from $4::bigint and r.lost_at is not distinct from $5::bigint
    returning r.id, r.env, r.inbox, r.item, r.entry, r.request_id, r.address, r.bulk, r.status, r.error
  ), numbered as (select nextval('events_id_seq') as event, moved.* from moved),
  happened as (
    ${event}
    select event, env, $6::bigint, $7::json ->> 'type', $7::json ->> 'id', $7::json ->> 'name', $7::json ->> 'role', $8,
      case when $8::text is null then null else 'run' end, case when $8::text is null then null else id end, $9, inbox,
      case when $10::jsonb is null then null else item end, case when $10::jsonb is null then null else entry end,
      case when $10::jsonb is null or entry is null then null else 'action' end, true, case when entry is null then null else $10::jsonb end,
      $11::jsonb, $12::jsonb, coalesce($7::json ->> 'requestId', request_id), case when ($7::json ->> 'requestId') is null then address else $7::json ->> 'address' end, $13
    from numbered where $8::text is not null or ($10::jsonb is not null and entry is not null)
  ), happenedToItems as (
    insert into events (env, at, actor_type, actor, actor_name, inbox, item, entry, type, is_update, data, request_id)
    select m.env, $6, $7::json ->> 'type', $7::json ->> 'id', $7::json ->> 'name', i.inbox, i.item, i.entry, 'action', true, $10::jsonb, m.request_id
    from moved m join run_items i on i.run = m.id where m.bulk is not null and $10::jsonb is not null
  ), told as (insert into outbox (id, env, at, parts, inbox) select event, env, $6, $14, inbox from numbered where $14::text is not null),
  dropped as (delete from staged_jobs j using moved m where j.subject = m.id and j.name = 'actionRun' and $15::boolean),
  staged as (
    insert into staged_jobs (id, env, name, payload, subject, request_id, due_at, waits_for_app, created_at)
    select $16, env, 'actionRun', jsonb_build_object('run', id), id, request_id, $17::bigint, $18::boolean, $6 from moved where $16::text is not null
  ), freed as (delete from idempotency_keys k using given g, moved m where $19::text = 'free' and k.principal = g.once_principal and k.key = g.once_key),
  answered as (
    update idempotency_keys k set status = $20::smallint, body = $19 from given g, moved m
    where $20::smallint is not null and k.principal = g.once_principal and k.key = g.once_key
  ), kept as (
    insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at)
    select $21::json ->> 'principal', $21::json ->> 'key', decode($21::json ->> 'fingerprint', 'hex'), ($21::json ->> 'status')::smallint, $21::json ->> 'body', null, $6
    from moved where $21::json is not null
  ), resulted as (
    insert into bulk_results (bulk, seq, item, outcome, error, code)
    select m.bulk, i.seq, i.item, case when m.status = 'succeeded' then 'changed' when m.status = 'cancelled' then 'cancelled' else 'failed' end, m.error,
      nullif(m.status, 'succeeded')
    from moved m join run_items i on i.run = m.id where m.status not in (${sqlList(openRunStatuses)})
    on conflict do nothing
  )
  select id from moved`,
);

const lockRunSql = statement('runs.lock', 'select id from runs where id = $1 for update');

export const lockRun = async (tx: Tx, id: string): Promise<void> => {
  await queryRow(tx, lockRunSql, [id]);
};

/** An item of a bulk that gets the run's outcome. */
interface WaitingItem {
  readonly item: string;
  readonly inbox: string;
  readonly entry: string;
}
const waitingItemsSql = statement('runs.items', 'select item, inbox, entry from run_items where run = $1 order by seq');

/** Moves a run from `before`, as it was read, to `after`. Returns false, and writes nothing, when it has moved meanwhile. */
export const transitionRun = async (
  db: Db | Tx,
  before: Run,
  after: Run,
  at: number,
  step: RunTransition,
): Promise<boolean> => {
  const { verb, outcome, emit: told, due, response: answer, saved = null } = step;
  const by = step.by ?? { type: after.actor_type, id: after.actor, name: after.actor_name, role: after.role };
  const [dueAt, waits] = jobDueColumns(due ?? null);
  const waiting = told && after.bulk !== null ? await queryRows<WaitingItem>(db, waitingItemsSql, [after.id]) : [];
  const values: SqlValue[] = [
    JSON.stringify(after),
    before.fence,
    before.status,
    before.handed_at,
    before.lost_at,
    at,
    JSON.stringify(by),
    verb,
    outcome,
    told ? JSON.stringify(runEntryData(after)) : null,
    verb === null ? null : JSON.stringify({ status: before.status }),
    verb === null
      ? null
      : JSON.stringify({
          action: after.action,
          resource: after.resource,
          record: after.record,
          status: after.status,
          ...(after.error === null ? {} : { error: after.error }),
        }),
    runRecordKey(after),
    told
      ? JSON.stringify([
          ...runLiveParts(after, at, 'changed'),
          ...waiting.map((item) => runEntryLivePart({ ...after, ...item }, at, 'changed')),
        ])
      : null,
    due !== undefined,
    due === undefined || due === null ? null : newId('job'),
    dueAt,
    waits,
    answer === undefined ? null : answer === 'free' ? 'free' : answer.body,
    answer === undefined || answer === 'free' ? null : answer.status,
    savedJson(saved),
  ];
  return (await executeStatement(db, transitionRunSql, values)) > 0;
};
