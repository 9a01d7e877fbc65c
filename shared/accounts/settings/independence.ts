/**
 * Keeps who changed whose rights, and decides by it who may not decide the requests of an agent or a person where the environment
 * asks for independent approval. For adminChange.ts, environments/environments.ts and decisions/decide.ts.
 */
import { fault } from '../../catalogue/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../platform/db/sql.ts';

/** What gives a person a hold over an agent (its token, its rights) or over another person (the password, its link, the address). */
const rightsVerbs = [
  'agent.create',
  'agent.update',
  'agent.rotate',
  'role.create',
  'role.update',
  'person.create',
  'person.invite',
  'person.password',
  'person.email',
];

/** The error of a person who may not decide a request because one person may control them and the requester. */
export const dependentMessage =
  'You made or changed who requested this, their token, password or role in the last 30 days, or were let in by them, or somebody let in or changed both of you. Another person has to decide: one who signs in by OpenID Connect, or was let in longer ago. Or set independentApproval to false (PATCH /settings/environments/:name) and have it requested again.';

/** How long such a change keeps a person from deciding, in ms. */
const heldMs = 30 * 86_400_000;

const upsertSql = statement(
  'independence.record',
  `
  insert into rights_changes as c (target, actor, at) values ($1, $2, $3)
  on conflict (target, actor) do update set at = greatest(c.at, excluded.at)`,
);

/** Adds what the audit log has, as it is older than the table, and releases without the table may run beside this one. */
const copyFromAuditSql = statement(
  'independence.copy',
  `
  insert into rights_changes as c (target, actor, at)
  select e.target, e.actor, max(e.at) from environments v join events e on e.env = v.id
    and (e.verb = any($1) or e.verb = 'person.update' and e.before -> 'email' is distinct from e.after -> 'email')
  where e.outcome = 'ok' and e.actor_type = 'person' and e.actor is not null and e.target is not null and e.at > $2
  group by e.target, e.actor
  on conflict (target, actor) do update set at = greatest(c.at, excluded.at)`,
);

/**
 * `decider`: the person, those who made them or set their password, those who did so with these, and so on; `holders`: the
 * same of who requested, of an agent from those on who have a hold over it. One person may be behind all whom two of both share.
 */
const sharesHolderSql = statement(
  'independence.shares',
  `
  with recursive decider as (
    select $1::text collate "C" as person
    union
    select c.actor from decider d join rights_changes c on c.target = d.person where c.at > $3
  ), holders as (
    select r.person from (
      select c.actor as person
      from approvals p join agents g on g.id = p.actor join rights_changes c on c.target in (g.id, g.role) and c.at > $3
      where p.id = $2 and p.independent
      union all
      select p.actor from approvals p where p.id = $2 and p.independent and p.actor_type = 'person') r
    union
    select c.actor from holders h join rights_changes c on c.target = h.person where c.at > $3
  )
  select 1 as found from holders join decider using (person) limit 1`,
);

/** Whether more than one person can sign in and decide in the environment `e`. */
const hasSecondDecider = `(select count(*) from people p join roles r on r.id = p.role
    where p.removed_at is null and p.environments && array['*', e.name]
      and (p.password_hash is not null or exists (select from identities i where i.person = p.id))
      and exists (select from jsonb_array_elements(r.grants) g where g->>'on' = 'approvals' and g->'can' ?| array['decide', '*'])) > 1`;

/** Whether the environment `e` asks for independent deciders; by default it does once there are two of them. */
export const isIndependent = `(e.independent_approval or (e.independent_by_default and ${hasSecondDecider}))`;

/** Whether the environment `e` would ask for independent deciders, and has no second one yet. */
export const waitsForDecider = `(e.independent_by_default and not e.independent_approval and not (${hasSecondDecider}))`;

interface RightsChange {
  readonly verb: string;
  readonly target: string;
  /** The person who made it; null: no person. */
  readonly actor: string | null;
  readonly at: number;
}

/** Inserts the row of a change that gives a person a hold over its target; writes nothing for other changes. */
export const recordRightsChange = async (tx: Tx, { verb, target, actor, at }: RightsChange): Promise<void> => {
  if (actor === null || actor === target || !rightsVerbs.includes(verb)) return;
  await executeStatement(tx, upsertSql, [target, actor, at]);
};

/** Inserts the rows of changes that only the audit log has. Called when an environment begins to ask for independence. */
export const copyRightsChanges = async (tx: Tx, at: number): Promise<void> => {
  await executeStatement(tx, copyFromAuditSql, [rightsVerbs, at - heldMs]);
};

/**
 * Looks up from those who request, from an agent by way of those who have a hold over it, to those who made them or set their
 * password, and so on, and from all of these down again.
 */
const barredSql = statement(
  'independence.barred',
  `
  with recursive holders as (
    select r.requester, r.person from (
      select g.id as requester, c.actor as person
      from agents g join rights_changes c on c.target in (g.id, g.role) and c.at > $2 where g.id = any($1::text[])
      union all
      select p.id, p.id from people p where p.id = any($1::text[])) r
    union
    select h.requester, c.actor from holders h join rights_changes c on c.target = h.person and c.at > $2
  ), barred as (
    select requester, person from holders
    union
    select b.requester, c.target from barred b join rights_changes c on c.actor = b.person and c.at > $2
  )
  select requester, array_agg(person) as people from barred group by requester`,
);

/** Returns the people who may not decide the requests of agents and people where these are to be decided independently, by who requests. */
export const readBarred = async (
  db: Db | Tx,
  requesters: readonly string[],
  at: number,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (requesters.length === 0) return new Map();
  const rows = await queryRows<{ requester: string; people: string[] }>(db, barredSql, [
    [...new Set(requesters)],
    at - heldMs,
  ]);
  return new Map(rows.map(({ requester, people }) => [requester, people]));
};

/**
 * Throws `forbidden` for a person who shares with who requested the approval somebody that made them both, or set their
 * passwords, in the last 30 days, each of them and whoever made or changed the agent or its role counted in; unless the request
 * was made without that rule.
 */
export const requireIndependent = async (db: Db, approval: string, person: string, at: number): Promise<void> => {
  const found = await queryRow(db, sharesHolderSql, [person, approval, at - heldMs]);
  if (found !== undefined) throw fault('forbidden', dependentMessage);
};
