/**
 * The statement that inserts a run, with its timeline entry, the audit log, the live message, its job and the saved response, all
 * or nothing. Used by all of shared/actions and by bulks.
 */
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses } from '../catalogue/states/runs.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeNamed, namedStatement, type NamedStatement, type NamedValues } from '../platform/db/namedStatement.ts';
import { actorOfRow, eventInsert, withEventIds } from '../platform/journal/events.ts';
import {
  savedResponseInsert,
  savedResponseJson,
  savedResponseOfJson,
  type SavedResponse,
} from '../platform/journal/idempotency.ts';
import { sameColumns } from '../platform/journal/insertText.ts';
import { outboxInsert } from '../platform/journal/outbox.ts';
import { inStatementSpan, type Span } from '../platform/tracing/span.ts';
import { runEntryData, runLiveParts, runRecordKey, type Run } from './model.ts';
import { jobDueColumns, partsOf, runJobInsert, type JobDue } from './runStatementParts.ts';

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
