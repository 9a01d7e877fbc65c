/**
 * Removes what identifies a person: from events first, then from items and their texts, runs, approvals, records, and at last
 * from what was sent. It may stop anywhere and begins anew: what is erased is found again and left as it is. For workers/jobs/erase.ts.
 */
import { fullAccess } from '../access/access.ts';
import type { Caller, Principal } from '../access/principal.ts';
import { erasedText } from '../catalogue/erased.ts';
import { openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import type { Environment } from '../environments/definition.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement, type Statement } from '../platform/db/sql.ts';
import { channels } from '../platform/redis/bus.ts';
import type { DomainDeps } from '../settings/deps.ts';
import { readRequester } from '../settings/requester.ts';
import { eraseItems, eraseNamed } from './contents.ts';
import {
  eventsAtOnce,
  findErasableEvents,
  isErasableApprovalSql,
  isErasableRunSql,
  slices,
  type ErasableEvent,
} from './erasable.ts';
import { countOpen, find, findEvents, findOpenReplies, type Found } from './find.ts';
import { finishErasure, noteErasure, readErasure, type Erasure } from './model.ts';
import type { ErasureCounts, ErasureWait } from './schema.ts';
import { eraseSent } from './sent.ts';

/** Between two looks for what had not ended, in ms. */
const lookMs = { least: 2_000, most: 600_000 };

const eraseEventsSql = statement('erasure.eraseEvents', 'select erase_events($1, $2) as n');
const eraseRunsOf = (table: 'runs' | 'runs_ended', reason: string, change = ''): string => `
    update ${table} set input = '{}', message = null, blocks = null, error = case when error is null then null else $3 end ${change}
    where env = $1 and id = any($2) and status not in (${sqlList(openRunStatuses)})
      and ${isErasableRunSql(table, reason)}
    returning id`;
const eraseRunsSql = [
  statement(
    'erasure.eraseRuns',
    `
    with ended as (${eraseRunsOf('runs', '(select w.reason from run_reasons w where w.run = runs.id)')}),
    reasons as (delete from run_reasons w using ended where w.run = ended.id)
    select id from ended`,
  ),
  statement('erasure.eraseEndedRuns', eraseRunsOf('runs_ended', 'runs_ended.reason', ', reason = null')),
];
const eraseApprovalsOf = (table: 'approvals' | 'approvals_ended'): string => `
  update ${table} set summary = $3, fingerprint = '', before = null, note = case when note is null then null else '' end,
    reason = case when reason is null then null else '' end,
    request = request - 'after' || case when request ? 'input' then '{"input": {}}' else '{}' end::jsonb
      || case when kind = 'item' then jsonb_build_object('operation', jsonb_build_object('type', request #> '{operation,type}'))
        when kind = 'bulk' then jsonb_build_object('operation', jsonb_set(request -> 'operation', '{input}', '{}', false)) else '{}' end
  where env = $1 and id = any($2) and status not in (${sqlList(openApprovalStatuses)}) and ${isErasableApprovalSql}`;
const eraseApprovalsSql = [
  statement('erasure.eraseApprovals', eraseApprovalsOf('approvals')),
  statement('erasure.eraseEndedApprovals', eraseApprovalsOf('approvals_ended')),
];
const eraseBulksOf = (table: 'bulks' | 'bulks_ended'): string => `
  update ${table} set operation = jsonb_set(operation::jsonb, '{input}', '{}', false)::json, reason = null
  where env = $1 and id = any($2) and finished_at is not null and (reason is not null or (operation -> 'input')::jsonb <> '{}')`;
const eraseBulksSql = [
  statement('erasure.eraseBulks', eraseBulksOf('bulks')),
  statement('erasure.eraseEndedBulks', eraseBulksOf('bulks_ended')),
];
/** Looks at every result: there is no index by item, and an erasure is rare. */
const eraseResultsSql = statement(
  'erasure.eraseResults',
  `
  update bulk_results set before = erased_json(before), after = erased_json(after), error = case when error is null then null else $2 end
  where item = any($1) and (erased_json(before), erased_json(after), error) is distinct from (before, after, case when error is null then null else $2 end)`,
);
const eraseRecordSql = statement(
  'erasure.eraseRecord',
  `
  with keys as (delete from record_keys where env = $1 and resource = $2 and id = $3)
  delete from records where env = $1 and resource = $2 and id = $3`,
);

const system: Principal = {
  type: 'system',
  id: null,
  name: 'erasure',
  mode: 'normal',
  role: null,
  access: fullAccess,
  environments: ['*'],
};

/** Returns for whom items are changed: whoever asked for the erasure, with all rights. */
const callerOf = async (deps: DomainDeps, env: Environment, erasure: Erasure): Promise<Caller> => {
  const requester = await readRequester(deps, erasure);
  const principal = requester === null ? system : { ...requester.principal, access: fullAccess };
  return { env, principal, requestId: erasure.request_id, address: erasure.address };
};

/** Erases events, and returns those that are left: they are not chained yet. */
const eraseEvents = async (
  db: Db,
  envId: number,
  events: readonly number[],
): Promise<{ n: number; left: ErasableEvent[] }> => {
  let n = 0;
  const left: ErasableEvent[] = [];
  for (const some of slices(events, eventsAtOnce)) {
    n += (await queryRow<{ n: number }>(db, eraseEventsSql, [envId, some]))?.n ?? 0;
    left.push(...(await findErasableEvents(db, some)));
  }
  return { n, left };
};

/**
 * Returns what is found without that of which an event is left, as by it the event is found again, and how many events have to
 * be waited for: these, and those from before the erasure.
 */
const withoutLeft = (
  { named, runs, approvals, bulks }: Found,
  left: readonly ErasableEvent[],
  horizon: number,
): Pick<Found, 'named' | 'runs' | 'approvals' | 'bulks'> & { readonly entries: number } => {
  const kept = new Set(left.flatMap(({ item, target }) => [item, target]));
  const isFree = (id: string): boolean => !kept.has(id);
  const finding = new Set([...named.map(({ item }) => item), ...runs, ...approvals, ...bulks]);
  return {
    named: named.filter(({ item }) => isFree(item)),
    runs: runs.filter(isFree),
    approvals: approvals.filter(isFree),
    bulks: bulks.filter(isFree),
    entries: left.filter(
      ({ id, item, target }) => id <= horizon || finding.has(item ?? '') || finding.has(target ?? ''),
    ).length,
  };
};

const plus = (before: ErasureCounts, more: ErasureCounts): ErasureCounts => {
  const names = ['records', 'items', 'occurrences', 'runs', 'approvals', 'entries', 'messages'] as const;
  return Object.fromEntries(names.map((name) => [name, (before[name] ?? 0) + (more[name] ?? 0)]));
};

/** Executes each statement, in the order in which rows move to months, and returns how many rows they changed. */
const executeAll = async (
  db: Db,
  statements: readonly Statement[],
  values: Parameters<typeof executeStatement>[2],
): Promise<number> => {
  let changed = 0;
  for (const one of statements) changed += await executeStatement(db, one, values);
  return changed;
};

const isOver = (waitsFor: ErasureWait): boolean => Object.values(waitsFor).every((n) => n === 0);

/**
 * Returns when it is looked again for what had not ended, in epoch ms: the rarer the longer it takes, as each look searches
 * tables whole, and an approval may wait for days.
 */
const nextLookAt = ({ requested_at: at }: Erasure, now: number): number =>
  now + Math.min(Math.max(Math.round((now - at) / 10), lookMs.least), lookMs.most);

/** Erases all that can be erased now. Returns when the rest is to be looked for, in epoch ms; null when that was all. */
export const erase = async (deps: DomainDeps, id: string): Promise<number | null> => {
  const { db, bus, clock } = deps;
  const erasure = await readErasure(db, id);
  const env = erasure === undefined ? undefined : deps.directory.environmentById(erasure.env);
  if (erasure === undefined || erasure.finished_at !== null) return null;
  if (env === undefined) return nextLookAt(erasure, clock.now());
  const found = await find(db, erasure);
  // What ends after this is erased the next time.
  const open = await countOpen(db, erasure, found);
  const replies = await findOpenReplies(db, found);
  const replied = new Set(replies.map(({ item }) => item));
  const events = await findEvents(
    db,
    erasure,
    found,
    replies.map(({ entry }) => entry),
  );
  const { n: entries, left } = await eraseEvents(db, env.id, events);
  const free = withoutLeft(found, left, erasure.horizon);
  const caller = await callerOf(deps, env, erasure);
  const done: ErasureCounts = {
    entries,
    items: await eraseItems(
      deps,
      caller,
      found.items.filter((item) => !replied.has(item)),
    ),
    occurrences: await eraseNamed(deps, caller, free.named, erasure.users),
    runs: await executeAll(db, eraseRunsSql, [env.id, free.runs, erasedText]),
    approvals: await executeAll(db, eraseApprovalsSql, [env.id, free.approvals, erasedText]),
    // Runs that begin later are checked against it.
    records: isOver(open) ? await executeStatement(db, eraseRecordSql, [env.id, erasure.resource, erasure.record]) : 0,
  };
  await executeAll(db, eraseBulksSql, [env.id, free.bulks]);
  await executeStatement(db, eraseResultsSql, [found.items, erasedText]);
  bus.publish(channels.workAvailable, 'outbox');
  const about = [
    ...found.items,
    ...found.named.map(({ item }) => item),
    ...found.runs,
    ...found.approvals,
    ...found.bulks,
  ];
  const messages = await eraseSent(db, env.id, about);
  const erased = plus(erasure.erased, { ...done, messages: messages ?? 0 });
  const waitsFor: ErasureWait = { ...open, replies: replies.length, entries: free.entries };
  if (messages === null || !isOver(waitsFor)) {
    await noteErasure(db, id, erased, waitsFor);
    return nextLookAt(erasure, clock.now());
  }
  await finishErasure(db, id, erased, clock.now());
  return null;
};
