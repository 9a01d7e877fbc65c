/** Makes events a table of months: the one that was is its first part. Online, as others write meanwhile. Table of archives. */
import type { Knex } from 'knex';

export const config = { transaction: false };

/** Ids of a month are those from `event_month_starts` on: far more than a month has, so that the next month begins behind all of them. */
const idsOfMonth = 2 ** 36;

const functions = `
  -- The first id of the month of a time, in UTC. Ids are below 2^53, as clients read them as numbers: that is until the year 12900.
  create or replace function event_month_starts(at timestamptz) returns bigint language sql stable as $$
    select ((extract(year from at at time zone 'UTC')::bigint - 2020) * 12 + extract(month from at at time zone 'UTC')::bigint - 1) * ${String(idsOfMonth)}
  $$;

  -- Makes the parts of a month and of the two after it, where they are missing, and lets event ids begin at the month's once it
  -- has come. Where nobody calls it, events go on into the part of the month before. Returns how many parts it made.
  create or replace function make_event_months(at timestamptz) returns int language plpgsql as $$
  declare month timestamp; part text; made int := 0;
  begin
    perform pg_advisory_xact_lock(4920732);
    for i in 0..2 loop
      month := date_trunc('month', at at time zone 'UTC') + make_interval(months => i);
      part := 'events_' || to_char(month, 'YYYY_MM');
      continue when to_regclass(part) is not null or event_month_starts((month + interval '1 month') at time zone 'UTC')
        <= (select coalesce(max(a.ends), 0) from archives a);
      execute format('create table %I (like events including defaults including constraints)', part);
      execute format('create trigger events_not_emptied before truncate on %I for each statement execute function events_append_only()', part);
      execute format('alter table events attach partition %I for values from (%s) to (%s)', part,
        event_month_starts(month at time zone 'UTC'), event_month_starts((month + interval '1 month') at time zone 'UTC'));
      made := made + 1;
    end loop;
    -- Called, so that the last id that was drawn is one that nobody draws.
    if (select last_value from events_id_seq) < event_month_starts(at) then
      perform setval('events_id_seq', event_month_starts(at), true);
      insert into event_turns (starts, at) values (event_month_starts(at), (extract(epoch from at) * 1000)::bigint) on conflict do nothing;
    end if;
    return made;
  end $$;

  create or replace function prepare_event_months() returns int language sql security definer set search_path from current as $$
    select make_event_months(now())
  $$;
  revoke execute on function make_event_months(timestamptz), prepare_event_months() from public;

  -- Only the owner of a table may analyze it. PostgreSQL itself looks once a minute, and never at a whole of parts; until then
  -- plans are those for empty tables.
  create or replace function analyze_grown_tables() returns int language plpgsql security definer set search_path from current as $$
  declare grown regclass; analyzed int := 0;
  begin
    for grown in
      select c.oid from pg_stat_user_tables s join pg_class c on c.oid = s.relid
      where s.schemaname = current_schema() and s.n_mod_since_analyze > 1000
        and s.n_mod_since_analyze > greatest(c.reltuples, 0)
      union all
      select w.oid from pg_class w join pg_inherits i on i.inhparent = w.oid join pg_class p on p.oid = i.inhrelid
      where w.relkind = 'p' and w.relnamespace = current_schema()::regnamespace
      group by w.oid, w.reltuples having sum(greatest(p.reltuples, 0)) > 2 * greatest(w.reltuples, 0) + 1000
    loop
      execute format('analyze %s', grown);
      analyzed := analyzed + 1;
    end loop;
    return analyzed;
  end $$;
`;

const archives = `
  -- Parts of the events that are no longer here. In chains, of each environment the ranges of its chain that the file has.
  create table if not exists archives (
    starts       bigint primary key,
    ends         bigint not null,
    name         text not null,
    file         text not null,
    bytes        bigint not null,
    sha256       text not null,
    events       bigint not null,
    first_at     bigint,
    last_at      bigint,
    chains       jsonb not null,
    archived_at  bigint not null
  );
`;

const turns = `
  -- When the ids of events began to be those of a month, in epoch ms: no event of before that has one of them.
  create table if not exists event_turns (starts bigint primary key, at bigint not null);
`;

const indexes: Readonly<Record<string, string>> = {
  events_timeline: '(env, item, id desc) where entry is not null and not is_update',
  events_updates: '(env, entry, id desc) where is_update',
  events_audit: '(env, id desc) where verb is not null',
  events_audit_actor: '(env, actor, id desc) where verb is not null',
  events_audit_target: '(env, target, id desc) where verb is not null',
  events_audit_verb: '(env, verb, id desc) where verb is not null',
  events_about: '(env, about, id desc) where about is not null and not is_update',
  events_occurred: "(env, inbox, at) where verb in ('item.create', 'item.occur') and outcome = 'ok'",
  events_audit_time: '(env, at desc, id desc) where verb is not null',
};
const indexNames = Object.keys(indexes);

const triggers = `
  create trigger events_append_only before update or delete on events for each row execute function events_append_only();
  create trigger events_not_emptied before truncate on events for each statement execute function events_append_only();
`;

/** Rights on the former table and its sequence are given on their successors, and on the former only the owner keeps its own. */
const moveRights = (kind: 'table' | 'sequence', from: string, to: string): string => `
  do $$ declare given record; begin
    for given in
      select g.rolname, x.privilege_type from pg_class c cross join aclexplode(c.relacl) x join pg_roles g on g.oid = x.grantee
      where c.oid = '${from}'::regclass and x.grantee <> c.relowner
    loop
      execute format('grant %s on ${kind} ${to} to %I', given.privilege_type, given.rolname);
      execute format('revoke %s on ${kind} ${from} from %I', given.privilege_type, given.rolname);
    end loop;
  end $$;
`;

/** A shorter time than PostgreSQL waits before it looks for a deadlock: who waits for us is never the one that is given up. */
const shortWait = "set local lock_timeout = '500ms'";

const isOfMonths = async (knex: Knex): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: { kind: string }[] }>(
    "select relkind as kind from pg_class where oid = 'events'::regclass",
  );
  return rows[0]?.kind === 'p';
};

/** Nothing in events has a row in environments taken away: none is ever deleted, and each event would look. */
const swap = (starts: string, last: string): string => `
  alter table events rename to events_former;
  ${indexNames.map((name) => `alter index ${name} rename to ${name.replace('events_', 'events_former_')};`).join('\n')}
  alter index events_pkey rename to events_former_pkey;
  drop trigger events_append_only on events_former;
  alter table events_former drop constraint events_env_fkey;
  alter sequence events_id_seq rename to events_former_id_seq;
  create sequence events_id_seq as bigint;
  create table events (like events_former including defaults including constraints) partition by range (id);
  alter table events drop constraint events_before_months;
  alter table events alter column id set default nextval('events_id_seq');
  alter sequence events_id_seq owned by events.id;
  ${moveRights('sequence', 'events_former_id_seq', 'events_id_seq')}
  ${moveRights('table', 'events_former', 'events')}
  select setval('events_id_seq', ${last}, true);
  alter table events_former alter column id drop identity;
  alter table events_former alter column id set default nextval('events_id_seq');
  alter table events add primary key (id);
  ${indexNames.map((name) => `create index ${name} on events ${indexes[name] ?? ''};`).join('\n')}
  ${triggers}
  alter table events attach partition events_former for values from (minvalue) to (${starts});
  alter table events_former drop constraint events_before_months;
  select make_event_months(now());
`;

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw(`${archives} ${turns} ${functions}`);
  if (await isOfMonths(knex)) return;
  const { rows } = await knex.raw<{ rows: { starts: string }[] }>('select event_month_starts(now())::text as starts');
  const starts = rows[0]?.starts ?? '';
  await knex.transaction(async (tx) => {
    await tx.raw(shortWait);
    await tx.raw(`
      alter table events drop constraint if exists events_before_months;
      alter table events add constraint events_before_months check (id < ${starts}) not valid;
    `);
  });
  // Reads all rows, and lets others write meanwhile: the part is then attached without being read.
  await knex.raw('alter table events validate constraint events_before_months');
  await knex.transaction(async (tx) => {
    await tx.raw(shortWait);
    await tx.raw('lock table events in access exclusive mode');
    const { rows: drawn } = await tx.raw<{ rows: { last: string }[] }>(
      'select last_value::text as last from events_id_seq',
    );
    await tx.raw(swap(starts, drawn[0]?.last ?? '1'));
  });
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    create table events_whole (like events including defaults including constraints);
    insert into events_whole select * from events order by id;
    alter sequence events_id_seq owned by none;
    drop table events;
    alter table events_whole rename to events;
    alter table events alter column id drop default;
    drop sequence events_id_seq;
    alter table events alter column id add generated by default as identity;
    select setval('events_id_seq', coalesce((select max(id) from events), 1), true);
    alter table events add constraint events_pkey primary key (id);
    alter table events add constraint events_env_fkey foreign key (env) references environments;
    ${indexNames.map((name) => `create index ${name} on events ${indexes[name] ?? ''};`).join('\n')}
    ${triggers}
    drop function prepare_event_months();
    drop function make_event_months(timestamptz);
    drop function event_month_starts(timestamptz);
    drop table archives;
    drop table event_turns;
  `);
