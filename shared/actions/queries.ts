/** Reads the runs that a caller sees: its own, and those of actions that it may run on resources that it sees. */
import type { Caller } from '../access/principal.ts';
import { openRunStatuses, type RunStatus } from '../catalogue/states/runs.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement, type Statement } from '../platform/db/sql.ts';
import { notFoundFault } from '../platform/ended/notKept.ts';
import { readPageOfTwo } from '../platform/ended/readPage.ts';
import { cutPage } from '../platform/listing/page.ts';
import type { ActionDeps } from './deps.ts';
import { readRun, runColumns, type Run } from './model.ts';

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

/** The statements of a page. Items that the role does not see are left out when the runs are presented (present.ts). */
const pageStatements = (name: string, where: string): Readonly<Record<'recent' | 'all', Statement>> => {
  const from = (table: string, columns: string): string => `
    select ${columns} from ${table} r where r.env = $1 and r.id < $2 and (r.actor = $3 or (r.action = any($4) and (r.resource is null or r.resource = any($5)))) ${where}
    order by r.id desc limit $6`;
  return {
    recent: statement(name, from('runs', runColumns)),
    all: statement(`${name}All`, from('all_runs', 'r.*')),
  };
};
const everyRun = pageStatements('runs.page', '');
const byStatus = pageStatements('runs.pageStatus', 'and r.status = $7');
const byAction = pageStatements('runs.pageAction', 'and r.action = $7');
const byBoth = pageStatements('runs.pageBoth', 'and r.status = $7 and r.action = $8');

interface RunsQuery {
  readonly status: RunStatus | undefined;
  readonly action: string | undefined;
  /** Runs older than this id; null: from the newest. */
  readonly before: string | null;
  readonly limit: number;
}

interface RunsPage {
  readonly runs: readonly Run[];
  /** The last run's id, for `before` of the next page; null on the last page. */
  readonly next: string | null;
}

/** Above every id. */
const aboveAllIds = '~';

const statementsOf = ({ status, action }: RunsQuery): typeof everyRun => {
  if (status !== undefined) return action === undefined ? byStatus : byBoth;
  return action === undefined ? everyRun : byAction;
};

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
  const named = [status, action].filter((value) => value !== undefined);
  const values = [env.id, from, principal.id, actions, resources, limit + 1, ...named];
  const statements = statementsOf(query);
  const readRecent = (): Promise<Run[]> => queryRows<Run>(db, statements.recent, values);
  const readAll = (): Promise<Run[]> => queryRows<Run>(db, statements.all, values);
  const found =
    status !== undefined && openRunStatuses.includes(status)
      ? await readRecent()
      : await readPageOfTwo<Run>({ now: clock.now(), before: from, wanted: limit + 1, readRecent, readAll });
  const { page, last } = cutPage(found, limit);
  return { runs: page, next: last?.id ?? null };
};
