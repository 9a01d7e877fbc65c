/**
 * Finds what people still hold where they have no access any more: items that are assigned to them, and requests of theirs
 * that wait; and stages the jobs that take these away. Refuses changes by which nobody could administer the service. For people.ts,
 * roles.ts and workers/jobs/index.ts.
 */
import { fault } from '../../catalogue/errors.ts';
import { openApprovalStatuses } from '../../catalogue/states/approvals.ts';
import { sqlList } from '../../catalogue/states/machine.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { stagedJobInsert } from '../../platform/journal/inserts.ts';
import type { Administrator } from './adminChange.ts';

/** The people and agents of `$1` with the environments that exist; `is_in`: whether they have access to that environment. */
const placesSql = `
  select e.id as env, p.id as person, r.grants, p.ended_at is null and p.environments && array['*', e.name] as is_in
  from (
    select id, role, environments, removed_at as ended_at from people
    union all select id, role, environments, revoked_at from agents
  ) p join roles r on r.id = p.role cross join environments e where p.id = any($1)`;
/** The inboxes of those environments that the people don't see. */
const lostInboxesSql = `
  select w.env, w.person, x.inbox from places w join definitions d on d.env = w.env
  cross join lateral (select i->'declared'->>'name' as inbox from jsonb_array_elements(d.definition->'inboxes') i) x
  where not w.is_in or not exists (
    select from jsonb_array_elements(w.grants) g where g->>'on' in ('inbox:*', 'inbox:' || x.inbox))`;
const lostItems = `
  lost l cross join lateral (
    select i.id from items i where i.env = l.env and i.inbox = l.inbox and i.assignee = l.person
    union all select i.id from items i where i.env = l.env and i.inbox = l.inbox and i.delegate = l.person) i`;
const waitingOf = `
  approvals a join places w on w.env = a.env and w.person = a.actor and not w.is_in and a.actor_type = 'person'
  where a.status in (${sqlList(openApprovalStatuses)})`;

const countSql = statement(
  'lostAccess.count',
  `
  with places as materialized (${placesSql}), lost as materialized (${lostInboxesSql})
  select env, sum(items)::int as items from (
    select l.env, count(*) as items from ${lostItems} group by l.env
    union all select a.env, 0 from ${waitingOf} group by a.env) found
  group by env order by env`,
);
const stageSql = statement(
  'lostAccess.stage',
  stagedJobInsert(
    {
      id: 's.id',
      env: 's.env',
      name: "'unassign'",
      payload: "jsonb_build_object('people', $3::text[])",
      subject: '$4',
      request_id: '$5',
      due_at: '$6::bigint',
      created_at: '$6::bigint',
    },
    { from: 'unnest($1::text[], $2::int[]) s(id, env)' },
  ),
);
const itemsSql = statement(
  'lostAccess.items',
  `
  with places as materialized (${placesSql} and e.id = $2), lost as materialized (${lostInboxesSql})
  select i.id from ${lostItems} limit $3`,
);
const requestsSql = statement(
  'lostAccess.requests',
  `
  with places as materialized (${placesSql} and e.id = $2) select a.id from ${waitingOf} limit $3`,
);

/** ms that the jobs wait, as every process assigns by its cache of people and roles until it has heard of the change. */
const delayMs = 1_000;

/**
 * Stages a job in each environment where the people hold something that they lost the access to, and returns the number of
 * items that these jobs unassign. `subject`: what was changed. Called after the change, in its transaction.
 */
export const stageUnassigning = async (
  tx: Tx,
  { requestId, at }: Pick<Administrator, 'requestId' | 'at'>,
  people: readonly string[],
  subject: string,
): Promise<number> => {
  const found = await queryRows<{ env: number; items: number }>(tx, countSql, [people]);
  const ids = found.map(() => newId('job', at));
  const environments = found.map(({ env }) => env);
  if (found.length > 0)
    await executeStatement(tx, stageSql, [ids, environments, people, subject, requestId, at + delayMs]);
  return found.reduce((sum, { items }) => sum + items, 0);
};

/** What people lost in one environment. */
interface Lost {
  readonly people: readonly string[];
  readonly env: number;
  readonly limit: number;
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** Returns the ids of items that are assigned to people who don't see their inbox. */
export const findLostItems = async (db: Db, { people, env, limit }: Lost): Promise<string[]> =>
  idsOf(await queryRows<{ id: string }>(db, itemsSql, [people, env, limit]));

/** Returns the ids of pending approvals that were requested by people who have no access to the environment. */
export const findLostRequests = async (db: Db, { people, env, limit }: Lost): Promise<string[]> =>
  idsOf(await queryRows<{ id: string }>(db, requestsSql, [people, env, limit]));

/** Serializes such changes, so that two admins can't remove each other at the same time. */
const lockAdminRoleSql = statement('lastAdmin.lock', `select from roles where name = 'admin' for no key update`);
const administeredSql = statement(
  'lastAdmin.environments',
  `
  select e.name from environments e where exists (
    select from people p join roles r on r.id = p.role
    where p.removed_at is null and (p.password_hash is not null or exists (select from identities i where i.person = p.id)) and p.environments && array['*', e.name]
      and exists (select from jsonb_array_elements(r.grants) g where g->>'on' = 'settings' and g->'can' ?| array['manage', '*']))
  order by e.id`,
);

const administeredEnvironments = async (tx: Tx): Promise<string[]> =>
  (await queryRows<{ name: string }>(tx, administeredSql)).map(({ name }) => name);

/**
 * Runs `work`, which takes its locks on people and roles after this one, and returns its result. Throws `conflict` with
 * the sentence of `refusal` when an environment would lose its last admin, which rolls the transaction back. Environments
 * that had no admin before may stay without.
 */
export const requireAdminRemains = async <T>(
  tx: Tx,
  work: () => Promise<T>,
  refusal: (done: T, environment: string) => string,
): Promise<T> => {
  await executeStatement(tx, lockAdminRoleSql);
  const before = await administeredEnvironments(tx);
  const done = await work();
  const after = await administeredEnvironments(tx);
  const left = before.find((name) => !after.includes(name));
  if (left !== undefined) throw fault('conflict', refusal(done, left));
  return done;
};
