/**
 * The statements that insert runs and move them from status to status. Each writes the run, its timeline entry, the audit
 * log, the live message, the jobs and the saved response, all or nothing, and only while the run is as it was read. Used by
 * all of shared/actions.
 */
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses } from '../catalogue/states/runs.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement, type SqlValue } from '../platform/db/sql.ts';
import { actorOfJson, actorOfRow, eventInsert, withEventIds, type ActorColumns } from '../platform/journal/events.ts';
import {
  savedResponseInsert,
  savedResponseJson,
  savedResponseOfJson,
  type SavedResponse,
} from '../platform/journal/idempotency.ts';
import { sameColumns, type InsertSource } from '../platform/journal/insertText.ts';
import { outboxInsert } from '../platform/journal/outbox.ts';
import { stagedJobInsert, type StagedJobColumns } from '../platform/journal/stagedJobs.ts';
import { inStatementSpan, type Span } from '../platform/tracing/span.ts';
import { runEntryData, runEntryLivePart, runLiveParts, runRecordKey, type Run } from './model.ts';
import { runResultInsert } from './runResultSql.ts';

/** When the job of a run is due: at a time, or once the app is back. */
export type JobDue = number | 'app';

/** The job of a run. */
const runJobInsert = (
  columns: Pick<StagedJobColumns, 'id' | 'due_at' | 'waits_for_app' | 'created_at' | 'traceparent'>,
  source: InsertSource,
): string =>
  stagedJobInsert(
    {
      ...sameColumns(['env', 'request_id']),
      name: "'actionRun'",
      payload: "jsonb_build_object('run', id)",
      subject: 'id',
      ...columns,
    },
    source,
  );

const insertRunSql = statement(
  'runs.insert',
  `
  with made as (
    insert into runs select * from json_populate_record(null::runs, $1::json) r
    where not $10::boolean or not exists (select from runs q where q.env = r.env and q.lane = r.resource || '/' || r.record and q.status in (${sqlList(activeRunStatuses)}))
    returning *
  ), numbered as (${withEventIds('made', 'made.*', 'event')}),
  happened as (${eventInsert(
    {
      ...actorOfRow('numbered'),
      ...sameColumns(['env', 'inbox', 'item', 'entry']),
      id: 'event',
      at: 'requested_at',
      verb: "'action.run'",
      target_type: "'run'",
      target: 'id',
      type: "case when entry is null then null else 'action' end",
      data: '$2::jsonb',
      after: '$3::jsonb',
      about: '$4',
    },
    { from: 'numbered' },
  )}),
  told as (${outboxInsert(
    { ...sameColumns(['env', 'inbox']), id: 'event', at: 'requested_at', parts: '$5', traceparent: '$12' },
    { from: 'numbered' },
  )}),
  staged as (${runJobInsert(
    {
      id: '$6',
      due_at: '$7::bigint',
      // Behind another of its lane it waits for its turn alone: of a thousand only the first is begun when the app is back.
      waits_for_app: `$8::boolean and not exists (select from runs q where q.env = made.env and q.lane = made.lane and q.status in (${sqlList(activeRunStatuses)}))`,
      created_at: 'requested_at',
      traceparent: '$12',
    },
    { from: 'made', where: '$6::text is not null' },
  )}),
  reasoned as (insert into run_reasons (run, reason) select id, $11 from made where $11::text is not null),
  kept as (${savedResponseInsert(
    { ...savedResponseOfJson('$9::json'), created_at: 'requested_at' },
    { from: 'made', where: '$9::json is not null' },
  )})
  select id from made`,
);

const jobDueColumns = (due: JobDue | null): [number | null, boolean] =>
  typeof due === 'number' ? [due, false] : [null, due === 'app'];

const runAuditJson = ({ action, resource, record, status, attempt, bulk, reason }: Run): string =>
  JSON.stringify({ action, resource, record, status, attempt, bulk, ...(reason === null ? {} : { reason }) });

export interface InsertRunOptions {
  /** When its job is due; null: no job, the process that accepted the run dispatches it. */
  readonly due: JobDue | null;
  readonly saved: SavedResponse | null;
  /** Inserts nothing if an earlier run of the same record is queued or running, which the new one would overtake. */
  readonly unlessQueued: boolean;
  /** Of the request or job that makes it; null or absent: it is not traced. */
  readonly span?: Span | null | undefined;
}

/** Inserts a run. Returns false, and writes nothing, when the run would overtake an earlier one of its record. */
export const insertRun = async (
  db: Db | Tx,
  wanted: Run,
  { due, saved, unlessQueued, span = null }: InsertRunOptions,
): Promise<boolean> => {
  const [dueAt, waits] = jobDueColumns(due);
  const values = [
    JSON.stringify(wanted),
    wanted.entry === null ? null : JSON.stringify(runEntryData(wanted)),
    runAuditJson(wanted),
    runRecordKey(wanted),
    JSON.stringify(runLiveParts(wanted, wanted.requested_at, 'created')),
    due === null ? null : newId('job'),
    dueAt,
    waits,
    savedResponseJson(saved),
    unlessQueued && wanted.record !== null,
    wanted.reason,
    span?.traceparent ?? null,
  ];
  return (await inStatementSpan(span, 'runs.insert', () => queryRow(db, insertRunSql, values))) !== undefined;
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
  /** Why, in the words of who moves it. */
  readonly reason?: string | null;
  /** Whether the live stream and the timeline get it. */
  readonly emit: boolean;
  /** When the run's job is due; null: the job is deleted; undefined: the job stays as it is. */
  readonly due?: JobDue | null;
  /** The saved response of the idempotency key of the run's call from now on; `free`: the key may be used again. */
  readonly response?: { readonly status: number; readonly body: string } | 'free';
  readonly saved?: SavedResponse | null;
}

/** $7 is who moves it; without a request of its own, by the request that began the run. */
const transitionActor: ActorColumns = {
  ...actorOfJson('$7::json'),
  request_id: "coalesce($7::json ->> 'requestId', request_id)",
  address: "case when ($7::json ->> 'requestId') is null then address else $7::json ->> 'address' end",
};

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
  ), numbered as (${withEventIds('moved', 'moved.*', 'event')}),
  happened as (${eventInsert(
    {
      ...sameColumns(['env', 'inbox']),
      ...transitionActor,
      id: 'event',
      at: '$6::bigint',
      verb: '$8',
      target_type: "case when $8::text is null then null else 'run' end",
      target: 'case when $8::text is null then null else id end',
      outcome: '$9',
      item: 'case when $10::jsonb is null then null else item end',
      entry: 'case when $10::jsonb is null then null else entry end',
      type: "case when $10::jsonb is null or entry is null then null else 'action' end",
      is_update: 'true',
      data: 'case when entry is null then null else $10::jsonb end',
      before: '$11::jsonb',
      after: '$12::jsonb',
      about: '$13',
    },
    { from: 'numbered', where: '$8::text is not null or ($10::jsonb is not null and entry is not null)' },
  )}),
  happenedToItems as (${eventInsert(
    {
      ...sameColumns(['inbox', 'item', 'entry'], 'i'),
      ...transitionActor,
      ...sameColumns(['env', 'request_id'], 'm'),
      role: 'null',
      address: 'null',
      at: '$6',
      type: "'action'",
      is_update: 'true',
      data: '$10::jsonb',
    },
    { from: 'moved m join run_items i on i.run = m.id', where: 'm.bulk is not null and $10::jsonb is not null' },
  )}),
  told as (${outboxInsert(
    { ...sameColumns(['env', 'inbox']), id: 'event', at: '$6', parts: '$14' },
    { from: 'numbered', where: '$14::text is not null' },
  )}),
  dropped as (delete from staged_jobs j using moved m where j.subject = m.id and j.name = 'actionRun' and $15::boolean),
  staged as (${runJobInsert(
    { id: '$16', due_at: '$17::bigint', waits_for_app: '$18::boolean', created_at: '$6' },
    { from: 'moved', where: '$16::text is not null' },
  )}),
  freed as (delete from idempotency_keys k using given g, moved m where $19::text = 'free' and k.principal = g.once_principal and k.key = g.once_key),
  answered as (
    update idempotency_keys k set status = $20::smallint, body = $19 from given g, moved m
    where $20::smallint is not null and k.principal = g.once_principal and k.key = g.once_key
  ), kept as (${savedResponseInsert(
    { ...savedResponseOfJson('$21::json'), created_at: '$6' },
    { from: 'moved', where: '$21::json is not null' },
  )}),
  reasoned as (
    insert into run_reasons (run, reason) select id, $22 from moved where $22::text is not null
    on conflict (run) do update set reason = excluded.reason
  ),
  resulted as (${runResultInsert({ run: 'm', item: 'i', from: 'moved m join run_items i on i.run = m.id' })})
  select id from moved`,
);

/** An item of a bulk that gets the run's outcome. */
interface WaitingItem {
  readonly item: string;
  readonly inbox: string;
  readonly entry: string;
}
const waitingItemsSql = statement('runs.items', 'select item, inbox, entry from run_items where run = $1 order by seq');

/** Moves a run that is not in its month; see `transitionRun`. */
export const moveRun = async (
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
          ...(step.reason === undefined || step.reason === null ? {} : { reason: step.reason }),
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
    savedResponseJson(saved),
    after.reason === before.reason ? null : after.reason,
  ];
  return (await executeStatement(db, transitionRunSql, values)) > 0;
};
