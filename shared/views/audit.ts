/** Reads the audit log from the events, filtered, newest first. For api/routes/audit.ts. */
import type { Caller } from '../accounts/access/principal.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { resolveRecord } from '../items/filters/filters.ts';
import type { Db } from '../platform/db/knex.ts';
import { type NamedStatement, type NamedValues, namedStatement, queryNamedRows } from '../platform/db/sql.ts';
import { idTime, rowId } from '../platform/ids.ts';
import {
  endEventId,
  firstEventId,
  recentEventId,
  type PastDeps,
  type PastEvents,
} from '../platform/journal/pastEvents.ts';
import { type LargeRow, cutLargePage, largeRowsSql, storedBytesSql } from '../platform/listing/page.ts';
import { hiddenFromPlanner } from '../platform/listing/scanSql.ts';
import { hiddenActions, isReasonSeen, redactSide } from './auditValues.ts';

interface AuditFilter {
  readonly actor?: string;
  readonly actorKind?: ActorRef['type'];
  readonly verb?: string;
  readonly target?: string;
  /** `<resource>:<id>`. */
  readonly record?: string;
  readonly from?: number;
  readonly to?: number;
}

interface AuditRow extends LargeRow {
  readonly id: number;
  readonly at: number;
  readonly actor_type: string;
  readonly actor: string | null;
  readonly actor_name: string;
  readonly role: string | null;
  readonly verb: string;
  readonly target_type: string | null;
  readonly target: string | null;
  readonly outcome: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly request_id: string | null;
  readonly address: string | null;
}

/** The filters that have an index of their own, the one that usually leaves the fewest rows first. */
const ownFilters = ['target', 'actor', 'verb'] as const;
type OwnFilter = (typeof ownFilters)[number];

/** Where the entries of a kind of principal are in the index of actors: ids begin with a prefix; `unnamed`: some have no id. */
const kinds: Readonly<Record<ActorRef['type'], { readonly prefix: string | null; readonly unnamed: boolean }>> = {
  agent: { prefix: 'agt', unnamed: false },
  person: { prefix: 'per', unnamed: true },
  app: { prefix: 'key', unnamed: true },
  system: { prefix: null, unnamed: true },
};

/** The names that a role sees, as a parameter: null for a role that sees all of a kind, whatever is declared now. */
const seenSql = (name: string, parameter: string): string =>
  `(${name} is null or ${parameter}::text[] is null or ${name} = any(${parameter}))`;

/** Keeps entries whose inbox, record, flag and action the role sees, whichever column or member names them. */
const seenTargetSql = [
  seenSql('inbox', '$inboxes'),
  seenSql("split_part(about, '/', 1)", '$resources'),
  seenSql("after ->> 'resource'", '$resources'),
  seenSql("case when target_type = 'resource' then target end", '$resources'),
  seenSql("case when target_type = 'flag' then target end", '$flags'),
  "(target_type is distinct from 'action' or target is null or target <> all($hiddenActions::text[]))",
  // Of a run or an approval: the action, unless its resource decides.
  seenSql("case when after ->> 'resource' is null then after ->> 'action' end", '$actions'),
  seenSql("after ->> 'flag'", '$flags'),
  seenSql("case when target_type = 'loosening' then after ->> 'inbox' end", '$inboxes'),
  // A bulk over several inboxes is seen by who sees one of them, its approval by who sees them all; over none they hide nothing.
  `($inboxes::text[] is null or case when target_type = 'bulk' then outcome <> 'ok' or data -> 'inboxes' = '[]' or jsonb_exists_any(data -> 'inboxes', $inboxes)
    when target_type = 'approval' and after ->> 'bulk' is not null then data -> 'inboxes' <@ to_jsonb($inboxes) else true end)`,
].join(' and ');

/**
 * Besides those, one's own refusals: a hidden target then reads like one that never existed. Others' are left out where the entry
 * does not say whether the target is hidden.
 */
const visibleSql = `((outcome = 'denied' and actor = $self) or (${seenTargetSql} and ($seesAll::boolean or outcome = 'ok'
  or (after ->> 'code' is distinct from 'not_found' and coalesce(target_type, '') not in ('run', 'approval', 'bulk')))))`;

const entriesSql = 'from events where env = $env and verb is not null and id >= $first and id < $end';
const columns =
  'id, at, actor_type, actor, actor_name, role, verb, target_type, target, outcome, before, after, request_id, address';
const timesSql = '($from::bigint is null or at >= $from) and ($to::bigint is null or at < $to)';

/** Returns the SQL of a page of entries of `rows`, a short one where they are large. */
const pageSql = (rows: string, order: string): string =>
  largeRowsSql({
    as: 'e',
    columns,
    rows: `${rows} order by ${order} limit $limit`,
    bytes: storedBytesSql('e.before', 'e.after'),
    order,
  });

/** Entries without a limit of time: each set of filters has a statement, so that each uses its own index. */
const newestStatement = (given: readonly OwnFilter[]): NamedStatement =>
  namedStatement(`audit.newest.${given.join('-')}`, () =>
    pageSql(
      `select ${columns} ${entriesSql} and id < $id ${given.map((name) => `and ${name} = $${name}`).join(' ')} and ${visibleSql}`,
      'id desc',
    ),
  );

/** The conditions of the filters that the index of a statement does not have. */
const fitsSql: readonly string[] = [
  ...ownFilters.map((name) => `$${name}::text is null or ${name} = $${name}`),
  '$actorKind::text is null or actor_type = $actorKind',
];

/** Entries in the index of times; the other filters are compared with each. */
const timedStatement: NamedStatement = namedStatement('audit.timed', () =>
  pageSql(
    `select ${columns} ${entriesSql} and at >= coalesce($from::bigint, 0) and (at, id) < ($at::bigint, $id::bigint)
         and ${fitsSql.map(hiddenFromPlanner).join(' and ')} and ${visibleSql}`,
    'at desc, id desc',
  ),
);

/** A filter by which entries are found in an index. */
type FoundBy = OwnFilter | 'kind' | 'record';

/** So many of the newest runs of a record are looked at: a page of their entries is read and sorted at once. */
const recordRunsMost = 1_000;

/** Selects the ids of the runs of a record, by the index of what was asked of it. */
const runsOfRecordSql = `select target from events where env = $env and about = $about and about is not null and not is_update
  and target_type = 'run' order by id desc limit ${String(recordRunsMost)}`;

/** Selects the ids under which acts on a record are entered: its runs, and the requests for their approval. */
const targetsOfRecordSql = `select * from unnest(array(${runsOfRecordSql})) run
  union all select approval from all_runs where env = $env and id = any(array(${runsOfRecordSql})) and approval is not null`;

/** Returns the SQL of what a filter finds: a superset of its entries, each of which is read. */
const foundSql = (by: FoundBy, wanted: string): string => {
  if (by === 'record') return `select ${wanted} ${entriesSql} and target = any(array(${targetsOfRecordSql}))`;
  return by === 'kind'
    ? `select ${wanted} ${entriesSql} and actor >= $firstActor and actor < $endActor
       union all select ${wanted} ${entriesSql} and actor is null and $unnamed::boolean`
    : `select ${wanted} ${entriesSql} and ${by} = $${by}`;
};

/** The same, found by one filter that few entries pass, and then sorted. */
const gatheredStatement = (by: FoundBy): NamedStatement =>
  namedStatement(`audit.gathered.${by}`, () =>
    pageSql(
      `select ${columns} from (${foundSql(by, '*')} offset 0) e
         where ${timesSql} and (at, id) < ($at::bigint, $id::bigint) and ${fitsSql.map((fits) => `(${fits})`).join(' and ')} and ${visibleSql}`,
      'at desc, id desc',
    ),
  );

/** So many entries of a filter at most are gathered. */
const gatheredMost = 5_000;

const countStatement = (by: FoundBy): NamedStatement =>
  namedStatement(
    `audit.count.${by}`,
    () => `select count(*)::int as n from (${foundSql(by, '1')} limit ${String(gatheredMost + 1)}) e`,
  );

/** Where a page ends: the id of its last entry; of a list in order of time its time before that. */
type AuditPosition = readonly number[];

/** Returns whether entries are found in order of time, and cursors have times. */
export const isAuditTimed = ({ from, to, actorKind, record }: AuditFilter): boolean =>
  [from, to, actorKind, record].some((filter) => filter !== undefined);

const chooseStatement = async (db: Db, filter: AuditFilter, values: NamedValues): Promise<NamedStatement> => {
  const given = ownFilters.filter((name) => filter[name] !== undefined);
  if (!isAuditTimed(filter)) return newestStatement(given);
  if (filter.record !== undefined) return gatheredStatement('record');
  const by: FoundBy | undefined = given[0] ?? (filter.actorKind === undefined ? undefined : 'kind');
  if (by === undefined) return timedStatement;
  const [counted] = await queryNamedRows<{ n: number }>(db, countStatement(by), values);
  return (counted?.n ?? 0) > gatheredMost ? timedStatement : gatheredStatement(by);
};

/** Returns the reason that the principal gave, and what the change made without it. */
const splitReason = (
  after: Record<string, unknown> | null,
): { readonly reason: string | null; readonly after: Record<string, unknown> | null } => {
  const given = after?.['reason'];
  if (typeof given !== 'string') return { reason: null, after };
  const { reason: _, ...rest } = after ?? {};
  return { reason: given, after: Object.keys(rest).length === 0 ? null : rest };
};

/** Returns how many refusals an entry stands for; 1 for any other entry. */
const countOf = ({ outcome, after }: AuditRow): number =>
  outcome === 'denied' && typeof after?.['count'] === 'number' ? after['count'] : 1;

const presentEntry = (caller: Caller, row: AuditRow): object => {
  const { reason, after } = splitReason(row.after);
  return {
    id: rowId('aud', row.at, row.id),
    at: row.at,
    actor: { type: row.actor_type, id: row.actor, name: row.actor_name, role: row.role },
    verb: row.verb,
    target: { type: row.target_type, id: row.target },
    outcome: row.outcome,
    count: countOf(row),
    before: redactSide(caller, row, row.before, after),
    after: redactSide(caller, row, after, row.before),
    reason: isReasonSeen(caller, row) ? reason : null,
    requestId: row.request_id,
    address: row.address,
  };
};

/** Returns the ids between which the entries are. */
const eventIds = (
  past: PastEvents,
  { target, from, to }: AuditFilter,
  after: AuditPosition | null,
): { readonly first: number; readonly end: number } => {
  const timed = after !== null && after.length > 1 ? after[0] : undefined;
  const end = timed ?? to;
  return {
    first: Math.max(
      target === undefined ? 0 : firstEventId(past, idTime(target)),
      from === undefined ? 0 : firstEventId(past, from),
    ),
    end: end === undefined ? Number.MAX_SAFE_INTEGER : endEventId(past, end),
  };
};

/** Reads a page. Without a time or a target the entries are looked for in the two newest months first. */
const readNewest = async (
  db: Db,
  filter: AuditFilter,
  values: NamedValues & { readonly first: number; readonly limit: number },
  recent: number,
): Promise<AuditRow[]> => {
  const chosen = await chooseStatement(db, filter, values);
  if (!isAuditTimed(filter) && filter.target === undefined && recent > values.first) {
    const found = await queryNamedRows<AuditRow>(db, chosen, { ...values, first: recent });
    if (found.length === values.limit || found.at(-1)?.is_cut === true) return found;
  }
  return queryNamedRows<AuditRow>(db, chosen, values);
};

interface AuditPage {
  readonly entries: object[];
  readonly next: AuditPosition | null;
}

/** Returns a page of the entries that the role sees, behind the position `after`, newest first; a short one where they are large. Throws `not_found` for a record of a resource that it does not see. */
export const readAudit = async (
  { db, directory }: PastDeps,
  caller: Caller,
  filter: AuditFilter,
  after: AuditPosition | null,
  limit: number,
): Promise<AuditPage> => {
  const { env, principal } = caller;
  const { access } = principal;
  const timed = isAuditTimed(filter);
  const record = resolveRecord(caller, { record: filter.record });
  const { prefix, unnamed } = kinds[filter.actorKind ?? 'system'];
  const values = {
    ...filter,
    // The character after the underscore ends the range.
    firstActor: prefix === null ? '' : `${prefix}_`,
    endActor: prefix === null ? '' : `${prefix}\``,
    unnamed,
    about: record === null ? null : `${record.resource}/${record.id}`,
    env: env.id,
    id: after?.at(-1) ?? (timed ? 0 : Number.MAX_SAFE_INTEGER),
    at: after?.[0] ?? filter.to ?? Number.MAX_SAFE_INTEGER,
    limit: limit + 1,
    ...eventIds(directory.past(), filter, after),
    inboxes: access.namesSeen('inbox'),
    resources: access.namesSeen('resource'),
    flags: access.namesSeen('flag'),
    actions: access.namesSeen('action'),
    hiddenActions: hiddenActions(caller),
    seesAll: (['inbox', 'resource', 'flag', 'action'] as const).every((kind) => access.namesSeen(kind) === null),
    self: principal.id,
  };
  const { page, last } = cutLargePage(await readNewest(db, filter, values, recentEventId(directory.past())), limit);
  return {
    entries: page.map((row) => presentEntry(caller, row)),
    next: last === null ? null : timed ? [last.at, last.id] : [last.id],
  };
};
