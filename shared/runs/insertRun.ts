/**
 * The statement that inserts a run, with its timeline entry, the audit log, the live message, its job and the saved response, all
 * or nothing. Used by all of shared/runs and by bulks.
 */
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses } from '../catalogue/states/runs.ts';
import type { Item } from '../items/model.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { newId } from '../platform/ids.ts';
import {
  change,
  createChangeGatherer,
  event,
  keep,
  live,
  savedValues,
  type Change,
} from '../platform/journal/changeWriter.ts';
import { actorOfRow, withEventIds } from '../platform/journal/events.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { sameColumns } from '../platform/journal/inserts.ts';
import { inStatementSpan, type Span } from '../platform/tracing/span.ts';
import { runEntryData, runLiveParts, runRecordKey, storedRunColumns, type Run } from './model.ts';
import { jobDueColumns, runJobInsert, type JobDue } from './runStatementParts.ts';

/** A look-up for each row: as a condition of its own it may be planned as a join that reads all open runs. */
const noneOpenOfLane = (env: string, lane: string): string =>
  `(select 1 from runs q where q.env = ${env} and q.lane = ${lane} and q.status in (${sqlList(activeRunStatuses)}) limit 1) is null`;

/** Inserts a run; `where` is a condition on its row `r`. */
const inserting = (name: string, where = ''): Change =>
  change(
    name,
    {
      made: `
    insert into runs (${storedRunColumns})
    select ${storedRunColumns} from json_populate_record(null::runs, $run::json) r
    ${where}
    returning ${storedRunColumns}`,
      numbered: withEventIds('made', 'made.*', 'event'),
      happened: event(
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
      ),
      told: live(
        { ...sameColumns(['env', 'inbox']), id: 'event', at: 'requested_at', traceparent: '$trace' },
        { from: 'numbered' },
      ),
      staged: runJobInsert(
        {
          id: '$job',
          due_at: '$due::bigint',
          // Behind another of its lane it waits for its turn alone: of a thousand only the first is begun when the app is back.
          waits_for_app: `$waits::boolean and ${noneOpenOfLane('made.env', 'made.lane')}`,
          created_at: 'requested_at',
          traceparent: '$trace',
        },
        { from: 'made' },
      ),
      reasoned: 'insert into run_reasons (run, reason) select id, $reason from made',
      kept: keep({ from: 'made' }, { created_at: 'requested_at' }),
    },
    'select id from made',
  );

const inserter = (name: string, where = '') =>
  createChangeGatherer(
    inserting(name, where),
    (columns) => ({
      given: `
    select ${storedRunColumns}, ${columns} from asked v cross join lateral json_populate_record(null::runs, v.v_run::json) r`,
      inserted: `
    insert into runs (${storedRunColumns}) select ${storedRunColumns} from given r ${where} returning ${storedRunColumns}`,
      made: `select i.*, ${columns} from inserted i join given v using (id)`,
      kept: keep({ from: 'made', orderBy: '$kept_principal, $kept_key' }, { created_at: 'requested_at' }),
    }),
    { skipsLocked: false },
  );
/** Only where no earlier run of its lane is open. */
const isFirst = noneOpenOfLane('r.env', "r.resource || '/' || r.record");
/** Only where its item is as it was read: a change raises the version, and a claim is compared. The lock lets no other in between. */
const isItemAsRead =
  '(select 1 from items i where i.env = r.env and i.id = r.item and i.version = $item_version::int and i.claim is not distinct from $item_claim::jsonb for share) is not null';
const inserters = {
  any: inserter('runs.insert.any'),
  first: inserter('runs.insert.first', `where ${isFirst}`),
  guarded: inserter('runs.insert.guarded', `where ${isItemAsRead}`),
  firstGuarded: inserter('runs.insert.firstGuarded', `where ${isFirst} and ${isItemAsRead}`),
};

const runAudit = ({ action, resource, record, status, attempt, bulk, reason }: Run): object => ({
  action,
  resource,
  record,
  status,
  attempt,
  bulk,
  ...(reason === null ? {} : { reason }),
});

export interface InsertRunOptions {
  /** When its job is due; null: no job, the process that accepted the run dispatches it. */
  readonly due: JobDue | null;
  readonly saved: SavedResponse | null;
  /** Inserts nothing if an earlier run of the same record is queued or running, which the new one would overtake. */
  readonly unlessQueued: boolean;
  /** The item as it was read, which must not have changed since; null: that does not matter. */
  readonly itemAsRead?: Pick<Item, 'version' | 'claim'> | null;
  /** The member `knew` of the timeline entry. */
  readonly knew?: object | null;
  /** Called with the bytes that were written. */
  readonly count?: (bytes: number) => void;
  /** Of the request or job that makes it; null or absent: it is not traced. */
  readonly span?: Span | null | undefined;
}

/** Inserts a run. Returns false, and writes nothing, when the run would overtake an earlier one of its record, or its item has changed. */
export const insertRun = async (
  db: Db | Tx,
  wanted: Run,
  { due, saved, unlessQueued, itemAsRead = null, knew = null, count, span = null }: InsertRunOptions,
): Promise<boolean> => {
  const [dueAt, waits] = jobDueColumns(due);
  const isBehind = unlessQueued && wanted.record !== null;
  const insert = inserters[itemAsRead === null ? (isBehind ? 'first' : 'any') : isBehind ? 'firstGuarded' : 'guarded'];
  const has = { staged: due !== null, reasoned: wanted.reason !== null };
  const values = {
    run: wanted,
    data: wanted.entry === null ? null : { ...runEntryData(wanted), ...(knew === null ? {} : { knew }) },
    ...(itemAsRead === null ? {} : { item_version: itemAsRead.version, item_claim: itemAsRead.claim }),
    after: runAudit(wanted),
    about: runRecordKey(wanted),
    live: JSON.stringify(runLiveParts(wanted, wanted.requested_at, 'created')),
    job: due === null ? null : newId('job'),
    due: dueAt,
    waits,
    reason: wanted.reason,
    trace: span?.traceparent,
    ...savedValues(saved),
  };
  const { env, id } = wanted;
  return inStatementSpan(span, 'runs.insert', () => insert(db, { env, id, values, has, count }));
};
