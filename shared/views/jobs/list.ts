/**
 * Reads pages of an environment's jobs, and counts them. Pages and counts read bounded numbers of rows, in the order of the
 * index `staged_jobs_list`, however many jobs wait. For api/routes/settings/jobs.ts.
 */
import type { Caller } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import { jobPhaseSql } from '../../catalogue/states/stagedJobs.ts';
import { rampBucketMs } from '../../flags/rampBuckets.ts';
import type { Db } from '../../platform/db/knex.ts';
import { type NamedStatement, namedStatement, queryNamedRows, queryRows, statement } from '../../platform/db/sql.ts';
import { cutPage } from '../../platform/listing/page.ts';
import { behindSql, orderSql } from '../../platform/listing/scanSql.ts';
import { aboutOf } from './about.ts';
import { jobRowSql, type JobRow } from './rows.ts';
import {
  type JobState,
  type JobCounts,
  type JobView,
  isWholePhase,
  jobKinds,
  jobPhases,
  phasesOf,
  stateSql,
} from './schema.ts';
import { selectedSql, selectedValues, type JobSelection } from './selected.ts';
import { type Situation, retryVerdict, whyOf } from './why.ts';

/** Returns a job as the caller sees it: without its error, whose words may be the app's, when they don't see what it is about. */
const presentJob = (caller: Caller, row: JobRow, situation: Situation): JobView => {
  const about = aboutOf(caller, row);
  const isSeen = about !== null;
  return {
    id: row.id,
    kind: row.name,
    state: row.state,
    about,
    why: whyOf(row, situation, isSeen),
    attempts: row.attempts,
    error: isSeen ? row.last_error : null,
    retryable: retryVerdict(row, situation, isSeen) === 'now',
    createdAt: row.created_at,
    dueAt: row.due_at,
    enqueuedAt: row.enqueued_at,
  };
};

/**
 * Jobs that one page reads to find those of a state that lease or time alone decide, or of a selection; its cursor goes on behind
 * them. Of an error fewer, as each that has it is read whole.
 */
const [scannedMost, scannedWholeMost] = [3_000, 1_000];
/** Jobs of a kind and phase that are counted, and of those that were given up; as many stand for more. */
const [countedMost, failedMost] = [10_000, 100_000];

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
      select j.* from scanned j where ($state::text is null or ${stateSql('j', '$now::bigint')} = $state) and ${selectedSql('j')}
      order by ${orderSql(keys, descending)} limit $found)
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
      order by ${orderSql(keys, false)} limit case p.phase when 'failed' then ${String(failedMost)} else ${String(countedMost)} end) t
    group by t.state) c`,
);

/** A place in the list: when a job was made, and its id. */
type JobPlace = readonly [at: number, id: string];

interface JobsQuery extends JobSelection {
  readonly state: JobState | undefined;
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
  const { state, kind, about, error, since, until, newestFirst, after, limit } = query;
  const isOfTime = since !== undefined || until !== undefined;
  const [at, id] = after ?? (newestFirst ? [Number.MAX_SAFE_INTEGER, ''] : [-1, '']);
  const isWhole = (state === undefined || isWholePhase(state)) && !isOfTime;
  const scan = error !== undefined ? scannedWholeMost : isWhole ? limit + 1 : scannedMost;
  const rows = await queryNamedRows<ScannedRow>(
    deps.db,
    pageStatement(about === undefined ? 'every' : 'about', newestFirst),
    {
      env: caller.env.id,
      phases: phasesOf(isOfTime ? 'failed' : state),
      kinds: kind === undefined ? jobKinds : [kind],
      about: about ?? null,
      state: state ?? null,
      now: deps.clock.now(),
      at,
      id,
      scan,
      // Skips hidden jobs here, so that a page is as long as without them.
      found: error === undefined ? limit + 1 : scan,
      ...selectedValues(query),
    },
  );
  const seen = rows.filter(isJob).filter((job) => error === undefined || aboutOf(caller, job) !== null);
  const { page, last } = cutPage(seen, limit);
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
