/**
 * The statements that insert runs and move them from status to status. Each writes the run, its timeline entry, the audit
 * log, the live message, the jobs and the saved response, all or nothing, and only while the run is as it was read. Used by
 * all of shared/actions.
 */
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses } from '../catalogue/states/runs.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeNamed, namedStatement, type NamedStatement, type NamedValues } from '../platform/db/namedStatement.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
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

/** Returns the parts that a statement has, as the end of a list of CTEs and as the end of the statement's name. */
const partsOf = <Part extends string>(
  all: Readonly<Record<Part, string>>,
  has: Readonly<Record<Part, boolean>>,
): { readonly text: string; readonly numbers: string } => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both have the same keys
  const chosen = (Object.keys(all) as Part[]).flatMap((part, number) => (has[part] ? [{ part, number }] : []));
  return {
    text: chosen.map(({ part }) => `,\n  ${all[part]}`).join(''),
    numbers: chosen.map(({ number }) => number.toString(36)).join(''),
  };
};

/** What an insert writes besides the run, its event and its live message. */
const insertedParts = {
  staged: `staged as (${runJobInsert(
    {
      id: '$job',
      due_at: '$due::bigint',
      // Behind another of its lane it waits for its turn alone: of a thousand only the first is begun when the app is back.
      waits_for_app: `$waits::boolean and not exists (select from runs q where q.env = made.env and q.lane = made.lane and q.status in (${sqlList(activeRunStatuses)}))`,
      created_at: 'requested_at',
      traceparent: '$trace',
    },
    { from: 'made' },
  )})`,
  reasoned: 'reasoned as (insert into run_reasons (run, reason) select id, $reason from made)',
  saved: `kept as (${savedResponseInsert(
    { ...savedResponseOfJson('$saved::json'), created_at: 'requested_at' },
    { from: 'made' },
  )})`,
} as const;

/** Returns the statement that inserts a run with these parts, with `unlessQueued` only where no earlier one of its lane is open. */
const insertRunStatement = (
  has: Readonly<Record<keyof typeof insertedParts, boolean>>,
  unlessQueued: boolean,
): NamedStatement => {
  const parts = partsOf(insertedParts, has);
  return namedStatement(
    `runs.insert.${unlessQueued ? 'first' : 'any'}${parts.numbers}`,
    () => `
  with made as (
    insert into runs select * from json_populate_record(null::runs, $run::json) r
    ${unlessQueued ? `where not exists (select from runs q where q.env = r.env and q.lane = r.resource || '/' || r.record and q.status in (${sqlList(activeRunStatuses)}))` : ''}
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
      data: '$data::jsonb',
      after: '$after::jsonb',
      about: '$about',
    },
    { from: 'numbered' },
  )}),
  told as (${outboxInsert(
    { ...sameColumns(['env', 'inbox']), id: 'event', at: 'requested_at', parts: '$live', traceparent: '$trace' },
    { from: 'numbered' },
  )})${parts.text}
  select id from made`,
  );
};

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
  const prepared = insertRunStatement(
    { staged: due !== null, reasoned: wanted.reason !== null, saved: saved !== null },
    unlessQueued && wanted.record !== null,
  );
  const values: NamedValues = {
    run: JSON.stringify(wanted),
    data: wanted.entry === null ? null : JSON.stringify(runEntryData(wanted)),
    after: runAuditJson(wanted),
    about: runRecordKey(wanted),
    live: JSON.stringify(runLiveParts(wanted, wanted.requested_at, 'created')),
    job: due === null ? null : newId('job'),
    due: dueAt,
    waits,
    saved: savedResponseJson(saved),
    reason: wanted.reason,
    trace: span?.traceparent ?? null,
  };
  return (await inStatementSpan(span, 'runs.insert', () => executeNamed(db, prepared, values))) > 0;
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

/** `$by` is who moves it; without a request of its own, by the request that began the run. */
const transitionActor: ActorColumns = {
  ...actorOfJson('$by::json'),
  request_id: "coalesce($by::json ->> 'requestId', request_id)",
  address: "case when ($by::json ->> 'requestId') is null then address else $by::json ->> 'address' end",
};

/** What a transition writes besides the run, in the order of its statement; each costs PostgreSQL as much as half of the run, also where it writes nothing. */
const movedParts = {
  numbered: `numbered as (${withEventIds('moved', 'moved.*', 'event')})`,
  event: `happened as (${eventInsert(
    {
      ...sameColumns(['env', 'inbox']),
      ...transitionActor,
      id: 'event',
      at: '$at::bigint',
      verb: '$verb::text',
      target_type: "case when $verb::text is null then null else 'run' end",
      target: 'case when $verb::text is null then null else id end',
      outcome: '$outcome',
      item: 'case when $data::jsonb is null then null else item end',
      entry: 'case when $data::jsonb is null then null else entry end',
      type: "case when $data::jsonb is null or entry is null then null else 'action' end",
      is_update: 'true',
      data: 'case when entry is null then null else $data::jsonb end',
      before: '$before::jsonb',
      after: '$after::jsonb',
      about: '$about',
    },
    { from: 'numbered' },
  )})`,
  live: `told as (${outboxInsert(
    { ...sameColumns(['env', 'inbox']), id: 'event', at: '$at::bigint', parts: '$live' },
    { from: 'numbered' },
  )})`,
  items: `happenedToItems as (${eventInsert(
    {
      ...sameColumns(['inbox', 'item', 'entry'], 'i'),
      ...transitionActor,
      ...sameColumns(['env', 'request_id'], 'm'),
      role: 'null',
      address: 'null',
      at: '$at::bigint',
      type: "'action'",
      is_update: 'true',
      data: '$data::jsonb',
    },
    { from: 'moved m join run_items i on i.run = m.id' },
  )})`,
  unstaged: `dropped as (delete from staged_jobs j using moved m where j.subject = m.id and j.name = 'actionRun')`,
  staged: `staged as (${runJobInsert(
    { id: '$job', due_at: '$due::bigint', waits_for_app: '$waits::boolean', created_at: '$at::bigint' },
    { from: 'moved' },
  )})`,
  freed: `freed as (delete from idempotency_keys k using given g, moved m where k.principal = g.once_principal and k.key = g.once_key)`,
  answered: `answered as (
    update idempotency_keys k set status = $status::smallint, body = $body from given g, moved m
    where k.principal = g.once_principal and k.key = g.once_key)`,
  saved: `kept as (${savedResponseInsert({ ...savedResponseOfJson('$saved::json'), created_at: '$at::bigint' }, { from: 'moved' })})`,
  reasoned: `reasoned as (
    insert into run_reasons (run, reason) select id, $reason from moved
    on conflict (run) do update set reason = excluded.reason)`,
  resulted: `resulted as (${runResultInsert({ run: 'm', item: 'i', from: 'moved m join run_items i on i.run = m.id' })})`,
} as const;

/** Returns the statement that moves a run and writes these parts. */
const transitionRunStatement = (has: Readonly<Record<keyof typeof movedParts, boolean>>): NamedStatement => {
  const parts = partsOf(movedParts, has);
  return namedStatement(
    `runs.move.${parts.numbers}`,
    () => `
  with given as (select * from json_populate_record(null::runs, $run::json)),
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
    where r.env = g.env and r.id = g.id and r.fence = $fence and r.status = $from and r.handed_at is not distinct from $handed::bigint and r.lost_at is not distinct from $lost::bigint
    returning r.id, r.env, r.inbox, r.item, r.entry, r.request_id, r.address, r.bulk, r.status, r.error
  )${parts.text}
  select id from moved`,
  );
};

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
  const data = told ? JSON.stringify(runEntryData(after)) : null;
  const hasEvent = verb !== null || (told && after.entry !== null);
  const prepared = transitionRunStatement({
    numbered: hasEvent || told,
    event: hasEvent,
    live: told,
    items: told && after.bulk !== null,
    unstaged: due !== undefined,
    staged: due !== undefined && due !== null,
    freed: answer === 'free',
    answered: answer !== undefined && answer !== 'free',
    saved: saved !== null,
    reasoned: after.reason !== null && after.reason !== before.reason,
    resulted: after.bulk !== null,
  });
  const values: NamedValues = {
    run: JSON.stringify(after),
    fence: before.fence,
    from: before.status,
    handed: before.handed_at,
    lost: before.lost_at,
    at,
    by: JSON.stringify(by),
    verb,
    outcome,
    data,
    before: verb === null ? null : JSON.stringify({ status: before.status }),
    after:
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
    about: runRecordKey(after),
    live: told
      ? JSON.stringify([
          ...runLiveParts(after, at, 'changed'),
          ...waiting.map((item) => runEntryLivePart({ ...after, ...item }, at, 'changed')),
        ])
      : null,
    job: due === undefined || due === null ? null : newId('job'),
    due: dueAt,
    waits,
    ...(answer === undefined || answer === 'free' ? {} : { status: answer.status, body: answer.body }),
    saved: savedResponseJson(saved),
    reason: after.reason,
  };
  return (await executeNamed(db, prepared, values)) > 0;
};
