/** Makes a table of months to which bulks move once they have ended, with the functions by which any kind of rows does so. */
import type { Knex } from 'knex';

export const config = { transaction: false };

/** A shorter time than PostgreSQL waits before it looks for a deadlock: who waits for us is never the one that is given up. */
const lockTimeout = '500ms';

const tables = `
  -- The tables of months to which rows of a kind move once they have ended. \`held\`: which of their rows \`p\` stay, however old.
  create table if not exists ended_tables (
    kind    text primary key,
    name    text not null,
    prefix  text not null,
    held    text not null
  );

  -- From when on rows move, in epoch ms: a day after the migration, as the release before looks for them where they were.
  create table if not exists ended_moves (
    only_row  boolean primary key default true check (only_row),
    begin_at  bigint not null
  );
  insert into ended_moves (begin_at) values ((extract(epoch from now() + interval '1 day') * 1000)::bigint) on conflict do nothing;

  alter table retentions drop constraint retentions_kind_check;
  alter table retentions add constraint retentions_kind_check check (kind in ('bulkResults', 'bulks', 'approvals', 'runs'));
`;

const functions = `
  -- The month of the time with which an id begins, in UTC.
  create or replace function id_month(id text) returns timestamp language sql immutable as $$
    select date_trunc('month', to_timestamp((sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(id, n + 5, 1)) - 1)::bigint << (45 - 5 * n)) / 1000)::float8) at time zone 'UTC')
    from generate_series(0, 9) n
  $$;

  -- Makes the months of ids where they are missing, of the table to which rows of a kind move. Returns how many it made.
  create or replace function prepare_ended_months(ended_kind text, ids text[]) returns int language plpgsql security definer
    set search_path from current set lock_timeout to '${lockTimeout}' as $$
  declare whole ended_tables; month timestamp; part text; made int := 0;
  begin
    select * into strict whole from ended_tables t where t.kind = ended_kind;
    for month in select distinct id_month(id) from unnest(ids) id loop
      part := whole.name || to_char(month, '_YYYY_MM');
      continue when to_regclass(part) is not null;
      execute format('create table %I (like %I including defaults including constraints)', part, whole.name);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', whole.name, part,
        id_at(whole.prefix, month at time zone 'UTC'), id_at(whole.prefix, (month + interval '1 month') at time zone 'UTC'));
      made := made + 1;
    end loop;
    return made;
  end $$;

  -- Whether an environment still keeps a row of a month. An environment without a time of its own keeps all.
  create or replace function is_month_kept(part regclass, whole ended_tables, now_ms bigint) returns boolean language plpgsql as $$
  declare kept boolean;
  begin
    execute format('
      select exists (
        select from environments e left join retentions r on r.env = e.id and r.kind = %L
        cross join lateral (
          select from %s p where p.env = e.id
            and p.ended_at >= case when coalesce(r.days, 0) = 0 then 0 else $1 - r.days::bigint * 86400000 end limit 1) k
      ) or exists (select from %s p where %s)', whole.kind, part, part, whole.held) into kept using now_ms;
    return kept;
  end $$;

  -- Drops the months of which nothing is kept any more. Returns how many. A row may move to a month until that is locked.
  create or replace function drop_past_ended_months(ended_kind text, now_ms bigint) returns int language plpgsql security definer
    set search_path from current set lock_timeout to '${lockTimeout}' as $$
  declare whole ended_tables; part regclass; dropped int := 0;
  begin
    select * into strict whole from ended_tables t where t.kind = ended_kind;
    for part in select p.inhrelid::regclass from pg_inherits p where p.inhparent = whole.name::regclass order by 1 loop
      continue when is_month_kept(part, whole, now_ms);
      execute format('lock table %s in share row exclusive mode', part);
      continue when is_month_kept(part, whole, now_ms);
      execute format('drop table %s', part);
      dropped := dropped + 1;
    end loop;
    return dropped;
  end $$;

  -- Deletes rows of an environment that ended before a time, in epoch ms, and are not held. Returns how many, at most \`most\`.
  create or replace function delete_past_ended(ended_kind text, env_id int, ended_before bigint, most int) returns int language plpgsql as $$
  declare whole ended_tables; deleted int;
  begin
    select * into strict whole from ended_tables t where t.kind = ended_kind;
    execute format('
      delete from %I where id = any(array(
        select p.id from %I p where p.env = $1 and p.ended_at < $2 and not (%s) order by p.ended_at limit $3))',
      whole.name, whole.name, whole.held) using env_id, ended_before, most;
    get diagnostics deleted = row_count;
    return deleted;
  end $$;
  revoke execute on function prepare_ended_months(text, text[]), is_month_kept(regclass, ended_tables, bigint),
    drop_past_ended_months(text, bigint) from public;
`;

/** A bulk goes after its results: once they are deleted, and not only shown no more. */
const held = `p.results_gone_at is null
  or p.id >= coalesce((select r.deleted_before from retentions r where r.env = p.env and r.kind = 'bulkResults'), '')`;

const bulks = `
  create table if not exists bulks_ended (
    ended_at  bigint not null,
    like bulks including defaults,
    primary key (id)
  ) partition by range (id);
  create index if not exists bulks_ended_list on bulks_ended (env, id desc);
  create index if not exists bulks_ended_actor on bulks_ended (env, actor, id desc);
  create index if not exists bulks_ended_time on bulks_ended (env, ended_at);
  insert into ended_tables values ('bulks', 'bulks_ended', 'blk', $held$${held}$held$) on conflict do nothing;

  do $$ begin
    execute (
      select 'create or replace view all_bulks as select ' || string_agg(quote_ident(attname), ', ' order by attnum)
        || ' from bulks union all select ' || string_agg(quote_ident(attname), ', ' order by attnum) || ' from bulks_ended'
      from pg_attribute where attrelid = 'bulks'::regclass and attnum > 0 and not attisdropped);
  end $$;
`;

/** Runs a step in a transaction that waits for locks only shortly: while it waits, everybody else who uses the table waits behind it. */
const runStep = (knex: Knex, sql: string): Promise<void> =>
  knex.transaction(async (tx) => {
    await tx.raw(`set local lock_timeout = '${lockTimeout}'`);
    await tx.raw(sql);
  });

export const up = async (knex: Knex): Promise<void> => {
  await runStep(knex, tables);
  await runStep(knex, functions);
  await runStep(knex, bulks);
  // An undo stays when the bulk that it undid moves.
  await runStep(knex, 'alter table bulks drop constraint if exists bulks_undo_of_fkey');
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    insert into bulks select (json_populate_record(null::bulks, row_to_json(e))).* from bulks_ended e;
    alter table bulks add constraint bulks_undo_of_fkey foreign key (undo_of) references bulks not valid;
    drop view all_bulks;
    drop table bulks_ended;
    drop function delete_past_ended(text, int, bigint, int);
    drop function drop_past_ended_months(text, bigint);
    drop function is_month_kept(regclass, ended_tables, bigint);
    drop function prepare_ended_months(text, text[]);
    drop function id_month(text);
    drop table ended_tables, ended_moves;
    delete from retentions where kind <> 'bulkResults';
    alter table retentions drop constraint retentions_kind_check;
    alter table retentions add constraint retentions_kind_check check (kind in ('bulkResults'));
  `);
