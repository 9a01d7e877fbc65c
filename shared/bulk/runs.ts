/**
 * Bulks of actions: one run for each distinct record, whose outcome all items of that record get. Used by the bulkChunk
 * job and by dryRunAction.ts.
 */
import { type Caller, findVisibleInbox } from '../accounts/access/principal.ts';
import type { ActionDefinition } from '../app/manifest/actions.ts';
import { fault, Fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { workFault } from '../items/claims.ts';
import { readItems, type Item } from '../items/model.ts';
import { toBulkOutcome } from '../items/perform/perform.ts';
import { unreadBy } from '../items/seen.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { change, event, live, writeChange } from '../platform/journal/changeWriter.ts';
import { actorOfRow, withEventIds } from '../platform/journal/events.ts';
import { bulkResultInsert, sameColumns } from '../platform/journal/inserts.ts';
import { buildRun, toQueuedRun } from '../runs/accept/acceptAction.ts';
import { reauthorizeAction, type AuthorizedAction } from '../runs/authorizeAction.ts';
import { insertRun } from '../runs/insertRun.ts';
import { runCounter, storedRunColumns, type ActionDeps, type Run, type RunApprover } from '../runs/model.ts';
import { runResultInsert, type JobDue } from '../runs/runStatementParts.ts';

export interface BulkActionRequest {
  readonly action: string;
  readonly input?: object;
  /** The resource of the records that the bulk names; absent: it names items. */
  readonly records?: string;
}

interface BulkRunContext {
  readonly bulk: string;
  readonly operation: BulkActionRequest;
  /** Who approved the bulk; null: nobody had to. */
  readonly approvedBy: RunApprover | null;
}

interface BulkRunPlan {
  /** Records with the items that name them, by seq. `inbox` null: the bulk names the record itself, and `id` is the record's. */
  readonly groups: ReadonlyMap<
    string,
    readonly { readonly seq: number; readonly id: string; readonly inbox: string | null }[]
  >;
  /** Items that no run is made for. */
  readonly faults: ReadonlyMap<number, { readonly id: string; readonly fault: Fault }>;
}

const itemProblem = (caller: Caller, resource: string | null, item: Item | undefined, at: number): Fault | null => {
  const inbox = item === undefined ? undefined : findVisibleInbox(caller, item.inbox);
  if (item === undefined || inbox === undefined) return fault('not_found');
  const refusal = workFault(caller, inbox, item, { needed: 'claim', known: unreadBy(caller), at });
  if (refusal !== null) return refusal;
  const record = item.record;
  if (record === null || record.resource !== resource || !caller.principal.access.sees('resource', record.resource)) {
    return fault('invalid', `This item has no record of ${resource ?? 'any resource'}.`);
  }
  return null;
};

/** Returns the items of `seqs` (id → seq) grouped by their record, and the faults of items that have no run. */
export const planBulkRuns = async (
  deps: Pick<ActionDeps, 'db' | 'clock'>,
  caller: Caller,
  { resource, records }: { readonly resource: string | null; readonly records: string | undefined },
  seqs: ReadonlyMap<string, number>,
): Promise<BulkRunPlan> => {
  if (records !== undefined)
    return { groups: new Map([...seqs].map(([id, seq]) => [id, [{ seq, id, inbox: null }]])), faults: new Map() };
  const items = await readItems(deps.db, caller.env.id, [...seqs.keys()]);
  const groups = new Map<string, { seq: number; id: string; inbox: string }[]>();
  const faults = new Map<number, { id: string; fault: Fault }>();
  for (const [id, seq] of seqs) {
    const item = items.get(id);
    const problem = itemProblem(caller, resource, item, deps.clock.now());
    if (problem !== null) faults.set(seq, { id, fault: problem });
    else if (item?.record !== undefined && item.record !== null) {
      const group = groups.get(item.record.id);
      const one = { seq, id, inbox: item.inbox };
      if (group === undefined) groups.set(item.record.id, [one]);
      else group.push(one);
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
  await executeStatement(deps.db, insertResultsSql, [bulk, JSON.stringify(results)]);
};

/** What the timeline says of a run; see `runEntryData`. */
const runEntryData = `jsonb_build_object('run', h.id, 'action', h.action, 'label', h.label, 'status', h.status, 'message', coalesce(h.message, h.error),
    'about', jsonb_build_object('resource', h.resource))
  || case when h.approved_by is null then '{}' else jsonb_build_object('approvedBy', h.approved_by - 'at', 'approvedAt', h.approved_by -> 'at') end
  || case when h.finished_at is null then '{}' else jsonb_build_object('finishedAt', h.finished_at) end
  || case when $reason::text is null then '{}' else jsonb_build_object('reason', $reason::text) end`;

/**
 * Attaches items to a run, each with its own timeline entry. From a run that has ended they get the outcome at once: the
 * run's row is locked, so that it can't end in between.
 */
const attachItems = change(
  'bulk.attach',
  {
    held: `select ${storedRunColumns} from runs where bulk = $bulk and record = $record for update`,
    joined: `
    insert into run_items (run, seq, item, inbox, entry)
    select h.id, i.seq, i.item, i.inbox, i.entry from held h cross join json_to_recordset($items::json) as i(seq int, item text, inbox text, entry text)
    on conflict do nothing returning *`,
    numbered: withEventIds('joined j', 'j.*', 'event'),
    happened: event(
      {
        ...actorOfRow('h'),
        ...sameColumns(['inbox', 'item', 'entry'], 'n'),
        id: 'n.event',
        env: 'h.env',
        role: 'null',
        address: 'null',
        type: "'action'",
        data: runEntryData,
      },
      { from: 'numbered n cross join held h' },
    ),
    told: live(
      {
        id: 'n.event',
        env: 'h.env',
        parts: `json_build_array(json_build_object('type', 'timeline', 'inbox', n.inbox, 'change', 'created', 'item', n.item, 'entry',
        json_build_object('id', n.entry, 'item', n.item, 'type', 'action', 'at', $at::bigint,
          'actor', json_build_object('type', h.actor_type, 'id', h.actor, 'name', h.actor_name),
          'data', ${runEntryData})))::text`,
        inbox: 'n.inbox',
      },
      { from: 'numbered n cross join held h' },
    ),
    resulted: runResultInsert({ run: 'h', item: 'n', from: 'numbered n cross join held h' }),
  },
  'select id from held',
);

/** Gives a record that the bulk names itself its place at the run, without an entry on a timeline. */
const attachRecord = change(
  'bulk.attachRecord',
  {
    held: `select ${storedRunColumns} from runs where bulk = $bulk and record = $record for update`,
    joined: `insert into run_items (run, seq, item, inbox, entry) select h.id, $seq::int, $record, '', '' from held h on conflict do nothing returning *`,
    resulted: runResultInsert({ run: 'h', item: 'n', from: 'joined n cross join held h' }),
  },
  'select id from held',
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
  const count = runCounter(deps, fresh);
  const options = { due, saved: null, count, span: caller.span };
  // Behind queued runs of the record, of this bulk or of others, the run is queued too.
  const begun = online && (await insertRun(deps.db, fresh, { ...options, unlessQueued: true }));
  if (!begun) await insertRun(deps.db, toQueuedRun(fresh, ready.action, at), { ...options, unlessQueued: false });
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
  const { records } = of.operation;
  // A bulk that a person has approved needs no claim.
  const acting = of.approvedBy === null ? caller : { ...caller, approvedBy: of.approvedBy };
  const { groups, faults } = await planBulkRuns(deps, acting, { resource, records }, seqs);
  const refused = [...faults].map(([seq, { id, fault: problem }]) => ({ seq, id, fault: problem }));
  for (const [record, items] of groups) {
    const ready = await authorizeForRecord(deps, caller, of, { resource, record });
    const problem = ready instanceof Fault ? ready : await ensureBulkRun(deps, caller, of, ready, record);
    if (problem !== null) {
      refused.push(...items.map(({ seq, id }) => ({ seq, id, fault: problem })));
      continue;
    }
    if (records !== undefined) {
      await writeChange(deps.db, attachRecord, { bulk: of.bulk, record, seq: items[0]?.seq });
      continue;
    }
    const waiting = items.map(({ seq, id, inbox }) => ({ seq, item: id, inbox, entry: newId('ent') }));
    await writeChange(deps.db, attachItems, {
      bulk: of.bulk,
      record,
      at: deps.clock.now(),
      reason: caller.reason,
      items: JSON.stringify(waiting),
    });
    // The entry and its message have the reason.
    const bytes = waiting.length * (limits.bulkItemBytes + 2 * (caller.reason?.length ?? 0));
    deps.meter.count(caller.principal.id ?? '', caller.env.id, bytes);
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
