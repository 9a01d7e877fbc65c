/** Reads jobs with what they are about: the columns and the SQL of a job's facts. Used by list.ts and retry.ts. */
import type { ActorRef } from '../../catalogue/events.ts';
import type { JobName } from '../../catalogue/jobs.ts';
import { sqlList } from '../../catalogue/states/machine.ts';
import { activeRunStatuses, type RunStatus } from '../../catalogue/states/runs.ts';
import { rampBucketMs } from '../../flags/rampBuckets.ts';
import { type JobState, stateSql } from './schema.ts';

/** Earlier runs of a record that are counted, and flags of one job that are read. */
const [earlierMost, flagsMost] = [100, 20];

interface Requester {
  readonly actor_type: ActorRef['type'];
  readonly actor: string;
}

export interface RunFacts extends Requester {
  readonly id: string;
  readonly action: string;
  readonly label: string;
  readonly resource: string | null;
  readonly record: string | null;
  readonly status: RunStatus;
  readonly failures: number;
  /** Unfinished earlier runs of the same record, at most `earlierMost`, and the first of them. */
  readonly earlier: number;
  readonly first: string | null;
}

export interface BulkFacts extends Requester {
  readonly id: string;
  readonly type: string;
  readonly total: number;
  /** The place of the chunk's first item, and how many it has; null: the chunk is gone. */
  readonly first: number | null;
  readonly items: number | null;
}

interface ItemFacts {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
}

interface ErasureFacts {
  readonly id: string;
  readonly resource: string;
  readonly record: string;
  readonly waits: Readonly<Record<string, number>> | null;
}

/** The subject of a job, by its kind; null: it is gone. */
interface JobFacts {
  readonly run?: RunFacts | null;
  readonly bulk?: BulkFacts | null;
  readonly item?: ItemFacts | null;
  readonly erasure?: ErasureFacts | null;
  readonly flags?: readonly string[] | null;
}

export interface JobRow {
  readonly id: string;
  readonly name: JobName;
  readonly state: JobState;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly due_at: number | null;
  readonly enqueued_at: number | null;
  readonly facts: JobFacts | null;
}

const unfinished = sqlList(activeRunStatuses);

const runFactsSql = `(
  select json_build_object('id', r.id, 'action', r.action, 'label', r.label, 'resource', r.resource, 'record', r.record, 'status', r.status,
    'failures', r.failures, 'actor_type', r.actor_type, 'actor', r.actor, 'earlier', before.n, 'first', before.first)
  from runs r cross join lateral (
    select count(*)::int as n, min(e.id) as first from (
      select p.id from runs p where p.env = r.env and p.lane = r.lane and p.id < r.id and p.status in (${unfinished}) order by p.id limit ${String(earlierMost)}) e
  ) before where r.env = f.env and r.id = f.subject)`;
const bulkFactsSql = `(
  select json_build_object('id', b.id, 'type', b.operation ->> 'type', 'total', b.total, 'actor_type', b.actor_type, 'actor', b.actor,
    'first', c.first, 'items', cardinality(c.ids))
  from bulks b left join bulk_chunks c on c.bulk = b.id and c.n = (f.payload ->> 'chunk')::int where b.env = f.env and b.id = f.subject)`;
const itemFactsSql = `(
  select json_build_object('id', i.id, 'inbox', i.inbox, 'title', i.title) from items i where i.env = f.env and i.id = f.subject)`;
const flagFactsSql = `(
  select json_agg(t.key) from (
    select g.key from flags g
    where g.env = f.env and g.next_at > (f.payload ->> 'slot')::bigint - ${String(rampBucketMs)} and g.next_at <= (f.payload ->> 'slot')::bigint
    order by g.key limit ${String(flagsMost)}) t)`;
const erasureFactsSql = `(
  select json_build_object('id', e.id, 'resource', e.resource, 'record', e.record, 'waits', e.waits_for)
  from erasures e where e.env = f.env and e.id = f.subject)`;

/** The columns of a `JobRow` but its state, of rows `f` of the table. */
const jobColumnsSql = `f.id, f.name, greatest(f.tries, coalesce((f.payload ->> 'attempts')::int, 0)) as attempts, f.last_error,
  f.created_at, f.due_at, f.enqueued_at,
  case f.name when 'actionRun' then json_build_object('run', ${runFactsSql}) when 'bulkChunk' then json_build_object('bulk', ${bulkFactsSql})
    when 'replySend' then json_build_object('item', ${itemFactsSql}) when 'triageItem' then json_build_object('item', ${itemFactsSql})
    when 'rampStep' then json_build_object('flags', ${flagFactsSql}) when 'erase' then json_build_object('erasure', ${erasureFactsSql}) end as facts`;

/** The columns of a `JobRow` of rows `f` of the table; `$now` in epoch ms. */
export const jobRowSql = `${jobColumnsSql}, ${stateSql('f', '$now::bigint')} as state`;
