/**
 * The chain of audit entries: ranges of an environment's entries, each with a hash over them and the range before, so that
 * nobody can change, remove or slip in an entry unseen. Written by workers/sweeps/index.ts after the entries are
 * committed; read by the admin command `audit`.
 */
import type { Db, Tx } from '../db/knex.ts';
import { executeStatement, ofEnvironment, queryRow, queryRows, statement } from '../db/sql.ts';

/** Entries of a range at most: a look-up and 48 KB. */
const rangeEntries = 1_000;
/** Ids of the events of a month, as `event_month_starts` numbers them. A range has those of one month, with which it is archived. */
const eventIdsOfMonth = 2 ** 36;
const saltBytes = 16;
const digestBytes = 32;

const zeros = (bytes: number): string => `decode(repeat('00', ${String(bytes)}), 'hex')`;
const textBytes = (value: string): string => `convert_to((${value})::text, 'UTF8')`;

/** The columns that may identify a person are hashed with a salt, so that they can be erased together with it. */
const digestSql = (salt: string): string =>
  `sha256(${salt} || ${textBytes('json_build_array(e.actor_name, e.address, e.before, e.after, e.data)')})`;
const linkSql = (digest: string): string =>
  `sha256(${textBytes(`json_build_array(e.id, e.env, e.at, e.actor_type, e.actor, e.role, e.verb, e.target_type, e.target, e.outcome,
    e.inbox, e.item, e.entry, e.type, e.is_update, e.request_id, e.about)`)} || ${digest})`;
const hashSql = (previous: string, range: string, links: string): string =>
  `sha256(${previous} || ${textBytes(`json_build_array(${range})`)} || ${links})`;

/** The order of the index read backwards, and the end cut off behind it: as a range PostgreSQL reads all that is not chained yet each time. */
const chainRangeSql = statement(
  'audit.chain',
  `
  with head as (select n, last, hash from audit_chain where env = $1 order by n desc limit 1),
  begin as (select coalesce((select last from head), 0) as last),
  next as materialized (
    select e.*, uuid_send(gen_random_uuid()) as salt from (
      select e.* from events e where ${ofEnvironment('e.env', '$1')} and e.id > (select last from begin) and e.verb is not null
      order by e.env desc, e.id limit ${String(rangeEntries)}) e
    where e.id <= $2),
  entries as materialized (
    select e.*, ${digestSql('e.salt')} as digest from next e
    where id / ${String(eventIdsOfMonth)} = (select min(id) from next) / ${String(eventIdsOfMonth)}),
  range as (
    select coalesce((select n from head), 0) + 1 as n, max(e.id) as last, count(*)::int as entries,
      string_agg(e.salt, ''::bytea order by e.id) as salts, string_agg(e.digest, ''::bytea order by e.id) as digests,
      string_agg(${linkSql('e.digest')}, ''::bytea order by e.id) as links
    from entries e having count(*) > 0)
  insert into audit_chain (env, n, last, entries, salts, digests, hash, at)
  select $1, r.n, r.last, r.entries, r.salts, r.digests,
    ${hashSql(`coalesce((select hash from head), ${zeros(digestBytes)})`, '$1::int, r.n, r.last, r.entries', 'r.links')}, $3
  from range r on conflict do nothing`,
);

/** Chains the next entries up to the event `settled`. Returns whether there were some; another process that was first counts as none. */
export const chainNextRange = async (db: Db, envId: number, settled: number, now: number): Promise<boolean> =>
  (await executeStatement(db, chainRangeSql, [envId, settled, now])) > 0;

const lastEventIdSql = statement('audit.lastEventId', 'select last_value as id from events_id_seq');
/** A statement that draws event ids locks the table before, until its transaction ends. */
const writersSql = statement(
  'audit.writers',
  `
  select distinct l.virtualtransaction as writer from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'relation' and l.relation = 'events'::regclass and l.mode = 'RowExclusiveLock'`,
);

const readWriters = async (db: Db): Promise<string[]> =>
  (await queryRows<{ writer: string }>(db, writersSql)).map(({ writer }) => writer);

/** The last event id that was drawn, and the transactions that may still commit a lower one. */
interface EventHorizon {
  readonly id: number;
  readonly writers: readonly string[];
}

/** Returns the last event id that was drawn. */
export const readLastEventId = async (db: Db): Promise<number> =>
  (await queryRow<{ id: number }>(db, lastEventIdSql))?.id ?? 0;

/** Returns the horizon of now. The id is read first: who draws a higher one later does not matter. */
export const readEventHorizon = async (db: Db): Promise<EventHorizon> => ({
  id: await readLastEventId(db),
  writers: await readWriters(db),
});

/** Returns whether all events up to the horizon are committed or will never be. */
export const isSettled = async (db: Db, { writers }: EventHorizon): Promise<boolean> => {
  if (writers.length === 0) return true;
  const left = new Set(await readWriters(db));
  return !writers.some((writer) => left.has(writer));
};

interface AuditHead {
  readonly n: number;
  readonly hash: Buffer;
  /** The id of the last event. */
  readonly last: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

const headSql = statement(
  'audit.head',
  'select n, hash, last, at from audit_chain where env = $1 order by n desc limit 1',
);

/** Returns the newest range of an environment's chain. */
export const readAuditHead = (db: Db, envId: number): Promise<AuditHead | undefined> =>
  queryRow<AuditHead>(db, headSql, [envId]);

const hasHashSql = statement('audit.hasHash', 'select n from audit_chain where env = $1 and hash = $2');

const isErased = `e.salt = ${zeros(saltBytes)}`;
const part = (column: string, bytes: number): string =>
  `substring(r.${column} from ((e.place - 1) * ${String(bytes)} + 1)::int for ${String(bytes)})`;

const verifyRangeSql = statement(
  'audit.verify',
  `
  with range as (
    select c.*, p.n as previous, coalesce(p.hash, ${zeros(digestBytes)}) as previous_hash, coalesce(p.last, 0) as after
    from audit_chain c left join audit_chain p on p.env = c.env and p.n = c.n - 1
    where c.env = $1 and c.n >= $2 order by c.n limit 1),
  kept as (
    select exists (select from archives a where r.last >= a.starts and r.last < a.ends or exists (
      select from jsonb_to_recordset(a.chains) as s(env int, last bigint, shared boolean) where s.env = $1 and s.shared and s.last + 1 = r.n)) as archived
    from range r),
  placed as materialized (
    select e.*, row_number() over (order by e.id) as place from events e
    where e.env = $1 and e.verb is not null and e.id > (select after from range) and e.id <= (select last from range)),
  entries as materialized (
    select e.*, ${part('salts', saltBytes)} as salt, ${part('digests', digestBytes)} as digest from placed e cross join range r)
  select r.n, r.previous, r.entries, r.last, (select archived from kept), count(e.id)::int as found, count(e.id) filter (where ${isErased})::int as erased,
    min(e.id) filter (where not ${isErased} and ${digestSql('e.salt')} is distinct from e.digest) as altered,
    coalesce(${hashSql('r.previous_hash', '$1::int, r.n, r.last, r.entries', `string_agg(${linkSql('e.digest')}, ''::bytea order by e.id)`)} = r.hash, false) as holds
  from range r left join entries e on true
  group by r.n, r.previous, r.previous_hash, r.entries, r.last, r.hash`,
);

interface VerifiedRange {
  readonly n: number;
  readonly previous: number | null;
  readonly entries: number;
  readonly last: number;
  /** Whether entries of it are in an archive: what is left of it proves nothing by itself. */
  readonly archived: boolean;
  readonly found: number;
  readonly erased: number;
  readonly altered: number | null;
  readonly holds: boolean;
}

const rangeProblem = ({ n, previous, entries, last, found, altered, holds }: VerifiedRange): string | null => {
  const range = `range ${String(n)} (up to event ${String(last)})`;
  if (n > 1 && previous === null) return `${range}: the range before it is missing.`;
  if (found !== entries) return `${range}: it has ${String(found)} entries, and had ${String(entries)}.`;
  if (altered !== null) return `${range}: the entry of event ${String(altered)} was changed.`;
  return holds ? null : `${range}: an entry, or the chain before it, was changed.`;
};

interface AuditVerification {
  readonly ranges: number;
  /** Ranges before the first one, or among them, whose entries are in archives. */
  readonly archived: number;
  readonly entries: number;
  /** Of the entries, those whose values were erased: nothing proves what they say instead. */
  readonly erased: number;
  readonly problems: readonly string[];
  /** Why the hash that was kept is neither proven nor a problem: it may be of a month that is archived. */
  readonly unproven: string | null;
}

const archivedMonthsSql = statement(
  'audit.archivedMonths',
  `
  select string_agg(name, ', ' order by starts) as names from archives
  where chains @> jsonb_build_array(jsonb_build_object('env', $1::int))`,
);

const otherwise =
  'it is mistyped or of another environment, of after the time to which this database was restored, or the chain was written again since.';

/** Returns what is to say of a hash that was kept: nothing where the chain has it. */
const checkKept = async (
  db: Db | Tx,
  envId: number,
  kept: Buffer,
): Promise<Pick<AuditVerification, 'unproven'> & { readonly problem: string | null }> => {
  if ((await queryRow(db, hasHashSql, [envId, kept])) !== undefined) return { problem: null, unproven: null };
  const names = (await queryRow<{ names: string | null }>(db, archivedMonthsSql, [envId]))?.names ?? null;
  if (names === null) return { problem: `the hash that was kept is not in the chain: ${otherwise}`, unproven: null };
  const unproven = `the hash that was kept is not in the part of the chain that is here. If it was kept before the months ${names} were archived, prove it by the file of its month: npm run -s admin -- archive verify <file> --head <hash>. If that does not prove it, ${otherwise}`;
  return { problem: null, unproven };
};

/** Verifies an environment's chain from its beginning, or the range `from`; `kept`: a hash that was once its head. */
export const verifyAuditChain = async (
  db: Db | Tx,
  envId: number,
  kept: Buffer | null,
  from = 1,
): Promise<AuditVerification> => {
  const problems: string[] = [];
  let ranges = 0;
  let archived = 0;
  let entries = 0;
  let erased = 0;
  for (let next = from; ;) {
    const range = await queryRow<VerifiedRange>(db, verifyRangeSql, [envId, next]);
    if (range === undefined) break;
    if (range.archived) {
      archived += range.n - next + 1;
      next = range.n + 1;
      continue;
    }
    const problem = rangeProblem(range);
    if (problem !== null) problems.push(problem);
    ranges += 1;
    entries += range.found;
    erased += range.erased;
    next = range.n + 1;
  }
  const checked = kept === null ? null : await checkKept(db, envId, kept);
  if (checked !== null && checked.problem !== null) problems.push(checked.problem);
  return { ranges, archived, entries, erased, problems, unproven: checked?.unproven ?? null };
};
