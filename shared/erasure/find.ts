/** Finds what an erasure is about: items, occurrences, runs, approvals, bulks and events, by their ids. */
import { openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import { isGivenUpJobSql } from '../catalogue/states/stagedJobs.ts';
import type { Db } from '../platform/db/knex.ts';
import { namedStatement, queryNamedRows, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { findBulks } from './bulks.ts';
import type { ErasureTarget } from './model.ts';
import type { ErasureWait } from './schema.ts';

const ownItemsSql = statement(
  'erasure.items',
  'select id from items where env = $1 and record_resource = $2 and record_id = $3 order by id',
);
const linkedItemsSql = statement(
  'erasure.linkedItems',
  `
  select id from items where env = $1 and links <> '[]' and links @> jsonb_build_array(jsonb_build_object('resource', $2::text, 'id', $3::text))
    and (record_resource, record_id) is distinct from ($2, $3) order by id`,
);
/** Of those that an inbox does not keep nobody is known: where the person has reported an item, they may be theirs. */
const namedSql = statement(
  'erasure.named',
  `
  with reported as materialized (select item from item_users where env = $1 and who = any($2) and item <> all($3)),
  entries as materialized (
    select e.item, e.entry, e.data -> 'occurrence' ->> 'id' as id
    from reported u join events e on e.env = $1 and e.item = u.item and e.entry is not null and not e.is_update where e.type = 'occurred')
  select item, id, true as kept from occurrences where env = $1 and who = any($2) and item <> all($3)
  union
  select r.item, r.id, false from (
    select item, 'occ_' || substr(item, 5) as id from reported
    union select item, id from entries
    union select e.item, u.data -> 'occurrence' ->> 'id' from entries e join events u on u.env = $1 and u.entry = e.entry and u.is_update) r
  where r.id is not null and not exists (select from occurrences o where o.env = $1 and o.item = r.item and o.id = r.id)
  order by item, id`,
);
/** $3: items. */
const runsSql = statement(
  'erasure.runs',
  `
  select e.target as id from events e
  where e.env = $1 and e.about = $2 and e.about is not null and not e.is_update and e.target_type = 'run'
  union
  select e.target from unnest($3::text[]) s(item) join events e on e.env = $1 and e.item = s.item and e.entry is not null and not e.is_update
  where e.target_type = 'run'`,
);
/**
 * `$users`: ids of the person; `$linked`: whether links to the record count; `$before`: those that were found before. The approval of
 * a retry knows its run, and the run only the newest of its approvals.
 */
const approvalsSql = namedStatement(
  'erasure.approvals',
  () => `
  select r.approval as id from all_runs r where r.env = $env and r.id = any($runs) and r.approval is not null
  union
  select e.target from unnest($items::text[]) s(item) join events e on e.env = $env and e.item = s.item and e.entry is not null and not e.is_update
  where e.target_type = 'approval'
  union
  select a.id from all_approvals a where a.env = $env and a.kind = 'item'
    and (a.request @> jsonb_build_object('operation', jsonb_build_object('record', jsonb_build_object('resource', $resource::text, 'id', $record::text)))
      or a.request #>> '{operation,user}' = any($users)
      or $linked and a.request #> '{operation,links}' @> jsonb_build_array(jsonb_build_object('resource', $resource::text, 'id', $record::text)))
  union
  select a.id from all_approvals a
  where a.env = $env and (a.run in (select unnest($runs::text[])) or a.bulk in (select unnest($bulks::text[])))
  union
  select k.id from unnest($before::text[]) k(id)`,
);
/** `$about`: '<resource>/<record>'; `$targets`: items, runs, approvals and bulks; `$occurrences` of `$others`, which are other items; `$except`: entries. */
const eventsSql = namedStatement(
  'erasure.events',
  () => `
  with entries as materialized (
    select e.id, e.entry from events e where e.env = $env and e.about = $about and e.about is not null and not e.is_update
    union
    select e.id, e.entry from unnest($items::text[]) s(item) join events e on e.env = $env and e.item = s.item and e.entry is not null and not e.is_update
    union
    select e.id, e.entry from unnest($others::text[]) s(item) join events e on e.env = $env and e.item = s.item and e.entry is not null and not e.is_update
    where e.data -> 'occurrence' ->> 'id' = any($occurrences) or e.type = 'created' and 'occ_' || substr(e.item, 5) = any($occurrences))
  select id from entries where entry is null or entry <> all($except)
  union
  select u.id from entries e join events u on u.env = $env and u.entry = e.entry and u.is_update where e.entry <> all($except)
  union
  select u.id from unnest($others::text[]) s(item) join events e on e.env = $env and e.item = s.item and e.entry is not null and not e.is_update
  join events u on u.env = $env and u.entry = e.entry and u.is_update where u.data -> 'occurrence' ->> 'id' = any($occurrences)
  union
  select e.id from unnest($targets::text[]) t(target) join events e on e.env = $env and e.target = t.target and e.verb is not null
  where e.entry is null or e.entry <> all($except)
  union
  select e.id from events e
  where e.env = $env and e.verb is not null and e.verb = 'job.retry' and e.after ->> 'about' in (select unnest($targets::text[]))
  order by id`,
);
const recordSql = statement(
  'erasure.record',
  'select count(*)::int as n from records where env = $1 and resource = $2 and id = $3',
);
const openSql = statement(
  'erasure.open',
  `
  select
    (select count(*)::int from runs where env = $1 and id = any($2) and status in (${sqlList(openRunStatuses)})) as runs,
    (select count(*)::int from approvals where env = $1 and id = any($3) and status in (${sqlList(openApprovalStatuses)})) as approvals,
    (select count(*)::int from bulks where env = $1 and id = any($4) and finished_at is null) as bulks,
    (select count(*)::int from staged_jobs where subject = any($5) and name = 'triageItem' and lease_until is not null) as triages`,
);
const repliesSql = statement(
  'erasure.replies',
  `
  select j.payload ->> 'entry' as entry, j.subject as item from staged_jobs j
  where j.subject = any($1) and j.name = 'replySend' and not (${isGivenUpJobSql('j')})`,
);

const ids = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** What an erasure is about, by ids. */
export interface Found {
  /** Those of the record, and those that link to it where these are erased too. */
  readonly items: readonly string[];
  readonly linkedItems: readonly string[];
  /** Occurrences of other items that name the person, or, not `kept`, may have. */
  readonly named: readonly { readonly item: string; readonly id: string; readonly kept: boolean }[];
  readonly runs: readonly string[];
  readonly approvals: readonly string[];
  readonly bulks: readonly string[];
  /** Bulks that have one of the items, others' too. */
  readonly bulksOfItems: readonly string[];
  /** Whether a record is stored. */
  readonly isStored: boolean;
}

export const find = async (db: Db, target: ErasureTarget): Promise<Found> => {
  const { env, resource, record, users, linked } = target;
  const place = [env, resource, record];
  const linkedItems = ids(await queryRows<{ id: string }>(db, linkedItemsSql, place));
  const own = ids(await queryRows<{ id: string }>(db, ownItemsSql, place));
  const items = linked ? [...own, ...linkedItems] : own;
  const runs = ids(await queryRows<{ id: string }>(db, runsSql, [env, `${resource}/${record}`, items]));
  const { bulks, bulksOfItems } = await findBulks(db, env, items, runs);
  const approvals = { env, items, runs, resource, record, bulks, users, linked, before: target.approvals };
  return {
    items,
    linkedItems,
    named: await queryRows<Found['named'][number]>(db, namedSql, [env, users, items]),
    runs,
    approvals: ids(await queryNamedRows<{ id: string }>(db, approvalsSql, approvals)),
    bulks,
    bulksOfItems,
    isStored: ((await queryRow<{ n: number }>(db, recordSql, place))?.n ?? 0) > 0,
  };
};

/** Returns the ids of the events that hold something of it, without those of the entries `except`. */
export const findEvents = async (
  db: Db,
  { env, resource, record }: ErasureTarget,
  { items, named, runs, approvals, bulks }: Found,
  except: readonly string[] = [],
): Promise<number[]> => {
  const rows = await queryNamedRows<{ id: number }>(db, eventsSql, {
    env,
    about: `${resource}/${record}`,
    items,
    targets: [...items, ...runs, ...approvals, ...bulks],
    occurrences: named.map(({ id }) => id),
    others: [...new Set(named.map(({ item }) => item))],
    except,
  });
  return rows.map(({ id }) => id);
};

interface OpenReply {
  readonly entry: string;
  readonly item: string;
}

/** Returns the replies that are being sent: their texts are still needed, and the address on the item. */
export const findOpenReplies = (db: Db, { items }: Found): Promise<OpenReply[]> =>
  queryRows<OpenReply>(db, repliesSql, [items]);

/** Returns how many runs, approvals and bulks have not ended, and items whose triage is under way. */
export const countOpen = async (
  db: Db,
  { env }: ErasureTarget,
  { runs, approvals, bulks, items }: Found,
): Promise<ErasureWait> => (await queryRow<ErasureWait>(db, openSql, [env, runs, approvals, bulks, items])) ?? {};
