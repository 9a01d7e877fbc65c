/** Reads the runs that a caller sees: its own, and those of actions that it may run on resources that it sees. */
import type { Caller } from '../accounts/access/principal.ts';
import { openRunStatuses, type RunStatus } from '../catalogue/states/runs.ts';
import type { Db } from '../platform/db/knex.ts';
import { type NamedStatement, namedStatement, ofEnvironment, queryNamedRows } from '../platform/db/sql.ts';
import { notFoundFault, readPageOfTwo } from '../platform/ended/readEnded.ts';
import { cutPage } from '../platform/listing/page.ts';
import { allRunColumns, readRun, runColumns, type ActionDeps, type Run } from './model.ts';

const isRunRequester = (
  { principal }: Caller,
  { actor_type: type, actor }: Pick<Run, 'actor_type' | 'actor'>,
): boolean => principal.type === type && principal.id === actor;

/** Returns whether the role may run the run's action and sees its resource. */
export const canRunAction = (
  { principal: { access } }: Caller,
  { action, resource }: Pick<Run, 'action' | 'resource'>,
): boolean => access.can('action', action, 'run') && (resource === null || access.sees('resource', resource));

/** Returns whether the caller asked for the run, or may run its action on its resource. */
export const canSeeRun = (caller: Caller, run: Pick<Run, 'actor_type' | 'actor' | 'action' | 'resource'>): boolean =>
  isRunRequester(caller, run) || canRunAction(caller, run);

/** Returns a run that the caller sees. Throws `not_found`. */
export const readVisibleRun = async (db: Db, caller: Caller, id: string): Promise<Run> => {
  const run = await readRun(db, caller.env.id, id);
  if (run === undefined || !canSeeRun(caller, run)) throw await notFoundFault(db, caller.env.id, 'runs', id);
  return run;
};

interface RunsQuery {
  readonly status: RunStatus | undefined;
  readonly action: string | undefined;
  /** Runs older than this id; null: from the newest. */
  readonly before: string | null;
  readonly limit: number;
}

/** Returns the statement of a page of unfinished and recent runs, or of all. Items that the role does not see are left out when the runs are presented (present.ts). */
const pageStatement = ({ status, action }: RunsQuery, isAll: boolean): NamedStatement => {
  const filters = Object.entries({ status, action }).flatMap(([column, wanted]) =>
    wanted === undefined ? [] : [column],
  );
  return namedStatement(
    ['runs.page', isAll ? 'all' : 'recent', ...filters].join('.'),
    () => `
    select ${isAll ? allRunColumns : runColumns} from ${isAll ? 'all_runs' : 'runs'} r
    where ${ofEnvironment('r.env', '$env')} and r.id < $from and (r.actor = $actor or (r.action = any($actions) and (r.resource is null or r.resource = any($resources))))
      ${filters.map((column) => `and r.${column} = $${column}`).join(' ')}
    order by r.env, r.id desc limit $limit`,
  );
};

interface RunsPage {
  readonly runs: readonly Run[];
  /** The last run's id, for `before` of the next page; null on the last page. */
  readonly next: string | null;
}

/** Above every id. */
const aboveAllIds = '~';

/** Returns a page of runs, newest first. Those that are unfinished have not moved to months. */
export const listRuns = async (
  { db, clock }: Pick<ActionDeps, 'db' | 'clock'>,
  { env, principal }: Caller,
  query: RunsQuery,
): Promise<RunsPage> => {
  const { access } = principal;
  const { status, action, before, limit } = query;
  const actions = [...env.definition.actions.keys()].filter((name) => access.can('action', name, 'run'));
  const resources = [...env.definition.resources.keys()].filter((name) => access.sees('resource', name));
  const from = before ?? aboveAllIds;
  const values = {
    env: env.id,
    from,
    actor: principal.id,
    actions,
    resources,
    limit: limit + 1,
    status: status ?? null,
    action: action ?? null,
  };
  const readRecent = (): Promise<Run[]> => queryNamedRows<Run>(db, pageStatement(query, false), values);
  const readAll = (): Promise<Run[]> => queryNamedRows<Run>(db, pageStatement(query, true), values);
  const found =
    status !== undefined && openRunStatuses.includes(status)
      ? await readRecent()
      : await readPageOfTwo<Run>({ now: clock.now(), before: from, wanted: limit + 1, readRecent, readAll });
  const { page, last } = cutPage(found, limit);
  return { runs: page, next: last?.id ?? null };
};
