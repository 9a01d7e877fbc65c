/** Reads the runs that a caller sees: its own, and those of actions that it may run on resources that it sees. */
import type { Caller } from '../access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import type { RunStatus } from '../catalogue/states/runs.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { cutPage } from '../platform/listing/page.ts';
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
  if (run === undefined || !canSeeRun(caller, run)) throw fault('not_found');
  return run;
};

/** The statement of a page. Items that the role does not see are left out when the runs are presented (present.ts). */
const page = (where: string): string => `
  select ${runColumns} from runs r where r.env = $1 and r.id < $2 and (r.actor = $3 or (r.action = any($4) and (r.resource is null or r.resource = any($5)))) ${where}
  order by r.id desc limit $6`;
const all = statement('runs.page', page(''));
const byStatus = statement('runs.pageStatus', page('and r.status = $7'));
const byAction = statement('runs.pageAction', page('and r.action = $7'));
const byBoth = statement('runs.pageBoth', page('and r.status = $7 and r.action = $8'));

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

export const listRuns = async (
  db: Db,
  { env, principal }: Caller,
  { status, action, before, limit }: RunsQuery,
): Promise<RunsPage> => {
  const { access } = principal;
  const actions = [...env.definition.actions.keys()].filter((name) => access.can('action', name, 'run'));
  const resources = [...env.definition.resources.keys()].filter((name) => access.sees('resource', name));
  const values = [env.id, before ?? aboveAllIds, principal.id, actions, resources, limit + 1];
  const found =
    status !== undefined && action !== undefined
      ? await queryRows<Run>(db, byBoth, [...values, status, action])
      : status !== undefined
        ? await queryRows<Run>(db, byStatus, [...values, status])
        : action !== undefined
          ? await queryRows<Run>(db, byAction, [...values, action])
          : await queryRows<Run>(db, all, values);
  const { page, last } = cutPage(found, limit);
  return { runs: page, next: last?.id ?? null };
};
