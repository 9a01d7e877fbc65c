/**
 * Bulks of actions: one run for each distinct record, whose outcome all items of that record get. Used by the bulkChunk
 * job and by dryRunAction.ts.
 */
import { findVisibleInbox } from '../access/gates.ts';
import type { Caller } from '../access/principal.ts';
import { buildRun, toQueuedRun } from '../actions/acceptAction.ts';
import { reauthorizeAction, type AuthorizedAction } from '../actions/authorizeAction.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { insertRun } from '../actions/insertRun.ts';
import type { Run, RunApprover } from '../actions/model.ts';
import { runResultInsert } from '../actions/runResultSql.ts';
import type { JobDue } from '../actions/runStatementParts.ts';
import { fault, Fault } from '../catalogue/errors.ts';
import type { ActionDefinition } from '../environments/actions.ts';
import { readItems, type Item } from '../items/model.ts';
import { toBulkOutcome } from '../items/perform/decide.ts';
import { newId } from '../platform/core/ids.ts';
import { executeStatement as execute, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { bulkResultInsert } from '../platform/journal/bulkResults.ts';
import { actorOfRow, eventInsert, withEventIds } from '../platform/journal/events.ts';
import { sameColumns } from '../platform/journal/insertText.ts';
import { outboxInsert } from '../platform/journal/outbox.ts';

export interface BulkActionRequest {
  readonly action: string;
  readonly input?: object;
}

interface BulkRunContext {
  readonly bulk: string;
  readonly operation: BulkActionRequest;
  /** Who approved the bulk; null: nobody had to. */
  readonly approvedBy: RunApprover | null;
}

interface BulkRunPlan {
  /** Records with the items that name them, by seq. */
  readonly groups: ReadonlyMap<string, readonly { readonly seq: number; readonly item: Item }[]>;
  /** Items that no run is made for. */
  readonly faults: ReadonlyMap<number, { readonly id: string; readonly fault: Fault }>;
}

const itemProblem = (caller: Caller, resource: string | null, item: Item | undefined): Fault | null => {
  if (item === undefined || findVisibleInbox(caller, item.inbox) === undefined) return fault('not_found');
  const record = item.record;
  if (record === null || record.resource !== resource || !caller.principal.access.sees('resource', record.resource)) {
    return fault('invalid', `This item has no record of ${resource ?? 'any resource'}.`);
  }
  return null;
};

/** Returns the items of `seqs` (id → seq) grouped by their record, and the faults of items that have no run. */
export const planBulkRuns = async (
  deps: Pick<ActionDeps, 'db'>,
  caller: Caller,
  resource: string | null,
  seqs: ReadonlyMap<string, number>,
): Promise<BulkRunPlan> => {
  const items = await readItems(deps.db, caller.env.id, [...seqs.keys()]);
  const groups = new Map<string, { seq: number; item: Item }[]>();
  const faults = new Map<number, { id: string; fault: Fault }>();
  for (const [id, seq] of seqs) {
    const item = items.get(id);
    const problem = itemProblem(caller, resource, item);
    if (problem !== null) faults.set(seq, { id, fault: problem });
    else if (item?.record !== undefined && item.record !== null) {
      const group = groups.get(item.record.id);
      if (group === undefined) groups.set(item.record.id, [{ seq, item }]);
      else group.push({ seq, item });
    }
  }
  return { groups, faults };
};

/** Returns the authorized action for a record, or the fault that it would fail with now. What a person has approved keeps its input as it was shown. */
const authorizeForRecord = async (
  deps: ActionDeps,
  caller: Caller,
  { operation: { action, input: given }, approvedBy }: BulkRunContext,
  on: { readonly resource: string | null; readonly record: string },
): Promise<AuthorizedAction | Fault> => {
  try {
    const input = { ...given };
    const ready = await reauthorizeAction(deps, caller, { action, ...on, input, approved_by: approvedBy });
    return approvedBy === null ? ready : { ...ready, input };
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
};

const insertResultsSql = statement(
  'bulk.actionResults',
  bulkResultInsert(
    { bulk: '$1', ...sameColumns(['seq', 'item', 'outcome', 'error', 'code']) },
    {
      from: 'json_to_recordset($2::json) as r(seq int, item text, outcome text, error text, code text)',
      skipExisting: true,
    },
  ),
);

const insertRefusedResults = async (
  deps: ActionDeps,
  bulk: string,
  refused: readonly { seq: number; id: string; fault: Fault }[],
): Promise<void> => {
  if (refused.length === 0) return;
  const results = refused.map(({ seq, id, fault: problem }) => ({
    seq,
    item: id,
    outcome: toBulkOutcome(problem),
    error: problem.message,
    code: problem.code,
  }));
  await execute(deps.db, insertResultsSql, [bulk, JSON.stringify(results)]);
};

/** What the timeline says of a run; see `runEntryData`. */
const runEntryData = `jsonb_build_object('run', h.id, 'action', h.action, 'label', h.label, 'status', h.status, 'message', coalesce(h.message, h.error),
    'about', jsonb_build_object('resource', h.resource))
  || case when h.approved_by is null then '{}' else jsonb_build_object('approvedBy', h.approved_by - 'at', 'approvedAt', h.approved_by -> 'at') end
  || case when h.finished_at is null then '{}' else jsonb_build_object('finishedAt', h.finished_at) end
  || case when $5::text is null then '{}' else jsonb_build_object('reason', $5::text) end`;

/**
 * Attaches items to a run, each with its own timeline entry. From a run that has ended they get the outcome at once: the
 * run's row is locked, so that it can't end in between.
 */
const attachItemsSql = statement(
  'bulk.attach',
  `
  with held as (select * from runs where bulk = $1 and record = $2 for update),
  joined as (
    insert into run_items (run, seq, item, inbox, entry)
    select h.id, i.seq, i.item, i.inbox, i.entry from held h cross join json_to_recordset($3::json) as i(seq int, item text, inbox text, entry text)
    on conflict do nothing returning *
  ), numbered as (${withEventIds('joined j', 'j.*', 'event')}),
  happened as (${eventInsert(
    {
      ...actorOfRow('h'),
      ...sameColumns(['inbox', 'item', 'entry'], 'n'),
      id: 'n.event',
      env: 'h.env',
      at: '$4::bigint',
      role: 'null',
      address: 'null',
      type: "'action'",
      data: runEntryData,
    },
    { from: 'numbered n cross join held h' },
  )}),
  told as (${outboxInsert(
    {
      id: 'n.event',
      env: 'h.env',
      at: '$4',
      parts: `json_build_array(json_build_object('type', 'timeline', 'inbox', n.inbox, 'change', 'created', 'item', n.item, 'entry',
        json_build_object('id', n.entry, 'item', n.item, 'type', 'action', 'at', $4::bigint,
          'actor', json_build_object('type', h.actor_type, 'id', h.actor, 'name', h.actor_name),
          'data', ${runEntryData})))::text`,
      inbox: 'n.inbox',
    },
    { from: 'numbered n cross join held h' },
  )}),
  resulted as (${runResultInsert({ run: 'h', item: 'n', from: 'numbered n cross join held h' })})
  select id from held`,
);

const findBulkRunSql = statement('bulk.runThere', 'select id from runs where bulk = $1 and record = $2');

const isOnline = ({ link }: ActionDeps, { env }: Caller, { declaration }: ActionDefinition): Promise<boolean> =>
  link.online(env.id, declaration);

/** Returns the fault of an action that is not queued while the app is offline, else null. */
export const offlineFault = async (deps: ActionDeps, caller: Caller, action: ActionDefinition): Promise<Fault | null> =>
  action.offline === 'refuse' && !(await isOnline(deps, caller, action)) ? fault('app_offline') : null;

/** Inserts the run of a record, unless an earlier chunk has. Returns the fault of a run that can't be made, else null. */
const ensureBulkRun = async (
  deps: ActionDeps,
  caller: Caller,
  { bulk, approvedBy }: BulkRunContext,
  ready: AuthorizedAction,
  record: string,
): Promise<Fault | null> => {
  if ((await queryRow(deps.db, findBulkRunSql, [bulk, record])) !== undefined) return null;
  const at = deps.clock.now();
  const fresh: Run = { ...buildRun(caller, { ...ready, item: null }, record, at), bulk, approved_by: approvedBy };
  const offline = await offlineFault(deps, caller, ready.action);
  if (offline !== null) return offline;
  const online = await isOnline(deps, caller, ready.action);
  const due: JobDue = online ? at : 'app';
  // Behind queued runs of the record, of this bulk or of others, the run is queued too.
  const begun =
    online && (await insertRun(deps.db, fresh, { due, saved: null, unlessQueued: true, span: caller.span }));
  const queued = { due, saved: null, unlessQueued: false, span: caller.span };
  if (!begun) await insertRun(deps.db, toQueuedRun(fresh, ready.action, at), queued);
  return null;
};

/** Makes the runs of some items and attaches the items; resolves when each item has its result or its run. */
export const runActionOnItems = async (
  deps: ActionDeps,
  caller: Caller,
  of: BulkRunContext,
  seqs: ReadonlyMap<string, number>,
): Promise<void> => {
  const resource = caller.env.definition.actions.get(of.operation.action)?.resource ?? null;
  const { groups, faults } = await planBulkRuns(deps, caller, resource, seqs);
  const refused = [...faults].map(([seq, { id, fault: problem }]) => ({ seq, id, fault: problem }));
  for (const [record, items] of groups) {
    const ready = await authorizeForRecord(deps, caller, of, { resource, record });
    const problem = ready instanceof Fault ? ready : await ensureBulkRun(deps, caller, of, ready, record);
    if (problem !== null) {
      refused.push(...items.map(({ seq, item }) => ({ seq, id: item.id, fault: problem })));
      continue;
    }
    const waiting = items.map(({ seq, item }) => ({ seq, item: item.id, inbox: item.inbox, entry: newId('ent') }));
    await execute(deps.db, attachItemsSql, [
      of.bulk,
      record,
      JSON.stringify(waiting),
      deps.clock.now(),
      caller.reason ?? null,
    ]);
  }
  await insertRefusedResults(deps, of.bulk, refused);
};

const attachedSeqsSql = statement(
  'bulk.attached',
  `
  select i.seq from runs r join run_items i on i.run = r.id where r.bulk = $1 and i.seq >= $2 and i.seq < $3`,
);

/** Returns the seqs from `first` to `first + count` (exclusive) that are attached to a run. */
export const readAttachedSeqs = async (
  { db }: Pick<ActionDeps, 'db'>,
  bulk: string,
  first: number,
  count: number,
): Promise<number[]> =>
  (await queryRows<{ seq: number }>(db, attachedSeqsSql, [bulk, first, first + count])).map(({ seq }) => seq);
