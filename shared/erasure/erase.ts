/**
 * Removes what identifies a person: from events first, then from items and their texts, runs, approvals, records, and at last
 * from what was sent. It may stop anywhere and begins anew: what is erased is found again and left as it is. For workers/jobs/index.ts.
 */
import { fullAccess } from '../accounts/access/access.ts';
import type { Caller, Principal } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { readRequester } from '../accounts/requester.ts';
import type { Environment } from '../app/manifest/definition.ts';
import { erasedText } from '../catalogue/erased.ts';
import { openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement, type Statement } from '../platform/db/sql.ts';
import { readLastEventId } from '../platform/journal/auditChain.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import { eraseBulksSql, eraseResults } from './bulks.ts';
import { eraseItems, eraseNamed } from './contents.ts';
import {
  eventsAtOnce,
  findErasableEvents,
  isErasableApprovalSql,
  isErasableRunSql,
  type ErasableEvent,
} from './erasable.ts';
import { countOpen, find, findEvents, findOpenReplies, type Found } from './find.ts';
import { finishErasure, keepFound, noteErasure, readErasure, type Erasure } from './model.ts';
import type { ErasureCounts, ErasureWait } from './schema.ts';
import { eraseSent } from './sent.ts';
import { slices } from './slices.ts';

/** Between two looks for what had not ended, in ms. */
const lookMs = { least: 2_000, most: 600_000 };

const eraseEventsSql = statement('erasure.eraseEvents', 'select erase_events($1, $2) as n');
/** Rows of one statement. */
const rowsAtOnce = 1_000;

/** Raises the fence: who has read a run before writes nothing back. A run whose retry waits for a decision still needs its input. */
const eraseRunsOf = (table: 'runs' | 'runs_ended', reason: string, change = ''): string => `
    update ${table} set input = '{}', message = null, blocks = null, error = case when error is null then null else $3 end,
      fence = fence + 1 ${change}
    where env = $1 and id = any($2) and status not in (${sqlList(openRunStatuses)})
      and id not in (select a.run from approvals a where a.env = $1 and a.status in (${sqlList(openApprovalStatuses)}) and a.run is not null)
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
  update ${table} set summary = $3, fingerprint = '', before = null, comments = null, answer = null, asked = null, votes = null, note = case when note is null then null else '' end,
    reason = case when reason is null then null else '' end,
    request = request - 'after' || case when request ? 'input' then '{"input": {}}' else '{}' end::jsonb
      || case when kind = 'item' then jsonb_build_object('operation', jsonb_build_object('type', request #> '{operation,type}'))
        when kind = 'question' then jsonb_build_object('text', $3::text, 'options', '[]'::jsonb, 'fallback', null)
        when kind = 'bulk' then jsonb_build_object('operation', jsonb_set(request -> 'operation', '{input}', '{}', false)) else '{}' end
  where env = $1 and id = any($2) and status not in (${sqlList(openApprovalStatuses)}) and ${isErasableApprovalSql}`;
const eraseApprovalsSql = [
  statement('erasure.eraseApprovals', eraseApprovalsOf('approvals')),
  statement('erasure.eraseEndedApprovals', eraseApprovalsOf('approvals_ended')),
];
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
 * be waited for: these, and those up to the horizon.
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

/** Executes each statement for rows by their ids, in the order in which rows move to months. Returns how many they changed. */
const eraseRows = async (
  db: Db,
  statements: readonly Statement[],
  { env, ids, texts }: { readonly env: number; readonly ids: readonly string[]; readonly texts: readonly string[] },
): Promise<number> => {
  let changed = 0;
  for (const one of statements)
    for (const some of slices(ids, rowsAtOnce)) changed += await executeStatement(db, one, [env, some, ...texts]);
  return changed;
};

const isOver = (waitsFor: ErasureWait): boolean => Object.values(waitsFor).every((n) => n === 0);

/**
 * Returns when it is looked again for what had not ended, in epoch ms: the rarer the longer it takes, as each look searches
 * tables whole, and an approval may wait for days.
 */
const nextLookAt = ({ requested_at: at }: Erasure, now: number): number =>
  now + Math.min(Math.max(Math.round((now - at) / 10), lookMs.least), lookMs.most);

/** Returns the ids of other items that name the person, or have named them before. */
const namedItems = ({ named }: Found, erasure: Erasure): string[] => [
  ...new Set([...erasure.named, ...named.map(({ item }) => item)]),
];

/** Returns all ids that messages, saved responses and errors of jobs are found by. */
const idsOf = (found: Found, erasure: Erasure): string[] => {
  const { items, runs, approvals, bulks } = found;
  return [...items, ...namedItems(found, erasure), ...runs, ...approvals, ...bulks];
};

/** Looks once more, as what was read before may have gone on meanwhile. Returns what has to end now, null when nothing has to. */
const findLate = async (db: Db, erasure: Erasure): Promise<ErasureWait | null> => {
  const found = await find(db, erasure);
  const open = { ...(await countOpen(db, erasure, found)), replies: (await findOpenReplies(db, found)).length };
  return isOver(open) ? null : { ...open, entries: 0 };
};

/** Returns the last event that has to be chained: of what the turn before has waited for, the last may be of now. */
const horizonOf = async (db: Db, { waits_for: waited, horizon }: Erasure): Promise<number> =>
  waited === null || isOver({ ...waited, entries: 0 }) ? horizon : readLastEventId(db);

/** Erases all that can be erased now. Returns when the rest is to be looked for, in epoch ms; null when that was all. */
export const erase = async (deps: DomainDeps, id: string): Promise<number | null> => {
  const { db, bus, clock } = deps;
  const erasure = await readErasure(db, id);
  const env = erasure === undefined ? undefined : deps.directory.environmentById(erasure.env);
  if (erasure === undefined || erasure.finished_at !== null) return null;
  if (env === undefined) return nextLookAt(erasure, clock.now());
  const found = await find(db, erasure);
  await keepFound(db, erasure, { named: namedItems(found, erasure), approvals: found.approvals });
  // What ends after this is erased the next time.
  const open = await countOpen(db, erasure, found);
  const replies = await findOpenReplies(db, found);
  const horizon = await horizonOf(db, erasure);
  const replied = new Set(replies.map(({ item }) => item));
  const events = await findEvents(
    db,
    erasure,
    found,
    replies.map(({ entry }) => entry),
  );
  const { n: entries, left } = await eraseEvents(db, env.id, events);
  const free = withoutLeft(found, left, horizon);
  const caller = await callerOf(deps, env, erasure);
  const done: ErasureCounts = {
    entries,
    items: await eraseItems(
      deps,
      caller,
      found.items.filter((item) => !replied.has(item)),
    ),
    occurrences: await eraseNamed(deps, caller, free.named, erasure.users),
    runs: await eraseRows(db, eraseRunsSql, { env: env.id, ids: free.runs, texts: [erasedText] }),
    approvals: await eraseRows(db, eraseApprovalsSql, { env: env.id, ids: free.approvals, texts: [erasedText] }),
    // Runs that begin later are checked against it.
    records: isOver(open) ? await executeStatement(db, eraseRecordSql, [env.id, erasure.resource, erasure.record]) : 0,
  };
  await eraseRows(db, eraseBulksSql, { env: env.id, ids: free.bulks, texts: [] });
  await eraseResults(db, found.bulksOfItems, found.items);
  bus.publish(channels.workAvailable, outboxOf(env.id));
  const about = idsOf(found, erasure);
  const messages = await eraseSent(db, env.id, about);
  const erased = plus(erasure.erased, { ...done, messages: messages ?? 0 });
  const waitsFor: ErasureWait = { ...open, replies: replies.length, entries: free.entries };
  const late = messages === null || !isOver(waitsFor) ? waitsFor : await findLate(db, erasure);
  if (late === null && (await finishErasure(db, { ...erasure, erased }, clock.now()))) return null;
  await noteErasure(db, { ...erasure, erased, waits_for: late ?? waitsFor, horizon });
  return nextLookAt(erasure, clock.now());
};
