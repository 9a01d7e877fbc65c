/** Makes a table of months to which approvals move once they have ended. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    create table approvals_ended (
      ended_at  bigint not null,
      like approvals including defaults,
      primary key (id)
    ) partition by range (id);
    create index approvals_ended_list on approvals_ended (env, status, id desc);
    create index approvals_ended_actor on approvals_ended (env, actor, status, id desc);
    create index approvals_ended_time on approvals_ended (env, ended_at);
    insert into ended_tables values ('approvals', 'approvals_ended', 'apr', 'false');

    do $$ begin
      execute (
        select 'create view all_approvals as select ' || string_agg(quote_ident(attname), ', ' order by attnum)
          || ' from approvals union all select ' || string_agg(quote_ident(attname), ', ' order by attnum) || ' from approvals_ended'
        from pg_attribute where attrelid = 'approvals'::regclass and attnum > 0 and not attisdropped);
    end $$;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    insert into approvals select (json_populate_record(null::approvals, row_to_json(e))).* from approvals_ended e;
    drop view all_approvals;
    drop table approvals_ended;
    delete from ended_tables where kind = 'approvals';
    delete from retentions where kind = 'approvals';
  `);
