/**
 * Reads pages of an environment's jobs, and counts them. Pages and counts read bounded numbers of rows, in the order of the
 * index `staged_jobs_list`, however many jobs wait. For api/routes/settings/jobs.ts.
 */
import type { Caller } from '../../access/principal.ts';
import type { JobName } from '../../catalogue/jobs.ts';
import { jobPhaseSql } from '../../catalogue/states/stagedJobs.ts';
import { rampBucketMs } from '../../flags/rampBuckets.ts';
import type { Db } from '../../platform/db/knex.ts';
import { namedStatement, queryNamedRows, type NamedStatement } from '../../platform/db/namedStatement.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import { cutPage } from '../../platform/listing/page.ts';
import { behindSql, orderSql } from '../../platform/listing/scanSql.ts';
import type { DomainDeps } from '../../settings/deps.ts';
import { presentJob } from './present.ts';
import { jobRowSql, type JobRow } from './rows.ts';
import type { JobCounts, JobView } from './schema.ts';
import { isWholePhase, jobKinds, jobPhases, phasesOf, stateSql, type JobState } from './states.ts';
import type { Situation } from './why.ts';

/** Jobs that one page reads to find those of a state that lease or time alone decide; its cursor goes on behind them. */
const scannedMost = 3_000;
/** Jobs of a kind and phase that are counted; as many stand for more. */
const countedMost = 1_000;

const keys = ['j.created_at', 'j.id'];
const behind = (descending: boolean): string => behindSql(keys, ['$at::bigint', '$id::text'], descending);

/** An ordered branch of each phase and kind, merged. */
const everySql = (descending: boolean): string => `
  select j.* from unnest($phases::text[]) p (phase) cross join unnest($kinds::text[]) k (name) cross join lateral (
    select * from staged_jobs j where j.env = $env and ${jobPhaseSql('j')} = p.phase and j.name = k.name and ${behind(descending)}
    order by ${orderSql(keys, descending)} limit $scan) j
  order by ${orderSql(keys, descending)} limit $scan`;

/** The jobs that an id finds: the job's own, its subject's, that of an approval of the subject, or the key of a flag whose step it is. */
const aboutSql = (descending: boolean): string => `
  select j.* from staged_jobs j
  where (j.id = any (array(select $about::text union all
      select 'ramps-' || ceil(g.next_at / ${String(rampBucketMs)}.0)::bigint * ${String(rampBucketMs)} from flags g where g.env = $env and g.key = $about))
    or j.subject = any (array(select $about::text union all
      select coalesce(a.run, a.bulk) from approvals a where a.env = $env and a.id = $about)))
    and j.env = $env and j.name = any ($kinds::text[]) and ${jobPhaseSql('j')} = any ($phases::text[]) and ${behind(descending)}
  order by ${orderSql(keys, descending)} limit $scan`;

const pageStatement = (source: 'every' | 'about', descending: boolean): NamedStatement =>
  namedStatement(
    `jobs.${source}.${descending ? 'newest' : 'oldest'}`,
    () => `
    with scanned as materialized (${source === 'every' ? everySql(descending) : aboutSql(descending)}),
    found as materialized (
      select j.* from scanned j where $state::text is null or ${stateSql('j', '$now::bigint')} = $state
      order by ${orderSql(keys, descending)} limit $limit)
    select ${jobRowSql}, e.scanned, e.at as "edgeAt", e.id as "edgeId"
    from (select count(*)::int as scanned, (array_agg(j.created_at order by ${orderSql(keys, !descending)}))[1] as at,
      (array_agg(j.id order by ${orderSql(keys, !descending)}))[1] as id from scanned j) e
    left join found f on true order by ${orderSql(['f.created_at', 'f.id'], descending)}`,
  );

interface ScannedRow extends Omit<JobRow, 'id'> {
  /** null: the row only says how far was read. */
  readonly id: string | null;
  readonly scanned: number;
  readonly edgeAt: number;
  readonly edgeId: string;
}

const countSql = statement(
  'jobs.count',
  `
  select k.name as kind, c.state, c.n from unnest($2::text[]) p (phase) cross join unnest($3::text[]) k (name) cross join lateral (
    select t.state, count(*)::int as n from (
      select ${stateSql('j', '$4::bigint')} as state from staged_jobs j where j.env = $1 and ${jobPhaseSql('j')} = p.phase and j.name = k.name
      order by ${orderSql(keys, false)} limit ${String(countedMost)}) t
    group by t.state) c`,
);

/** A place in the list: when a job was made, and its id. */
type JobPlace = readonly [at: number, id: string];

interface JobsQuery {
  readonly state: JobState | undefined;
  readonly kind: JobName | undefined;
  /** An id of what they are about. */
  readonly about: string | undefined;
  readonly newestFirst: boolean;
  readonly after: JobPlace | null;
  readonly limit: number;
}

interface JobsPage {
  readonly jobs: readonly JobView[];
  readonly next: JobPlace | null;
}

const isJob = (row: ScannedRow): row is ScannedRow & JobRow => row.id !== null;

const placeOf = ({ created_at: at, id }: Pick<JobRow, 'created_at' | 'id'>): JobPlace => [at, id];

/** Returns what holds for all jobs of an environment now. */
export const readSituation = async ({ link, bus }: DomainDeps, envId: number): Promise<Situation> => ({
  isAppOnline: await link.online(envId),
  isRedisConnected: bus.connected,
});

/** Returns a page of the jobs of the caller's environment. Those about what they don't see are not found by its id. */
export const listJobs = async (deps: DomainDeps, caller: Caller, query: JobsQuery): Promise<JobsPage> => {
  const { state, kind, about, newestFirst, after, limit } = query;
  const [at, id] = after ?? (newestFirst ? [Number.MAX_SAFE_INTEGER, ''] : [-1, '']);
  const scan = state === undefined || isWholePhase(state) ? limit + 1 : Math.max(scannedMost, limit + 1);
  const rows = await queryNamedRows<ScannedRow>(
    deps.db,
    pageStatement(about === undefined ? 'every' : 'about', newestFirst),
    {
      env: caller.env.id,
      phases: phasesOf(state),
      kinds: kind === undefined ? jobKinds : [kind],
      about: about ?? null,
      state: state ?? null,
      now: deps.clock.now(),
      at,
      id,
      scan,
      limit: limit + 1,
    },
  );
  const { page, last } = cutPage(rows.filter(isJob), limit);
  const [first] = rows;
  const edge: JobPlace | null = first?.scanned === scan ? [first.edgeAt, first.edgeId] : null;
  const situation = await readSituation(deps, caller.env.id);
  const jobs = page.map((row) => presentJob(caller, row, situation));
  return {
    jobs: about === undefined ? jobs : jobs.filter((job) => job.about !== null || job.id === about),
    next: last === null ? edge : placeOf(last),
  };
};

interface CountRow {
  readonly kind: string;
  readonly state: JobState;
  readonly n: number;
}

/** Returns how many jobs of each kind are in each state; those of the longest kinds and phases among their oldest `countedMost`. */
export const countJobs = async (db: Db, envId: number, now: number): Promise<JobCounts> => {
  const counts: Record<string, Record<string, number>> = {};
  for (const { kind, state, n } of await queryRows<CountRow>(db, countSql, [envId, jobPhases, jobKinds, now]))
    counts[kind] = { ...counts[kind], [state]: (counts[kind]?.[state] ?? 0) + n };
  return counts;
};
