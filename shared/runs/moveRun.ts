/**
 * Moves a run from status to status: one statement, with its timeline entry, the audit log, the live message, its job and the
 * saved response, all or nothing, and only while the run is as it was read. Used by all of shared/runs and by shared/decisions.
 */
import type { LivePart } from '../catalogue/events.ts';
import { cutTexts } from '../items/search/savedTexts.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import {
  change,
  createChangeGatherer,
  event,
  keep,
  live,
  savedValues,
  writeChange,
} from '../platform/journal/changeWriter.ts';
import { type ActorColumns, actorOfJson, withEventIds } from '../platform/journal/events.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { messagesPerRow, sameColumns } from '../platform/journal/inserts.ts';
import { bringBackRun } from './endedRuns.ts';
import {
  isSettledRun,
  movedColumns,
  runEntryData,
  runEntryLivePart,
  runLiveParts,
  runRecordKey,
  storedRunColumns,
  type Run,
} from './model.ts';
import { jobDueColumns, runJobInsert, runResultInsert, type JobDue } from './runStatementParts.ts';

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
  /** Called with the bytes that were written. */
  readonly count?: (bytes: number) => void;
}

/** `$by` is who moves it; without a request of its own, by the request that began the run. */
const transitionActor: ActorColumns = {
  ...actorOfJson('$by::json'),
  request_id: "coalesce($by::json ->> 'requestId', request_id)",
  address: "case when ($by::json ->> 'requestId') is null then address else $by::json ->> 'address' end",
};

/**
 * The saved response of the call of each run. The key alone does not say it: a response expires earlier than a slow run ends, and
 * the key may then be another request's. The response of a run has the time of its request. Each is looked up by itself.
 */
const ownResponses = `moved m cross join lateral (select k.ctid as place from idempotency_keys k
      where k.principal = m.once_principal and k.key = m.once_key and k.created_at = m.requested_at offset 0) own`;

/** Columns that a move writes otherwise than as they are given: what the app has sent of this attempt meanwhile stays. */
const writtenOf: Readonly<Record<string, string>> = {
  progress: 'case when g.attempt = r.attempt then coalesce(g.progress, r.progress) end',
  message:
    "case when g.status = 'running' and g.attempt = r.attempt then coalesce(g.message, r.message) else g.message end",
};

/** Whether a run is as it was read. */
const isUnmoved =
  'r.fence = $fence::int and r.status = $from and r.handed_at is not distinct from $handed::bigint and r.lost_at is not distinct from $lost::bigint';
const assigned = movedColumns.map((name) => `${name} = ${writtenOf[name] ?? `g.${name}`}`).join(', ');
const returned =
  'r.id, r.env, r.inbox, r.item, r.entry, r.request_id, r.address, r.bulk, r.status, r.error, r.once_principal, r.once_key, r.requested_at';

/** What moves with a run; each part costs PostgreSQL as much as half of the run, also where it writes nothing. */
const moveChange = change(
  'runs.move',
  {
    given: `select ${storedRunColumns} from json_populate_record(null::runs, $run::json)`,
    moved: `
    update runs r set ${assigned} from given g where r.env = g.env and r.id = g.id and ${isUnmoved} returning ${returned}`,
    numbered: withEventIds('moved', 'moved.*', 'event'),
    happened: event(
      {
        ...sameColumns(['env', 'inbox']),
        ...transitionActor,
        id: 'event',
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
    ),
    told: live({ ...sameColumns(['env', 'inbox']), id: 'event' }, { from: 'numbered' }),
    further: withEventIds('numbered m cross join unnest($furtherLive::text[]) as parts', 'm.*, parts', 'own'),
    toldFurther: live({ ...sameColumns(['env', 'inbox', 'parts']), id: 'own' }, { from: 'further' }),
    happenedToItems: event(
      {
        ...sameColumns(['inbox', 'item', 'entry'], 'i'),
        ...transitionActor,
        ...sameColumns(['env', 'request_id'], 'm'),
        role: 'null',
        address: 'null',
        type: "'action'",
        is_update: 'true',
        data: '$data::jsonb',
      },
      { from: 'moved m join run_items i on i.run = m.id', where: "i.inbox <> ''" },
    ),
    dropped: `delete from staged_jobs where subject = (select id from moved) and name = 'actionRun'`,
    staged: runJobInsert(
      { id: '$job', due_at: '$due::bigint', waits_for_app: '$waits::boolean', created_at: '$at::bigint' },
      { from: 'moved' },
    ),
    freed: `delete from idempotency_keys k using ${ownResponses} where k.ctid = own.place`,
    answered: `
    update idempotency_keys k set status = $status::smallint, body = $body from ${ownResponses} where k.ctid = own.place`,
    kept: keep({ from: 'moved' }),
    reasoned: `
    insert into run_reasons (run, reason) select id, $reason from moved
    on conflict (run) do update set reason = excluded.reason`,
    resulted: runResultInsert({ run: 'm', item: 'i', from: 'moved m join run_items i on i.run = m.id' }),
  },
  'select id from moved',
);

/** Writes a move; those of single runs that meet share a statement, in which each run is looked up by itself and jobs are locked in one order. */
const writeMove = createChangeGatherer(
  moveChange,
  (columns) => ({
    given: `
    select ${storedRunColumns}, ${columns} from asked v cross join lateral json_populate_record(null::runs, v.v_run::json) r`,
    held: `
    select h.id, h.place from given g
    cross join lateral (select r.id, r.ctid as place from runs r where r.env = g.env and r.id = g.id and ${isUnmoved} for update skip locked) h`,
    changed: `update runs r set ${assigned} from given g join held using (id) where r.ctid = held.place returning ${returned}`,
    moved: `select c.*, ${columns} from changed c join given v using (id)`,
    dropped: `
    delete from staged_jobs where ctid = any (array(
      select j.ctid from staged_jobs j where j.subject = any (array(select id from moved)) and j.name = 'actionRun' order by j.id for update))`,
    kept: keep({ from: 'moved', orderBy: '$kept_principal, $kept_key' }),
  }),
  { skipsLocked: true },
);

/** An item of a bulk that gets the run's outcome. */
interface WaitingItem {
  readonly item: string;
  readonly inbox: string;
  readonly entry: string;
}
/** A record that a bulk names itself has no inbox, and no entry. */
const waitingItemsSql = statement(
  'runs.items',
  "select item, inbox, entry from run_items where run = $1 and inbox <> '' order by seq",
);

/** Returns the parts of the rows of the outbox as JSON: one row unless many items wait for the run. */
const liveRows = (parts: readonly LivePart[]): string[] =>
  Array.from({ length: Math.ceil(parts.length / messagesPerRow) }, (_, n) =>
    JSON.stringify(parts.slice(n * messagesPerRow, (n + 1) * messagesPerRow)),
  );

/** Moves a run that is not in its month; see `transitionRun`. */
const moveRun = async (db: Db | Tx, before: Run, after: Run, at: number, step: RunTransition): Promise<boolean> => {
  const { verb, outcome, emit: told, due, response: answer, saved = null } = step;
  const by = step.by ?? { type: after.actor_type, id: after.actor, name: after.actor_name, role: after.role };
  const [dueAt, waits] = jobDueColumns(due ?? null);
  const waiting = told && after.bulk !== null ? await queryRows<WaitingItem>(db, waitingItemsSql, [after.id]) : [];
  const data = told ? JSON.stringify(runEntryData(after)) : null;
  const [parts = null, ...furtherLive] = told
    ? liveRows([
        ...runLiveParts(after, at, 'changed'),
        ...waiting.map((item) => runEntryLivePart({ ...after, ...item }, at, 'changed')),
      ])
    : [];
  const hasEvent = verb !== null || (told && after.entry !== null);
  const has = {
    numbered: hasEvent || told,
    happened: hasEvent,
    told,
    further: furtherLive.length > 0,
    toldFurther: furtherLive.length > 0,
    happenedToItems: told && after.bulk !== null,
    dropped: due !== undefined,
    staged: due !== undefined && due !== null,
    freed: answer === 'free',
    answered: answer !== undefined && answer !== 'free',
    reasoned: after.reason !== null && after.reason !== before.reason,
    // A late answer changes an end that the bulk has counted.
    resulted: after.bulk !== null && !isSettledRun(before),
  };
  const values = {
    run: after,
    fence: before.fence,
    from: before.status,
    handed: before.handed_at,
    lost: before.lost_at,
    at,
    by,
    verb,
    outcome,
    data,
    before: verb === null ? null : { status: before.status },
    after:
      verb === null
        ? null
        : {
            action: after.action,
            resource: after.resource,
            record: after.record,
            status: after.status,
            ...(after.error === null ? {} : { error: after.error }),
            ...(step.reason === undefined || step.reason === null ? {} : { reason: step.reason }),
          },
    about: runRecordKey(after),
    live: parts,
    furtherLive,
    job: due === undefined || due === null ? null : newId('job'),
    due: dueAt,
    waits,
    ...(answer === undefined || answer === 'free' ? {} : { status: answer.status, body: cutTexts(answer.body) }),
    reason: after.reason,
    ...savedValues(saved),
  };
  // Each item that waits has the data of its entry.
  const count = (bytes: number): void => step.count?.(bytes + waiting.length * (data?.length ?? 0));
  if (after.bulk !== null) return (await writeChange(db, moveChange, values, { has, count })) > 0;
  const { env, id } = after;
  return writeMove(db, { env, id, values, has, count });
};

/**
 * Moves a run from `before`, as it was read, to `after`. Returns false, and writes nothing, when it has moved meanwhile. One that
 * has ended may be in its month: it comes back in the same transaction, so that no sweep takes it there again in between.
 */
export const transitionRun = (
  db: Db | Tx,
  before: Run,
  after: Run,
  at: number,
  step: RunTransition,
): Promise<boolean> =>
  isSettledRun(before)
    ? db.transaction(async (tx) => {
        await bringBackRun(tx, before);
        return moveRun(tx, before, after, at, step);
      })
    : moveRun(db, before, after, at, step);
